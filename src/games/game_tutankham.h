// game_tutankham.h - Tutankham. Shared source.
//
// Generated from facts/games/tutankham.json by tools/gen_games.py; edit the facts.
#ifndef GAME_TUTANKHAM_H
#define GAME_TUTANKHAM_H
#include "mega_select.h"

MEGA_FN void game_tutankham_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 3; // lives
    rules->lives = 3;
}

MEGA_FN void game_tutankham_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd2(mega_peek(memory, 0x9C), mega_peek(memory, 0x9A));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t life_byte = mega_peek(memory, 0x9E);
    const int32_t over = life_byte == 0 && mega_peek(memory, 0x81) != 0x84;
    const int32_t lives = life_byte & 3;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

MEGA_FN mega_request game_tutankham_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xAB) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
