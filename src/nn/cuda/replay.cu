// replay.cu - the GPU's part of replay memories: loops over the shared source (mega_replay.h).
//
// Frames go by blocks, whose threads copy neighbouring words. What depends on an order (a tree's levels, one
// after the other) is done by one block, which waits for itself: there is little of it.
#include "mega_replay.h"

#define KERNEL extern "C" __global__ void
#define EACH(i, count) \
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (count); i += gridDim.x * blockDim.x)
#define EACH_BLOCK(i, count) for (uint32_t i = blockIdx.x; i < (count); i += gridDim.x)

// A block for each environment.
KERNEL replay_store(mega_replay_view view, mega_replay_step step) {
    EACH_BLOCK(env, view.envs) {
        replay_store_frame(&view, &step, env, threadIdx.x, blockDim.x);
        if (threadIdx.x == 0) {
            replay_store_cell(&view, &step, env);
        }
    }
}

// One block.
KERNEL replay_publish(mega_replay_view view, mega_replay_span left, mega_replay_span came) {
    replay_set_span(&view, left, 0.0f, threadIdx.x, blockDim.x);
    __syncthreads();
    replay_set_span(&view, came, *view.max_priority, threadIdx.x, blockDim.x);
    for (uint32_t level = 1; level < view.tree.levels; level++) {
        __syncthreads();
        replay_refresh_span(&view, left, level, threadIdx.x, blockDim.x);
        replay_refresh_span(&view, came, level, threadIdx.x, blockDim.x);
    }
}

KERNEL replay_draw(mega_replay_view view, mega_replay_batch batch, uint64_t seed, uint64_t index, float beta) {
    EACH(i, batch.count) {
        if (view.tree.nodes == NULL) {
            replay_sample_uniform(&view, &batch, seed, index, i);
        } else {
            replay_sample_prioritised(&view, &batch, seed, index, beta, i);
        }
    }
}

// One block: divides weights by the largest. They are not negative, so that their bits are in their order.
KERNEL replay_divide(mega_replay_batch batch) {
    __shared__ uint32_t most;
    uint32_t mine = 0;
    if (threadIdx.x == 0) {
        most = 0;
    }
    for (uint32_t i = threadIdx.x; i < batch.count; i += blockDim.x) {
        const uint32_t bits = __float_as_uint(batch.weights[i]);
        mine = bits > mine ? bits : mine;
    }
    __syncthreads();
    atomicMax(&most, mine);
    __syncthreads();
    const float divisor = __uint_as_float(most);
    for (uint32_t i = threadIdx.x; i < batch.count && divisor > 0.0f; i += blockDim.x) {
        batch.weights[i] /= divisor;
    }
}

// A block for each frame.
KERNEL replay_frames(mega_replay_view view, mega_replay_batch batch) {
    EACH_BLOCK(frame, replay_batch_frames(&view, &batch)) {
        replay_fill_frame(&view, &batch, frame, threadIdx.x, blockDim.x);
    }
}

KERNEL replay_set_leaves(mega_replay_view view, mega_replay_batch batch, const float *errors) {
    EACH(i, batch.count) {
        float priority;
        if (replay_new_priority(&view, &batch, errors, i, &priority)) {
            view.tree.nodes[batch.cells[i]] = priority;
            atomicMax((uint32_t *)view.max_priority, __float_as_uint(priority));
        }
    }
}

// One block: the ancestors of a batch's cells.
KERNEL replay_refresh_batch(mega_replay_view view, mega_replay_batch batch) {
    for (uint32_t level = 1; level < view.tree.levels; level++) {
        for (uint32_t i = threadIdx.x; i < batch.count; i += blockDim.x) {
            tree_refresh(&view.tree, level, (uint32_t)batch.cells[i] >> MEGA_TREE_FAN_BITS * level);
        }
        __syncthreads();
    }
}

// All nodes of a level; the levels below it are there.
KERNEL replay_rebuild(mega_replay_view view, uint32_t level) {
    tree_refresh_range(&view.tree, level, 0, view.tree.leaves, blockIdx.x * blockDim.x + threadIdx.x,
                       gridDim.x * blockDim.x);
}
