// game_asteroids.h - Asteroids. Shared source.
//
// Generated from facts/games/asteroids.json by tools/gen_games.py; edit the facts.
//
// A falling score counts as a wrap: 100000 is added to a negative difference.
#ifndef GAME_ASTEROIDS_H
#define GAME_ASTEROIDS_H
#include "mega_select.h"

MEGA_FN void game_asteroids_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 4;
}

MEGA_FN void game_asteroids_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = 10 * mega_bcd2(mega_peek(memory, 0xBE), mega_peek(memory, 0xBD));
    const int32_t difference = new_score - score;
    const int32_t gain = difference < 0 ? difference + 100000 : difference;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0xBC) >> 4 == 0);
    rules->lives = mega_peek(memory, 0xBC) >> 4;
}

MEGA_FN mega_request game_asteroids_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x80) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
