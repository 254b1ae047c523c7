// game_sir_lancelot.h - Sir Lancelot. Shared source.
//
// Generated from facts/games/sir_lancelot.json by tools/gen_games.py; edit the facts.
//
// The first starting action is the RESET switch held for one frame (it is passed straight to the console, not
// turned into NOOP as in play). The cartridge runs as PAL (found by the automatic format test), screen 250
// lines.
#ifndef GAME_SIR_LANCELOT_H
#define GAME_SIR_LANCELOT_H
#include "mega_rules.h"

MEGA_FN void game_sir_lancelot_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 3; // lives
    rules->lives = 3;
}

MEGA_FN void game_sir_lancelot_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xA0), mega_peek(memory, 0x9F),
        mega_peek(memory, 0x9E));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t lives = mega_peek(memory, 0xA9);
    const int32_t over = lives == 0 && mega_peek(memory, 0xA7) == 0xA0;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

#endif
