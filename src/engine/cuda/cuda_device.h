// cuda_device.h - one GPU, opened. Host code.
//
// A device is the GPU's primary context, which it shares with the other libraries of the process (PyTorch,
// JAX). Calls of the driver need it to be current in their thread:
//
//     MEGA_TRY(cuda_device_enter(device));
//     ... CUDA_TRY(device->driver, ...) ...
//     cuda_device_leave(device);
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H
#include "cuda_driver.h"

#include <stdbool.h>

// Read-only once it is open, so that threads may share it.
typedef struct mega_cuda_device {
    const mega_cuda_driver *driver;
    CUdevice handle;
    CUcontext context;
    int32_t index;                // the driver's number, counted inside CUDA_VISIBLE_DEVICES
    char name[128];               // "NVIDIA H200"
    int32_t capability;           // compute capability times ten: 90 is sm_90
    int32_t processors;           // streaming multiprocessors
    int32_t threads;              // at most so many at a time on one of them
    int32_t registers;            // of 32 bits on one of them
    int32_t shared_size;          // shared memory of one of them
    int32_t shared_size_of_block; // the most that a block can ask for
    int32_t l2_size;
    uint64_t memory_size;
} mega_cuda_device;

// Reads the name of a device: "cpu", "cuda" (the first GPU) or "cuda:1". Fails with MEGA_ERROR_ARGUMENT; does
// not look whether there is such a GPU.
mega_status cuda_device_parse(const char *text, bool *is_cuda, int32_t *index);

// Opens a GPU by its number. *out belongs to the caller.
mega_status cuda_device_open(int32_t index, mega_cuda_device **out);
// NULL is allowed. What was allocated on the device goes when the last holder of its context closes.
void cuda_device_close(mega_cuda_device *device);

// Makes the device current in this thread, and the one before it again. Pairs may nest.
mega_status cuda_device_enter(const mega_cuda_device *device);
void cuda_device_leave(const mega_cuda_device *device);

// Allocates memory on the device, which must be current; cuMemFree gives it back. A message says what it was
// for: `purpose` ("64 environments").
mega_status cuda_device_alloc(const mega_cuda_device *device, size_t size, const char *purpose,
                              CUdeviceptr *out);

#endif
