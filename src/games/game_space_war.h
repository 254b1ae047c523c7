// game_space_war.h - Space War. Shared source.
//
// Generated from facts/games/space_war.json by tools/gen_games.py; edit the facts.
//
// Because the score cell shows the game number while selecting, large differences are computed inside the
// reset; they are not reported. The first frame after reset gives the difference to the value of the last
// reset frame, as always. The cartridge runs as PAL (found by the automatic format test), screen 250 lines.
#ifndef GAME_SPACE_WAR_H
#define GAME_SPACE_WAR_H
#include "mega_select.h"

MEGA_FN void game_space_war_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 1;
}

MEGA_FN void game_space_war_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd(mega_peek(memory, 0xA7));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t over = new_score == 10 || mega_peek(memory, 0x80) == 0;
    rules->var[0] = score;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_space_war_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_bcd(mega_peek(memory, 0xA7)) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
