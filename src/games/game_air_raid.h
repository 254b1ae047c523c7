// game_air_raid.h - Air Raid. Shared source.
//
// Generated from facts/games/air_raid.json by tools/gen_games.py; edit the facts.
//
// The first 20-frame press is made for every mode, also the default one. The mode number and the low score
// byte share one cell.
#ifndef GAME_AIR_RAID_H
#define GAME_AIR_RAID_H
#include "mega_select.h"

MEGA_FN void game_air_raid_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 1;
}

MEGA_FN void game_air_raid_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xAA), mega_peek(memory, 0xA9),
        mega_peek(memory, 0xA8));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xA7) == 0xFF;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_air_raid_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        return mega_select_ask(rules, 1, MEGA_REQUEST_SELECT, 20);
    }
    if (rules->stage == 1) {
        if (mega_peek(memory, 0xAA) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 1, MEGA_REQUEST_SELECT, 10);
        }
        return mega_select_ask(rules, 2, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
