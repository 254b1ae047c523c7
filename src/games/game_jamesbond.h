// game_jamesbond.h - James Bond 007. Shared source.
//
// Generated from facts/games/jamesbond.json by tools/gen_games.py; edit the facts.
#ifndef GAME_JAMESBOND_H
#define GAME_JAMESBOND_H
#include "mega_select.h"

MEGA_FN void game_jamesbond_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 6;
}

MEGA_FN void game_jamesbond_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xDC), mega_peek(memory, 0xDD),
        mega_peek(memory, 0xDE));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t spare = mega_peek(memory, 0x86) & 15;
    const int32_t over = spare == 0 && mega_peek(memory, 0x8C) == 0x68;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : spare + 1;
}

MEGA_FN mega_request game_jamesbond_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (!(mega_peek(memory, 0x8C) == mode || mega_peek(memory, 0x8C) == mode + 0x48)) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 20);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
