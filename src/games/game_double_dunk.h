// game_double_dunk.h - Double Dunk. Shared source.
//
// Generated from facts/games/double_dunk.json by tools/gen_games.py; edit the facts.
//
// Lives are constantly 0.
#ifndef GAME_DOUBLE_DUNK_H
#define GAME_DOUBLE_DUNK_H
#include "mega_select.h"

MEGA_FN void game_double_dunk_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_double_dunk_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t mine = mega_bcd(mega_peek(memory, 0xF6));
    const int32_t theirs = mega_bcd(mega_peek(memory, 0xF7));
    const int32_t new_score = mine - theirs;
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t over = (mine >= 24 || theirs >= 24) && mega_peek(memory, 0xFE) == 0xE7;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = 0;
}

MEGA_FN mega_request game_double_dunk_select(mega_rules *rules, mega_memory memory, int32_t mode) {
    if (rules->stage == 0) {
        return mega_select_ask(rules, 1, MEGA_REQUEST_SELECT, 1);
    }
    if (rules->stage == 1) {
        rules->noted = mega_peek(memory, 0xB0);
        mega_select_enter(rules, 2);
    }
    if (rules->stage == 2) {
        if (mega_peek(memory, 0xB0) == rules->noted) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 3, MEGA_REQUEST_ACT, 5); // DOWN
        }
        mega_select_enter(rules, 4);
    }
    if (rules->stage == 3) {
        return mega_select_ask_more(rules, 2, MEGA_REQUEST_ACT, 0); // NOOP
    }
    if (rules->stage == 4) {
        rules->noted = mega_peek(memory, 0xB0);
        mega_select_enter(rules, 5);
    }
    if (rules->stage == 5) {
        if (mega_peek(memory, 0xB0) == rules->noted) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 6, MEGA_REQUEST_ACT, 5); // DOWN
        }
        mega_select_enter(rules, 7);
    }
    if (rules->stage == 6) {
        return mega_select_ask_more(rules, 5, MEGA_REQUEST_ACT, 0); // NOOP
    }
    if (rules->stage == 7) {
        mega_select_enter(rules, (mode & 1) != 0 ? 8 : 10);
    }
    if (rules->stage == 8) {
        if ((mega_peek(memory, 0x80) & 0x08) == 0) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 9, MEGA_REQUEST_ACT, 3); // RIGHT
        }
        mega_select_enter(rules, 12);
    }
    if (rules->stage == 9) {
        return mega_select_ask_more(rules, 8, MEGA_REQUEST_ACT, 0); // NOOP
    }
    if (rules->stage == 10) {
        if ((mega_peek(memory, 0x80) & 0x08) != 0) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 11, MEGA_REQUEST_ACT, 4); // LEFT
        }
        mega_select_enter(rules, 12);
    }
    if (rules->stage == 11) {
        return mega_select_ask_more(rules, 10, MEGA_REQUEST_ACT, 0); // NOOP
    }
    if (rules->stage == 12) {
        rules->noted = mega_peek(memory, 0xB0);
        mega_select_enter(rules, 13);
    }
    if (rules->stage == 13) {
        if (mega_peek(memory, 0xB0) == rules->noted) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 14, MEGA_REQUEST_ACT, 5); // DOWN
        }
        mega_select_enter(rules, 15);
    }
    if (rules->stage == 14) {
        return mega_select_ask_more(rules, 13, MEGA_REQUEST_ACT, 0); // NOOP
    }
    if (rules->stage == 15) {
        mega_select_enter(rules, (mode & 2) != 0 ? 16 : 18);
    }
    if (rules->stage == 16) {
        if ((mega_peek(memory, 0x80) & 0x10) == 0) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 17, MEGA_REQUEST_ACT, 3); // RIGHT
        }
        mega_select_enter(rules, 20);
    }
    if (rules->stage == 17) {
        return mega_select_ask_more(rules, 16, MEGA_REQUEST_ACT, 0); // NOOP
    }
    if (rules->stage == 18) {
        if ((mega_peek(memory, 0x80) & 0x10) != 0) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 19, MEGA_REQUEST_ACT, 4); // LEFT
        }
        mega_select_enter(rules, 20);
    }
    if (rules->stage == 19) {
        return mega_select_ask_more(rules, 18, MEGA_REQUEST_ACT, 0); // NOOP
    }
    if (rules->stage == 20) {
        rules->noted = mega_peek(memory, 0xB0);
        mega_select_enter(rules, 21);
    }
    if (rules->stage == 21) {
        if (mega_peek(memory, 0xB0) == rules->noted) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 22, MEGA_REQUEST_ACT, 5); // DOWN
        }
        mega_select_enter(rules, 23);
    }
    if (rules->stage == 22) {
        return mega_select_ask_more(rules, 21, MEGA_REQUEST_ACT, 0); // NOOP
    }
    if (rules->stage == 23) {
        mega_select_enter(rules, (mode & 4) != 0 ? 24 : 26);
    }
    if (rules->stage == 24) {
        if ((mega_peek(memory, 0x80) & 0x04) == 0) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 25, MEGA_REQUEST_ACT, 3); // RIGHT
        }
        mega_select_enter(rules, 28);
    }
    if (rules->stage == 25) {
        return mega_select_ask_more(rules, 24, MEGA_REQUEST_ACT, 0); // NOOP
    }
    if (rules->stage == 26) {
        if ((mega_peek(memory, 0x80) & 0x04) != 0) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 27, MEGA_REQUEST_ACT, 4); // LEFT
        }
        mega_select_enter(rules, 28);
    }
    if (rules->stage == 27) {
        return mega_select_ask_more(rules, 26, MEGA_REQUEST_ACT, 0); // NOOP
    }
    if (rules->stage == 28) {
        rules->noted = mega_peek(memory, 0xB0);
        mega_select_enter(rules, 29);
    }
    if (rules->stage == 29) {
        if (mega_peek(memory, 0xB0) == rules->noted) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 30, MEGA_REQUEST_ACT, 5); // DOWN
        }
        mega_select_enter(rules, 31);
    }
    if (rules->stage == 30) {
        return mega_select_ask_more(rules, 29, MEGA_REQUEST_ACT, 0); // NOOP
    }
    if (rules->stage == 31) {
        mega_select_enter(rules, (mode & 8) != 0 ? 32 : 34);
    }
    if (rules->stage == 32) {
        if ((mega_peek(memory, 0x80) & 0x20) == 0) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 33, MEGA_REQUEST_ACT, 3); // RIGHT
        }
        mega_select_enter(rules, 36);
    }
    if (rules->stage == 33) {
        return mega_select_ask_more(rules, 32, MEGA_REQUEST_ACT, 0); // NOOP
    }
    if (rules->stage == 34) {
        if ((mega_peek(memory, 0x80) & 0x20) != 0) {
            return mega_select_try(rules, MEGA_SELECT_TRIES, 35, MEGA_REQUEST_ACT, 4); // LEFT
        }
        mega_select_enter(rules, 36);
    }
    if (rules->stage == 35) {
        return mega_select_ask_more(rules, 34, MEGA_REQUEST_ACT, 0); // NOOP
    }
    if (rules->stage == 36) {
        return mega_select_ask(rules, 37, MEGA_REQUEST_SOFT_RESET, 0);
    }
    if (rules->stage == 37) {
        return mega_select_ask(rules, 38, MEGA_REQUEST_ACT, 10); // UPFIRE
    }
    if (rules->stage == 38) {
        return mega_select_ask(rules, 39, MEGA_REQUEST_ACT, 0); // NOOP
    }
    return mega_request_make(MEGA_REQUEST_DONE, 0);
}

#endif
