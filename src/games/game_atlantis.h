// game_atlantis.h - Atlantis. Shared source.
//
// Generated from facts/games/atlantis.json by tools/gen_games.py; edit the facts.
//
// On a frame that shows the end of the game the reward is 0 and the remembered score is left as it was.
#ifndef GAME_ATLANTIS_H
#define GAME_ATLANTIS_H
#include "mega_select.h"

MEGA_FN void game_atlantis_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 6;
}

MEGA_FN void game_atlantis_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t over = mega_peek(memory, 0xF1) == 0xFF;
    const int32_t new_score = 100 * mega_bcd3(mega_peek(memory, 0xA2), mega_peek(memory, 0xA3),
        mega_peek(memory, 0xA1));
    const int32_t gain = over ? 0 : new_score - score;
    score = over ? score : new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : mega_peek(memory, 0xF1);
}

MEGA_FN mega_request game_atlantis_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x8D) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
