// game_solaris.h - Solaris. Shared source.
//
// Generated from facts/games/solaris.json by tools/gen_games.py; edit the facts.
#ifndef GAME_SOLARIS_H
#define GAME_SOLARIS_H
#include "mega_rules.h"

MEGA_FN void game_solaris_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 3; // lives
    rules->lives = 3;
}

MEGA_FN void game_solaris_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = 10 * mega_bcd3(mega_peek(memory, 0xDC), mega_peek(memory, 0xDD),
        mega_peek(memory, 0xDE));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t life_byte = mega_peek(memory, 0xD9);
    const int32_t over = life_byte == 0;
    const int32_t lives = life_byte & 15;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

#endif
