// game_pitfall2.h - Pitfall II: Lost Caverns. Shared source.
//
// Generated from facts/games/pitfall2.json by tools/gen_games.py; edit the facts.
//
// No lives: 1 until the score is exactly 199000, which is the only terminal condition. Negative rewards
// occur. The cartridge holds a coprocessor (DPC, 10495-byte image).
#ifndef GAME_PITFALL2_H
#define GAME_PITFALL2_H
#include "mega_rules.h"

MEGA_FN void game_pitfall2_reset(mega_rules *rules) {
    rules->var[0] = 4000; // score
    rules->lives = 1;
}

MEGA_FN void game_pitfall2_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xC9), mega_peek(memory, 0xC8),
        mega_peek(memory, 0xC7));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t over = score == 199000;
    rules->var[0] = score;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

#endif
