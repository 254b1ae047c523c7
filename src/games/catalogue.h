// catalogue.h - what is known of every game and of every cartridge image. Host code; constant data.
//
// Games are numbered as in mega_games.h, in order of their names. The tables are written by
// tools/gen_games.py from facts/. Pointers stay valid for ever; all functions may be called from any thread.
#ifndef MEGA_CATALOGUE_H
#define MEGA_CATALOGUE_H
#include <stdint.h>

#define MEGA_STARTING_RESET 40 // a starting action that holds the RESET switch for its frame

typedef struct mega_game_facts {
    const char *name;                // also the stem of the image's file name: "space_invaders"
    const char *title;               // for people: "Space Invaders"
    const char *gym_id;              // "ALE/SpaceInvaders-v5"
    const char *md5;                 // of the image that the rules belong to, 32 lower-case digits
    uint32_t minimal_actions;        // bit a: action a (0..17) is of use in the game
    uint32_t legal_actions;          // bit a: action a is passed on to the game; others are played as NOOP
    const uint8_t *starting_actions; // one frame each at the end of a reset; NULL if there are none
    uint16_t starting_action_count;
    uint16_t mode_count;
    const int32_t *modes;        // the accepted modes; the first is the default
    const uint8_t *difficulties; // the accepted difficulties; 0 is in force after loading even if not listed
    uint8_t difficulty_count;
    uint8_t builtin;       // 1 for a game whose image comes with Megacade
    int32_t initial_lives; // lives before the first frame
    int32_t paddle_max;    // upper limit of the paddle position; 0 for the usual one
} mega_game_facts;

enum {
    MEGA_CONTROLLER_NONE,
    MEGA_CONTROLLER_JOYSTICK,
    MEGA_CONTROLLER_PADDLES
};

typedef struct mega_cart_facts {
    const char *file;           // usual file name
    const char *md5;            // 32 lower-case hexadecimal digits
    const char *scheme;         // bank switching: "2K", "4K", "F8", "F8SC", ..., or "AUTO" to detect it
    const char *format;         // "NTSC", "PAL", or "AUTO" to detect it
    const char *format_used;    // "NTSC" or "PAL": what detection finds
    uint16_t ystart;            // first scanline shown
    uint16_t height;            // scanlines shown, before the console adapts it to the format
    uint8_t left_controller;    // MEGA_CONTROLLER_...
    uint8_t right_controller;   // MEGA_CONTROLLER_...
    uint8_t swap_ports;         // 1 if player A sits at the right port
    uint8_t swap_paddles;       // 1 if the two paddles of a port are exchanged
    uint8_t left_difficulty_a;  // 1 if the left switch is at A until the environment drives it
    uint8_t right_difficulty_a; // the same for the right switch
    uint8_t hmove_blanks;       // 1 if HMOVE blanks eight clocks of the line
    uint8_t phosphor;           // no effect, kept for information
} mega_cart_facts;

extern const mega_game_facts mega_catalogue_games[]; // index: game number
extern const int32_t mega_catalogue_game_count;
extern const mega_cart_facts mega_catalogue_carts[];
extern const int32_t mega_catalogue_cart_count;

// Facts of a game by its number; NULL if there is no such number.
const mega_game_facts *mega_catalogue_game(int32_t game);
// Number of a game by its name or by the md5 of its image; -1 if unknown. NULL is unknown. Case matters.
int32_t mega_catalogue_find_name(const char *name);
int32_t mega_catalogue_find_md5(const char *md5);
// Facts of a cartridge image by its md5; NULL if unknown: the defaults of the console then apply.
const mega_cart_facts *mega_catalogue_find_cart(const char *md5);

#endif
