// game_word_zapper.h - Word Zapper. Shared source.
//
// Generated from facts/games/word_zapper.json by tools/gen_games.py; edit the facts.
//
// On a frame where the byte at 0xCF is 0 nothing is refreshed: reward and terminal keep the values of the
// last refreshed frame, and the kept reward is paid again on every such frame. 0xDC is read as a signed 8-bit
// number.
#ifndef GAME_WORD_ZAPPER_H
#define GAME_WORD_ZAPPER_H
#include "mega_select.h"

MEGA_FN void game_word_zapper_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 0; // reward
    rules->var[2] = 0; // over
    rules->lives = 1;
}

MEGA_FN void game_word_zapper_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    int32_t reward = rules->var[1];
    int32_t over = rules->var[2];
    const int32_t run = mega_bcd(mega_peek(memory, 0xCF)) > 0;
    const int32_t left = mega_peek(memory, 0xDC) >= 128 ? mega_peek(memory, 0xDC) - 256
        : mega_peek(memory, 0xDC);
    const int32_t new_score = run ? 2 - left : score;
    reward = run ? new_score - score : reward;
    score = new_score;
    over = run ? (new_score == 3 || mega_bcd(mega_peek(memory, 0xDE)) == 0) : over;
    rules->var[0] = score;
    rules->var[1] = reward;
    rules->var[2] = over;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_word_zapper_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xDB) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
