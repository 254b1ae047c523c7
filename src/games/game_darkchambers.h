// game_darkchambers.h - Dark Chambers. Shared source.
//
// Generated from facts/games/darkchambers.json by tools/gen_games.py; edit the facts.
//
// The end flag is sticky until reset. A level number below the remembered one ends the game and that frame
// changes neither score nor level.
#ifndef GAME_DARKCHAMBERS_H
#define GAME_DARKCHAMBERS_H
#include "mega_rules.h"

MEGA_FN void game_darkchambers_reset(mega_rules *rules) {
    rules->var[0] = 0; // level
    rules->var[1] = 0; // score
    rules->var[2] = 0; // over
    rules->lives = 1;
}

MEGA_FN void game_darkchambers_step(mega_rules *rules, mega_memory memory) {
    int32_t level = rules->var[0];
    int32_t score = rules->var[1];
    int32_t over = rules->var[2];
    const int32_t new_level = mega_peek(memory, 0xD5);
    const int32_t drop = new_level < level;
    const int32_t new_score = 10 * mega_bcd2(mega_peek(memory, 0xCC), mega_peek(memory, 0xCF));
    const int32_t fall = !drop && new_score < score;
    const int32_t gain = (drop || fall) ? 0 : new_score - score;
    score = (drop || fall) ? score : new_score;
    level = drop ? level : new_level;
    over = over || drop || fall || (mega_peek(memory, 0xCA) & 31) == 0;
    rules->var[0] = level;
    rules->var[1] = score;
    rules->var[2] = over;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

#endif
