// game_defender.h - Defender. Shared source.
//
// Generated from facts/games/defender.json by tools/gen_games.py; edit the facts.
//
// Low nibble 10 is a blank digit and counts as 0; nibbles 11 to 15 count as they are.
#ifndef GAME_DEFENDER_H
#define GAME_DEFENDER_H
#include "mega_select.h"

MEGA_FN void game_defender_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_defender_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t d0 = (mega_peek(memory, 0x9C) & 15) == 10 ? 0 : mega_peek(memory, 0x9C) & 15;
    const int32_t d1 = (mega_peek(memory, 0x9D) & 15) == 10 ? 0 : mega_peek(memory, 0x9D) & 15;
    const int32_t d2 = (mega_peek(memory, 0x9E) & 15) == 10 ? 0 : mega_peek(memory, 0x9E) & 15;
    const int32_t d3 = (mega_peek(memory, 0x9F) & 15) == 10 ? 0 : mega_peek(memory, 0x9F) & 15;
    const int32_t d4 = (mega_peek(memory, 0xA0) & 15) == 10 ? 0 : mega_peek(memory, 0xA0) & 15;
    const int32_t d5 = (mega_peek(memory, 0xA1) & 15) == 10 ? 0 : mega_peek(memory, 0xA1) & 15;
    const int32_t new_score = d0 + 10 * d1 + 100 * d2 + 1000 * d3 + 10000 * d4 + 100000 * d5;
    const int32_t gain = new_score - score;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0xC2) == 0);
    rules->lives = mega_peek(memory, 0xC2);
}

MEGA_FN mega_request game_defender_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x9B) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
