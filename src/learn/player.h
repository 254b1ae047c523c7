// player.h - one environment played by a trained policy, step by step, for those who want to watch.
//
//     mega_player_create(&settings, rom, "run/checkpoint", seed, &player, &message);
//     while (!mega_player_is_over(player)) {
//         mega_player_choose(player, &action, &message);   // what the policy does now
//         mega_player_copy(player, env, &message);         // the console as it stands before that
//         mega_player_step(player, &message);              // does it
//     }
#ifndef PLAYER_H
#define PLAYER_H
#include "trainer.h"

typedef struct mega_player mega_player;

// Borrows the settings, which are those of the run (mega_run_read_settings), for its life.
int mega_player_create(const mega_train_settings *settings, const mega_rom *rom, const char *checkpoint,
                       int32_t seed, mega_player **out, mega_message *message);
void mega_player_destroy(mega_player *player);
// The policy's action for the present observation: an action number, as mega_env_act takes it.
int mega_player_choose(mega_player *player, uint32_t *action, mega_message *message);
// Copies the console into an environment of the same cartridge.
int mega_player_copy(mega_player *player, mega_env *env, mega_message *message);
// Plays the chosen action for the frames of a step. After the end of an episode: starts the next one.
int mega_player_step(mega_player *player, mega_message *message);
// The last step ended the episode.
bool mega_player_is_over(const mega_player *player);

#endif
