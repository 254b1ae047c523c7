// game_earthworld.h - SwordQuest: EarthWorld. Shared source.
//
// Generated from facts/games/earthworld.json by tools/gen_games.py; edit the facts.
//
// Bytes 0x10 and 0x0A both give the ending value 10.
#ifndef GAME_EARTHWORLD_H
#define GAME_EARTHWORLD_H
#include "mega_rules.h"

MEGA_FN void game_earthworld_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 1;
}

MEGA_FN void game_earthworld_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd(mega_peek(memory, 0xA7));
    const int32_t gain = new_score - score;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(score == 10);
    rules->lives = score == 10 ? 0 : 1;
}

#endif
