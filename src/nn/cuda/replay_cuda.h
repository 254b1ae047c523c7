// replay_cuda.h - replay memories on a GPU: what compute_cuda.c opens and closes.
#ifndef REPLAY_CUDA_H
#define REPLAY_CUDA_H
#include "compute_cuda.h"
#include "replay.h"

extern const mega_replay_ops mega_replay_cuda;

// Closes what the first memory opened; NULL is allowed.
void cuda_replay_close(cuda_compute *cuda, cuda_replay_kernels *kernels);

#endif
