// mega_rules.h - what every game's rules have in common. Shared source.
//
// A game's rules turn the RAM of a running console into reward, lives and end of game, and say which
// switches to press to reach a game mode. They know nothing of environments: mode selection is a small
// program that asks for one thing at a time (a mega_request) and is called again when that was done.
#ifndef MEGA_RULES_H
#define MEGA_RULES_H
#include "mega_base.h"

#define MEGA_RULES_VARS 8

// What the rules remember between frames. Flat: its bytes are part of the save state.
typedef struct mega_rules {
    int32_t reward;               // of the last frame
    int32_t lives;                // after the last frame
    int32_t var[MEGA_RULES_VARS]; // each game's own memory, named in its file
    int32_t local[2];             // names that live only during one mode selection
    int32_t noted;                // value that an "until changed" loop compares with
    uint16_t tries;               // passes of the mode selection loop in progress
    uint8_t stage;                // where the mode selection stands; 0 at its start
    uint8_t terminal;             // 1 when the game is over
} mega_rules;
MEGA_STATIC_ASSERT(sizeof(mega_rules) == 56, "mega_rules is part of the save format");

// The memory that rules may look at: 128 bytes of console RAM and, for one game, RAM on the cartridge.
typedef struct mega_memory {
    const uint8_t *ram;
    const uint8_t *cart_ram; // 128 bytes, or NULL
} mega_memory;

// Console RAM at bus address 0x80..0xFF.
MEGA_FN int32_t mega_peek(mega_memory memory, uint32_t address) {
    return memory.ram[address & 0x7F];
}
// RAM on the cartridge at bus address 0x1080..0x10FF.
MEGA_FN int32_t mega_peek_cart(mega_memory memory, uint32_t address) {
    return memory.cart_ram != NULL ? memory.cart_ram[address & 0x7F] : 0;
}
MEGA_FN int32_t mega_bcd(int32_t byte) {
    return (byte & 15) + 10 * (byte >> 4);
}
MEGA_FN int32_t mega_bcd2(int32_t low, int32_t high) {
    return mega_bcd(low) + 100 * mega_bcd(high);
}
MEGA_FN int32_t mega_bcd3(int32_t low, int32_t middle, int32_t high) {
    return mega_bcd2(low, middle) + 10000 * mega_bcd(high);
}

// What a mode selection asks for next.
enum {
    MEGA_REQUEST_DONE,       // the mode is selected
    MEGA_REQUEST_SELECT,     // hold SELECT for `amount` frames, then release it for one
    MEGA_REQUEST_SELECT_RND, // draw u from the environment's generator, then as above for 2 + u % 256 frames
    MEGA_REQUEST_ACT,        // act with action `amount`
    MEGA_REQUEST_SOFT_RESET, // hold RESET for 4 frames
    MEGA_REQUEST_FAIL        // the mode could not be reached
};
typedef struct mega_request {
    int32_t kind;
    int32_t amount;
} mega_request;

MEGA_FN mega_request mega_request_make(int32_t kind, int32_t amount) {
    mega_request request;
    request.kind = kind;
    request.amount = amount;
    return request;
}

#endif
