// mega_replay.h - the replay memory (replay.h) as kernels get it, and the work of one cell or one sample.
// Shared source.
//
// A cell is a step of one environment: number slot * envs + env. The observation before the step is kept as
// its newest frame alone; the older ones of its stack are those of the slots before, and zeros where the
// episode had not begun. Functions that take `thread` and `threads` do one thread's part of something; (0, 1)
// does all of it.
#ifndef MEGA_REPLAY_H
#define MEGA_REPLAY_H
#include "mega_policy.h"
#include "mega_returns.h"
#include "mega_sum_tree.h"

enum {
    MEGA_REPLAY_AGE_MAX = 255,
    MEGA_REPLAY_TRIES = 64 // of a uniform draw, before it looks at one cell after the other
};

typedef struct mega_replay_view {
    uint8_t *frames;  // [slots][envs][frame_size]: the newest of the observation before the step
    int32_t *actions; // [slots][envs], from here on
    float *rewards;
    uint8_t *flags; // MEGA_STEP_*
    uint8_t *ages;  // steps since the episode's first observation, at most MEGA_REPLAY_AGE_MAX
    float
        *max_priority;  // of all that ever were, 1 at first; NULL without priorities, as are the tree's nodes
    mega_sum_tree tree; // a leaf for each cell: its priority, or 0 where it cannot be drawn
    uint64_t frame_size; // bytes
    uint32_t slots, envs;
    uint32_t stack, n_step;
    float discount, alpha;
    uint32_t slot;  // the first that samples may see
    uint32_t steps; // and how many, from there on round the ring
} mega_replay_view;

// What is drawn to learn from, in the device's memory.
typedef struct mega_replay_batch {
    uint32_t count;
    int32_t *cells;             // [count], from here on
    int32_t *next_cells;        // of the state that returns are continued from
    uint8_t *observations;      // [count][stack][frame_size]
    uint8_t *next_observations; // [count][stack][frame_size]
    int32_t *actions;
    float *returns;   // n-step
    float *discounts; // what the value of next_observations counts in the return: 0 after a terminal step
    float *weights; // importance, 1 at most; all 1 in uniform batches; 0 for what should not have been drawn
    void *slab;     // holds them all
} mega_replay_batch;

// A step of all environments, as a rollout has it.
typedef struct mega_replay_step {
    const uint8_t *observations; // [envs][stack][frame_size]
    const int32_t *actions;
    const float *rewards;
    const uint8_t *flags;
    uint32_t slot;     // where it goes
    uint32_t is_first; // of all: the frames before it are not known
} mega_replay_step;

// Steps in a row, round the ring.
typedef struct mega_replay_span {
    uint32_t slot;
    uint32_t steps;
} mega_replay_span;

// ---- storing ----

// Copies a frame, or zeros (NULL), 16 bytes at a time where its size allows.
MEGA_FN void replay_copy_frame(uint8_t *to, const uint8_t *from, uint64_t size, uint32_t thread,
                               uint32_t threads) {
    const uint32_t zeros[4] MEGA_ALIGNED16 = {0, 0, 0, 0};
    const uint64_t wide = size % 16u == 0u ? size / 16u : 0u;
    for (uint64_t i = thread; i < wide; i += threads) {
        MEGA_COPY16(to + i * 16u, from == 0 ? (const uint8_t *)zeros : from + i * 16u);
    }
    for (uint64_t i = wide * 16u + thread; i < size; i += threads) {
        to[i] = from == 0 ? 0u : from[i];
    }
}

MEGA_FN void replay_store_frame(const mega_replay_view *view, const mega_replay_step *step, uint32_t env,
                                uint32_t thread, uint32_t threads) {
    const uint64_t cell = (uint64_t)step->slot * view->envs + env;
    const uint64_t newest = (uint64_t)(env + 1u) * view->stack - 1u;
    replay_copy_frame(view->frames + cell * view->frame_size, step->observations + newest * view->frame_size,
                      view->frame_size, thread, threads);
}

// All but the frame.
MEGA_FN void replay_store_cell(const mega_replay_view *view, const mega_replay_step *step, uint32_t env) {
    const uint32_t cell = step->slot * view->envs + env;
    const uint32_t before = (step->slot == 0u ? view->slots - 1u : step->slot - 1u) * view->envs + env;
    uint32_t age = MEGA_REPLAY_AGE_MAX;
    if (!step->is_first) {
        age = view->flags[before] & MEGA_STEP_VOID ? 0u : view->ages[before] + 1u;
    }
    view->ages[cell] = (uint8_t)(age < MEGA_REPLAY_AGE_MAX ? age : MEGA_REPLAY_AGE_MAX);
    view->actions[cell] = step->actions[env];
    view->rewards[cell] = step->rewards[env];
    view->flags[cell] = step->flags[env];
}

// ---- publishing ----

MEGA_FN uint32_t replay_cells(const mega_replay_view *view) {
    return view->slots * view->envs;
}

// Sets the leaves of a span: to `priority`, or to 0 where there is nothing to learn.
MEGA_FN void replay_set_span(const mega_replay_view *view, mega_replay_span span, float priority,
                             uint32_t thread, uint32_t threads) {
    const uint32_t cells = replay_cells(view), first = span.slot * view->envs;
    for (uint32_t i = thread; i < span.steps * view->envs; i += threads) {
        const uint32_t cell = (first + i) % cells;
        view->tree.nodes[cell] = view->flags[cell] & MEGA_STEP_VOID ? 0.0f : priority;
    }
}

// A level's ancestors of a span, which is one range of leaves, or two where it goes round the ring's end.
MEGA_FN void replay_refresh_span(const mega_replay_view *view, mega_replay_span span, uint32_t level,
                                 uint32_t thread, uint32_t threads) {
    const uint32_t to_end = view->slots - span.slot, head = span.steps < to_end ? span.steps : to_end;
    tree_refresh_range(&view->tree, level, span.slot * view->envs, head * view->envs, thread, threads);
    tree_refresh_range(&view->tree, level, 0, (span.steps - head) * view->envs, thread, threads);
}

// ---- drawing ----

// How many cells samples may see, void ones among them.
MEGA_FN uint32_t replay_window(const mega_replay_view *view) {
    return view->steps * view->envs;
}

MEGA_FN uint32_t replay_window_cell(const mega_replay_view *view, uint32_t index) {
    return (view->slot * view->envs + index) % replay_cells(view);
}

// Word number `number` below MEGA_REPLAY_TRIES of sample i of batch number `index`.
MEGA_FN uint32_t replay_word(uint64_t seed, uint64_t index, uint32_t i, uint32_t number) {
    return mega_philox_word(seed, (uint64_t)MEGA_DRAW_REPLAY << 32 | i, index * MEGA_REPLAY_TRIES + number);
}

// Any cell in sight whose step is one of a game; if there is none, a void one.
MEGA_FN uint32_t replay_draw_uniform(const mega_replay_view *view, uint64_t seed, uint64_t index,
                                     uint32_t i) {
    const uint32_t window = replay_window(view);
    uint32_t place = 0;
    for (uint32_t number = 0; number < MEGA_REPLAY_TRIES; number++) {
        place = mega_philox_below(replay_word(seed, index, i, number), window);
        const uint32_t cell = replay_window_cell(view, place);
        if (!(view->flags[cell] & MEGA_STEP_VOID)) {
            return cell;
        }
    }
    for (uint32_t walked = 1; walked < window; walked++) {
        const uint32_t cell = replay_window_cell(view, (place + walked) % window);
        if (!(view->flags[cell] & MEGA_STEP_VOID)) {
            return cell;
        }
    }
    return replay_window_cell(view, place);
}

// A cell by its priority, for part i of the batch's `count` parts of the total (Schaul et al. 2016). Only
// sums of leaves and doubles are in it, which all devices round alike.
MEGA_FN uint32_t replay_draw_prioritised(const mega_replay_view *view, uint64_t seed, uint64_t index,
                                         uint32_t i, uint32_t count) {
    const double uniform = (double)replay_word(seed, index, i, 0) * (1.0 / 4294967296.0);
    return tree_find(&view->tree, ((double)i + uniform) / (double)count * (double)tree_total(&view->tree));
}

// ---- filling ----

MEGA_FN float replay_power(float base, float exponent) {
    return MEGA_EXP(exponent * MEGA_LOG(base));
}

// Importance of a cell that was drawn: (N P)^-beta, before it is divided by the batch's largest. Where
// nothing can be learned it is 0.
MEGA_FN float replay_weight(const mega_replay_view *view, uint32_t cell, float beta) {
    const float priority = view->tree.nodes[cell];
    if (!(priority > 0.0f)) {
        return 0.0f;
    }
    return replay_power((float)replay_window(view) * (priority / tree_total(&view->tree)), -beta);
}

// Sample i of a batch, whose cell is known: all but its frames and its weight.
MEGA_FN void replay_fill(const mega_replay_view *view, const mega_replay_batch *batch, uint32_t i) {
    uint32_t cell = (uint32_t)batch->cells[i], taken = 0, flags = 0;
    float sum = 0.0f, factor = 1.0f;
    batch->actions[i] = view->actions[cell];
    while (taken < view->n_step && !(flags & MEGA_STEP_CUT)) {
        sum += factor * view->rewards[cell];
        factor *= view->discount;
        flags = view->flags[cell];
        cell = (cell + view->envs) % replay_cells(view);
        taken++;
    }
    batch->returns[i] = sum;
    batch->discounts[i] = flags & MEGA_STEP_TERMINAL ? 0.0f : factor;
    batch->next_cells[i] = (int32_t)cell;
}

// Draws sample i of a batch of the uniform kind and fills all but its frames.
MEGA_FN void replay_sample_uniform(const mega_replay_view *view, const mega_replay_batch *batch,
                                   uint64_t seed, uint64_t index, uint32_t i) {
    const uint32_t cell = replay_draw_uniform(view, seed, index, i);
    batch->cells[i] = (int32_t)cell;
    batch->weights[i] = view->flags[cell] & MEGA_STEP_VOID ? 0.0f : 1.0f;
    replay_fill(view, batch, i);
}

// The same by priorities; weights are still to be divided by the largest.
MEGA_FN void replay_sample_prioritised(const mega_replay_view *view, const mega_replay_batch *batch,
                                       uint64_t seed, uint64_t index, float beta, uint32_t i) {
    const uint32_t cell = replay_draw_prioritised(view, seed, index, i, batch->count);
    batch->cells[i] = (int32_t)cell;
    batch->weights[i] = replay_weight(view, cell, beta);
    replay_fill(view, batch, i);
}

// Frame number `place` of the stack before a cell's step, oldest first: where it is, or NULL for zeros.
MEGA_FN const uint8_t *replay_frame(const mega_replay_view *view, uint32_t cell, uint32_t place) {
    const uint32_t back = view->stack - 1u - place, cells = replay_cells(view);
    if (back > view->ages[cell]) {
        return 0;
    }
    return view->frames + (uint64_t)((cell + cells - back * view->envs) % cells) * view->frame_size;
}

// Frames of a batch: its observations', then its next observations'.
MEGA_FN uint32_t replay_batch_frames(const mega_replay_view *view, const mega_replay_batch *batch) {
    return 2u * batch->count * view->stack;
}

MEGA_FN void replay_fill_frame(const mega_replay_view *view, const mega_replay_batch *batch, uint32_t number,
                               uint32_t thread, uint32_t threads) {
    const uint32_t half = batch->count * view->stack, frame = number % half;
    const int32_t *cells = number < half ? batch->cells : batch->next_cells;
    uint8_t *to = number < half ? batch->observations : batch->next_observations;
    replay_copy_frame(to + frame * view->frame_size,
                      replay_frame(view, (uint32_t)cells[frame / view->stack], frame % view->stack),
                      view->frame_size, thread, threads);
}

// ---- priorities ----

// The priority of an error. The limits keep it from being 0, and the sum of all of them finite.
MEGA_FN float replay_priority(float error, float alpha) {
    const float size = error < 0.0f ? -error : error;
    return policy_limit(replay_power(size + 1e-6f, alpha), 1e-12f, 1e12f);
}

// Whether sample i of a batch says what its cell's priority becomes, and then which. Of samples of the same
// cell the last one does. An error that is not finite changes nothing, and neither does one of a cell that
// cannot be drawn any more.
MEGA_FN uint32_t replay_new_priority(const mega_replay_view *view, const mega_replay_batch *batch,
                                     const float *errors, uint32_t i, float *priority) {
    const int32_t cell = batch->cells[i];
    if (!(errors[i] - errors[i] == 0.0f) || !(view->tree.nodes[cell] > 0.0f)) {
        return 0;
    }
    for (uint32_t later = i + 1u; later < batch->count; later++) {
        if (batch->cells[later] == cell) {
            return 0;
        }
    }
    *priority = replay_priority(errors[i], view->alpha);
    return 1;
}

#endif
