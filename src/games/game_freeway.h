// game_freeway.h - Freeway. Shared source.
//
// Generated from facts/games/freeway.json by tools/gen_games.py; edit the facts.
//
// The per-frame reward is clamped to 0..1. This title has no life counter: the reported lives value is 0 at
// all times. Difficulty 1 puts the left console switch to A, 0 to B.
#ifndef GAME_FREEWAY_H
#define GAME_FREEWAY_H
#include "mega_select.h"

MEGA_FN void game_freeway_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_freeway_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd(mega_peek(memory, 0xE7));
    int32_t gain = new_score - score;
    gain = gain < 0 ? 0 : (gain > 1 ? 1 : gain);
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0x96) == 1);
    rules->lives = 0;
}

MEGA_FN mega_request game_freeway_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x80) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 1);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
