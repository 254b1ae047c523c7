// mega_starts.h - episodes that begin in a copy of one of a few start states. Shared source.
//
// What src/engine/cpu/vector_starts.c does, with the same draws: the host has made the start states of each pool of
// environments that have the same game, mode and difficulty. Those on the roster copy one, which their own generator
// draws, and leave the roster's lanes, so that nobody plays for them; whose game goes on stays there.
#ifndef MEGA_STARTS_H
#define MEGA_STARTS_H
#include "mega_show.h"
#include "mega_start_state.h"

// 1 if the game goes on, so that the episode is no copy.
MEGA_FN uint32_t starts_goes_on(const mega_batch *batch, uint32_t env) {
    const mega_cell *cell = &batch->cells[env];
    const mega_task_settings *settings = &batch->courses[cell->course].task;
    if (cell->forced || !settings->envpool || !settings->episodic_life) {
        return 0;
    }
    mega_player player;
    batch_connect(batch, env, &player);
    return task_goes_on(&player.view);
}

// Which start state an environment begins in, or -1 if it begins in none.
MEGA_NOINLINE int32_t starts_choose(const mega_batch *batch, const mega_starts *starts, uint32_t env) {
    mega_cell *cell = &batch->cells[env];
    if (cell->power) {
        mega_mt_seed(&cell->random, cell->seed);
        mega_mt_seed(&cell->task.noop_random, cell->seed);
        cell->power = 0;
    }
    return starts_goes_on(batch, env) ? -1 : (int32_t)mega_mt_below(&cell->task.noop_random, starts->count);
}

MEGA_FN void starts_put_state(mega_cell *cell, const mega_start_state *state) {
    cell->session = state->session;
    cell->sticky_action = state->sticky_action;
    cell->sticky_strength = state->sticky_strength;
    cell->task.lives = state->lives;
    cell->task.frames = state->frames;
    cell->task.continued = 0;
    cell->failed = state->failed;
    cell->forced = 0;
    cell->memo = 0; // its pictures are there
    cell->fresh = 1;
    MEGA_FILL(&cell->step, 0, sizeof(cell->step));
}

// The environment in a lane of the roster, by a block of threads that share `choice`.
MEGA_FN void starts_take(const mega_batch *batch, const mega_starts *starts, uint32_t lane, int32_t *choice,
                         uint32_t thread, uint32_t threads) {
    const uint32_t env = (uint32_t)batch->roster.lanes[lane];
    mega_cell *cell = &batch->cells[env];
    MEGA_BLOCK_BARRIER();
    if (thread == 0) {
        *choice = starts_choose(batch, starts, env);
    }
    MEGA_BLOCK_BARRIER();
    if (*choice < 0) {
        return;
    }
    const uint64_t number = (uint64_t)starts->count * starts->pool_of[env] + (uint32_t)*choice;
    const uint8_t *state = starts->states + starts->stride * number;
    if (thread == 0) {
        starts_put_state(cell, (const mega_start_state *)state);
        batch->roster.lanes[lane] = -1;
    }
    const uint32_t ram_size = batch->courses[cell->course].cartridge.ram_size;
    for (uint32_t i = thread; ram_size > MEGA_CART_RAM && i < ram_size; i += threads) {
        batch->cart_ram[(uint64_t)batch->cart_ram_size * env + i] = state[starts->ram + i];
    }
    show_replace(batch, env, state + starts->shown, thread, threads);
}

// All that are on the roster, shared by blocks of threads.
MEGA_FN void starts_copy(const mega_batch *batch, const mega_starts *starts, uint32_t block, uint32_t blocks,
                         int32_t *choice, uint32_t thread, uint32_t threads) {
    for (uint32_t course = 0; course < batch->course_count; course++) {
        const uint32_t count = batch->roster.count_of_course[course];
        for (uint32_t i = block; i < count; i += blocks) {
            starts_take(batch, starts, batch->first_lane[course] + i, choice, thread, threads);
        }
    }
}

#endif
