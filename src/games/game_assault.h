// game_assault.h - Assault. Shared source.
//
// Generated from facts/games/assault.json by tools/gen_games.py; edit the facts.
#ifndef GAME_ASSAULT_H
#define GAME_ASSAULT_H
#include "mega_rules.h"

MEGA_FN void game_assault_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 4;
}

MEGA_FN void game_assault_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0x82), mega_peek(memory, 0x81),
        mega_peek(memory, 0x80));
    const int32_t gain = new_score - score;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0xE5) == 0);
    rules->lives = mega_peek(memory, 0xE5);
}

#endif
