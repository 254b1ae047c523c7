// mega_test_replay.h - made-up play for tests of replay memories, and a slow model of them: it keeps every
// step with its whole stack, forgets nothing, and says from first principles what a sample must be.
#ifndef MEGA_TEST_REPLAY_H
#define MEGA_TEST_REPLAY_H
#include "replay.h"

#include "mega_test.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct test_play {
    mega_replay_desc desc;
    uint32_t steps;        // so many are made up
    size_t stack_size;     // bytes of an observation
    uint8_t *observations; // [steps][envs][stack_size]
    int32_t *actions;      // [steps][envs], from here on
    float *rewards;
    uint8_t *flags;
    mega_rollout rollout; // with one slot, in the device's memory
} test_play;

static inline uint32_t test_word(uint32_t stream, uint64_t index) {
    return mega_philox_word(77, stream, index);
}

static inline bool test_chance(uint32_t stream, uint64_t index, float probability) {
    return mega_philox_uniform(test_word(stream, index)) < probability;
}

static inline uint8_t *test_observation(const test_play *play, uint64_t step, uint32_t env) {
    return play->observations + (step * play->desc.envs + env) * play->stack_size;
}

// The stack of a step: that of the step before with one more frame, or zeros and one frame after a reset. The
// first one of all is in the middle of an episode.
static inline void test_make_stack(test_play *play, uint64_t step, uint32_t env) {
    const size_t frame = play->desc.frame_size, older = play->stack_size - frame;
    const uint64_t cell = step * play->desc.envs + env, before = cell - play->desc.envs;
    uint8_t *stack = test_observation(play, step, env);
    size_t from = older;
    if (step == 0) {
        from = 0;
    } else if (play->flags[before] & MEGA_STEP_VOID) {
        memset(stack, 0, older);
    } else {
        memcpy(stack, test_observation(play, step - 1, env) + frame, older);
    }
    for (size_t i = from; i < play->stack_size; i++) {
        stack[i] = (uint8_t)(test_word(1, cell * play->stack_size + i) | 1u); // unlike a frame of zeros
    }
}

// Games end, lives are lost (a terminal step that no reset follows) and episodes are cut.
static inline void test_make_step(test_play *play, uint64_t step, uint32_t env, uint8_t *over) {
    const uint64_t cell = step * play->desc.envs + env;
    const bool ends = test_chance(2, cell, 0.07f), is_cut = test_chance(3, cell, 0.07f),
               is_life = test_chance(4, cell, 0.05f), is_void = *over != 0;
    test_make_stack(play, step, env);
    play->actions[cell] = (int32_t)mega_philox_below(test_word(5, cell), 18);
    play->rewards[cell] = is_void ? 0.0f : (float)mega_philox_below(test_word(6, cell), 7) - 3.0f;
    play->flags[cell] = step_flags(ends || is_life, is_cut, is_void);
    *over = !is_void && (ends || is_cut);
}

static inline test_play test_play_make(mega_compute *compute, const mega_replay_desc *desc, uint32_t steps) {
    test_play play = {.desc = *desc, .steps = steps, .stack_size = desc->stack * desc->frame_size};
    const size_t cells = (size_t)steps * desc->envs;
    mega_message message = {""};
    uint8_t *over = calloc(desc->envs, 1);
    play.observations = malloc(cells * play.stack_size);
    play.actions = malloc(cells * sizeof *play.actions);
    play.rewards = malloc(cells * sizeof *play.rewards);
    play.flags = malloc(cells);
    for (uint64_t step = 0; step < steps; step++) {
        for (uint32_t env = 0; env < desc->envs; env++) {
            test_make_step(&play, step, env, over + env);
        }
    }
    free(over);
    MEGA_CHECK_EQ(mega_rollout_create(compute, 2, desc->envs, play.stack_size, &play.rollout, &message), 0);
    return play;
}

static inline void test_play_free(mega_compute *compute, test_play *play) {
    mega_rollout_destroy(compute, &play->rollout);
    free(play->observations);
    free(play->actions);
    free(play->rewards);
    free(play->flags);
}

// Stores the next step of the play.
static inline int test_play_store(mega_compute *compute, test_play *play, mega_replay *replay,
                                  mega_message *message) {
    const mega_compute_ops *ops = compute->ops;
    const uint32_t slot = (uint32_t)(replay->stored % 2);
    const size_t envs = play->desc.envs, cell = replay->stored * envs, to = slot * envs;
    const mega_rollout *r = &play->rollout;
    ops->upload(compute, mega_rollout_observations(r, slot, 0), test_observation(play, replay->stored, 0),
                envs * play->stack_size, message);
    ops->upload(compute, r->actions + to, play->actions + cell, envs * sizeof *r->actions, message);
    ops->upload(compute, r->rewards + to, play->rewards + cell, envs * sizeof *r->rewards, message);
    ops->upload(compute, r->flags + to, play->flags + cell, envs, message);
    return mega_replay_store(compute, replay, r, slot, message);
}

// The steps that may be drawn.
static inline int64_t test_first_step(const mega_replay *replay) {
    const int64_t kept =
        (int64_t)replay->published + (int64_t)replay->desc.ahead - (int64_t)replay->desc.slots;
    return (kept > 0 ? kept : 0) + (int64_t)replay->desc.stack - 1;
}

static inline int64_t test_end_step(const mega_replay *replay) {
    return (int64_t)replay->published - (int64_t)replay->desc.n_step;
}

static inline bool test_is_drawable(const test_play *play, const mega_replay *replay, int64_t step,
                                    uint32_t env) {
    return step >= test_first_step(replay) && step < test_end_step(replay) &&
           !(play->flags[(uint64_t)step * play->desc.envs + env] & MEGA_STEP_VOID);
}

// The step of a cell, or -1 if it may not be drawn.
static inline int64_t test_step_of(const test_play *play, const mega_replay *replay, int32_t cell) {
    const int64_t slot = cell / (int32_t)play->desc.envs, slots = (int64_t)replay->desc.slots;
    const uint32_t env = (uint32_t)cell % play->desc.envs;
    for (int64_t step = test_first_step(replay); step < test_end_step(replay); step++) {
        if (step % slots == slot && test_is_drawable(play, replay, step, env)) {
            return step;
        }
    }
    return -1;
}

#endif
