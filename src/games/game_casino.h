// game_casino.h - Casino. Shared source.
//
// Generated from facts/games/casino.json by tools/gen_games.py; edit the facts.
//
// Outside solitaire the reward of a frame with input locked repeats the reward of the previous frame (it is
// not recomputed and not zeroed), while the remembered score still follows the cells. Paddle game: player A's
// paddle with the usual limits 27450 to 790196; the minimal set has UP and DOWN, which do not move a paddle;
// LEFT and RIGHT do but are only in the full action set. The left port holds paddles, not swapped: player A's
// paddle is the one read through INPT0 and its button is bit 7 of SWCHA (0 when pressed); the second paddle
// stays in the middle; the right port holds a joystick.
#ifndef GAME_CASINO_H
#define GAME_CASINO_H
#include "mega_select.h"

MEGA_FN void game_casino_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 0; // gain
    rules->lives = 1;
}

MEGA_FN void game_casino_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    int32_t gain = rules->var[1];
    const int32_t new_score = mega_bcd2(mega_peek(memory, 0x95), mega_peek(memory, 0x8C));
    const int32_t solitaire = mega_peek(memory, 0xD4) == 3;
    const int32_t locked = (mega_peek(memory, 0xD3) & 0x80) != 0;
    gain = (solitaire || !locked) ? new_score - score : gain;
    const int32_t over = solitaire ? (new_score > 0 && mega_peek(memory, 0x9E) == 0xAA)
        : (new_score == 0 || (mega_bcd(mega_peek(memory, 0x9E)) > 0 && locked));
    score = new_score;
    rules->var[0] = score;
    rules->var[1] = gain;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_casino_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xD4) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
