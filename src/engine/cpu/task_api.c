// task_api.c - the functions of megacade.h, section task.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lane.h"
#include "status.h"

struct mega_task {
    mega_lane_setup *setup;
    mega_lane lane;
    mega_scratch *scratch;
    uint8_t *memory; // pooled screen, stack
    bool over;       // the episode's last step has been played
};

static mega_status open_parts(mega_task *task, const mega_task_desc *desc, const mega_rom *rom) {
    MEGA_TRY(lane_setup_open(desc, rom, 1, &task->setup));
    const mega_lane_setup *setup = task->setup;
    setup_wait(setup->environment);
    MEGA_TRY(scratch_open(setup->environment->cartridge.ram_size, &task->scratch));
    task->memory = calloc(1, setup->screen_size + setup->observation_size);
    if (task->memory == NULL) {
        return mega_fail_memory(setup->screen_size + setup->observation_size);
    }
    const mega_lane_memory memory = {task->memory, task->memory + setup->screen_size, NULL};
    MEGA_TRY(lane_open(&task->lane, setup, &memory));
    lane_bind(&task->lane, task->scratch);
    const mega_status status = lane_power_on(&task->lane, 0);
    return status == MEGA_ERROR_JAMMED ? MEGA_OK : status;
}

mega_status mega_task_create(const mega_task_desc *desc, const mega_rom *rom, mega_task **out) {
    if (out == NULL || rom == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_task_create needs a ROM and a place for its result");
    }
    *out = NULL;
    mega_task *task = calloc(1, sizeof(*task));
    if (task == NULL) {
        return mega_fail_memory(sizeof(*task));
    }
    const mega_status status = open_parts(task, desc, rom);
    if (status != MEGA_OK) {
        mega_task_destroy(task);
        return status;
    }
    *out = task;
    return MEGA_OK;
}

void mega_task_destroy(mega_task *task) {
    if (task != NULL) {
        lane_close(&task->lane);
        lane_setup_close(task->setup);
        free(task->scratch);
        free(task->memory);
        free(task);
    }
}

uint32_t mega_task_action_count(const mega_task *task) {
    return task->setup->action_count;
}

size_t mega_task_observation_size(const mega_task *task) {
    return task->setup->observation_size;
}

static mega_status check_observation(const mega_task *task, const uint8_t *observation, size_t size) {
    if (observation == NULL || size != mega_task_observation_size(task)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "an observation has %zu bytes, and there is room for %zu",
                         mega_task_observation_size(task), observation == NULL ? 0 : size);
    }
    return MEGA_OK;
}

static void fill_result(const mega_task *task, const mega_task_outcome *outcome, mega_task_result *result) {
    const mega_session *session = &task->lane.environment.session;
    if (result != NULL) {
        result->reward = outcome->reward;
        result->lives = session->rules.lives;
        result->frame_number = session->frame_number;
        result->episode_frame_number = session->episode_frame_number;
        result->terminated = outcome->terminated;
        result->truncated = outcome->truncated;
        result->episode_over = outcome->episode_over;
        result->pad = 0;
    }
}

mega_status mega_task_reset(mega_task *task, int64_t seed, uint8_t *observation, size_t size,
                            mega_task_result *result) {
    MEGA_TRY(check_observation(task, observation, size));
    if (seed > UINT32_MAX) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "seed %lld does not fit in 32 bits", (long long)seed);
    }
    if (seed >= 0) {
        MEGA_TRY(lane_power_on(&task->lane, (uint32_t)seed));
    }
    MEGA_TRY(lane_start_episode(&task->lane, seed >= 0 || !task->over));
    task->over = false;
    memcpy(observation, task->lane.view.frames, size);
    const mega_task_outcome outcome = {0};
    fill_result(task, &outcome, result);
    return MEGA_OK;
}

mega_status mega_task_step(mega_task *task, uint32_t action_index, float strength, uint8_t *observation,
                           size_t size, mega_task_result *result) {
    MEGA_TRY(check_observation(task, observation, size));
    if (action_index >= task->setup->action_count) {
        return mega_fail(MEGA_ERROR_ACTION, "action %u is not one of 0 to %u", action_index,
                         task->setup->action_count - 1);
    }
    if (isnan(strength)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "the paddle strength is not a number");
    }
    const mega_task_outcome outcome = lane_step(&task->lane, task->setup->actions[action_index], strength);
    task->over = outcome.episode_over != 0;
    memcpy(observation, task->lane.view.frames, size);
    fill_result(task, &outcome, result);
    return environment_fault(&task->lane.environment);
}

mega_status mega_action_from_polar(float radius, float theta, float fire, float threshold, uint32_t *action) {
    // Rows: centre, up, down; columns: centre, right, left; then with fire.
    static const uint8_t table[2][3][3] = {
        {{MEGA_ACTION_NOOP, MEGA_ACTION_RIGHT, MEGA_ACTION_LEFT},
         {MEGA_ACTION_UP, MEGA_ACTION_UPRIGHT, MEGA_ACTION_UPLEFT},
         {MEGA_ACTION_DOWN, MEGA_ACTION_DOWNRIGHT, MEGA_ACTION_DOWNLEFT}},
        {{MEGA_ACTION_FIRE, MEGA_ACTION_RIGHTFIRE, MEGA_ACTION_LEFTFIRE},
         {MEGA_ACTION_UPFIRE, MEGA_ACTION_UPRIGHTFIRE, MEGA_ACTION_UPLEFTFIRE},
         {MEGA_ACTION_DOWNFIRE, MEGA_ACTION_DOWNRIGHTFIRE, MEGA_ACTION_DOWNLEFTFIRE}},
    };
    if (action == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_action_from_polar needs a place for its result");
    }
    *action = MEGA_ACTION_NOOP;
    if (!isfinite(radius) || !isfinite(theta) || !isfinite(fire) || !isfinite(threshold)) {
        return mega_fail(MEGA_ERROR_ARGUMENT,
                         "a continuous action holds a value that is not a finite number");
    }
    const float x = radius * cosf(theta), y = radius * sinf(theta);
    const int column = x > threshold ? 1 : x < -threshold ? 2 : 0;
    const int row = y > threshold ? 1 : y < -threshold ? 2 : 0;
    *action = table[fire > threshold][row][column];
    return MEGA_OK;
}
