// task_api.c - the functions of megacade.h, section task.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "mega_task_core.h"
#include "status.h"

struct mega_task {
    mega_env *env;
    mega_task_settings settings;
    mega_task_state state;
    mega_task_view view;
    mega_resizer resizer;
    uint8_t actions[MEGA_ACTION_COUNT];
    uint8_t *memory; // pooled screen, earlier frame, stack
};

static mega_status check_desc(const mega_task_desc *desc) {
    if (desc == NULL || desc->struct_size != sizeof(*desc)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_task_desc.struct_size is %u, expected %zu",
                         desc == NULL ? 0 : desc->struct_size, sizeof(*desc));
    }
    if (desc->height > MEGA_RESIZE_MAX || desc->width > MEGA_RESIZE_MAX) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "observations of %u x %u are too large; at most %d x %d",
                         desc->height, desc->width, MEGA_RESIZE_MAX, MEGA_RESIZE_MAX);
    }
    if (desc->stack > 64 || desc->frame_skip > 1000) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "a stack of %u frames or a frame skip of %u is too large",
                         desc->stack, desc->frame_skip);
    }
    if (desc->max_episode_frames < 0 || desc->noop_max < -1) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "max_episode_frames %d or noop_max %d is negative",
                         desc->max_episode_frames, desc->noop_max);
    }
    return MEGA_OK;
}

static void fill_settings(mega_task_settings *settings, const mega_task_desc *desc) {
    settings->frame_skip = desc->frame_skip != 0 ? desc->frame_skip : 4;
    settings->stack = desc->stack != 0 ? desc->stack : 4;
    settings->noop_max = desc->noop_max == 0 ? 30 : desc->noop_max == -1 ? 0 : desc->noop_max;
    settings->max_frames = desc->max_episode_frames != 0 ? desc->max_episode_frames : 108000;
    settings->channels = desc->rgb ? 3 : 1;
    settings->maxpool = !desc->no_maxpool;
    settings->fire_reset = !desc->no_fire_reset;
    settings->reward_clipping = !desc->no_reward_clipping;
    settings->episodic_life = desc->episodic_life != 0;
    settings->life_loss_info = desc->life_loss_info != 0;
}

// The action set in ascending order.
static uint32_t fill_actions(mega_task *task, int full) {
    const mega_game_facts *facts = task->env->facts;
    const uint32_t legal = task->env->settings.legal_actions;
    const uint32_t set = full || facts == NULL ? legal : facts->minimal_actions & legal;
    uint32_t count = 0;
    for (uint32_t action = 0; action < MEGA_ACTION_COUNT; action++) {
        if ((set >> action & 1u) != 0) {
            task->actions[count++] = (uint8_t)action;
        }
    }
    return count;
}

mega_status mega_task_create(const mega_task_desc *desc, const mega_rom *rom, mega_task **out) {
    if (out == NULL || rom == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_task_create needs a ROM and a place for its result");
    }
    *out = NULL;
    MEGA_TRY(check_desc(desc));
    mega_task *task = calloc(1, sizeof(*task));
    if (task == NULL) {
        return mega_fail_memory(sizeof(*task));
    }
    fill_settings(&task->settings, desc);
    const mega_env_desc env_desc = {
        .struct_size = sizeof(env_desc), .frame_skip = 1, .sticky = desc->sticky, .plain = desc->plain};
    mega_status status = mega_env_create(&env_desc, rom, &task->env);
    if (status != MEGA_OK) {
        mega_task_destroy(task);
        return status;
    }
    mega_env *env = task->env;
    resize_prepare(&task->resizer, env->cartridge.height, MEGA_WIDTH, desc->height != 0 ? desc->height : 84,
                   desc->width != 0 ? desc->width : 84, task->settings.channels);
    const size_t screen = (size_t)MEGA_WIDTH * env->cartridge.height;
    const size_t size = screen * task->settings.channels + screen + mega_task_observation_size(task);
    task->memory = calloc(1, size);
    if (task->memory == NULL) {
        mega_task_destroy(task);
        return mega_fail_memory(size);
    }
    mega_task_view *view = &task->view;
    view->stage = &env->stage;
    view->state = &task->state;
    view->settings = &task->settings;
    view->resizer = &task->resizer;
    view->actions = task->actions;
    view->action_count = fill_actions(task, desc->full_actions);
    view->pooled = task->memory;
    view->earlier = view->pooled + screen * task->settings.channels;
    view->frames = view->earlier + screen;
    mega_mt_seed(&task->state.noop_random, 0);
    *out = task;
    return MEGA_OK;
}

void mega_task_destroy(mega_task *task) {
    if (task != NULL) {
        mega_env_destroy(task->env);
        free(task->memory);
        free(task);
    }
}

uint32_t mega_task_action_count(const mega_task *task) {
    return task->view.action_count;
}

size_t mega_task_observation_size(const mega_task *task) {
    const mega_resizer *r = &task->resizer;
    return (size_t)task->settings.stack * r->height * r->width * r->channels;
}

static mega_status check_observation(const mega_task *task, const uint8_t *observation, size_t size) {
    if (observation == NULL || size != mega_task_observation_size(task)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "an observation has %zu bytes, and there is room for %zu",
                         mega_task_observation_size(task), observation == NULL ? 0 : size);
    }
    return MEGA_OK;
}

static void fill_result(const mega_task *task, const mega_task_outcome *outcome, mega_task_result *result) {
    if (result != NULL) {
        result->reward = outcome->reward;
        result->lives = task->env->session.rules.lives;
        result->frame_number = task->env->session.frame_number;
        result->episode_frame_number = task->env->session.episode_frame_number;
        result->terminated = outcome->terminated;
        result->truncated = outcome->truncated;
        result->episode_over = outcome->episode_over;
        result->pad = 0;
    }
}

// Resets the environment, presses FIRE and waits, as the reference's vector environment does.
static mega_status start_episode(mega_task *task) {
    mega_env *env = task->env;
    MEGA_TRY(environment_reset(env));
    if (task_needs_fire(&task->view)) {
        env->play->act(&env->stage, MEGA_ACTION_FIRE, 1.0f);
    }
    for (uint32_t left = task_draw_noops(&task->view); left > 0; left--) {
        env->play->act(&env->stage, MEGA_ACTION_NOOP, 1.0f);
        if (env_game_over(&env->stage)) {
            MEGA_TRY(environment_reset(env));
        }
    }
    env->play->task_begin_episode(&task->view);
    return environment_fault(env);
}

mega_status mega_task_reset(mega_task *task, int64_t seed, uint8_t *observation, size_t size,
                            mega_task_result *result) {
    MEGA_TRY(check_observation(task, observation, size));
    if (seed > UINT32_MAX) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "seed %lld does not fit in 32 bits", (long long)seed);
    }
    if (seed >= 0) {
        mega_mt_seed(&task->state.noop_random, (uint32_t)seed);
        MEGA_TRY(environment_power_on(task->env, (uint32_t)seed));
    }
    MEGA_TRY(start_episode(task));
    task_observe(&task->view, observation);
    const mega_task_outcome outcome = {0};
    fill_result(task, &outcome, result);
    return MEGA_OK;
}

mega_status mega_task_step(mega_task *task, uint32_t action_index, float strength, uint8_t *observation,
                           size_t size, mega_task_result *result) {
    MEGA_TRY(check_observation(task, observation, size));
    if (action_index >= task->view.action_count) {
        return mega_fail(MEGA_ERROR_ACTION, "action %u is not one of 0 to %u", action_index,
                         task->view.action_count - 1);
    }
    if (isnan(strength)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "the paddle strength is not a number");
    }
    const mega_task_outcome outcome =
        task->env->play->task_step(&task->view, task->actions[action_index], strength);
    task_observe(&task->view, observation);
    fill_result(task, &outcome, result);
    return environment_fault(task->env);
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
