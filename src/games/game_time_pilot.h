// game_time_pilot.h - Time Pilot. Shared source.
//
// Generated from facts/games/time_pilot.json by tools/gen_games.py; edit the facts.
//
// The lives value is refreshed only on frames where the low nibble of 0x80 is 2.
#ifndef GAME_TIME_PILOT_H
#define GAME_TIME_PILOT_H
#include "mega_rules.h"

MEGA_FN void game_time_pilot_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 5; // lives
    rules->lives = 5;
}

MEGA_FN void game_time_pilot_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    int32_t lives = rules->var[1];
    const int32_t new_score = 100 * mega_bcd2(mega_peek(memory, 0x8D), mega_peek(memory, 0x8F));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xA0) != 0;
    lives = (mega_peek(memory, 0x80) & 15) == 2 ? (mega_peek(memory, 0x8B) & 7) + 1 : lives;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

#endif
