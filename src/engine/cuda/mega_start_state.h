// mega_start_state.h - start states in the memory of a device (mega_starts.h). Shared source: the host fills these structs.
#ifndef MEGA_START_STATE_H
#define MEGA_START_STATE_H
#include "mega_cell.h"

// What a start state leads to. Cartridge RAM beyond the session's follows, and the last two pictures, the newer first.
typedef struct mega_start_state {
    mega_session session;
    uint32_t sticky_action;
    float sticky_strength;
    int32_t lives;
    uint32_t frames;
    uint32_t failed;
    uint32_t pad;
} mega_start_state;

// The argument of mega_copy_starts. Each state takes `stride` bytes.
typedef struct mega_starts {
    const uint8_t *states;       // [pools][count]
    const uint32_t *pool_of;     // by environment
    uint32_t count;              // of a pool; 0: there are none
    uint32_t stride, ram, shown; // bytes of a state; where in it RAM and pictures are
} mega_starts;

#endif
