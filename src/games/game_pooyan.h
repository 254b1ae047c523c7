// game_pooyan.h - Pooyan. Shared source.
//
// Generated from facts/games/pooyan.json by tools/gen_games.py; edit the facts.
//
// Screen: 220 lines (first visible line 26).
#ifndef GAME_POOYAN_H
#define GAME_POOYAN_H
#include "mega_select.h"

MEGA_FN void game_pooyan_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 3; // lives
    rules->lives = 3;
}

MEGA_FN void game_pooyan_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0x8A), mega_peek(memory, 0x89),
        mega_peek(memory, 0x88));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t life_byte = mega_peek(memory, 0x96);
    const int32_t over = life_byte == 0 && mega_peek(memory, 0x98) == 0x05;
    const int32_t lives = (life_byte & 7) + 1;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

MEGA_FN mega_request game_pooyan_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        return mega_select_ask(rules, 1, MEGA_REQUEST_SELECT, 2);
    }
    if (rules->stage == 1) {
        if (mega_peek(memory, 0xBD) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 1, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 2, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
