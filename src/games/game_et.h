// game_et.h - E.T. the Extra-Terrestrial. Shared source.
//
// Generated from facts/games/et.json by tools/gen_games.py; edit the facts.
//
// The lives counter is one more than the cell, kept in a signed byte (cell 0xFF gives 0, cells 0x7F to 0xFE
// give -128 to -1).
#ifndef GAME_ET_H
#define GAME_ET_H
#include "mega_select.h"

MEGA_FN void game_et_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_et_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xE1), mega_peek(memory, 0xE0),
        mega_peek(memory, 0xDF));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t left = (((mega_peek(memory, 0xE5) + 1) & 255) ^ 128) - 128;
    const int32_t over = left == 0 && mega_peek(memory, 0x80) == 8;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : left;
}

MEGA_FN mega_request game_et_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (((mega_peek(memory, 0xEA) - 1) & 255) != mode) {
            return mega_select_try(rules, 100, 0, MEGA_REQUEST_SELECT, 25);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
