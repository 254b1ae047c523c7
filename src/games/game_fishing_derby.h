// game_fishing_derby.h - Fishing Derby. Shared source.
//
// Generated from facts/games/fishing_derby.json by tools/gen_games.py; edit the facts.
//
// Reward is the change of (own points - opponent points). This title has no life counter: the reported lives
// value is 0 at all times. Difficulty bit 0 is the left console switch (1 = A), bit 1 the right one.
#ifndef GAME_FISHING_DERBY_H
#define GAME_FISHING_DERBY_H
#include "mega_rules.h"

MEGA_FN void game_fishing_derby_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_fishing_derby_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd(mega_peek(memory, 0xBD)) - mega_bcd(mega_peek(memory, 0xBE));
    const int32_t gain = new_score - score;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0xBD) == 0x99 || mega_peek(memory, 0xBE) == 0x99);
    rules->lives = 0;
}

#endif
