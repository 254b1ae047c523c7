// code_schedule.h - in which order the lanes of a warp are served. Host code.
//
// A warp serves the lane with the lowest key, and all others that stand at the same block. A key has the time, in windows
// of some length or not at all, then the depth of calls or not, then the number of the block (code_order.h). Which of
// these keeps lanes together best depends on the program. So frames of the trial run are played as if they were the lanes
// of a warp, with each kind of key, and the cheapest is taken.
#ifndef CODE_SCHEDULE_H
#define CODE_SCHEDULE_H
#include "code_map.h"

#define CODE_LANES 32u
#define CODE_STEPS 8192u // of a frame; the rest is forgotten

// An instruction of a frame.
typedef struct code_step {
    uint32_t index;              // of its node
    uint32_t cycle : 24, sp : 8; // from the frame's beginning on
} code_step;

// Frames that the trial run has kept.
typedef struct code_frames {
    code_step *step;            // [CODE_LANES][CODE_STEPS]
    uint32_t count[CODE_LANES]; // of steps
    uint32_t seen;              // frames, of which CODE_LANES are kept, each with the same chance
    uint32_t lane;              // that is being written; CODE_LANES: none
} code_frames;

mega_status code_frames_make(code_frames *out);
void code_frames_release(code_frames *frames);
void code_frames_begin(code_frames *frames);
void code_frames_add(code_frames *frames, uint32_t index, uint32_t cycle, uint32_t sp);

#define CODE_NO_WINDOW 31u
typedef struct code_schedule {
    uint32_t window; // log2 of cycles, or CODE_NO_WINDOW
    uint32_t depth;  // 1: deeper calls go first
} code_schedule;

// `rank` is that of code_order().
mega_status code_schedule_find(const code_map *map, const code_frames *frames, const uint32_t *rank,
                               code_schedule *out);

#endif
