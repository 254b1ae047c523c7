// game_ice_hockey.h - Ice Hockey. Shared source.
//
// Generated from facts/games/ice_hockey.json by tools/gen_games.py; edit the facts.
//
// Reward is the change of (own goals - opponent goals), limited to at most 1; there is no lower limit. This
// title has no life counter: the reported lives value is 0 at all times. Difficulty bit 0 is the left console
// switch (1 = A), bit 1 the right one.
#ifndef GAME_ICE_HOCKEY_H
#define GAME_ICE_HOCKEY_H
#include "mega_select.h"

MEGA_FN void game_ice_hockey_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_ice_hockey_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd(mega_peek(memory, 0x8A)) - mega_bcd(mega_peek(memory, 0x8B));
    int32_t gain = new_score - score;
    gain = gain > 1 ? 1 : gain;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0x87) == 0 && mega_peek(memory, 0x86) == 0);
    rules->lives = 0;
}

MEGA_FN mega_request game_ice_hockey_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x80) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
