// code_cache.h - compiled code, of GPUs and of translated cartridges, kept on disk under the hash of all that it was
// made from. Host code.
//
// The folder is $MEGACADE_CACHE, else $XDG_CACHE_HOME/megacade, else ~/.cache/megacade. What lies there is
// run, so it is used only when the folder belongs to the user and nobody else can write into it, and a file's
// content is checked. Nothing here fails: without a usable folder nothing is found and nothing is kept. Files
// appear by rename, so that any number of processes may share a folder; none is ever changed.
#ifndef CODE_CACHE_H
#define CODE_CACHE_H
#include "sha256.h"

#include <stdbool.h>

// Code as it is loaded: a CUBIN, PTX with a zero behind it, or a shared library.
typedef struct mega_code {
    void *bytes; // from malloc
    size_t size;
} mega_code;

void code_release(mega_code *code);

// Finds code. `key` has 64 hex digits (sha256_text).
bool code_cache_load(const char *key, mega_code *out);
// Keeps code. Returns whether it could.
bool code_cache_save(const char *key, const mega_code *code);
// Writes a compiler's words into the folder as NAME.log. `path` is where, or "" if that was not possible.
void code_cache_save_log(const char *name, const char *text, char *path, size_t path_size);

// Makes a new empty folder that only the user can look into, for a compiler to work in: in the cache folder, else
// where temporary files go. False if there is no such place.
bool code_cache_workspace(char *path, size_t path_size);
// Processes that are about to make the same code wait for each other: true once this one has its turn, with what
// code_cache_unlock() needs, or where there is nothing to wait for. `cancelled` is asked now and then.
bool code_cache_lock(const char *key, bool (*cancelled)(void *context), void *context, int *lock);
void code_cache_unlock(const char *key, int lock);

#endif
