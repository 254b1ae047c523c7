// cuda_compile.h - NVIDIA's run-time compiler, NVRTC, opened when it is first needed. Host code.
//
// It is looked for in this order; a major version that the driver knows comes before newer ones:
//
//     $MEGACADE_NVRTC                     a file; then nothing else is looked at
//     where library.h says                libnvrtc.so.13, .12, .11.2
//     cuda_compiler_add_folder()          what a program knows: the Python package adds its nvidia-* packages
#ifndef CUDA_COMPILE_H
#define CUDA_COMPILE_H
#include "code_cache.h"
#include "status.h"

#define MEGA_CUDA_TARGETS_MAX 64

typedef struct mega_cuda_compiler mega_cuda_compiler;

// What is to be compiled. Everything is borrowed.
typedef struct mega_cuda_job {
    const char *name; // as messages show it: "step.cu"
    const char *text;
    const char *const *header_names; // headers that an #include may name, and their texts
    const char *const *header_texts;
    uint32_t header_count;
    const char *const *defines; // "NAME" or "NAME=VALUE"
    uint32_t define_count;
    int32_t capability; // of the GPU: 90 is sm_90
    bool line_info;     // for profilers
} mega_cuda_job;

// The compiler, for a driver of this version (mega_cuda_driver.version). Fails with MEGA_ERROR_CUDA_COMPILE
// when there is none; a later call looks again. Once found it stays. Any thread may call.
mega_status cuda_compiler_get(int driver_version, const mega_cuda_compiler **out);
// Adds a folder to the end of the search. The path is copied.
mega_status cuda_compiler_add_folder(const char *folder);
// "NVRTC 13.0".
const char *cuda_compiler_name(const mega_cuda_compiler *compiler);

// A name for what cuda_compile() would make: the hash of sources, options and compiler. Of the headers those count that
// the text, a definition or another of them names in quotes or angle brackets; the compiler is given no others.
mega_status cuda_compile_key(const mega_cuda_compiler *compiler, const mega_cuda_job *job,
                             char key[MEGA_SHA256_TEXT_SIZE]);
// Compiles to a CUBIN for the GPU, or to PTX where the compiler is older than the GPU. On failure the message
// has the compiler's first errors, and the cache folder has all of its words in NAME.log.
mega_status cuda_compile(const mega_cuda_compiler *compiler, const mega_cuda_job *job, mega_code *out);

#endif
