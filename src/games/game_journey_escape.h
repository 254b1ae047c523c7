// game_journey_escape.h - Journey Escape. Shared source.
//
// Generated from facts/games/journey_escape.json by tools/gen_games.py; edit the facts.
//
// A change of exactly +50000 (the opening cash) is reported as 0. FIRE and UPFIRE are not in the minimal set.
// This title has no life counter: the reported lives value is 0 at all times. Difficulty 1 puts the left
// console switch to A, 0 to B.
#ifndef GAME_JOURNEY_ESCAPE_H
#define GAME_JOURNEY_ESCAPE_H
#include "mega_rules.h"

MEGA_FN void game_journey_escape_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_journey_escape_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0x92), mega_peek(memory, 0x91),
        mega_peek(memory, 0x90));
    int32_t gain = new_score - score;
    gain = gain == 50000 ? 0 : gain;
    score = new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(mega_peek(memory, 0x95) == 0 && mega_peek(memory, 0x96) == 0);
    rules->lives = 0;
}

#endif
