// game_elevator_action.h - Elevator Action. Shared source.
//
// Generated from facts/games/elevator_action.json by tools/gen_games.py; edit the facts.
//
// Lives are the plain cell value, which is 0 on every frame that counts as the end.
#ifndef GAME_ELEVATOR_ACTION_H
#define GAME_ELEVATOR_ACTION_H
#include "mega_rules.h"

MEGA_FN void game_elevator_action_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 4;
}

MEGA_FN void game_elevator_action_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0x89), mega_peek(memory, 0x88),
        mega_peek(memory, 0x87));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0x83) == 0 && mega_peek(memory, 0x81) != 0;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = mega_peek(memory, 0x83);
}

#endif
