// game_krull.h - Krull. Shared source.
//
// Generated from facts/games/krull.json by tools/gen_games.py; edit the facts.
#ifndef GAME_KRULL_H
#define GAME_KRULL_H
#include "mega_rules.h"

MEGA_FN void game_krull_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_krull_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0x9E), mega_peek(memory, 0x9D),
        mega_peek(memory, 0x9C));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0x9F) == 0 && mega_peek(memory, 0xA2) == 3
        && mega_peek(memory, 0x80) == 0x80;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : (mega_peek(memory, 0x9F) & 7) + 1;
}

#endif
