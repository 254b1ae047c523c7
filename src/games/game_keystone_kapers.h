// game_keystone_kapers.h - Keystone Kapers. Shared source.
//
// Generated from facts/games/keystone_kapers.json by tools/gen_games.py; edit the facts.
//
// The starting action is the console RESET switch held for 1 more frame.
#ifndef GAME_KEYSTONE_KAPERS_H
#define GAME_KEYSTONE_KAPERS_H
#include "mega_rules.h"

MEGA_FN void game_keystone_kapers_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_keystone_kapers_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd2(mega_peek(memory, 0x9C), mega_peek(memory, 0x9B));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0x96) == 0 && mega_peek(memory, 0x88) == 0;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = mega_peek(memory, 0x96);
}

#endif
