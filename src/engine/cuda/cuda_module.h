// cuda_module.h - kernels, ready to launch. Host code.
//
// A program is a file of src/engine/cuda that ends in .cu, embedded in the library with all headers of the
// shared source, or a text that was made at run time. Its code comes from the library if it was built with
// MEGA_EMBED_CUBIN and fits the GPU, else from the cache folder, else from NVRTC.
#ifndef CUDA_MODULE_H
#define CUDA_MODULE_H
#include "cuda_device.h"

typedef struct mega_cuda_request { // zero is a valid value in each field but the first
    const char *program;           // "self_check.cu"
    const char *text;              // NULL: the embedded source of that name
    const char *const *defines;    // "NAME" or "NAME=VALUE"
    uint32_t define_count;
    const char *header_name; // one more header than those embedded, or NULL
    const char *header_text;
    // Called before a compilation, which can take minutes, with "compiling step.cu for sm_90". May be NULL.
    void (*progress)(void *context, const char *sentence);
    void *progress_context;
} mega_cuda_request;

// Loads a program into the device's context; the device need not be current. $MEGACADE_CUDA_LINEINFO=1
// compiles with line numbers for profilers.
mega_status cuda_module_open(const mega_cuda_device *device, const mega_cuda_request *request, CUmodule *out);
// NULL is allowed.
void cuda_module_close(const mega_cuda_device *device, CUmodule module);

// A kernel of the module. The device must be current.
mega_status cuda_module_kernel(const mega_cuda_device *device, CUmodule module, const char *name,
                               CUfunction *out);

#endif
