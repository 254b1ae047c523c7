// game_flag_capture.h - Flag Capture. Shared source.
//
// Generated from facts/games/flag_capture.json by tools/gen_games.py; edit the facts.
//
// 0xEB holds the remaining seconds in BCD. This title has no life counter of its own: the reported lives
// value is 1 while the game runs and 0 once it is over.
#ifndef GAME_FLAG_CAPTURE_H
#define GAME_FLAG_CAPTURE_H
#include "mega_select.h"

MEGA_FN void game_flag_capture_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 1;
}

MEGA_FN void game_flag_capture_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd(mega_peek(memory, 0xEA));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xEB) == 0;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_flag_capture_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xD6) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
