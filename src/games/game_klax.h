// game_klax.h - Klax. Shared source.
//
// Generated from facts/games/klax.json by tools/gen_games.py; edit the facts.
//
// Reads cartridge RAM as well as console RAM. cart(A) is the byte that a CPU read of address A
// (0x1080..0x10FF, the read window of the 128-byte on-cartridge RAM of this 16 KiB four-bank cartridge)
// gives, i.e. cartridge RAM byte A & 0x7F; the read has no side effect. Cartridge RAM cells: score 0x10B4
// (low) to 0x10B6 (high) in BCD, level 0x109D, miss limit 0x10E9, misses 0x10EE, mode 0x10EA. blocks counts
// those of the 25 console RAM bytes 0xB3..0xCB whose value is none of 0, 2, 6, 10, 14. This title has no life
// counter of its own: the reported lives value is 1 while the game runs and 0 once it is over.
#ifndef GAME_KLAX_H
#define GAME_KLAX_H
#include "mega_select.h"

MEGA_FN void game_klax_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 1;
}

MEGA_FN void game_klax_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t new_score = mega_bcd3(mega_peek_cart(memory, 0x10B4), mega_peek_cart(memory, 0x10B5),
        mega_peek_cart(memory, 0x10B6));
    const int32_t gain = new_score - score;
    score = new_score;
    int32_t blocks = 0;
    for (uint32_t address = 0xB3; address <= 0xCB; address++) {
        const int32_t cell = mega_peek(memory, address);
        blocks += (cell != 0 && (cell & 0xF3) != 2);
    }
    const int32_t over = (mega_peek_cart(memory, 0x10E9) > 0
        && mega_peek_cart(memory, 0x10EE) == mega_peek_cart(memory, 0x10E9))
        || (mega_peek(memory, 0xA8) == 4 && blocks == 25) || mega_peek_cart(memory, 0x109D) == 0x99;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

MEGA_FN mega_request game_klax_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        if (mega_peek_cart(memory, 0x10EA) != mode) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 0, MEGA_REQUEST_SELECT, 2);
        }
        return mega_select_ask(rules, 1, MEGA_REQUEST_SOFT_RESET, 0);
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
