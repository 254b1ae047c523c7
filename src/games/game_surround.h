// game_surround.h - Surround. Shared source.
//
// Generated from facts/games/surround.json by tools/gen_games.py; edit the facts.
//
// Controller ports are swapped: the joystick of player A sits in the right port (SWCHA low nibble, INPT5),
// that of player B in the left port.
#ifndef GAME_SURROUND_H
#define GAME_SURROUND_H
#include "mega_select.h"

MEGA_FN void game_surround_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 1;
}

MEGA_FN void game_surround_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t theirs = mega_bcd(mega_peek(memory, 0xF6));
    const int32_t mine = mega_bcd(mega_peek(memory, 0xF7));
    const int32_t new_score = mine - theirs;
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t over = theirs == 10 || mine == 10;
    rules->var[0] = score;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_surround_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xF9) != mode + 1) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
