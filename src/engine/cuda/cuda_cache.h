// cuda_cache.h - compiled code for GPUs, kept on disk under the hash of all that it was made from. Host code.
//
// The folder is $MEGACADE_CACHE, else $XDG_CACHE_HOME/megacade, else ~/.cache/megacade. What lies there is
// run, so it is used only when the folder belongs to the user and nobody else can write into it, and a file's
// content is checked. Nothing here fails: without a usable folder nothing is found and nothing is kept. Files
// appear by rename, so that any number of processes may share a folder; none is ever changed.
#ifndef CUDA_CACHE_H
#define CUDA_CACHE_H
#include "sha256.h"

#include <stdbool.h>

// Code as the driver loads it: a CUBIN, or PTX with a zero behind it.
typedef struct mega_cuda_code {
    void *bytes; // from malloc
    size_t size;
} mega_cuda_code;

void cuda_code_release(mega_cuda_code *code);

// Finds code. `key` has 64 hex digits (sha256_text).
bool cuda_cache_load(const char *key, mega_cuda_code *out);
// Keeps code. Returns whether it could.
bool cuda_cache_save(const char *key, const mega_cuda_code *code);
// Writes a compiler's words into the folder as NAME.log. `path` is where, or "" if that was not possible.
void cuda_cache_save_log(const char *name, const char *text, char *path, size_t path_size);

#endif
