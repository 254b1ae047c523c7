// game_video_checkers.h - Video Checkers. Shared source.
//
// Generated from facts/games/video_checkers.json by tools/gen_games.py; edit the facts.
//
// No NOOP in the minimal set. `over` and `rew` are sticky: they keep their value until the next reset; no
// black piece is looked at before no white piece. `reverse` is not touched by the reset itself: mode_select
// sets it at every reset. It is not part of a saved state either: after restoring a state the flag of the
// latest reset stays in force. The 32 cells are 0x80-0x87, 0x89-0x90, 0x92-0x99, 0x9B-0xA2; 0x10 and 0x20 are
// black pieces, 0x90 and 0xA0 white ones.
#ifndef GAME_VIDEO_CHECKERS_H
#define GAME_VIDEO_CHECKERS_H
#include "mega_select.h"

MEGA_FN void game_video_checkers_reset(mega_rules *rules) {
    rules->var[0] = 0; // reward
    rules->var[1] = 0; // over
    rules->var[2] = 0; // reverse
    rules->lives = 1;
}

MEGA_FN void game_video_checkers_step(mega_rules *rules, mega_memory memory) {
    int32_t reward = rules->var[0];
    int32_t over = rules->var[1];
    const int32_t reverse = rules->var[2];
    int32_t b0 = 0;
    for (uint32_t address = 0x80; address <= 0x87; address++) {
        const int32_t cell = mega_peek(memory, address);
        b0 = b0 || cell == 0x10 || cell == 0x20;
    }
    int32_t b1 = 0;
    for (uint32_t address = 0x89; address <= 0x90; address++) {
        const int32_t cell = mega_peek(memory, address);
        b1 = b1 || cell == 0x10 || cell == 0x20;
    }
    int32_t b2 = 0;
    for (uint32_t address = 0x92; address <= 0x99; address++) {
        const int32_t cell = mega_peek(memory, address);
        b2 = b2 || cell == 0x10 || cell == 0x20;
    }
    int32_t b3 = 0;
    for (uint32_t address = 0x9B; address <= 0xA2; address++) {
        const int32_t cell = mega_peek(memory, address);
        b3 = b3 || cell == 0x10 || cell == 0x20;
    }
    int32_t w0 = 0;
    for (uint32_t address = 0x80; address <= 0x87; address++) {
        const int32_t cell = mega_peek(memory, address);
        w0 = w0 || cell == 0x90 || cell == 0xA0;
    }
    int32_t w1 = 0;
    for (uint32_t address = 0x89; address <= 0x90; address++) {
        const int32_t cell = mega_peek(memory, address);
        w1 = w1 || cell == 0x90 || cell == 0xA0;
    }
    int32_t w2 = 0;
    for (uint32_t address = 0x92; address <= 0x99; address++) {
        const int32_t cell = mega_peek(memory, address);
        w2 = w2 || cell == 0x90 || cell == 0xA0;
    }
    int32_t w3 = 0;
    for (uint32_t address = 0x9B; address <= 0xA2; address++) {
        const int32_t cell = mega_peek(memory, address);
        w3 = w3 || cell == 0x90 || cell == 0xA0;
    }
    const int32_t black = b0 || b1 || b2 || b3;
    const int32_t white = w0 || w1 || w2 || w3;
    reward = !black ? (reverse ? 1 : -1) : (!white ? (reverse ? -1 : 1) : reward);
    over = over != 0 || !black || !white;
    rules->var[0] = reward;
    rules->var[1] = over;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_video_checkers_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        rules->var[2] = mode >= 11; // reverse
        mega_select_enter(rules, 1);
    }
    if (rules->stage == 1) {
        if (mega_peek(memory, 0xF6) != (mode >= 11 ? mode + 6 : mode)) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 1, MEGA_REQUEST_SELECT, 1);
        }
        return mega_select_ask(rules, 2, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
