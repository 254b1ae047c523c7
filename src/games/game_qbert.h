// game_qbert.h - Q*bert. Shared source.
//
// Generated from facts/games/qbert.json by tools/gen_games.py; edit the facts.
//
// `last` holds the previous byte at 0x88 as a signed 8-bit number; `over` uses the value from before the
// update. `lives` is a counter of its own: it only ever goes down by one, on a frame where the signed byte
// dropped by exactly one, and extra lives never raise it. On a terminal frame the reward is 0 and the stored
// score is not refreshed. The frames of the reset count too: the counter starts from 4 with last=2 and sees
// the 4 frames of the final soft reset. Screen: first visible line 40.
#ifndef GAME_QBERT_H
#define GAME_QBERT_H
#include "mega_rules.h"

MEGA_FN void game_qbert_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 2; // last
    rules->var[2] = 4; // lives
    rules->lives = 4;
}

MEGA_FN void game_qbert_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    int32_t last = rules->var[1];
    int32_t lives = rules->var[2];
    const int32_t life_byte = mega_peek(memory, 0x88);
    const int32_t over = life_byte == 0xFE || (life_byte == 0x02 && last == -1);
    const int32_t current = life_byte >= 128 ? life_byte - 256 : life_byte;
    lives = last - 1 == current ? lives - 1 : lives;
    last = current;
    const int32_t new_score = over ? score
        : mega_bcd3(mega_peek(memory, 0xDB), mega_peek(memory, 0xDA), mega_peek(memory, 0xD9));
    const int32_t reward = over ? 0 : new_score - score;
    score = new_score;
    rules->var[0] = score;
    rules->var[1] = last;
    rules->var[2] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

#endif
