// game_carnival.h - Carnival. Shared source.
//
// Generated from facts/games/carnival.json by tools/gen_games.py; edit the facts.
//
// Lives are constantly 0; the end is an empty ammunition counter.
#ifndef GAME_CARNIVAL_H
#define GAME_CARNIVAL_H
#include "mega_rules.h"

MEGA_FN void game_carnival_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_carnival_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = 10 * mega_bcd2(mega_peek(memory, 0xAE), mega_peek(memory, 0xAD));
    const int32_t gain = new_score - score;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0x83) == 0);
    rules->lives = 0;
}

#endif
