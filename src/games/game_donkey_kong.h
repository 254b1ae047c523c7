// game_donkey_kong.h - Donkey Kong. Shared source.
//
// Generated from facts/games/donkey_kong.json by tools/gen_games.py; edit the facts.
//
// Lives are reported as 0 during the whole last life, before the end of the game.
#ifndef GAME_DONKEY_KONG_H
#define GAME_DONKEY_KONG_H
#include "mega_rules.h"

MEGA_FN void game_donkey_kong_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 2;
}

MEGA_FN void game_donkey_kong_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = 100 * mega_bcd2(mega_peek(memory, 0x88), mega_peek(memory, 0x87));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xA3) == 0 && mega_peek(memory, 0x8F) == 3
        && mega_peek(memory, 0x8B) == 0x1F;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : mega_peek(memory, 0xA3);
}

#endif
