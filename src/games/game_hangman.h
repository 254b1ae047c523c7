// game_hangman.h - Hangman. Shared source.
//
// Generated from facts/games/hangman.json by tools/gen_games.py; edit the facts.
//
// The game is over on the frame in which either score changes (the test is reward != 0) or in which the timer
// byte 0xF1 goes from 255 on the previous frame to 0 on this one. The terminal state is recomputed on every
// frame, it does not latch by itself; it stays because no further frame is emulated until the next reset. The
// variable timer is not part of a saved emulator state: restoring a state leaves it at the value of the last
// frame run before the restore. This title has no life counter of its own: the reported lives value is 1
// while the game runs and 0 once it is over. Difficulty 1 puts the left console switch to A, 0 to B.
#ifndef GAME_HANGMAN_H
#define GAME_HANGMAN_H
#include "mega_select.h"

MEGA_FN void game_hangman_reset(mega_rules *rules) {
    rules->var[0] = 0; // player
    rules->var[1] = 0; // computer
    rules->var[2] = -1; // timer
    rules->lives = 1;
}

MEGA_FN void game_hangman_step(mega_rules *rules, mega_memory memory) {
    int32_t player = rules->var[0];
    int32_t computer = rules->var[1];
    int32_t timer = rules->var[2];
    const int32_t now_player = mega_bcd(mega_peek(memory, 0xEB));
    const int32_t now_computer = mega_bcd(mega_peek(memory, 0xEC));
    const int32_t gain = now_player - player - (now_computer - computer);
    player = now_player;
    computer = now_computer;
    const int32_t timed_out = mega_peek(memory, 0xF1) == 0 && timer == 255;
    timer = mega_peek(memory, 0xF1);
    const int32_t over = gain != 0 || timed_out;
    rules->var[0] = player;
    rules->var[1] = computer;
    rules->var[2] = timer;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_hangman_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xEE) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
