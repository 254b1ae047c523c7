// environment.h - one environment on the CPU: the shared source's parts with memory for them. Host code.
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H
#include "catalogue.h"
#include "mega_gym.h"
#include "play.h"
#include "reset_memo.h"
#include "rom.h"

struct mega_env {
    const mega_play *play; // the code that runs it
    mega_session session;
    mega_settings settings;
    mega_stage stage;
    mega_mt19937 random;
    mega_pcg64 skip_random;       // draws the frame skip, when it is a range
    uint32_t skip_low, skip_high; // the range; skip_high is 0 when it is fixed
    mega_mt19937 console_random;  // the console's sequence ...
    uint32_t console_position;    // ... and how far it has been drawn
    const mega_game_facts *facts; // NULL for a cartridge without rules
    mega_cartridge cartridge;
    uint8_t image_md5[MEGA_MD5_TEXT_SIZE];
    uint8_t *image;        // copy of the rom's bytes
    uint8_t *cart_ram;     // NULL when it fits in the console
    uint8_t *blend;        // 65536 entries, NULL unless colours are averaged
    uint32_t *draws;       // room for the draws of a power-on or a reset
    mega_reset_memo *memo; // NULL where resets are always played
    mega_video *video;
};

// Sets up everything and powers the console on.
mega_status environment_open(const mega_env_desc *desc, const mega_rom *rom, mega_env **out);
// Power cycle, then the first episode.
mega_status environment_power_on(mega_env *env, uint32_t seed);
// A new episode.
mega_status environment_reset(mega_env *env);
// MEGA_OK, or what went wrong in the frames just played.
mega_status environment_fault(const mega_env *env);
// 0 when every field of a session that came from outside is in its range.
int environment_check_session(const mega_env *env, const mega_session *session);

#endif
