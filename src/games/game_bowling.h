// game_bowling.h - Bowling. Shared source.
//
// Generated from facts/games/bowling.json by tools/gen_games.py; edit the facts.
//
// Lives are constantly 0.
#ifndef GAME_BOWLING_H
#define GAME_BOWLING_H
#include "mega_select.h"

MEGA_FN void game_bowling_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_bowling_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd2(mega_peek(memory, 0xA1), mega_peek(memory, 0xA6));
    const int32_t gain = new_score - score;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0xA4) > 0x10);
    rules->lives = 0;
}

MEGA_FN mega_request game_bowling_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x82) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
