// game_kaboom.h - Kaboom!. Shared source.
//
// Generated from facts/games/kaboom.json by tools/gen_games.py; edit the facts.
//
// Paddle game: the left port holds paddles, moved by the LEFT/RIGHT actions; FIRE is the paddle button. The
// bucket count 0xA1 is used for the terminal test only. This title has no life counter of its own: the
// reported lives value is 1 while the game runs and 0 once it is over.
#ifndef GAME_KABOOM_H
#define GAME_KABOOM_H
#include "mega_rules.h"

MEGA_FN void game_kaboom_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 1;
}

MEGA_FN void game_kaboom_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xA5), mega_peek(memory, 0xA4),
        mega_peek(memory, 0xA3));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xA1) == 0 || score == 999999;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

#endif
