// game_tetris.h - Tetris 2600. Shared source.
//
// Generated from facts/games/tetris.json by tools/gen_games.py; edit the facts.
//
// Lives are always 0. Rewards are never negative. On a frame with the terminal flag the stored score becomes
// 0 after the reward was computed; this also happens in the frames of the reset.
#ifndef GAME_TETRIS_H
#define GAME_TETRIS_H
#include "mega_rules.h"

MEGA_FN void game_tetris_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_tetris_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd2(mega_peek(memory, 0xF1), mega_peek(memory, 0xF2));
    const int32_t reward = new_score > score ? new_score - score : 0;
    const int32_t over = (mega_peek(memory, 0xF3) & 0x80) != 0;
    score = over ? 0 : new_score;
    rules->var[0] = score;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = 0;
}

#endif
