// game_private_eye.h - Private Eye. Shared source.
//
// Generated from facts/games/private_eye.json by tools/gen_games.py; edit the facts.
//
// Lives are always 0. The score starts at 1000. Negative rewards occur.
#ifndef GAME_PRIVATE_EYE_H
#define GAME_PRIVATE_EYE_H
#include "mega_select.h"

MEGA_FN void game_private_eye_reset(mega_rules *rules) {
    rules->var[0] = 1000; // score
    rules->lives = 0;
}

MEGA_FN void game_private_eye_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xCA), mega_peek(memory, 0xC9),
        mega_peek(memory, 0xC8));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xC2) != 0 && mega_peek(memory, 0xC2) != 1;
    rules->var[0] = score;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = 0;
}

MEGA_FN mega_request game_private_eye_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x80) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
