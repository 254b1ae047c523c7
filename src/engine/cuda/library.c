// library.c - see library.h.
#include "library.h"

#include <dlfcn.h>
#include <string.h>

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
