// game_gravitar.h - Gravitar. Shared source.
//
// Generated from facts/games/gravitar.json by tools/gen_games.py; edit the facts.
//
// 0x81 is the screen kind: 0 = start screen (lives shown as 6 whatever the mode), 1 = game over.
#ifndef GAME_GRAVITAR_H
#define GAME_GRAVITAR_H
#include "mega_select.h"

MEGA_FN void game_gravitar_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 6;
}

MEGA_FN void game_gravitar_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0x89), mega_peek(memory, 0x88),
        mega_peek(memory, 0x87));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0x81) == 1;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : (mega_peek(memory, 0x81) == 0 ? 6 : mega_peek(memory, 0x84) + 1);
}

MEGA_FN mega_request game_gravitar_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x80) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 10);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
