// game_turmoil.h - Turmoil. Shared source.
//
// Generated from facts/games/turmoil.json by tools/gen_games.py; edit the facts.
//
// The byte at 0xD3 is added as binary, not BCD.
#ifndef GAME_TURMOIL_H
#define GAME_TURMOIL_H
#include "mega_select.h"

MEGA_FN void game_turmoil_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 4; // lives
    rules->lives = 4;
}

MEGA_FN void game_turmoil_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = 10 * (mega_bcd2(mega_peek(memory, 0x89), mega_peek(memory, 0x8A))
        + mega_peek(memory, 0xD3));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t lives = mega_peek(memory, 0xB9);
    const int32_t over = lives == 0 && mega_peek(memory, 0xC5) == 1;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

MEGA_FN mega_request game_turmoil_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xEA) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
