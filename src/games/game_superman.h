// game_superman.h - Superman. Shared source.
//
// Generated from facts/games/superman.json by tools/gen_games.py; edit the facts.
//
// The only reward is given on the terminal frame. It can be negative when the clock digits are not decimal.
#ifndef GAME_SUPERMAN_H
#define GAME_SUPERMAN_H
#include "mega_rules.h"

MEGA_FN void game_superman_reset(mega_rules *rules) {
    rules->lives = 1;
}

MEGA_FN void game_superman_step(mega_rules *rules, mega_memory memory) {
    const int32_t seconds = 60 * mega_bcd(mega_peek(memory, 0xE3)) + mega_bcd(mega_peek(memory, 0xE2));
    const int32_t over = (mega_peek(memory, 0x9F) & 0x40) != 0 && mega_peek(memory, 0x80)
        + 256 * mega_peek(memory, 0x81) == 0xF2AC;
    const int32_t reward = over ? 5999 - seconds : 0;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

#endif
