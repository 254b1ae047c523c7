// collective_cuda.h - means over the GPUs of several processes (collective.h), by NVIDIA's NCCL.
//
// It is libnccl.so.2, looked for as library.h says, or the file that $MEGACADE_NCCL names.
//
// All GPUs get the same bits. For the same GPUs, number of processes and count of numbers they are the same each time:
// rings and trees add in an order that depends on nothing else. Sums inside of NVLink switches (NVLS) do not, so they are
// off unless $NCCL_NVLS_ENABLE is set.
//
// A mean is not recorded in a CUDA graph: NCCL wants the same of all processes, and whether a bundle becomes a graph is
// each one's own affair.
#ifndef COLLECTIVE_CUDA_H
#define COLLECTIVE_CUDA_H
#include "collective.h"

extern const mega_collective_ops mega_collective_cuda;

#endif
