// game_pacman.h - Pac-Man. Shared source.
//
// Generated from facts/games/pacman.json by tools/gen_games.py; edit the facts.
//
// Score bytes from low to high are 0xCC, 0xCE, 0xD0. Difficulty 1 puts the left console switch to A, 0 to B.
#ifndef GAME_PACMAN_H
#define GAME_PACMAN_H
#include "mega_select.h"

MEGA_FN void game_pacman_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 4;
}

MEGA_FN void game_pacman_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xCC), mega_peek(memory, 0xCE),
        mega_peek(memory, 0xD0));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0x98) == 0 && mega_peek(memory, 0xE4) == 0x3F;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : mega_peek(memory, 0x98) + 1;
}

MEGA_FN mega_request game_pacman_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (!(((mega_peek(memory, 0xCC) - 1) & 255) == mode && mega_peek(memory, 0xE6) == 0)) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
