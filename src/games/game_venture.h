// game_venture.h - Venture. Shared source.
//
// Generated from facts/games/venture.json by tools/gen_games.py; edit the facts.
#ifndef GAME_VENTURE_H
#define GAME_VENTURE_H
#include "mega_rules.h"

MEGA_FN void game_venture_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 4; // lives
    rules->lives = 4;
}

MEGA_FN void game_venture_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = 100 * mega_bcd2(mega_peek(memory, 0xC8), mega_peek(memory, 0xC7));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t life_byte = mega_peek(memory, 0xC6);
    const int32_t over = life_byte == 0 && mega_peek(memory, 0xCD) == 0xFF
        && (mega_peek(memory, 0xBF) & 0x80) != 0;
    const int32_t lives = (life_byte & 7) + 1;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

#endif
