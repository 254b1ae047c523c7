// mega_env_state.h - one environment: a console, its game's rules and the counters around them.
// Shared source.
#ifndef MEGA_ENV_STATE_H
#define MEGA_ENV_STATE_H
#include "mega_console.h"
#include "mega_games.h"
#include "mega_random.h"
#include "mega_sound.h"

// What a save state holds. Flat.
typedef struct mega_session {
    mega_console console;
    mega_rules rules;
    int32_t paddle[2]; // resistance of player A's and player B's paddle
    int32_t paddle_min, paddle_max;
    uint32_t frame_number;         // since the cartridge was loaded
    uint32_t episode_frame_number; // since the last reset
    int32_t mode;
    uint32_t difficulty;
} mega_session;

// What does not change while an environment plays.
typedef struct mega_settings {
    int32_t game; // MEGA_GAME_*, or -1 for a cartridge without rules
    uint32_t legal_actions;
    const uint8_t *starting_actions; // played at the end of every reset; 40 holds the RESET switch
    uint32_t starting_action_count;
    uint32_t frame_skip;        // frames per act, at least 1
    double sticky;              // probability that a frame repeats the last action
    int32_t max_episode_frames; // 0: no limit
    int32_t max_lives;          // an episode is cut below this, with truncate_on_life_loss
    int32_t reward_min, reward_max;
    uint8_t truncate_on_life_loss;
    uint8_t sound;
    uint8_t plain; // 1: the console runs in plain mode
    uint8_t pad[5];
} mega_settings;

#define MEGA_SOUND_SAMPLES 512

// A playing environment: the state and all that it is connected to.
typedef struct mega_stage {
    mega_session *session;
    const mega_settings *settings;
    mega_mt19937 *random;   // the environment's generator
    mega_machine machine;   // on session->console
    uint32_t sticky_action; // what is repeated; not part of a save state
    float sticky_strength;
    uint32_t how;    // MEGA_RUN_* of the next frames, unless the settings ask for plain ones
    uint32_t failed; // 1: the game's mode could not be selected
    mega_sound sound_generator;
    uint8_t sound[MEGA_SOUND_SAMPLES];
} mega_stage;

#endif
