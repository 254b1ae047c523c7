// game_koolaid.h - Kool-Aid Man. Shared source.
//
// Generated from facts/games/koolaid.json by tools/gen_games.py; edit the facts.
//
// This title has no life counter: the reported lives value is 0 at all times.
#ifndef GAME_KOOLAID_H
#define GAME_KOOLAID_H
#include "mega_rules.h"

MEGA_FN void game_koolaid_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_koolaid_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = 100 * mega_bcd2(mega_peek(memory, 0x81), mega_peek(memory, 0x80));
    const int32_t gain = new_score - score;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0xD1) == 0x80);
    rules->lives = 0;
}

#endif
