// mega_step.h - the kernel that steps environments. For CUDA alone: kernels.cu has it with the interpreter, step.cu with
// the translated code of a cartridge. The latter also begins episodes: as a kernel of its own that would be the same
// program once more.
#ifndef MEGA_STEP_H
#define MEGA_STEP_H
#include "mega_batch.h"
#include "mega_reset.h"

#if defined(__CUDACC__)
// A block has as many warps as a multiprocessor gets of them, up to this.
#define STEP_THREADS 1024

extern "C" __global__ void __launch_bounds__(STEP_THREADS, 1) mega_step(mega_batch batch) {
    __shared__ mega_warp warps[STEP_THREADS / 32];
    mega_warp *warp = &warps[threadIdx.x / 32];
    const uint32_t lane = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef MEGA_PROGRAM
    if (batch.starts) {
        if (lane < batch.lanes) { // whole warps
            roster_start(&batch, warp, lane);
        }
        return;
    }
#endif
    const int32_t env = lane < batch.lanes ? batch.env_of_lane[lane] : -1;
    batch_step(&batch, warp, env >= 0 ? (uint32_t)env : 0u, env >= 0 && !batch.cells[env].over);
}
#endif

#endif
