// game_up_n_down.h - Up 'n Down. Shared source.
//
// Generated from facts/games/up_n_down.json by tools/gen_games.py; edit the facts.
//
// Screen: first visible line 30. The lives value right after a reset depends on the difficulty (5 or 3).
#ifndef GAME_UP_N_DOWN_H
#define GAME_UP_N_DOWN_H
#include "mega_rules.h"

MEGA_FN void game_up_n_down_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 5; // lives
    rules->lives = 5;
}

MEGA_FN void game_up_n_down_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0x82), mega_peek(memory, 0x81),
        mega_peek(memory, 0x80));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t life_byte = mega_peek(memory, 0x86) & 15;
    const int32_t over = mega_peek(memory, 0x94) > 0x40 && life_byte == 0;
    const int32_t lives = life_byte + 1;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

#endif
