// game_tennis.h - Tennis. Shared source.
//
// Generated from facts/games/tennis.json by tools/gen_games.py; edit the facts.
//
// Lives are always 0. On a frame where the game difference (0xC7 minus 0xC8) changes, only that change is the
// reward and the change of the point difference (0xC5 minus 0xC6) is dropped; otherwise the change of the
// point difference is the reward.
#ifndef GAME_TENNIS_H
#define GAME_TENNIS_H
#include "mega_select.h"

MEGA_FN void game_tennis_reset(mega_rules *rules) {
    rules->var[0] = 0; // games
    rules->var[1] = 0; // points
    rules->lives = 0;
}

MEGA_FN void game_tennis_step(mega_rules *rules, mega_memory memory) {
    int32_t games = rules->var[0];
    int32_t points = rules->var[1];
    const int32_t my_games = mega_peek(memory, 0xC7);
    const int32_t their_games = mega_peek(memory, 0xC8);
    const int32_t new_points = mega_peek(memory, 0xC5) - mega_peek(memory, 0xC6);
    const int32_t new_games = my_games - their_games;
    const int32_t reward = new_games != games ? new_games - games : new_points - points;
    games = new_games;
    points = new_points;
    const int32_t over = (my_games >= 6 && new_games >= 2) || (their_games >= 6 && -new_games >= 2)
        || my_games == 7 || their_games == 7;
    rules->var[0] = games;
    rules->var[1] = points;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = 0;
}

MEGA_FN mega_request game_tennis_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x80) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
