// cuda_parts.h - streams for kernels that run at the same time, between two places of another stream.
#ifndef MEGA_CUDA_PARTS_H
#define MEGA_CUDA_PARTS_H
#include "cuda_driver.h"

#define CUDA_PARTS 16u // more than the driver runs at the same time by default

typedef struct mega_cuda_parts {
    uint32_t count;
    CUstream streams[CUDA_PARTS];
    CUevent done[CUDA_PARTS];
    CUevent forked;
} mega_cuda_parts;

// Makes min(count, CUDA_PARTS) streams. `parts` is zero; after a failure it can be closed.
mega_status cuda_parts_open(const mega_cuda_driver *cuda, uint32_t count, mega_cuda_parts *parts);
void cuda_parts_close(const mega_cuda_driver *cuda, mega_cuda_parts *parts);

// All parts go on after what is in `stream` now ...
mega_status cuda_parts_fork(const mega_cuda_driver *cuda, const mega_cuda_parts *parts, CUstream stream);
// ... and `stream` goes on after what is in all parts now.
mega_status cuda_parts_join(const mega_cuda_driver *cuda, const mega_cuda_parts *parts, CUstream stream);

#endif
