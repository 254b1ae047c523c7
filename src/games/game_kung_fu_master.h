// game_kung_fu_master.h - Kung-Fu Master. Shared source.
//
// Generated from facts/games/kung_fu_master.json by tools/gen_games.py; edit the facts.
#ifndef GAME_KUNG_FU_MASTER_H
#define GAME_KUNG_FU_MASTER_H
#include "mega_rules.h"

MEGA_FN void game_kung_fu_master_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 4;
}

MEGA_FN void game_kung_fu_master_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0x9A), mega_peek(memory, 0x99),
        mega_peek(memory, 0x98));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0x9D) == 0xFF;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : (mega_peek(memory, 0x9D) & 7) + 1;
}

#endif
