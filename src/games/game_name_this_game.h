// game_name_this_game.h - Name This Game. Shared source.
//
// Generated from facts/games/name_this_game.json by tools/gen_games.py; edit the facts.
//
// Difficulty 1 puts the left console switch to A, 0 to B.
#ifndef GAME_NAME_THIS_GAME_H
#define GAME_NAME_THIS_GAME_H
#include "mega_select.h"

MEGA_FN void game_name_this_game_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_name_this_game_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xC6), mega_peek(memory, 0xC5),
        mega_peek(memory, 0xC4));
    const int32_t gain = new_score - score;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)((mega_peek(memory, 0xC7) & 7) == 0);
    rules->lives = mega_peek(memory, 0xC7) & 7;
}

MEGA_FN mega_request game_name_this_game_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xDE) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
