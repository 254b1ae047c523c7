// aligned.h - zeroed memory that begins at a cache line. Pages that nobody writes to cost nothing. Host code.
#ifndef ALIGNED_H
#define ALIGNED_H
#include <stddef.h>

// NULL when there is no memory, or when count * size does not fit in a size_t.
void *aligned_zeros(size_t count, size_t size);
void aligned_free(void *memory);

#endif
