// progress.h - a bar on standard error for work that takes long.
//
// It is drawn only when standard error is a terminal and two seconds have passed, and wiped at the end, so
// that neither logs nor short runs ever see it.
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct mega_progress {
    const char *label; // borrowed
    uint64_t total;
    double start; // seconds
    double next;  // when to draw again
    bool enabled;
    bool drawn;
} mega_progress;

// Seconds of a clock that only goes forward.
double mega_seconds(void);
mega_progress mega_progress_begin(const char *label, uint64_t total);
// Cheap enough to be called for every frame.
void mega_progress_update(mega_progress *progress, uint64_t done);
void mega_progress_end(mega_progress *progress);

#endif
