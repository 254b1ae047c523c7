// play_best.c - chooses the build of play.c that fits the processor.
#include <stdlib.h>
#include <string.h>

#include "play.h"

extern const mega_play mega_play_generic;
#ifdef MEGA_PLAY_HAS_V3
extern const mega_play mega_play_v3;
#endif

const mega_play *mega_play_best(void) {
#ifdef MEGA_PLAY_HAS_V3
    const char *wanted = getenv("MEGACADE_PLAY");
    if ((wanted == NULL || strcmp(wanted, "generic") != 0) && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma")) {
        return &mega_play_v3;
    }
#endif
    return &mega_play_generic;
}
