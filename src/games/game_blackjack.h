// game_blackjack.h - Blackjack. Shared source.
//
// Generated from facts/games/blackjack.json by tools/gen_games.py; edit the facts.
//
// Paddle game: player A's paddle; the upper paddle limit is 795000 instead of the usual 790196 (start
// position is the middle of 27450 and 795000). The left port holds paddles, not swapped: player A's paddle is
// the one read through INPT0 and its button is bit 7 of SWCHA (0 when pressed); the second paddle stays in
// the middle; the right port holds a joystick. The minimal set has UP and DOWN, which do not move a paddle;
// LEFT and RIGHT do but are only in the full action set.
#ifndef GAME_BLACKJACK_H
#define GAME_BLACKJACK_H
#include "mega_rules.h"

MEGA_FN void game_blackjack_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 1;
}

MEGA_FN void game_blackjack_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t bust = mega_peek(memory, 0x86) == 0x0B && mega_peek(memory, 0x89) == 0xBB;
    const int32_t new_score = bust ? 0 : mega_bcd2(mega_peek(memory, 0x89), mega_peek(memory, 0x86));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = bust || new_score >= 1000;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

#endif
