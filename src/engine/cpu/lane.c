// lane.c - see lane.h.
#include "lane.h"

#include <stdlib.h>
#include <string.h>

#include "status.h"

// ---- what lanes share ----------------------------------------------------------------------------------

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

static void fill_settings(mega_task_settings *settings, const mega_task_desc *desc, int observe) {
    settings->frame_skip = desc->frame_skip != 0 ? desc->frame_skip : 4;
    settings->stack = desc->stack != 0 ? desc->stack : 4;
    settings->noop_max = desc->noop_max == 0 ? 30 : desc->noop_max == -1 ? 0 : desc->noop_max;
    settings->max_frames = desc->max_episode_frames != 0 ? desc->max_episode_frames : 108000;
    settings->channels = !observe ? 0 : desc->rgb ? 3 : 1;
    settings->maxpool = !desc->no_maxpool || desc->envpool;
    settings->envpool = desc->envpool != 0;
    settings->fire_reset = !desc->no_fire_reset;
    settings->reward_clipping = !desc->no_reward_clipping;
    settings->episodic_life = desc->episodic_life != 0;
    settings->life_loss_info = desc->life_loss_info != 0;
}

static void fill_actions(mega_lane_setup *setup, int full) {
    const mega_game_facts *facts = setup->environment->facts;
    const uint32_t legal = setup->environment->settings.legal_actions;
    const uint32_t set = full || facts == NULL ? legal : facts->minimal_actions & legal;
    for (uint32_t action = 0; action < MEGA_ACTION_COUNT; action++) {
        if ((set >> action & 1u) != 0) {
            setup->actions[setup->action_count++] = (uint8_t)action;
        }
    }
}

static void fill_sizes(mega_lane_setup *setup, const mega_task_desc *desc) {
    const uint32_t height = desc->height != 0 ? desc->height : 84,
                   width = desc->width != 0 ? desc->width : 84;
    const uint32_t rows = setup->environment->cartridge.height, channels = setup->settings.channels;
    resize_prepare(&setup->resizer, rows, MEGA_WIDTH, height, width, channels != 0 ? channels : 1);
    setup->screen_size = (size_t)MEGA_WIDTH * rows * channels;
    setup->observation_size = (size_t)setup->settings.stack * height * width * channels;
    setup->store_size = parking_capacity(&setup->environment->cartridge);
}

mega_status lane_setup_open(const mega_task_desc *desc, const mega_rom *rom, int observe,
                            mega_lane_setup **out) {
    *out = NULL;
    MEGA_TRY(check_desc(desc));
    mega_lane_setup *setup = calloc(1, sizeof(*setup));
    if (setup == NULL) {
        return mega_fail_memory(sizeof(*setup));
    }
    const mega_env_desc env_desc = {
        .struct_size = sizeof(env_desc),
        .frame_skip = 1,
        .sticky = desc->sticky,
        .plain = desc->plain,
        .translate = desc->translate,
    };
    const mega_status status = setup_open(&env_desc, rom, &setup->environment);
    if (status != MEGA_OK) {
        lane_setup_close(setup);
        return status;
    }
    fill_settings(&setup->settings, desc, observe);
    fill_actions(setup, desc->full_actions);
    fill_sizes(setup, desc);
    *out = setup;
    return MEGA_OK;
}

void lane_setup_close(mega_lane_setup *setup) {
    if (setup != NULL) {
        setup_close(setup->environment);
        free(setup);
    }
}

// ---- one lane ------------------------------------------------------------------------------------------

mega_status lane_open(mega_lane *lane, const mega_lane_setup *setup, const mega_lane_memory *memory) {
    memset(lane, 0, sizeof(*lane));
    MEGA_TRY(environment_open(&lane->environment, setup->environment));
    const mega_game_facts *facts = setup->environment->facts;
    lane->setup = setup;
    lane->mode = facts != NULL ? facts->modes[0] : 0;
    lane->store = memory->store;
    for (uint32_t i = 0; i < 2 && memory->store != NULL; i++) {
        lane->parked.picture[i].size = MEGA_WIDTH * (uint32_t)setup->environment->cartridge.height; // black
    }
    mega_task_view *view = &lane->view;
    view->stage = &lane->environment.stage;
    view->state = &lane->task;
    view->settings = &setup->settings;
    view->resizer = &setup->resizer;
    view->actions = setup->actions;
    view->action_count = setup->action_count;
    view->pooled = memory->pooled;
    view->frames = memory->frames;
    return MEGA_OK;
}

void lane_close(mega_lane *lane) {
    environment_close(&lane->environment);
}

void lane_bind(mega_lane *lane, mega_scratch *scratch) {
    environment_connect(&lane->environment, scratch);
    lane->view.earlier = scratch->earlier;
    scratch->video.current = lane->current;
    video_unpark(&lane->environment.stage.machine, &lane->parked, lane->store);
}

void lane_unbind(mega_lane *lane) {
    mega_machine *machine = &lane->environment.stage.machine;
    lane->current = machine->video->current;
    (void)video_park(machine, &lane->parked, lane->store, (uint32_t)lane->setup->store_size);
    machine->video = NULL;
    lane->environment.scratch = NULL;
    lane->view.earlier = NULL;
}

mega_status lane_power_on(mega_lane *lane, uint32_t seed) {
    mega_mt_seed(&lane->task.noop_random, seed);
    const mega_status status = environment_power_on(&lane->environment, seed);
    lane->environment.session.mode = lane->mode;
    lane->environment.session.difficulty = lane->difficulty;
    return status;
}

void lane_seed(mega_lane *lane, uint32_t seed) {
    mega_mt_seed(&lane->task.noop_random, seed);
    mega_mt_seed(&lane->environment.random, seed);
}

static void press_fire(mega_lane *lane) {
    if (task_needs_fire(&lane->view)) {
        lane->environment.setup->play->act(&lane->environment.stage, MEGA_ACTION_FIRE, 1.0f);
    }
}

static void wait_noops(mega_lane *lane) {
    mega_environment *env = &lane->environment;
    for (uint32_t left = task_draw_noops(&lane->view); left > 0; left--) {
        env->setup->play->act(&env->stage, MEGA_ACTION_NOOP, 1.0f);
        if (env_game_over(&env->stage)) {
            (void)environment_reset(env);
        }
    }
}

mega_status lane_start_episode(mega_lane *lane, bool forced) {
    mega_environment *env = &lane->environment;
    const bool envpool = lane->setup->settings.envpool != 0;
    lane->task.continued = !forced && task_goes_on(&lane->view);
    if (!lane->task.continued) {
        (void)environment_reset(env);
    }
    if (!envpool) {
        press_fire(lane);
    }
    wait_noops(lane);
    if (envpool) {
        press_fire(lane);
    }
    env->setup->play->task_begin_episode(&lane->view);
    return environment_fault(env);
}

mega_task_outcome lane_step(mega_lane *lane, uint32_t action, float strength) {
    environment_prepare(&lane->environment);
    return lane->environment.setup->play->task_step(&lane->view, action, strength);
}
