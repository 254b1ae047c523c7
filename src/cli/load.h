// load.h - options that commands share, and opening the cartridge and the environment they name.
//
// Functions return an exit code after reporting the error themselves.
#ifndef LOAD_H
#define LOAD_H
#include "megacade.h"
#include "options.h"

typedef struct mega_load {
    const char *game; // name of a game; NULL means the built-in one
    const char *rom;  // file of an image, or NULL
    const char *roms; // folder to look in instead of the usual ones, or NULL
    int64_t mode;
    int64_t difficulty;
    double sticky;
    bool interpret; // --no-translate
} mega_load;

// Adds --game, --rom and --roms.
void mega_load_add_rom(mega_load *load, mega_options *options);
// Adds --mode, --difficulty and --sticky.
void mega_load_add_play(mega_load *load, mega_options *options);

// Adds --no-translate.
void mega_load_add_translate(mega_load *load, mega_options *options);
// What a description says then: `usual`, or MEGA_TRANSLATE_OFF.
uint8_t mega_load_translate(const mega_load *load, uint8_t usual);

// Opens the image that the options and the first word ask for. A word that ends in .bin or holds a slash is
// a file.
int mega_load_rom(mega_load *load, const mega_options *options, mega_rom **out);
// Creates an environment, sets mode and difficulty where they were given, and resets it `resets` times, and
// once more if one of them was.
int mega_load_env(const mega_load *load, const mega_options *options, const mega_env_desc *desc,
                  uint32_t resets, const mega_rom *rom, mega_env **out);
// Whether --mode or --difficulty was given.
bool mega_load_changes_game(const mega_options *options);

// The numbers of the set bits of an action mask, ascending. Returns how many there are.
uint32_t mega_load_action_list(uint32_t mask, uint32_t actions[MEGA_ACTION_COUNT]);
// Masks of an image's minimal and legal actions; all actions for an image without rules.
uint32_t mega_load_minimal_actions(const mega_rom *rom);
uint32_t mega_load_legal_actions(const mega_rom *rom);

// Reports names that are no device.
int mega_load_check_device(const char *device);
// The index of a game, or -1 after reporting that there is none and which is meant. *exit_code is set then.
int32_t mega_load_game_index(const char *name, int *exit_code);

#endif
