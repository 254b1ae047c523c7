// game_asterix.h - Asterix. Shared source.
//
// Generated from facts/games/asterix.json by tools/gen_games.py; edit the facts.
//
// FIRE is not in the minimal set but is used as the starting action.
#ifndef GAME_ASTERIX_H
#define GAME_ASTERIX_H
#include "mega_rules.h"

MEGA_FN void game_asterix_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_asterix_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xE0), mega_peek(memory, 0xDF),
        mega_peek(memory, 0xDE));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t left = mega_peek(memory, 0xD3) & 15;
    const int32_t over = mega_peek(memory, 0xC7) == 1 && left == 1;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : left;
}

#endif
