// game_chopper_command.h - Chopper Command. Shared source.
//
// Generated from facts/games/chopper_command.json by tools/gen_games.py; edit the facts.
//
// The end counts only once bit 0 of 0xC2 has been seen set since reset (the frame that sets it included).
// Snapshots (cloneState) do not carry the started flag: restoreState leaves it as it is at that moment.
#ifndef GAME_CHOPPER_COMMAND_H
#define GAME_CHOPPER_COMMAND_H
#include "mega_select.h"

MEGA_FN void game_chopper_command_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 0; // started
    rules->lives = 3;
}

MEGA_FN void game_chopper_command_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    int32_t started = rules->var[1];
    const int32_t new_score = 100 * mega_bcd2(mega_peek(memory, 0xEE), mega_peek(memory, 0xEC));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t left = mega_peek(memory, 0xE4) & 15;
    started = started || (mega_peek(memory, 0xC2) & 1) != 0;
    rules->var[0] = score;
    rules->var[1] = started;
    rules->reward = gain;
    rules->terminal = (uint8_t)(started && left == 0);
    rules->lives = left;
}

MEGA_FN mega_request game_chopper_command_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xE0) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
