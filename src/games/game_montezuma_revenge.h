// game_montezuma_revenge.h - Montezuma's Revenge. Shared source.
//
// Generated from facts/games/montezuma_revenge.json by tools/gen_games.py; edit the facts.
#ifndef GAME_MONTEZUMA_REVENGE_H
#define GAME_MONTEZUMA_REVENGE_H
#include "mega_rules.h"

MEGA_FN void game_montezuma_revenge_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 6;
}

MEGA_FN void game_montezuma_revenge_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0x95), mega_peek(memory, 0x94),
        mega_peek(memory, 0x93));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xBA) == 0 && mega_peek(memory, 0xFE) == 0x60;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : (mega_peek(memory, 0xBA) & 7) + 1;
}

#endif
