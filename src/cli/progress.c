// progress.c - see progress.h.
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
    BAR_WIDTH = 30
};
static const double quiet_seconds = 2.0;
static const double redraw_seconds = 0.2;

double mega_seconds(void) {
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

mega_progress mega_progress_begin(const char *label, uint64_t total) {
    const double now = mega_seconds();
    return (mega_progress){.label = label,
                           .total = total,
                           .start = now,
                           .next = now + quiet_seconds,
                           .enabled = total > 0 && isatty(STDERR_FILENO)};
}

static void draw(mega_progress *progress, double share, double now) {
    char bar[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; i++) {
        bar[i] = i < (int)(share * BAR_WIDTH) ? '#' : '.';
    }
    bar[BAR_WIDTH] = '\0';
    const double elapsed = now - progress->start;
    const double left = share > 0.0 ? elapsed / share - elapsed : 0.0;
    (void)fprintf(stderr, "\r%s [%s] %3d %%, %.0f s left \x1b[K", progress->label, bar, (int)(100.0 * share),
                  left);
    (void)fflush(stderr);
    progress->drawn = true;
}

void mega_progress_update(mega_progress *progress, uint64_t done) {
    if (!progress->enabled) {
        return;
    }
    const double now = mega_seconds();
    if (now >= progress->next) {
        const double share = (double)done / (double)progress->total;
        draw(progress, share > 1.0 ? 1.0 : share, now);
        progress->next = now + redraw_seconds;
    }
}

void mega_progress_end(mega_progress *progress) {
    if (progress->drawn) {
        (void)fputs("\r\x1b[K", stderr);
        (void)fflush(stderr);
        progress->drawn = false;
    }
    progress->enabled = false;
}
