// game_othello.h - Othello. Shared source.
//
// Generated from facts/games/othello.json by tools/gen_games.py; edit the facts.
//
// Reward is the change of (white discs - black discs). idle counts consecutive frames with 0xC0 at 0, and the
// count also runs during the frames of the reset that come after the variables are set. Difficulties 0 and 2
// only: the left console switch stays at B, 2 puts the right one to A. This title has no life counter of its
// own: the reported lives value is 1 while the game runs and 0 once it is over.
#ifndef GAME_OTHELLO_H
#define GAME_OTHELLO_H
#include "mega_select.h"

MEGA_FN void game_othello_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 0; // idle
    rules->lives = 1;
}

MEGA_FN void game_othello_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    int32_t idle = rules->var[1];
    const int32_t new_score = mega_bcd(mega_peek(memory, 0xCE)) - mega_bcd(mega_peek(memory, 0xD0));
    const int32_t gain = new_score - score;
    score = new_score;
    idle = mega_peek(memory, 0xC0) == 0 ? idle + 1 : 0;
    const int32_t over = idle > 50;
    rules->var[0] = score;
    rules->var[1] = idle;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_othello_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (((mega_peek(memory, 0xDE) - 1) & 255) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
