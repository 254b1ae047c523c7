// game_ms_pacman.h - Ms. Pac-Man. Shared source.
//
// Generated from facts/games/ms_pacman.json by tools/gen_games.py; edit the facts.
//
// The terminal test uses four bits of 0xFB, the lives value three.
#ifndef GAME_MS_PACMAN_H
#define GAME_MS_PACMAN_H
#include "mega_select.h"

MEGA_FN void game_ms_pacman_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 3;
}

MEGA_FN void game_ms_pacman_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xF8), mega_peek(memory, 0xF9),
        mega_peek(memory, 0xFA));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = (mega_peek(memory, 0xFB) & 15) == 0 && mega_peek(memory, 0xA7) == 0x53;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : (mega_peek(memory, 0xFB) & 7) + 1;
}

MEGA_FN mega_request game_ms_pacman_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (!(mode == 0 ? (mega_peek(memory, 0x99) == 1 && mega_peek(memory, 0xA1) == 1)
            : (mega_peek(memory, 0x99) == mode && mega_peek(memory, 0xA1) == 0))) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 10);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
