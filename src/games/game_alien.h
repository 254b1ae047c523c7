// game_alien.h - Alien. Shared source.
//
// Generated from facts/games/alien.json by tools/gen_games.py; edit the facts.
//
// A digit cell is eight times its digit, 0x80 is a blank shown as nothing; other values are simply shifted
// (may exceed 9).
#ifndef GAME_ALIEN_H
#define GAME_ALIEN_H
#include "mega_select.h"

MEGA_FN void game_alien_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 3; // lives
    rules->lives = 3;
}

MEGA_FN void game_alien_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t d0 = mega_peek(memory, 0x8B) == 0x80 ? 0 : mega_peek(memory, 0x8B) >> 3;
    const int32_t d1 = mega_peek(memory, 0x89) == 0x80 ? 0 : mega_peek(memory, 0x89) >> 3;
    const int32_t d2 = mega_peek(memory, 0x87) == 0x80 ? 0 : mega_peek(memory, 0x87) >> 3;
    const int32_t d3 = mega_peek(memory, 0x85) == 0x80 ? 0 : mega_peek(memory, 0x85) >> 3;
    const int32_t d4 = mega_peek(memory, 0x83) == 0x80 ? 0 : mega_peek(memory, 0x83) >> 3;
    const int32_t new_score = 10 * (d0 + 10 * d1 + 100 * d2 + 1000 * d3 + 10000 * d4);
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t lives = mega_peek(memory, 0xC0) & 15;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = gain;
    rules->terminal = (uint8_t)(lives == 0);
    rules->lives = lives;
}

MEGA_FN mega_request game_alien_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x81) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 1);
        }
        rules->var[1] = mega_peek(memory, 0xC0) & 15; // lives
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
