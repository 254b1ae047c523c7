// mega_state.h - everything a console remembers, as flat structs without pointers. Shared source.
//
// The bytes of a mega_console are its save state. Times are CPU cycles or colour clocks (3 per cycle) since
// the start of the frame; they are shifted when a new frame begins (mega_console.h).
#ifndef MEGA_STATE_H
#define MEGA_STATE_H
#include "mega_base.h"

#define MEGA_CYCLES_PER_LINE 76
#define MEGA_CLOCKS_PER_LINE 228
#define MEGA_CLOCKS_BLANK 68 // clocks of a line before its first pixel
#define MEGA_WIDTH 160
#define MEGA_PICTURE_ROWS 300
#define MEGA_CART_RAM 256 // bytes of cartridge RAM kept in the state; larger ones are kept beside it

// 6507. N and Z are kept as the value they are derived from: Z is set when the low byte of nz is 0, N when bit 7
// or bit 8 is set.
typedef struct mega_cpu {
    uint16_t pc; // 16 bits although the bus has 13: one bank switching scheme looks at A13
    uint16_t nz;
    uint8_t a, x, y, sp;
    uint8_t carry, overflow, decimal, interrupt; // 0 or 1
    uint8_t jammed;                              // 1 after an opcode that halts the processor
    uint8_t pad[3];
} mega_cpu;

typedef struct mega_riot {
    uint8_t ram[128];
    uint32_t timer_start;   // cycle of the last timer write
    uint32_t timer_read_at; // cycle of the first read after the underflow
    uint8_t timer_value;    // as written
    uint8_t timer_shift;    // log2 of the cycles per tick
    uint8_t timer_was_read; // 1 after the first read after the underflow
    uint8_t swacnt;
} mega_riot;

// Moving objects of the TIA, in the order of pos[] and of the bits of an object set.
enum {
    MEGA_P0,
    MEGA_P1,
    MEGA_M0,
    MEGA_M1,
    MEGA_BL,
    MEGA_PF,
    MEGA_OBJECTS
};

// Line override of missile 0 by the star field effect.
enum {
    MEGA_M0_NORMAL,
    MEGA_M0_WIDE,
    MEGA_M0_HIDDEN
};

typedef struct mega_tia {
    // The beam.
    int32_t frame_start; // clock at which line 0 of the frame began, -225 to 0
    int32_t drawn_to;    // clock up to which picture and collisions are done
    int32_t line_left;   // clocks from there to the end of the line
    int32_t picture_at;  // offset in the picture of the next pixel
    int32_t last_hmove;
    // Registers.
    uint32_t playfield;  // 20 bits: PF0 4..7, PF1 0..7, PF2 0..7
    uint16_t collisions; // bits 2r and 2r+1 are bits 6 and 7 of collision register r
    uint8_t vblank;      // 0 or 2
    uint8_t ctrlpf;
    uint8_t colors[4]; // COLUP0, COLUP1, COLUPF, COLUBK
    uint8_t nusiz[2];
    uint8_t reflect[2];
    uint8_t graphics[2];
    uint8_t old_graphics[2]; // the copies that vertical delay shows
    uint8_t enable_missile[2];
    uint8_t missile_to_player[2]; // RESMP
    uint8_t delay_player[2];
    uint8_t enable_ball, old_enable_ball, delay_ball;
    uint8_t motion[5];   // HMP0, HMP1, HMM0, HMM1, HMBL: nibbles
    uint8_t position[5]; // 0..159
    // Latches.
    uint8_t pf_reflect;      // orientation of the right half of the playfield
    uint8_t first_hidden[2]; // 1: the first copy of this player is not shown in this line
    uint8_t hmove_blank;     // 1: the next 8 pixels at the left edge are blanked
    uint8_t star_field, star_counter, m0_override;
    uint8_t color_loss; // 1: PAL, and the last frame had an odd number of lines
    uint8_t pad[2];
} mega_tia;

// What the processor's side of the TIA keeps: it runs ahead of the picture.
typedef struct mega_sync {
    int32_t vsync_deadline; // clock from which VSYNC off ends the frame
    int32_t dump_ended;     // cycle at which the paddle capacitors began to charge
    uint16_t last_lines;    // lines of the last finished frame
    uint8_t dump;           // 1: the paddle capacitors are held discharged
    uint8_t unfinished;     // 1: the last request ended before the frame did
    uint8_t greyed;         // 1: the rest of the unfinished frame was greyed out
    uint8_t audio[6];       // AUDC0, AUDC1, AUDF0, AUDF1, AUDV0, AUDV1
    uint8_t pad;
} mega_sync;

typedef struct mega_fetcher {
    uint16_t counter; // 11 bits
    uint8_t top, bottom;
    uint8_t flag;  // 0 or 0xFF
    uint8_t music; // 1: music mode (fetchers 5 to 7)
} mega_fetcher;

typedef struct mega_dpc {
    double fraction;     // of a music clock; the one floating point number of a console
    uint32_t music_time; // cycle of the last music update
    uint8_t random;
    uint8_t pad[3];
    mega_fetcher fetcher[8];
} mega_dpc;

typedef struct mega_cart {
    uint16_t bank[4]; // what the scheme selects; see mega_cart.h
    uint8_t ram[MEGA_CART_RAM];
} mega_cart;

typedef struct mega_console {
    uint32_t cycles; // the master clock
    uint32_t draws;  // position in the console's random sequence
    uint8_t bus;     // last value on the data bus
    uint8_t pad[7];
    mega_cpu cpu;
    mega_riot riot;
    mega_tia tia;
    mega_sync sync;
    mega_cart cart;
    mega_dpc dpc;
} mega_console;
MEGA_STATIC_ASSERT(sizeof(mega_console) <= 1024, "a console fits in 1 KiB");

#endif
