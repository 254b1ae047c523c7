// game_robotank.h - Robotank. Shared source.
//
// Generated from facts/games/robotank.json by tools/gen_games.py; edit the facts.
#ifndef GAME_ROBOTANK_H
#define GAME_ROBOTANK_H
#include "mega_rules.h"

MEGA_FN void game_robotank_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 4; // lives
    rules->lives = 4;
}

MEGA_FN void game_robotank_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_peek(memory, 0xB6) * 12 + mega_peek(memory, 0xB5);
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t life_byte = mega_peek(memory, 0xA8);
    const int32_t over = life_byte == 0 && mega_peek(memory, 0xB4) == 0xFF;
    const int32_t lives = (life_byte & 15) + 1;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

#endif
