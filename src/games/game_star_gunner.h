// game_star_gunner.h - Star Gunner. Shared source.
//
// Generated from facts/games/star_gunner.json by tools/gen_games.py; edit the facts.
//
// `started` stays set until the next reset; before it is set lives read 5.
#ifndef GAME_STAR_GUNNER_H
#define GAME_STAR_GUNNER_H
#include "mega_select.h"

MEGA_FN void game_star_gunner_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 5; // lives
    rules->var[2] = 0; // started
    rules->lives = 5;
}

MEGA_FN void game_star_gunner_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    int32_t started = rules->var[2];
    const int32_t d0 = (mega_peek(memory, 0x83) & 15) == 10 ? 0 : mega_peek(memory, 0x83) & 15;
    const int32_t d1 = (mega_peek(memory, 0x84) & 15) == 10 ? 0 : mega_peek(memory, 0x84) & 15;
    const int32_t d2 = (mega_peek(memory, 0x85) & 15) == 10 ? 0 : mega_peek(memory, 0x85) & 15;
    const int32_t d3 = (mega_peek(memory, 0x86) & 15) == 10 ? 0 : mega_peek(memory, 0x86) & 15;
    const int32_t new_score = 100 * (d0 + 10 * d1 + 100 * d2 + 1000 * d3);
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t life_byte = mega_peek(memory, 0x87);
    const int32_t over = life_byte == 0;
    started = started != 0 || life_byte == 5;
    const int32_t lives = started ? life_byte & 15 : 5;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->var[2] = started;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

MEGA_FN mega_request game_star_gunner_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xF4) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 15);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
