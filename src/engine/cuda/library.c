// library.c - see library.h.
#include "library.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN_SIZE 4096

// ---- opening -----------------------------------------------------------------------------------------

static void *open_match(const char *pattern) {
    glob_t found;
    void *library = NULL;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && library == NULL; i++) {
            library = dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
        }
        globfree(&found);
    }
    return library;
}

static void *open_in(const char *root, const char *folder, const char *const *names, size_t count) {
    char pattern[PATTERN_SIZE];
    void *library = NULL;
    if (root == NULL || root[0] == '\0') {
        return NULL;
    }
    for (size_t i = 0; i < count && library == NULL; i++) {
        if (snprintf(pattern, sizeof pattern, "%s/%s/%s", root, folder, names[i]) < PATTERN_SIZE) {
            library = open_match(pattern);
        }
    }
    return library;
}

void *library_open(const char *variable, const char *const *names, size_t count) {
    const char *const chosen = variable != NULL ? getenv(variable) : NULL;
    const char *const roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    void *library = NULL;
    if (chosen != NULL && chosen[0] != '\0') {
        return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    }
    for (size_t i = 0; i < count && library == NULL; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    for (size_t i = 0; i < sizeof roots / sizeof roots[0] && library == NULL; i++) {
        library = open_in(roots[i], "lib64", names, count);
        library = library != NULL ? library : open_in(roots[i], "lib", names, count);
    }
    return library != NULL
               ? library
               : open_in(getenv("VIRTUAL_ENV"), "lib/python3*/site-packages/nvidia/*/lib", names, count);
}

// ---- functions ---------------------------------------------------------------------------------------

const char *library_fill(void *library, const mega_library_entry *entries, size_t count, void *table) {
    const char *lacking = NULL;
    for (size_t i = 0; i < count; i++) {
        // ISO C has no cast from an object pointer to a function pointer; POSIX makes their bytes the same.
        void *symbol = dlsym(library, entries[i].symbol);
        memcpy((char *)table + entries[i].offset, &symbol, sizeof symbol);
        if (symbol == NULL && lacking == NULL) {
            lacking = entries[i].symbol;
        }
    }
    return lacking;
}
