// game_breakout.h - Breakout. Shared source.
//
// Generated from facts/games/breakout.json by tools/gen_games.py; edit the facts.
//
// The end can only be seen after a count of exactly 5 has been seen once since reset. Paddle game: player A's
// paddle with the usual limits 27450 to 790196. The left port holds paddles, not swapped: player A's paddle
// is the one read through INPT0 and its button is bit 7 of SWCHA (0 when pressed); the second paddle stays in
// the middle; the right port holds a joystick.
#ifndef GAME_BREAKOUT_H
#define GAME_BREAKOUT_H
#include "mega_select.h"

MEGA_FN void game_breakout_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 0; // started
    rules->lives = 5;
}

MEGA_FN void game_breakout_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    int32_t started = rules->var[1];
    const int32_t new_score = mega_bcd(mega_peek(memory, 0xCD)) + 100 * (mega_peek(memory, 0xCC) & 15);
    const int32_t gain = new_score - score;
    score = new_score;
    started = started || mega_peek(memory, 0xB9) == 5;
    const int32_t over = started && mega_peek(memory, 0xB9) == 0;
    rules->var[0] = score;
    rules->var[1] = started;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : mega_peek(memory, 0xB9);
}

MEGA_FN mega_request game_breakout_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xB2) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 1);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
