// kernels.cu - the kernels of the CUDA engine: thin wrappers around the shared source.
#include "mega_look.h"
#include "mega_reset.h"
#include "mega_show.h"
#include "mega_starts.h"
#include "mega_step.h"

// Sizes: those that the host must agree with, and those of what only the GPU knows.
extern "C" __device__ const uint32_t mega_layout[8] = {
    sizeof(mega_batch),  sizeof(mega_course), sizeof(mega_cell),       sizeof(mega_tally),
    sizeof(mega_notice), sizeof(mega_video),  sizeof(mega_memo_entry), sizeof(mega_starts),
};

#define LOOK_BLOCK (32 * LOOK_BANDS)

extern "C" __global__ void __launch_bounds__(LOOK_BLOCK, 5) mega_look(mega_batch batch) {
    __shared__ __align__(16) mega_canvas canvas;
    look_at(&batch, batch.first + blockIdx.x, &canvas, threadIdx.x, LOOK_BLOCK);
}

// The same for those that begin an episode.
extern "C" __global__ void __launch_bounds__(LOOK_BLOCK, 5) mega_look_begun(mega_batch batch) {
    __shared__ __align__(16) mega_canvas canvas;
    const uint32_t count = *batch.roster.count;
    for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
        look_at(&batch, (uint32_t)batch.roster.queue[i], &canvas, threadIdx.x, LOOK_BLOCK);
    }
}

// ---- the beginning of episodes ---------------------------------------------------------------------------

#define START_BLOCK 64

extern "C" __global__ void __launch_bounds__(START_BLOCK, 8) mega_start_episodes(mega_batch batch) {
    __shared__ mega_warp warps[START_BLOCK / 32];
    const uint32_t lane = blockIdx.x * START_BLOCK + threadIdx.x;
    if (lane >= batch.lanes) {
        return; // whole warps
    }
    roster_start(&batch, &warps[threadIdx.x / 32], lane);
}

// Before mega_start_episodes, where there are start states.
extern "C" __global__ void mega_copy_starts(mega_batch batch, mega_starts starts) {
    __shared__ int32_t choice;
    starts_copy(&batch, &starts, blockIdx.x, gridDim.x, &choice, threadIdx.x, blockDim.x);
}

extern "C" __global__ void mega_keep_finals(mega_batch batch) {
    const uint32_t count = *batch.roster.count;
    for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
        block_keep_final(&batch, (uint32_t)batch.roster.queue[i], threadIdx.x, blockDim.x);
    }
}

extern "C" __global__ void mega_prepare_begun(mega_batch batch) {
    const uint32_t count = *batch.roster.count;
    for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
        block_prepare(&batch, (uint32_t)batch.roster.queue[i], threadIdx.x, blockDim.x);
    }
}

// ---- one thread per environment --------------------------------------------------------------------------

// The environment of this thread, or -1.
static __device__ int32_t env_of_thread(const mega_batch *batch) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    return i < batch->count ? (int32_t)(batch->first + i) : -1;
}

extern "C" __global__ void mega_take_actions(mega_batch batch, int32_t *actions) {
    const int32_t env = env_of_thread(&batch);
    if (env >= 0) {
        batch_take_action(&batch, (uint32_t)env, actions);
    }
}

extern "C" __global__ void mega_take_orders(mega_batch batch) {
    const int32_t env = env_of_thread(&batch);
    if (env >= 0) {
        batch_take_order(&batch, (uint32_t)env);
    }
}

extern "C" __global__ void mega_settle_steps(mega_batch batch) {
    const int32_t env = env_of_thread(&batch);
    if (env >= 0) {
        batch_settle_step(&batch, (uint32_t)env);
    }
}

extern "C" __global__ void mega_settle_orders(mega_batch batch) {
    const int32_t env = env_of_thread(&batch);
    if (env >= 0) {
        batch_settle_order(&batch, (uint32_t)env);
    }
}

extern "C" __global__ void mega_settle_begun(mega_batch batch) {
    const uint32_t count = *batch.roster.count;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        batch_settle_start(&batch, (uint32_t)batch.roster.queue[i]);
    }
}

// Observations of unusual kinds.
extern "C" __global__ void mega_observe(mega_batch batch) {
    const int32_t env = env_of_thread(&batch);
    if (env >= 0) {
        show_observe(&batch, (uint32_t)env);
    }
}

extern "C" __global__ void mega_observe_begun(mega_batch batch) {
    const uint32_t count = *batch.roster.count;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        show_observe(&batch, (uint32_t)batch.roster.queue[i]);
    }
}

// ---- pictures of one environment, by one block -----------------------------------------------------------

extern "C" __global__ void mega_show(mega_batch batch, uint32_t env, uint32_t frames_ago, uint8_t *pixels) {
    show_picture(&batch, env, frames_ago, pixels, threadIdx.x, blockDim.x);
}

extern "C" __global__ void mega_replace(mega_batch batch, uint32_t env, const uint8_t *pixels) {
    show_replace(&batch, env, pixels, threadIdx.x, blockDim.x);
}

// ---- for measurements ------------------------------------------------------------------------------------

// Uniform random actions, as indices.
extern "C" __global__ void mega_sample(mega_batch batch, int32_t *indices, uint32_t seed, uint32_t step) {
    const int32_t env = env_of_thread(&batch);
    if (env >= 0) {
        indices[env] = (int32_t)(batch_sample((uint32_t)env, seed, step) % batch.index_count);
    }
}
