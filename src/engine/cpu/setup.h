// setup.h - what environments of one cartridge with the same settings share. Host code.
//
// Any number of environments and threads may use it.
#ifndef SETUP_H
#define SETUP_H
#include "catalogue.h"
#include "play.h"
#include "reset_memo.h"
#include "rom.h"
#include "translation.h"

typedef struct mega_setup {
    const mega_play *play; // the code that runs the console
    mega_settings settings;
    const mega_game_facts *facts; // NULL for a cartridge without rules
    mega_cartridge cartridge;
    int32_t paddle_min, paddle_max; // of a new environment
    uint32_t console_seed;          // of the console's own generator
    char image_md5[MEGA_MD5_TEXT_SIZE];
    uint8_t *image;                // copy of the rom's bytes
    mega_translation *translation; // NULL where everything is interpreted; also learns, safely for all
    mega_reset_memo *memo; // NULL where resets are always played; the one part that learns, safely for all
} mega_setup;

mega_status setup_open(const mega_env_desc *desc, const mega_rom *rom, mega_setup **out);
void setup_close(mega_setup *setup);
// Waits for translated code, where that was asked for; once all setups are open.
void setup_wait(const mega_setup *setup);

// Whether the game has this mode or difficulty; if not, the sentence names the game.
mega_status setup_check_mode(const mega_setup *setup, int32_t mode);
mega_status setup_check_difficulty(const mega_setup *setup, uint32_t difficulty);

#endif
