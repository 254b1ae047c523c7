// vector_format.h - the bytes of a saved environment of a vector, the same from every device. Host code.
//
// Layout: header, core, cartridge RAM beyond the session's, stack, pooled screen, the last two pictures (the
// newer first). The bytes are those of this machine's structs; the version changes with any of them.
#ifndef VECTOR_FORMAT_H
#define VECTOR_FORMAT_H
#include "vector_games.h"

#define STATE_VERSION 1u

typedef struct mega_state_header {
    char magic[4]; // "MEGV"
    uint32_t version;
    uint64_t size; // of everything
    char md5[32];  // of the cartridge
    uint32_t stack, height, width, channels;
} mega_state_header;

typedef struct mega_state_core {
    mega_session session;
    mega_mt19937 random, noop_random;
    mega_episode running;
    uint32_t sticky_action;
    float sticky_strength;
    int32_t lives;
    uint32_t frames;
    uint32_t failed, over;
} mega_state_core;

size_t state_extra_ram(const mega_setup *setup);
size_t state_picture_size(const mega_setup *setup);
size_t state_bytes(const mega_lane_setup *setup);
// The most of any game.
size_t state_largest(const mega_vector_games *games);
mega_state_header state_header_of(const mega_lane_setup *setup);

// A header, a whole state, from outside: does it fit, and is every field in its range?
mega_status state_check_header(const mega_lane_setup *setup, const uint8_t *bytes, size_t size);
mega_status state_check(const mega_lane_setup *setup, const uint8_t *bytes, size_t size);

#endif
