// cuda_sources.h - what is embedded in the library for GPUs; cmake/embed_cuda.cmake writes it. Host code.
#ifndef CUDA_SOURCES_H
#define CUDA_SOURCES_H
#include <stddef.h>
#include <stdint.h>

// The shared source and the kernels: names without folders ("mega_tia.h", "self_check.cu"), and texts.
extern const uint32_t cuda_source_count;
extern const char *const cuda_source_names[];
extern const char *const cuda_source_texts[];

// Programs compiled with the library (MEGA_EMBED_CUBIN), as fat binaries. A NULL name ends the list.
typedef struct mega_cuda_binary {
    const char *name;
    const void *bytes;
} mega_cuda_binary;
extern const mega_cuda_binary cuda_binaries[];

// The text of an embedded source, or NULL.
const char *cuda_source_find(const char *name);

#endif
