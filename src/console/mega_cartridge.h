// mega_cartridge.h - what is fixed about a cartridge while it is in the console. Shared source.
//
// The description is made once, when an image is loaded (engine/cartridge.c); the console only reads it.
#ifndef MEGA_CARTRIDGE_H
#define MEGA_CARTRIDGE_H
#include "mega_base.h"

// Bank switching schemes. The numbers are part of the save format.
enum {
    MEGA_SCHEME_NONE,
    MEGA_SCHEME_2K,
    MEGA_SCHEME_4K,
    MEGA_SCHEME_F8,
    MEGA_SCHEME_F6,
    MEGA_SCHEME_F4,
    MEGA_SCHEME_F8SC,
    MEGA_SCHEME_F6SC,
    MEGA_SCHEME_F4SC,
    MEGA_SCHEME_FASC,
    MEGA_SCHEME_E0,
    MEGA_SCHEME_E7,
    MEGA_SCHEME_FE,
    MEGA_SCHEME_DPC,
    MEGA_SCHEME_3F,
    MEGA_SCHEME_3E,
    MEGA_SCHEME_UA,
    MEGA_SCHEME_CV,
    MEGA_SCHEME_MB,
    MEGA_SCHEME_MC,
    MEGA_SCHEME_COUNT
};

typedef struct mega_cartridge {
    uint32_t image_size;   // bytes
    uint32_t ram_size;     // bytes of RAM on the cartridge, 0 to 32768
    uint16_t y_start;      // first line of the frame that is shown
    uint16_t height;       // lines shown: 210, or 250 for PAL, unless the cartridge has its own number
    uint16_t probe_height; // lines shown while the format is being found out
    uint8_t scheme;        // MEGA_SCHEME_*
    uint8_t start_bank;    // bank after reset, for the schemes that have one
    uint8_t pal;           // 1: limits and colour loss of PAL
    uint8_t hmove_blanks;  // 1: HMOVE may blank the left edge
    uint8_t left_paddles;  // 1: the left port holds paddles, else a joystick
    uint8_t right_paddles;
    uint8_t swap_ports;        // 1: player A's controller is in the right port
    uint8_t swap_paddles;      // 1: the two paddles of a port are exchanged
    uint8_t left_difficulty_a; // switch positions before the environment sets them
    uint8_t right_difficulty_a;
    uint8_t format_probed; // 1: the console is run for 60 frames at power-on to find out its format
    uint8_t pad[3];
} mega_cartridge;

MEGA_FN uint32_t cartridge_has_paddles(const mega_cartridge *cartridge) {
    return cartridge->left_paddles || cartridge->right_paddles;
}

#endif
