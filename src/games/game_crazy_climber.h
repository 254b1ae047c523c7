// game_crazy_climber.h - Crazy Climber. Shared source.
//
// Generated from facts/games/crazy_climber.json by tools/gen_games.py; edit the facts.
//
// Score digits are whole bytes, not nibbles. Negative rewards are reported as 0.
#ifndef GAME_CRAZY_CLIMBER_H
#define GAME_CRAZY_CLIMBER_H
#include "mega_select.h"

MEGA_FN void game_crazy_climber_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 5;
}

MEGA_FN void game_crazy_climber_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = 100 * (mega_peek(memory, 0x82) + 10 * mega_peek(memory, 0x83)
        + 100 * mega_peek(memory, 0x84) + 1000 * mega_peek(memory, 0x85));
    const int32_t gain = new_score > score ? new_score - score : 0;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0xAA) == 0);
    rules->lives = mega_peek(memory, 0xAA);
}

MEGA_FN mega_request game_crazy_climber_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x80) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
