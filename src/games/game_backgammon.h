// game_backgammon.h - Backgammon. Shared source.
//
// Generated from facts/games/backgammon.json by tools/gen_games.py; edit the facts.
//
// Only mode 0 exists, yet SELECT is still pressed until the cartridge's own game number is 3. Difficulty: 3
// is the only value setDifficulty accepts, but a freshly loaded game runs with switch value 0 (both B) until
// it is called; so default_difficulty 0 is what a plain load gives and is not in the list. Piece counts are
// signed bytes (player negative, computer positive); all sums wrap to signed 8 bits before the comparison
// with 15. Reward and end flag are sticky until reset. Paddle game: player A's paddle; the upper paddle limit
// is 1000000 instead of the usual 790196 (start position is the middle of 27450 and 1000000). The left port
// holds paddles, not swapped: player A's paddle is the one read through INPT0 and its button is bit 7 of
// SWCHA (0 when pressed); the second paddle stays in the middle; the right port holds a joystick. NOOP is not
// in the minimal set.
#ifndef GAME_BACKGAMMON_H
#define GAME_BACKGAMMON_H
#include "mega_select.h"

MEGA_FN void game_backgammon_reset(mega_rules *rules) {
    rules->var[0] = 0; // gain
    rules->var[1] = 0; // over
    rules->lives = 1;
}

MEGA_FN void game_backgammon_step(mega_rules *rules, mega_memory memory) {
    int32_t gain = rules->var[0];
    int32_t over = rules->var[1];
    const int32_t mine_out = (((256 - mega_peek(memory, 0x80)) & 255) ^ 128) - 128;
    const int32_t theirs_out = (mega_peek(memory, 0x8E) ^ 128) - 128;
    int32_t theirs_in_sum = 0;
    for (uint32_t address = 0x81; address <= 0x8D; address++) {
        const int32_t cell = mega_peek(memory, address);
        theirs_in_sum += (cell < 128 ? cell : 0);
    }
    for (uint32_t address = 0x8F; address <= 0x9B; address++) {
        const int32_t cell = mega_peek(memory, address);
        theirs_in_sum += (cell < 128 ? cell : 0);
    }
    const int32_t theirs_in = ((theirs_in_sum & 255) ^ 128) - 128;
    int32_t mine_in_sum = 0;
    for (uint32_t address = 0x81; address <= 0x8D; address++) {
        const int32_t cell = mega_peek(memory, address);
        mine_in_sum += (cell >= 128 ? 256 - cell : 0);
    }
    for (uint32_t address = 0x8F; address <= 0x9B; address++) {
        const int32_t cell = mega_peek(memory, address);
        mine_in_sum += (cell >= 128 ? 256 - cell : 0);
    }
    const int32_t mine_in = ((mine_in_sum & 255) ^ 128) - 128;
    const int32_t valid = theirs_in + theirs_out == 15 && mine_in + mine_out == 15;
    const int32_t won = valid && mine_out == 15;
    const int32_t lost = valid && !won && theirs_out == 15;
    gain = won ? 1 : (lost ? -1 : gain);
    over = (won || lost) ? 1 : over;
    rules->var[0] = gain;
    rules->var[1] = over;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_backgammon_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    (void)mode;
    if (rules->stage == 0) {
        if (mega_peek(memory, 0xDC) != 3) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 1);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
