// game_boxing.h - Boxing. Shared source.
//
// Generated from facts/games/boxing.json by tools/gen_games.py; edit the facts.
//
// Lives are constantly 0. Any byte whose digit formula gives 100 (0xC0 by the special rule, but also 0xA0 and
// 0x9A) counts as a knock-out.
#ifndef GAME_BOXING_H
#define GAME_BOXING_H
#include "mega_rules.h"

MEGA_FN void game_boxing_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_boxing_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t mine = mega_peek(memory, 0x92) == 0xC0 ? 100 : mega_bcd(mega_peek(memory, 0x92));
    const int32_t theirs = mega_peek(memory, 0x93) == 0xC0 ? 100 : mega_bcd(mega_peek(memory, 0x93));
    const int32_t new_score = mine - theirs;
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mine == 100 || theirs == 100
        || (mega_peek(memory, 0x90) >> 4 == 0 && mega_bcd(mega_peek(memory, 0x91)) == 0);
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = 0;
}

#endif
