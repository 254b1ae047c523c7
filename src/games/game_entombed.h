// game_entombed.h - Entombed. Shared source.
//
// Generated from facts/games/entombed.json by tools/gen_games.py; edit the facts.
//
// The score cell is a plain binary byte.
#ifndef GAME_ENTOMBED_H
#define GAME_ENTOMBED_H
#include "mega_rules.h"

MEGA_FN void game_entombed_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 1;
}

MEGA_FN void game_entombed_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_peek(memory, 0xE3);
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = (mega_peek(memory, 0xC7) & 3) == 0;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

#endif
