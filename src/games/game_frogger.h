// game_frogger.h - Frogger. Shared source.
//
// Generated from facts/games/frogger.json by tools/gen_games.py; edit the facts.
//
// Low score byte is 0xCE, high byte 0xCC. Lives is the raw byte (number of spare frogs), so 0 can be reported
// while the last frog is still playing. Difficulty 1 puts the left console switch to A, 0 to B.
#ifndef GAME_FROGGER_H
#define GAME_FROGGER_H
#include "mega_select.h"

MEGA_FN void game_frogger_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 4;
}

MEGA_FN void game_frogger_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd2(mega_peek(memory, 0xCE), mega_peek(memory, 0xCC));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xD0) == 0xFF;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : mega_peek(memory, 0xD0);
}

MEGA_FN mega_request game_frogger_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xDD) != 1 + 2 * mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
