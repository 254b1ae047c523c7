// library.h - the functions of a shared library that is opened at run time. Host code.
#ifndef LIBRARY_H
#define LIBRARY_H
#include <stddef.h>

// A function to look for: its symbol, and where in a struct its pointer goes.
typedef struct mega_library_entry {
    const char *symbol;
    size_t offset;
} mega_library_entry;

// Fills in the pointers of the struct `table`. Returns the first symbol that the library lacks, or NULL when
// it has all; the pointers of those that it lacks are NULL.
const char *library_fill(void *library, const mega_library_entry *entries, size_t count, void *table);

#endif
