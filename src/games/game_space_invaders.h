// game_space_invaders.h - Space Invaders. Shared source.
//
// Generated from facts/games/space_invaders.json by tools/gen_games.py; edit the facts.
//
// A falling score is taken as a wrap at 10000, so rewards are never negative unless digits are not decimal.
#ifndef GAME_SPACE_INVADERS_H
#define GAME_SPACE_INVADERS_H
#include "mega_select.h"

MEGA_FN void game_space_invaders_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 3; // lives
    rules->lives = 3;
}

MEGA_FN void game_space_invaders_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd2(mega_peek(memory, 0xE8), mega_peek(memory, 0xE6));
    const int32_t difference = new_score - score;
    const int32_t reward = difference < 0 ? 10000 - score + new_score : difference;
    score = new_score;
    const int32_t lives = mega_peek(memory, 0xC9);
    const int32_t over = (mega_peek(memory, 0x98) & 0x80) != 0 || lives == 0;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

MEGA_FN mega_request game_space_invaders_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xDC) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
