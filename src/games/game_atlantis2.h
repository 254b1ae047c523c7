// game_atlantis2.h - Atlantis II. Shared source.
//
// Generated from facts/games/atlantis2.json by tools/gen_games.py; edit the facts.
//
// On a frame that shows the end of the game the reward is 0 and the remembered score is left as it was.
// Snapshots (cloneState) do not carry the lives value: after restoreState the lives query reports the value
// of the last emulated frame until the next frame has run.
#ifndef GAME_ATLANTIS2_H
#define GAME_ATLANTIS2_H
#include "mega_rules.h"

MEGA_FN void game_atlantis2_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->lives = 0;
}

MEGA_FN void game_atlantis2_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    const int32_t over = mega_peek(memory, 0xF1) == 0xFF;
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0xA1), mega_peek(memory, 0xA2),
        mega_peek(memory, 0xA3));
    const int32_t gain = over ? 0 : new_score - score;
    score = over ? score : new_score;
    rules->var[0] = score;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : mega_peek(memory, 0xF1);
}

#endif
