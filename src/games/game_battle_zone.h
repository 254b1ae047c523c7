// game_battle_zone.h - Battle Zone. Shared source.
//
// Generated from facts/games/battle_zone.json by tools/gen_games.py; edit the facts.
//
// Digit value 10 is a blank and counts as 0.
#ifndef GAME_BATTLE_ZONE_H
#define GAME_BATTLE_ZONE_H
#include "mega_select.h"

MEGA_FN void game_battle_zone_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 5;
}

MEGA_FN void game_battle_zone_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t a = mega_peek(memory, 0x9D) >> 4;
    const int32_t b = mega_peek(memory, 0x9E) & 15;
    const int32_t c = mega_peek(memory, 0x9E) >> 4;
    const int32_t new_score = 1000 * ((a == 10 ? 0 : a) + 10 * (b == 10 ? 0 : b) + 100 * (c == 10 ? 0 : c));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t left = mega_peek(memory, 0xBA) & 15;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(left == 0);
    rules->lives = left;
}

MEGA_FN mega_request game_battle_zone_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xA1) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
