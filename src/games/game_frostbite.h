// game_frostbite.h - Frostbite. Shared source.
//
// Generated from facts/games/frostbite.json by tools/gen_games.py; edit the facts.
#ifndef GAME_FROSTBITE_H
#define GAME_FROSTBITE_H
#include "mega_select.h"

MEGA_FN void game_frostbite_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 4;
}

MEGA_FN void game_frostbite_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xCA), mega_peek(memory, 0xC9),
        mega_peek(memory, 0xC8));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t spare = mega_peek(memory, 0xCC) & 15;
    const int32_t over = spare == 0 && (mega_peek(memory, 0xF1) & 0x80) != 0;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : spare + 1;
}

MEGA_FN mega_request game_frostbite_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x80) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 1);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
