// ordered_sum.h - sums of the ranks' numbers, ((0 + 1) + 2) + ..., so that they have the same bits everywhere.
#ifndef ORDERED_SUM_H
#define ORDERED_SUM_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// `parts` has `count` numbers of rank 0, then of rank 1, ...; their sums go to `sums`, which is not among them.
typedef void mega_ordered_sum(void *sums, const void *parts, size_t count, uint32_t ranks);

static inline void mega_ordered_sum_floats(void *sums, const void *parts, size_t count, uint32_t ranks) {
    float *restrict to = sums;
    memcpy(to, parts, count * sizeof *to);
    for (uint32_t rank = 1; rank < ranks; rank++) {
        const float *restrict from = (const float *)parts + rank * count;
        for (size_t i = 0; i < count; i++) {
            to[i] += from[i];
        }
    }
}

static inline void mega_ordered_sum_doubles(void *sums, const void *parts, size_t count, uint32_t ranks) {
    double *restrict to = sums;
    memcpy(to, parts, count * sizeof *to);
    for (uint32_t rank = 1; rank < ranks; rank++) {
        const double *restrict from = (const double *)parts + rank * count;
        for (size_t i = 0; i < count; i++) {
            to[i] += from[i];
        }
    }
}

// Numbers are added piece by piece, so that the room for the ranks' parts is limited. Of a piece each rank adds a
// slice, and then tells the others.
enum {
    MEGA_SUM_PARTS_SIZE = 4 << 20, // bytes of all ranks' parts of a piece, or of a slice
    MEGA_SUM_SMALL_SIZE =
        64 << 10 // where all ranks' parts are not more, everybody adds everything: one way less
};
typedef struct mega_slice {
    size_t first;
    size_t count;
} mega_slice;

// The rank's slice of `count` numbers: they differ in size by at most one number.
static inline mega_slice mega_slice_of(size_t count, uint32_t rank, uint32_t ranks) {
    const size_t each = count / ranks, more = count % ranks;
    return (mega_slice){rank * each + (rank < more ? rank : more), each + (rank < more)};
}

#endif
