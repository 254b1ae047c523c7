// game_adventure.h - Adventure. Shared source.
//
// Generated from facts/games/adventure.json by tools/gen_games.py; edit the facts.
//
// The reward cell is sticky: it becomes 1 on the first frame that shows the chalice at home and is never
// cleared by a later frame, only by a reset. Lives are constantly 1, also after the end. Mode 2 places the
// objects from a frame counter, so its start layout depends on the random hold times.
#ifndef GAME_ADVENTURE_H
#define GAME_ADVENTURE_H
#include "mega_select.h"

MEGA_FN void game_adventure_reset(mega_rules *rules) {
    rules->var[0] = 0; // gain
    rules->lives = 1;
}

MEGA_FN void game_adventure_step(mega_rules *rules, mega_memory memory) {
    int32_t gain = rules->var[0];
    const int32_t home = mega_peek(memory, 0xB9) == 0x12;
    gain = home ? 1 : gain;
    const int32_t over = mega_peek(memory, 0xE0) == 2 || home;
    rules->var[0] = gain;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = 1;
}

MEGA_FN mega_request game_adventure_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (((mega_peek(memory, 0xDD) >> 1) & 3) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 1, MEGA_REQUEST_SELECT_RND, 0);
        }
        mega_select_enter(rules, 2);
    }
    if (rules->stage == 1) {
        return mega_select_ask_more(rules, 0, MEGA_REQUEST_ACT, 0); // NOOP
    }
    if (rules->stage == 2) {
        return mega_select_ask(rules, 3, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
