// game_basic_math.h - Basic Math. Shared source.
//
// Generated from facts/games/basic_math.json by tools/gen_games.py; edit the facts.
#ifndef GAME_BASIC_MATH_H
#define GAME_BASIC_MATH_H
#include "mega_select.h"

MEGA_FN void game_basic_math_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 1;
}

MEGA_FN void game_basic_math_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd(mega_peek(memory, 0x84));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0x86) != 0;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_basic_math_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xC5) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
