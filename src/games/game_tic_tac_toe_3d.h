// game_tic_tac_toe_3d.h - 3-D Tic-Tac-Toe. Shared source.
//
// Generated from facts/games/tic_tac_toe_3d.json by tools/gen_games.py; edit the facts.
//
// `over` is sticky: once set it stays until the next reset. q0..q3: each of the 64 board cells 0x9A..0xD9 is
// nonzero (draw, reward 0 unless won). Difficulty 2 (right switch A): the player moves first; difficulty 0:
// the computer does. The left switch is never A.
#ifndef GAME_TIC_TAC_TOE_3D_H
#define GAME_TIC_TAC_TOE_3D_H
#include "mega_select.h"

MEGA_FN void game_tic_tac_toe_3d_reset(mega_rules *rules) {
    rules->var[0] = 0; // over
    rules->lives = 1;
}

MEGA_FN void game_tic_tac_toe_3d_step(mega_rules *rules, mega_memory memory) {
    int32_t over = rules->var[0];
    const int32_t won = mega_peek(memory, 0xFF) == 0xF3 && mega_peek(memory, 0xFE) == 0x10;
    const int32_t reward = won ? (mega_peek(memory, 0xE1) == 0x08 ? 1 : -1) : 0;
    int32_t q0 = 1;
    for (uint32_t address = 0x9A; address <= 0xA9; address++) {
        const int32_t cell = mega_peek(memory, address);
        q0 = q0 && cell != 0;
    }
    int32_t q1 = 1;
    for (uint32_t address = 0xAA; address <= 0xB9; address++) {
        const int32_t cell = mega_peek(memory, address);
        q1 = q1 && cell != 0;
    }
    int32_t q2 = 1;
    for (uint32_t address = 0xBA; address <= 0xC9; address++) {
        const int32_t cell = mega_peek(memory, address);
        q2 = q2 && cell != 0;
    }
    int32_t q3 = 1;
    for (uint32_t address = 0xCA; address <= 0xD9; address++) {
        const int32_t cell = mega_peek(memory, address);
        q3 = q3 && cell != 0;
    }
    over = over != 0 || won || (q0 && q1 && q2 && q3);
    rules->var[0] = over;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_tic_tac_toe_3d_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x88) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
