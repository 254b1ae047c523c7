// nearest.h - "did you mean": which of some words is closest to a mistyped one.
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

// Collects candidates one by one.
typedef struct mega_nearest {
    const char *word; // what was typed; borrowed
    const char *best; // the closest candidate so far, or NULL when none is close; borrowed
    size_t distance;  // its distance, or the limit
} mega_nearest;

mega_nearest mega_nearest_begin(const char *word);
void mega_nearest_offer(mega_nearest *nearest, const char *candidate);

#endif
