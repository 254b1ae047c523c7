// game_kangaroo.h - Kangaroo. Shared source.
//
// Generated from facts/games/kangaroo.json by tools/gen_games.py; edit the facts.
#ifndef GAME_KANGAROO_H
#define GAME_KANGAROO_H
#include "mega_select.h"

MEGA_FN void game_kangaroo_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_kangaroo_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = 100 * mega_bcd2(mega_peek(memory, 0xA8), mega_peek(memory, 0xA7));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xAD) == 0xFF;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : (mega_peek(memory, 0xAD) & 7) + 1;
}

MEGA_FN mega_request game_kangaroo_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (!(mega_peek(memory, 0xBA) == mode || mega_peek(memory, 0xBA) == mode + 0x80)) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
