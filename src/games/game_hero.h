// game_hero.h - H.E.R.O.. Shared source.
//
// Generated from facts/games/hero.json by tools/gen_games.py; edit the facts.
#ifndef GAME_HERO_H
#define GAME_HERO_H
#include "mega_select.h"

MEGA_FN void game_hero_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 4;
}

MEGA_FN void game_hero_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xB9), mega_peek(memory, 0xB8),
        mega_peek(memory, 0xB7));
    const int32_t gain = new_score - score;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0xB3) == 0);
    rules->lives = mega_peek(memory, 0xB3);
}

MEGA_FN mega_request game_hero_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x80) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 1);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
