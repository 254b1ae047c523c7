// game_enduro.h - Enduro. Shared source.
//
// Generated from facts/games/enduro.json by tools/gen_games.py; edit the facts.
//
// Lives are constantly 0. The cells count the cars still to pass, so the score can also fall.
#ifndef GAME_ENDURO_H
#define GAME_ENDURO_H
#include "mega_rules.h"

MEGA_FN void game_enduro_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_enduro_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t day = mega_peek(memory, 0xAD);
    const int32_t to_go = mega_bcd2(mega_peek(memory, 0xAB), mega_peek(memory, 0xAC));
    const int32_t new_score = day == 0 ? 0 : (day == 1 ? 200 - to_go : 200 + 300 * (day - 2) + 300 - to_go);
    const int32_t gain = new_score - score;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0xAF) == 0xFF);
    rules->lives = 0;
}

#endif
