// game_demon_attack.h - Demon Attack. Shared source.
//
// Generated from facts/games/demon_attack.json by tools/gen_games.py; edit the facts.
//
// switched suppresses the end only on the first frame after mode selection (inside reset). The score cells
// hold the bytes AB, CD, EA before the first game, which counts as score 0. Snapshots (cloneState) do not
// carry switched. Seen: in modes 3, 5 and 7 the game is already terminal right after the reset, with either
// difficulty, so that no act does anything; only the default mode 1 can be played. In mode 1 the lives query
// gives 1 right after a reset and 4 from the first act on.
#ifndef GAME_DEMON_ATTACK_H
#define GAME_DEMON_ATTACK_H
#include "mega_select.h"

MEGA_FN void game_demon_attack_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 0; // switched
    rules->lives = 4;
}

MEGA_FN void game_demon_attack_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    int32_t switched = rules->var[1];
    const int32_t boot = mega_peek(memory, 0x81) == 0xAB && mega_peek(memory, 0x83) == 0xCD
        && mega_peek(memory, 0x85) == 0xEA;
    const int32_t new_score = boot ? 0
        : mega_bcd3(mega_peek(memory, 0x85), mega_peek(memory, 0x83), mega_peek(memory, 0x81));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = mega_peek(memory, 0xF2) == 0 && mega_peek(memory, 0xF1) == 0xBD && !switched;
    switched = 0;
    rules->var[0] = score;
    rules->var[1] = switched;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : mega_peek(memory, 0xF2) + 1;
}

MEGA_FN mega_request game_demon_attack_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xEA) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 1);
        }
        rules->var[1] = 1; // switched
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
