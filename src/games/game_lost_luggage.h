// game_lost_luggage.h - Lost Luggage. Shared source.
//
// Generated from facts/games/lost_luggage.json by tools/gen_games.py; edit the facts.
//
// Every action with the fire button is illegal here: the full legal set has only the 9 actions of the minimal
// set, and an illegal action given by the player acts as NOOP. The starting FIRE is applied all the same.
// Difficulty 1 puts the left console switch to A, 0 to B.
#ifndef GAME_LOST_LUGGAGE_H
#define GAME_LOST_LUGGAGE_H
#include "mega_select.h"

MEGA_FN void game_lost_luggage_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_lost_luggage_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0x96), mega_peek(memory, 0x95),
        mega_peek(memory, 0x94));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xCA) == 0 && mega_peek(memory, 0xC8) == 0x0A
        && mega_peek(memory, 0xA5) == 0 && mega_peek(memory, 0xA9) == 0;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = mega_peek(memory, 0xCA);
}

MEGA_FN mega_request game_lost_luggage_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x94) != 1 + 3 * mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
