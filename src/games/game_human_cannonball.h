// game_human_cannonball.h - Human Cannonball. Shared source.
//
// Generated from facts/games/human_cannonball.json by tools/gen_games.py; edit the facts.
//
// 0xB6 counts hits and 0xB7 misses, both BCD, while a game runs; on the selection screen the same two cells
// hold game number and player count. This title has no life counter of its own: the reported lives value is 1
// while the game runs and 0 once it is over. Difficulty 1 puts the left console switch to A, 0 to B.
#ifndef GAME_HUMAN_CANNONBALL_H
#define GAME_HUMAN_CANNONBALL_H
#include "mega_select.h"

MEGA_FN void game_human_cannonball_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 1;
}

MEGA_FN void game_human_cannonball_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd(mega_peek(memory, 0xB6));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = new_score == 7 || mega_bcd(mega_peek(memory, 0xB7)) == 7;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_human_cannonball_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (!(((mega_peek(memory, 0xB6) - 1) & 255) == mode && mega_peek(memory, 0xB7) == 1)) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
