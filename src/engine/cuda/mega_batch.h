// mega_batch.h - what a lane does with an environment in the memory of a device. Shared source.
#ifndef MEGA_BATCH_H
#define MEGA_BATCH_H
#include "mega_cell.h"
#include "mega_warp.h"

// An environment as a lane holds it while it plays.
typedef struct mega_player {
    mega_session session;
    mega_stage stage;
    mega_task_view view;
} mega_player;

MEGA_FN void batch_connect(const mega_batch *batch, uint32_t env, mega_player *player) {
    mega_cell *cell = &batch->cells[env];
    const mega_course *course = &batch->courses[cell->course];
    mega_stage *stage = &player->stage;
    player->session = cell->session;
    stage->session = &player->session;
    stage->settings = &course->settings;
    stage->random = &cell->random;
    stage->sticky_action = cell->sticky_action;
    stage->sticky_strength = cell->sticky_strength;
    stage->how = MEGA_RUN_FAST;
    stage->failed = cell->failed;
    mega_machine *machine = &stage->machine;
    machine->console = &player->session.console;
    machine->cartridge = &course->cartridge;
    machine->image = course->image;
    machine->shades = course->shades;
    machine->cart_ram = batch->cart_ram_size != 0 && course->cartridge.ram_size > MEGA_CART_RAM
                            ? batch->cart_ram + (uint64_t)batch->cart_ram_size * env
                            : player->session.console.cart.ram;
    machine->video = &batch->videos[env];
    mega_task_view *view = &player->view;
    view->stage = stage;
    view->state = &cell->task;
    view->settings = &course->task;
    view->resizer = course->resizer;
    view->actions = course->actions;
    view->action_count = course->action_count;
    view->pooled = batch->pooled + (uint64_t)batch->screen_size * env;
    view->earlier = video_spare(machine->video);
    view->frames = batch->observations + (uint64_t)batch->observation_size * env;
}

MEGA_FN void batch_disconnect(const mega_batch *batch, uint32_t env, const mega_player *player) {
    mega_cell *cell = &batch->cells[env];
    cell->session = player->session;
    cell->sticky_action = player->stage.sticky_action;
    cell->sticky_strength = player->stage.sticky_strength;
    cell->failed = player->stage.failed;
}

// One step of a warp of environments; a lane without one, or with one that does not play, has `plays` 0. Pictures
// are left to others. A function, so that a kernel which either does this or begins episodes needs memory for the larger
// player of the two, not for both.
MEGA_NOINLINE void batch_step(const mega_batch *batch, mega_warp *warp, uint32_t env, uint32_t plays) {
    mega_player player;
    batch_connect(batch, env, &player);
    mega_stage *stage = &player.stage;
    const uint32_t action = (uint32_t)batch->actions[env];
    const float strength = batch->strengths != NULL ? batch->strengths[env] : 1.0f;
    mega_task_progress step;
#if MEGA_COUNT
    warp->counts = batch->counts;
#endif
    task_begin_step(&player.view, &step);
    for (;;) {
        // Warps of a multiprocessor begin their frames together: then they need the same code at the same time, and
        // its cache of instructions is small.
        const uint32_t runs = plays && task_is_playing(&step);
        if (!MEGA_BLOCK_ANY(runs)) {
            break;
        }
        const uint32_t frame = runs && env_begin_act_frame(stage, action, strength);
        int32_t reward = 0;
        if (frame) {
            // Observations are made of the last two frames of a step, whether it ends early or not.
            console_begin_request(&stage->machine, step.left > 2 ? MEGA_RUN_UNSEEN : MEGA_RUN_FAST);
        }
        MEGA_WARP_BARRIER();
        warp_run_frame(&stage->machine, &player.session.console, warp, frame, 1);
        MEGA_BLOCK_BARRIER();
        warp_settle(&stage->machine, warp, frame);
        warp_draw_ragged(&stage->machine, frame);
        if (frame) {
            console_end_request(&stage->machine, MEGA_RUN_FAST);
            reward = env_end_act_frame(stage);
        }
        if (runs) {
            player.view.earlier = video_spare(stage->machine.video);
            task_end_frame(&player.view, &step, env_limit_reward(stage->settings, reward));
        }
        MEGA_WARP_BARRIER();
    }
    if (plays) {
        const mega_task_outcome outcome = task_end_step(&player.view, &step);
        mega_result *result = &batch->results[env];
        result->reward = outcome.reward;
        result->score = outcome.score;
        result->lives = player.session.rules.lives;
        result->terminated = outcome.terminated;
        result->truncated = outcome.truncated;
        result->ended = outcome.episode_over;
        result->jammed = player.session.console.cpu.jammed;
        batch->cells[env].step = step;
        batch->cells[env].over = outcome.episode_over;
        batch_disconnect(batch, env, &player);
    }
}

#endif
