// game_berzerk.h - Berzerk. Shared source.
//
// Generated from facts/games/berzerk.json by tools/gen_games.py; edit the facts.
//
// Mode numbers are the cartridge's game numbers in BCD (16, 17, 18 are games 10, 11, 12).
#ifndef GAME_BERZERK_H
#define GAME_BERZERK_H
#include "mega_select.h"

MEGA_FN void game_berzerk_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_berzerk_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xDF), mega_peek(memory, 0xDE),
        mega_peek(memory, 0xDD));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xDA) == 0xFF;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : mega_peek(memory, 0xDA) + 1;
}

MEGA_FN mega_request game_berzerk_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (rules->tries < 20) {
            return mega_select_try(rules, 20, 0, MEGA_REQUEST_ACT, 0); // NOOP
        }
        mega_select_enter(rules, 1);
    }
    if (rules->stage == 1) {
        if (mega_peek(memory, 0x80) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 1, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 2, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
