// game_video_pinball.h - Video Pinball. Shared source.
//
// Generated from facts/games/video_pinball.json by tools/gen_games.py; edit the facts.
#ifndef GAME_VIDEO_PINBALL_H
#define GAME_VIDEO_PINBALL_H
#include "mega_select.h"

MEGA_FN void game_video_pinball_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 3; // lives
    rules->lives = 3;
}

MEGA_FN void game_video_pinball_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xB0), mega_peek(memory, 0xB2),
        mega_peek(memory, 0xB4));
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t over = (mega_peek(memory, 0xAF) & 1) != 0;
    const int32_t lives = 4 + (mega_peek(memory, 0xA8) & 1) - (mega_peek(memory, 0x99) & 7);
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

MEGA_FN mega_request game_video_pinball_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xC1) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
