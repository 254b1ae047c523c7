// game_bank_heist.h - Bank Heist. Shared source.
//
// Generated from facts/games/bank_heist.json by tools/gen_games.py; edit the facts.
//
// Lives may be reported as 0 for a while before the end of the game.
#ifndef GAME_BANK_HEIST_H
#define GAME_BANK_HEIST_H
#include "mega_select.h"

MEGA_FN void game_bank_heist_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 5;
}

MEGA_FN void game_bank_heist_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xDA), mega_peek(memory, 0xD9),
        mega_peek(memory, 0xD8));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xCE) == 1 && mega_peek(memory, 0xD5) == 0;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : mega_peek(memory, 0xD5);
}

MEGA_FN mega_request game_bank_heist_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x80) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 1);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
