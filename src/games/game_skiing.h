// game_skiing.h - Skiing. Shared source.
//
// Generated from facts/games/skiing.json by tools/gen_games.py; edit the facts.
//
// Lives are always 0. Rewards are negative time (previous minus new); the byte at 0xE8 is binary, not BCD.
// Legal (full) action set: only the nine actions without fire (NOOP, UP, RIGHT, LEFT, DOWN, UPRIGHT, UPLEFT,
// DOWNRIGHT, DOWNLEFT, in this order); any action with fire given to act is played as NOOP.
#ifndef GAME_SKIING_H
#define GAME_SKIING_H
#include "mega_rules.h"

MEGA_FN void game_skiing_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_skiing_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_peek(memory, 0xE8) * 6000
        + mega_bcd2(mega_peek(memory, 0xEA), mega_peek(memory, 0xE9));
    const int32_t reward = score - new_score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0x91) == 0xFF;
    rules->var[0] = score;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = 0;
}

#endif
