// game_centipede.h - Centipede. Shared source.
//
// Generated from facts/games/centipede.json by tools/gen_games.py; edit the facts.
//
// Negative rewards are reported as 0. Mode numbers are 22 and 86 in decimal.
#ifndef GAME_CENTIPEDE_H
#define GAME_CENTIPEDE_H
#include "mega_select.h"

MEGA_FN void game_centipede_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_centipede_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xF6), mega_peek(memory, 0xF5),
        mega_peek(memory, 0xF4));
    const int32_t gain = new_score > score ? new_score - score : 0;
    score = new_score;
    const int32_t over = (mega_peek(memory, 0xA6) & 0x40) != 0;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : ((mega_peek(memory, 0xED) >> 4) & 7) + 1;
}

MEGA_FN mega_request game_centipede_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xA7) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
