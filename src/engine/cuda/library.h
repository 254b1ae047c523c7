// library.h - shared libraries that are opened at run time: where NVIDIA's are, and their functions. Host code.
#ifndef LIBRARY_H
#define LIBRARY_H
#include <stddef.h>

// Opens the first of these libraries that is there, or NULL. If the environment variable `variable` is set, that is the
// file which it names, and no other. Else they are looked for, in this order, on the loader's path, in $CUDA_HOME,
// $CUDA_PATH and /usr/local/cuda (lib64 and lib), and among the nvidia-* packages of $VIRTUAL_ENV. `variable` may be
// NULL.
void *library_open(const char *variable, const char *const *names, size_t count);

// A function to look for: its symbol, and where in a struct its pointer goes.
typedef struct mega_library_entry {
    const char *symbol;
    size_t offset;
} mega_library_entry;

// Fills in the pointers of the struct `table`. Returns the first symbol that the library lacks, or NULL when
// it has all; the pointers of those that it lacks are NULL.
const char *library_fill(void *library, const mega_library_entry *entries, size_t count, void *table);

#endif
