// game_pitfall.h - Pitfall!. Shared source.
//
// Generated from facts/games/pitfall.json by tools/gen_games.py; edit the facts.
//
// The score starts at 2000 and falls when the player is hurt, so negative rewards occur.
#ifndef GAME_PITFALL_H
#define GAME_PITFALL_H
#include "mega_rules.h"

MEGA_FN void game_pitfall_reset(mega_rules *rules) {
    rules->var[0] = 2000; // score
    rules->var[1] = 3; // lives
    rules->lives = 3;
}

MEGA_FN void game_pitfall_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xD7), mega_peek(memory, 0xD6),
        mega_peek(memory, 0xD5));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t high_digit = mega_peek(memory, 0x80) >> 4;
    const int32_t over = high_digit == 0 && mega_peek(memory, 0x9E) != 0;
    const int32_t lives = high_digit == 0x0A ? 3 : (high_digit == 0x08 ? 2 : 1);
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

#endif
