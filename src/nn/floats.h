// floats.h - zeroed arrays of numbers, aligned for vectors.
#ifndef FLOATS_H
#define FLOATS_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    MEGA_FLOATS_ALIGNMENT = 64
};

// NULL where memory is out. free() frees them.
static inline float *mega_floats(size_t count) {
    void *memory = NULL;
    if (count > SIZE_MAX / sizeof(float) ||
        posix_memalign(&memory, MEGA_FLOATS_ALIGNMENT, (count > 0 ? count : 1) * sizeof(float)) != 0) {
        return NULL;
    }
    return (float *)memset(memory, 0, count * sizeof(float));
}

#endif
