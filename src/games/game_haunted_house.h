// game_haunted_house.h - Haunted House. Shared source.
//
// Generated from facts/games/haunted_house.json by tools/gen_games.py; edit the facts.
//
// Every change of the used-matches count costs 1, however large the change; escaping adds 100 on each frame
// in which 0x99 is 0x44. Difficulty 1 puts the left console switch to A, 0 to B.
#ifndef GAME_HAUNTED_HOUSE_H
#define GAME_HAUNTED_HOUSE_H
#include "mega_select.h"

MEGA_FN void game_haunted_house_reset(mega_rules *rules) {
    rules->var[0] = 0; // matches
    rules->lives = 9;
}

MEGA_FN void game_haunted_house_step(mega_rules *rules, mega_memory memory) {
    int32_t matches = rules->var[0];
    const int32_t new_matches = mega_bcd(mega_peek(memory, 0x82));
    const int32_t escaped = mega_peek(memory, 0x99) == 0x44;
    const int32_t gain = (new_matches != matches ? -1 : 0) + (escaped ? 100 : 0);
    matches = new_matches;
    const int32_t over = mega_peek(memory, 0x96) == 0 || escaped;
    rules->var[0] = matches;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : mega_peek(memory, 0x96);
}

MEGA_FN mega_request game_haunted_house_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xCC) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
