// game_king_kong.h - King Kong. Shared source.
//
// Generated from facts/games/king_kong.json by tools/gen_games.py; edit the facts.
#ifndef GAME_KING_KONG_H
#define GAME_KING_KONG_H
#include "mega_select.h"

MEGA_FN void game_king_kong_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_king_kong_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd2(mega_peek(memory, 0x83), mega_peek(memory, 0x82));
    const int32_t gain = new_score - score;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0xEE) == 0);
    rules->lives = mega_peek(memory, 0xEE);
}

MEGA_FN mega_request game_king_kong_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xEC) != 2 * mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
