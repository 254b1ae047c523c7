// game_riverraid.h - River Raid. Shared source.
//
// Generated from facts/games/riverraid.json by tools/gen_games.py; edit the facts.
//
// A score digit cell holds 8 times the digit (0, 8, .. 72); any other value counts as digit 0. `over`
// compares with the byte of the previous frame. `//` is division of non-negative integers.
#ifndef GAME_RIVERRAID_H
#define GAME_RIVERRAID_H
#include "mega_rules.h"

MEGA_FN void game_riverraid_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 88; // life_byte
    rules->lives = 4;
}

MEGA_FN void game_riverraid_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    int32_t life_byte = rules->var[1];
    const int32_t d0 = ((mega_peek(memory, 0xD7) & 7) == 0 && mega_peek(memory, 0xD7) <= 72)
        ? mega_peek(memory, 0xD7) >> 3 : 0;
    const int32_t d1 = ((mega_peek(memory, 0xD5) & 7) == 0 && mega_peek(memory, 0xD5) <= 72)
        ? mega_peek(memory, 0xD5) >> 3 : 0;
    const int32_t d2 = ((mega_peek(memory, 0xD3) & 7) == 0 && mega_peek(memory, 0xD3) <= 72)
        ? mega_peek(memory, 0xD3) >> 3 : 0;
    const int32_t d3 = ((mega_peek(memory, 0xD1) & 7) == 0 && mega_peek(memory, 0xD1) <= 72)
        ? mega_peek(memory, 0xD1) >> 3 : 0;
    const int32_t d4 = ((mega_peek(memory, 0xCF) & 7) == 0 && mega_peek(memory, 0xCF) <= 72)
        ? mega_peek(memory, 0xCF) >> 3 : 0;
    const int32_t d5 = ((mega_peek(memory, 0xCD) & 7) == 0 && mega_peek(memory, 0xCD) <= 72)
        ? mega_peek(memory, 0xCD) >> 3 : 0;
    const int32_t new_score = d0 + 10 * d1 + 100 * d2 + 1000 * d3 + 10000 * d4 + 100000 * d5;
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t new_life_byte = mega_peek(memory, 0xC0);
    const int32_t over = new_life_byte == 0x58 && life_byte == 0x59;
    life_byte = new_life_byte;
    const int32_t lives = life_byte == 0x58 ? 4 : (life_byte == 0x59 ? 1 : life_byte / 8 + 1);
    rules->var[0] = score;
    rules->var[1] = life_byte;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

#endif
