// environment.h - one environment on the CPU: the shared source's parts, connected. Host code.
//
// Three lifetimes: a mega_setup is shared and does not change, a mega_environment is what one console and its
// player remember, and a mega_scratch is only needed while frames are being played.
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H
#include "setup.h"

typedef struct mega_scratch {
    mega_video video;
    uint8_t earlier[MEGA_SCREEN_BYTES]; // a frame that the console could not keep (mega_task_core.h)
    uint32_t draws[];                   // room for those of a power-on or a reset
} mega_scratch;

// The struct points into itself and is never copied by assignment.
typedef struct mega_environment {
    const mega_setup *setup;
    mega_scratch *scratch; // what it is connected to
    mega_session session;
    mega_stage stage;
    mega_mt19937 random;
    mega_mt19937 console_random; // the console's sequence ...
    uint32_t console_position;   // ... and how far it has been drawn
    uint8_t *cart_ram;           // NULL when it fits in the console
} mega_environment;

// For cartridges with up to `cart_ram` bytes of RAM. Freed by free().
mega_status scratch_open(uint32_t cart_ram, mega_scratch **out);

// `setup` is borrowed and must outlive the environment. The console is off until environment_power_on.
mega_status environment_open(mega_environment *env, const mega_setup *setup);
void environment_close(mega_environment *env);
// Lends it scratch memory; before anything is played.
void environment_connect(mega_environment *env, mega_scratch *scratch);
// Changes over to translated code as soon as there is some. Power-on and resets do it themselves, acts do not.
void environment_prepare(mega_environment *env);
// Power cycle, then the first episode.
mega_status environment_power_on(mega_environment *env, uint32_t seed);
// A new episode.
mega_status environment_reset(mega_environment *env);
// MEGA_OK, or what went wrong in the frames just played.
mega_status environment_fault(const mega_environment *env);
// That of a mega_env.
mega_environment *env_core(mega_env *env);
// 0 when every field of a session that came from outside is in its range.
int environment_check_session(const mega_setup *setup, const mega_session *session);

#endif
