// game_wizard_of_wor.h - Wizard of Wor. Shared source.
//
// Generated from facts/games/wizard_of_wor.json by tools/gen_games.py; edit the facts.
//
// Lives are refreshed only on frames where bit 0 of 0xD7 is 0. Controller ports are swapped: the joystick of
// player A sits in the right port (SWCHA low nibble, INPT5), that of player B in the left port.
#ifndef GAME_WIZARD_OF_WOR_H
#define GAME_WIZARD_OF_WOR_H
#include "mega_rules.h"

MEGA_FN void game_wizard_of_wor_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 3; // lives
    rules->lives = 3;
}

MEGA_FN void game_wizard_of_wor_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    int32_t lives = rules->var[1];
    const int32_t raw = mega_bcd2(mega_peek(memory, 0x86), mega_peek(memory, 0x88));
    const int32_t new_score = 100 * (raw >= 8000 ? raw - 8000 : raw);
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t life_byte = mega_peek(memory, 0x8D) & 15;
    const int32_t over = life_byte == 0 && mega_peek(memory, 0xF4) == 0xF8;
    lives = (mega_peek(memory, 0xD7) & 1) == 0 ? life_byte : lives;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

#endif
