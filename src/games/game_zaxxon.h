// game_zaxxon.h - Zaxxon. Shared source.
//
// Generated from facts/games/zaxxon.json by tools/gen_games.py; edit the facts.
#ifndef GAME_ZAXXON_H
#define GAME_ZAXXON_H
#include "mega_select.h"

MEGA_FN void game_zaxxon_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 5; // lives
    rules->lives = 5;
}

MEGA_FN void game_zaxxon_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = 100 * mega_bcd2(mega_peek(memory, 0xE9), mega_peek(memory, 0xE8));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t lives = mega_peek(memory, 0xEA) & 7;
    const int32_t over = lives == 0;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

MEGA_FN mega_request game_zaxxon_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x82) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 10);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
