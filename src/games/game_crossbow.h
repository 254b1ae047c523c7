// game_crossbow.h - Crossbow. Shared source.
//
// Generated from facts/games/crossbow.json by tools/gen_games.py; edit the facts.
#ifndef GAME_CROSSBOW_H
#define GAME_CROSSBOW_H
#include "mega_select.h"

MEGA_FN void game_crossbow_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 1;
}

MEGA_FN void game_crossbow_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0x8D), mega_peek(memory, 0x8C),
        mega_peek(memory, 0x8B));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xE7) == 0x82;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_crossbow_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (((mega_peek(memory, 0x8D) - 1) & 255) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
