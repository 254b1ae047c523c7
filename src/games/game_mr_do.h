// game_mr_do.h - Mr. Do!. Shared source.
//
// Generated from facts/games/mr_do.json by tools/gen_games.py; edit the facts.
#ifndef GAME_MR_DO_H
#define GAME_MR_DO_H
#include "mega_select.h"

MEGA_FN void game_mr_do_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 4;
}

MEGA_FN void game_mr_do_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = 10 * mega_bcd2(mega_peek(memory, 0x82), mega_peek(memory, 0x83));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xDA) == 0x40;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : mega_peek(memory, 0xDB);
}

MEGA_FN mega_request game_mr_do_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x80) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 5);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
