// kernels.cu - the kernels of the CUDA engine: thin wrappers around the shared source.
#include "mega_look.h"

// Sizes that the host must agree with.
extern "C" __device__ const uint32_t mega_layout[4] = {
    sizeof(mega_batch),
    sizeof(mega_course),
    sizeof(mega_cell),
    sizeof(mega_video),
};

// A block has as many warps as a multiprocessor gets of them, up to this.
#ifndef STEP_THREADS
#define STEP_THREADS 1024
#endif

extern "C" __global__ void __launch_bounds__(STEP_THREADS, 1) mega_step(mega_batch batch) {
    __shared__ mega_warp warps[STEP_THREADS / 32];
    mega_warp *warp = &warps[threadIdx.x / 32];
    const uint32_t lane = blockIdx.x * blockDim.x + threadIdx.x;
    const int32_t env = lane < batch.lanes ? batch.env_of_lane[lane] : -1;
    batch_step(&batch, warp, env >= 0 ? (uint32_t)env : 0u, env >= 0 && !batch.cells[env].over);
}

#define LOOK_BLOCK 224

extern "C" __global__ void __launch_bounds__(LOOK_BLOCK, 6) mega_look(mega_batch batch) {
    __shared__ __align__(16) uint8_t screen[MEGA_WIDTH * 250];
    const uint32_t env = blockIdx.x;
    look_pool(&batch, env, screen, threadIdx.x, LOOK_BLOCK);
    __syncthreads();
    look_push(&batch, env, screen, threadIdx.x, LOOK_BLOCK);
}

// Uniform random actions.
extern "C" __global__ void mega_random_actions(mega_batch batch, int32_t *actions, uint32_t seed, uint32_t step) {
    const uint32_t env = blockIdx.x * blockDim.x + threadIdx.x;
    if (env >= batch.count) {
        return;
    }
    const mega_course *course = &batch.courses[batch.cells[env].course];
    uint32_t h = seed ^ env * 0x9E3779B9u ^ step * 0x85EBCA6Bu;
    h ^= h >> 16;
    h *= 0x7FEB352Du;
    h ^= h >> 15;
    h *= 0x846CA68Bu;
    h ^= h >> 16;
    actions[env] = course->actions[h % course->action_count];
}
