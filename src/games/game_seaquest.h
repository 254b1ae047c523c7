// game_seaquest.h - Seaquest. Shared source.
//
// Generated from facts/games/seaquest.json by tools/gen_games.py; edit the facts.
#ifndef GAME_SEAQUEST_H
#define GAME_SEAQUEST_H
#include "mega_rules.h"

MEGA_FN void game_seaquest_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 4; // lives
    rules->lives = 4;
}

MEGA_FN void game_seaquest_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xBA), mega_peek(memory, 0xB9),
        mega_peek(memory, 0xB8));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xA3) != 0;
    const int32_t lives = mega_peek(memory, 0xBB) + 1;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

#endif
