// game_video_cube.h - Atari Video Cube. Shared source.
//
// Generated from facts/games/video_cube.json by tools/gen_games.py; edit the facts.
//
// `timer` is the byte at 0xDB of the previous evaluation of `step`; a reset does not clear it (it carries
// over from the frames before the vars are reset; it is 1 there, so starting from 0 or 1 gives the same
// results). It is not part of a saved state either: after restoring a state it holds the value of the last
// frame run before the restore. `count` is reset to 0 and then follows the frames of the reset, so the first
// reported reward is relative to the last reset frame.
#ifndef GAME_VIDEO_CUBE_H
#define GAME_VIDEO_CUBE_H
#include "mega_select.h"

MEGA_FN void game_video_cube_reset(mega_rules *rules) {
    rules->var[0] = 0; // count
    rules->lives = 1;
}

MEGA_FN void game_video_cube_step(mega_rules *rules, mega_memory memory) {
    int32_t count = rules->var[0];
    int32_t timer = rules->var[1];
    int32_t f0 = 1;
    for (uint32_t address = 0xA1; address <= 0xA8; address++) {
        const int32_t cell = mega_peek(memory, address);
        f0 = f0 && cell == mega_peek(memory, 0xA0);
    }
    int32_t f1 = 1;
    for (uint32_t address = 0xAA; address <= 0xB1; address++) {
        const int32_t cell = mega_peek(memory, address);
        f1 = f1 && cell == mega_peek(memory, 0xA9);
    }
    int32_t f2 = 1;
    for (uint32_t address = 0xB3; address <= 0xBA; address++) {
        const int32_t cell = mega_peek(memory, address);
        f2 = f2 && cell == mega_peek(memory, 0xB2);
    }
    int32_t f3 = 1;
    for (uint32_t address = 0xBC; address <= 0xC3; address++) {
        const int32_t cell = mega_peek(memory, address);
        f3 = f3 && cell == mega_peek(memory, 0xBB);
    }
    int32_t f4 = 1;
    for (uint32_t address = 0xC5; address <= 0xCC; address++) {
        const int32_t cell = mega_peek(memory, address);
        f4 = f4 && cell == mega_peek(memory, 0xC4);
    }
    int32_t f5 = 1;
    for (uint32_t address = 0xCE; address <= 0xD5; address++) {
        const int32_t cell = mega_peek(memory, address);
        f5 = f5 && cell == mega_peek(memory, 0xCD);
    }
    const int32_t new_count = f0 + f1 + f2 + f3 + f4 + f5;
    const int32_t was = timer;
    timer = mega_peek(memory, 0xDB);
    const int32_t out = timer == 0 && was == 255;
    const int32_t reward = out ? -1 : new_count - count;
    count = new_count;
    const int32_t over = out || new_count == 6;
    rules->var[0] = count;
    rules->var[1] = timer;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_video_cube_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    // rules->local[0] is cube.
    if (rules->stage == 0) {
        rules->local[0] = mode >= 100 ? mode / 100 : 1; // cube
        mega_select_enter(rules, 1);
    }
    if (rules->stage == 1) {
        if ((mega_peek(memory, 0xFB) & 0x1F) != (mode % 100 == 0 ? 0 : (mode % 100 == 1 ? 2 : 8))) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 1, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 2, MEGA_REQUEST_SOFT_RESET, 0);
    }
    if (rules->stage == 2) {
        if ((mega_bcd(mega_peek(memory, 0x9F)) & 255) != rules->local[0]) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 2, MEGA_REQUEST_ACT, 3); // RIGHT
        }
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
