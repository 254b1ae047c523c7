// game_road_runner.h - Road Runner. Shared source.
//
// Generated from facts/games/road_runner.json by tools/gen_games.py; edit the facts.
//
// Digit cells: low nibble, 10 stands for 0 (blank), other values above 9 are taken as they are.
#ifndef GAME_ROAD_RUNNER_H
#define GAME_ROAD_RUNNER_H
#include "mega_rules.h"

MEGA_FN void game_road_runner_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 3; // lives
    rules->lives = 3;
}

MEGA_FN void game_road_runner_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t d0 = (mega_peek(memory, 0xC9) & 15) == 10 ? 0 : mega_peek(memory, 0xC9) & 15;
    const int32_t d1 = (mega_peek(memory, 0xCA) & 15) == 10 ? 0 : mega_peek(memory, 0xCA) & 15;
    const int32_t d2 = (mega_peek(memory, 0xCB) & 15) == 10 ? 0 : mega_peek(memory, 0xCB) & 15;
    const int32_t d3 = (mega_peek(memory, 0xCC) & 15) == 10 ? 0 : mega_peek(memory, 0xCC) & 15;
    const int32_t new_score = 100 * (d0 + 10 * d1 + 100 * d2 + 1000 * d3);
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t life_byte = mega_peek(memory, 0xC4) & 7;
    const int32_t over = life_byte == 0 && (mega_peek(memory, 0xB9) != 0 || mega_peek(memory, 0xBD) != 0);
    const int32_t lives = life_byte + 1;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

#endif
