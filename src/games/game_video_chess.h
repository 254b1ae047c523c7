// game_video_chess.h - Video Chess. Shared source.
//
// Generated from facts/games/video_chess.json by tools/gen_games.py; edit the facts.
//
// `over` is sticky until the next reset.
#ifndef GAME_VIDEO_CHESS_H
#define GAME_VIDEO_CHESS_H
#include "mega_select.h"

MEGA_FN void game_video_chess_reset(mega_rules *rules) {
    rules->var[0] = 0; // over
    rules->lives = 1;
}

MEGA_FN void game_video_chess_step(mega_rules *rules, mega_memory memory) {
    int32_t over = rules->var[0];
    const int32_t turn = mega_peek(memory, 0xE1) == 0x82;
    const int32_t outcome = mega_peek(memory, 0xEE);
    const int32_t reward = turn ? (outcome == 0 ? 1 : (outcome == 1 ? -1 : 0)) : 0;
    over = over != 0 || (turn && (outcome == 0 || outcome == 1));
    rules->var[0] = over;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_video_chess_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xEA) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 1);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
