// game_laser_gates.h - Laser Gates. Shared source.
//
// Generated from facts/games/laser_gates.json by tools/gen_games.py; edit the facts.
//
// The starting action is the console RESET switch held for 1 more frame. This title has no life counter: the
// reported lives value is 0 at all times.
#ifndef GAME_LASER_GATES_H
#define GAME_LASER_GATES_H
#include "mega_rules.h"

MEGA_FN void game_laser_gates_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_laser_gates_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0x82), mega_peek(memory, 0x81),
        mega_peek(memory, 0x80));
    const int32_t gain = new_score - score;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0x83) == 0);
    rules->lives = 0;
}

#endif
