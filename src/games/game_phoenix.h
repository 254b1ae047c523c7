// game_phoenix.h - Phoenix. Shared source.
//
// Generated from facts/games/phoenix.json by tools/gen_games.py; edit the facts.
#ifndef GAME_PHOENIX_H
#define GAME_PHOENIX_H
#include "mega_rules.h"

MEGA_FN void game_phoenix_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 5;
}

MEGA_FN void game_phoenix_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = 10 * (10 * mega_bcd2(mega_peek(memory, 0xC8), mega_peek(memory, 0xC9))
        + (mega_peek(memory, 0xC7) >> 4));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xCC) == 0x80;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : mega_peek(memory, 0xCB) & 7;
}

#endif
