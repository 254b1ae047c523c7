// game_pong.h - Pong. Shared source.
//
// Generated from facts/games/pong.json by tools/gen_games.py; edit the facts.
//
// Lives are always 0. Paddle game (the cartridge is Video Olympics): both ports hold paddles and the two
// paddles of a port are swapped, so player A's paddle is read at INPT1 with its button at SWCHA bit 6, player
// B's at INPT0 with bit 7. Paddle resistance starts a reset at 408823; per emulated frame an action with
// RIGHT takes 23000 off, one with LEFT adds 23000, kept within 27450..790196; FIRE variants press the button.
// Difficulty bit 0 (left switch) is the size of the computer's bat, bit 1 (right switch) that of the
// player's.
#ifndef GAME_PONG_H
#define GAME_PONG_H
#include "mega_select.h"

MEGA_FN void game_pong_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_pong_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t theirs = mega_peek(memory, 0x8D);
    const int32_t mine = mega_peek(memory, 0x8E);
    const int32_t new_score = mine - theirs;
    const int32_t reward = new_score - score;
    score = new_score;
    const int32_t over = theirs == 21 || mine == 21;
    rules->var[0] = score;
    rules->reward = reward;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = 0;
}

MEGA_FN mega_request game_pong_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek(memory, 0x96) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
