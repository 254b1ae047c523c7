// play.h - the hot parts of the shared source, compiled once per kind of processor. Host code.
//
// play.c is built for any x86-64 and once more each for processors with AVX2 and BMI2 (x86-64-v3) and with AVX-512
// (x86-64-v4); which one runs is decided when an environment is made. All give the same bytes.
#ifndef PLAY_H
#define PLAY_H
#include "mega_task_core.h"

typedef struct mega_play {
    const char *name; // "generic", "x86-64-v3", "x86-64-v4": in this order
    void (*probe)(mega_stage *stage, const mega_cartridge *cartridge, const uint32_t *draws);
    void (*system_reset)(mega_stage *stage, const uint32_t *draws);
    void (*begin_reset)(mega_stage *stage, const uint32_t *draws);
    void (*finish_reset)(mega_stage *stage);
    int32_t (*act)(mega_stage *stage, uint32_t action, float strength);
    const uint8_t *(*picture)(const mega_stage *stage, uint32_t frames_ago);
    mega_task_outcome (*task_step)(mega_task_view *task, uint32_t action, float strength);
    void (*task_begin_episode)(mega_task_view *task);
} mega_play;

// The newest that this processor can run, up to the one that $MEGACADE_PLAY names.
const mega_play *mega_play_best(void);

#endif
