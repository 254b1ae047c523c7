// game_yars_revenge.h - Yars' Revenge. Shared source.
//
// Generated from facts/games/yars_revenge.json by tools/gen_games.py; edit the facts.
#ifndef GAME_YARS_REVENGE_H
#define GAME_YARS_REVENGE_H
#include "mega_select.h"

MEGA_FN void game_yars_revenge_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 4; // lives
    rules->lives = 4;
}

MEGA_FN void game_yars_revenge_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xE2), mega_peek(memory, 0xE1),
        mega_peek(memory, 0xE0));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t lives = mega_peek(memory, 0x9E) >> 4;
    const int32_t over = lives == 0;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

MEGA_FN mega_request game_yars_revenge_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        return mega_select_ask(rules, 1, MEGA_REQUEST_SELECT, 2);
    }
    if (rules->stage == 1) {
        if (mega_peek(memory, 0xE3) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 1, MEGA_REQUEST_SELECT, 1);
        }
        return mega_select_ask(rules, 2, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
