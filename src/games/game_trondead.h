// game_trondead.h - TRON: Deadly Discs. Shared source.
//
// Generated from facts/games/trondead.json by tools/gen_games.py; edit the facts.
//
// More than 5 hits is not terminal and gives a negative lives value.
#ifndef GAME_TRONDEAD_H
#define GAME_TRONDEAD_H
#include "mega_rules.h"

MEGA_FN void game_trondead_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 5; // lives
    rules->lives = 5;
}

MEGA_FN void game_trondead_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xBF), mega_peek(memory, 0xBE),
        mega_peek(memory, 0xBD));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t hits = mega_peek(memory, 0xC8);
    const int32_t over = hits == 5;
    const int32_t lives = 5 - hits;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

#endif
