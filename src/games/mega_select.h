// mega_select.h - the steps of which every game's mode selection is made. Shared source.
//
// A mode selection is a program cut into stages. Each call runs from the current stage to the next request
// and notes in rules->stage where to go on when that was done. A loop's stage is called once per pass.
#ifndef MEGA_SELECT_H
#define MEGA_SELECT_H
#include "mega_rules.h"

// Passes after which a loop gives up when the game sets no limit of its own, so that RAM which never shows
// the wanted mode cannot hold up a reset for ever. It fits rules->tries.
#define MEGA_SELECT_TRIES 65000

// Goes on to another stage. A loop found there begins with its first pass.
MEGA_FN void mega_select_enter(mega_rules *rules, uint8_t stage) {
    rules->stage = stage;
    rules->tries = 0;
}
// Asks for something and goes on at another stage when that was done.
MEGA_FN mega_request mega_select_ask(mega_rules *rules, uint8_t stage, int32_t kind, int32_t amount) {
    mega_select_enter(rules, stage);
    return mega_request_make(kind, amount);
}
// The same inside a pass of a loop, so that the passes are still counted.
MEGA_FN mega_request mega_select_ask_more(mega_rules *rules, uint8_t stage, int32_t kind, int32_t amount) {
    rules->stage = stage;
    return mega_request_make(kind, amount);
}
// The same as the beginning of one more pass; fails when `limit` passes were made.
MEGA_FN mega_request mega_select_try(mega_rules *rules, int32_t limit, uint8_t stage, int32_t kind,
                                     int32_t amount) {
    if (rules->tries >= limit) {
        return mega_request_make(MEGA_REQUEST_FAIL, 0);
    }
    rules->tries++;
    return mega_select_ask_more(rules, stage, kind, amount);
}

#endif
