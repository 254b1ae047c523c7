// game_comet_catch.h - Comet Catch. Shared source.
//
// Generated from facts/games/comet_catch.json by tools/gen_games.py; edit the facts.
//
// The game built into Megacade (roms/comet_catch.asm); the reference does not know it. Difficulty 1 (left
// switch A) makes the ship half as wide. A game ends when the lives are gone or when all 64 objects have
// passed; in the second case the lives are not 0.
#ifndef GAME_COMET_CATCH_H
#define GAME_COMET_CATCH_H
#include "mega_select.h"

MEGA_FN void game_comet_catch_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_comet_catch_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd2(mega_peek(memory, 0x82), mega_peek(memory, 0x81));
    const int32_t gain = new_score > score ? new_score - score : 0;
    score = new_score;
    const int32_t over = mega_peek(memory, 0x84) == 1;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = mega_peek(memory, 0x83);
}

MEGA_FN mega_request game_comet_catch_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x80) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
