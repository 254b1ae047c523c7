// play_best.c - chooses the build of play.c that fits the processor.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

extern const mega_play mega_play_generic;
#ifdef MEGA_PLAY_HAS_V3
extern const mega_play mega_play_v3;

static bool can_run_v3(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}
#endif
#ifdef MEGA_PLAY_HAS_V4
extern const mega_play mega_play_v4;

static bool can_run_v4(void) {
    return can_run_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

// $MEGACADE_PLAY names the newest build that may be used; other words are passed over.
static bool may_use(const mega_play *play) {
    const char *newest = getenv("MEGACADE_PLAY");
    const bool known = newest != NULL && (strcmp(newest, "generic") == 0 || strcmp(newest, "x86-64-v3") == 0);
    return !known || strcmp(play->name, newest) <= 0;
}

const mega_play *mega_play_best(void) {
#ifdef MEGA_PLAY_HAS_V4
    if (can_run_v4() && may_use(&mega_play_v4)) {
        return &mega_play_v4;
    }
#endif
#ifdef MEGA_PLAY_HAS_V3
    if (can_run_v3() && may_use(&mega_play_v3)) {
        return &mega_play_v3;
    }
#endif
    return &mega_play_generic;
}
