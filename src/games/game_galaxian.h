// game_galaxian.h - Galaxian. Shared source.
//
// Generated from facts/games/galaxian.json by tools/gen_games.py; edit the facts.
//
// A fall of the score is taken as a wrap at 1000000, so the reward is never negative. Difficulty 1 puts the
// left console switch to A, 0 to B.
#ifndef GAME_GALAXIAN_H
#define GAME_GALAXIAN_H
#include "mega_select.h"

MEGA_FN void game_galaxian_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_galaxian_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xAE), mega_peek(memory, 0xAD),
        mega_peek(memory, 0xAC));
    int32_t gain = new_score - score;
    gain = gain < 0 ? 1000000 - score + new_score : gain;
    score = new_score;
    const int32_t over = (mega_peek(memory, 0xBF) & 0x80) != 0;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : mega_peek(memory, 0xB9) + 1;
}

MEGA_FN mega_request game_galaxian_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xB3) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 1);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
