// game_amidar.h - Amidar. Shared source.
//
// Generated from facts/games/amidar.json by tools/gen_games.py; edit the facts.
//
// Seen: right after a reset the lives query gives 0 (the cell is not set up yet); from the first act on it
// gives 11 with difficulty 0 and 3 with difficulty 3 at the start of a game.
#ifndef GAME_AMIDAR_H
#define GAME_AMIDAR_H
#include "mega_rules.h"

MEGA_FN void game_amidar_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_amidar_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xD9), mega_peek(memory, 0xDA),
        mega_peek(memory, 0xDB));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xD6) == 0x80;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : mega_peek(memory, 0xD6) & 15;
}

#endif
