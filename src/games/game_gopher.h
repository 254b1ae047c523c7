// game_gopher.h - Gopher. Shared source.
//
// Generated from facts/games/gopher.json by tools/gen_games.py; edit the facts.
//
// Lives is the number of set bits among the low three bits of 0xB4. Difficulty 1 puts the left console switch
// to A, 0 to B.
#ifndef GAME_GOPHER_H
#define GAME_GOPHER_H
#include "mega_select.h"

MEGA_FN void game_gopher_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_gopher_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xB2), mega_peek(memory, 0xB1),
        mega_peek(memory, 0xB0));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t carrots = mega_peek(memory, 0xB4) & 7;
    const int32_t over = carrots == 0;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = (carrots & 1) + ((carrots >> 1) & 1) + ((carrots >> 2) & 1);
}

MEGA_FN mega_request game_gopher_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    if (rules->stage == 1) {
        if (mega_peek(memory, 0xD3) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 1, MEGA_REQUEST_SELECT, 5);
        }
        return mega_select_ask(rules, 2, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
