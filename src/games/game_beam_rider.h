// game_beam_rider.h - Beam Rider. Shared source.
//
// Generated from facts/games/beam_rider.json by tools/gen_games.py; edit the facts.
//
// A drop by exactly one life is taken over only on a frame with 0x8C equal to 1; every other change is taken
// over at once. The shown count is r(0x85)+1 without wrap (256 for 0xFF).
#ifndef GAME_BEAM_RIDER_H
#define GAME_BEAM_RIDER_H
#include "mega_rules.h"

MEGA_FN void game_beam_rider_reset(mega_rules *rules) {
    rules->var[0] = 0; // score
    rules->var[1] = 3; // lives
    rules->lives = 3;
}

MEGA_FN void game_beam_rider_step(mega_rules *rules, mega_memory memory) {
    int32_t score = rules->var[0];
    int32_t lives = rules->var[1];
    const int32_t new_score = mega_bcd3(mega_peek(memory, 0x89), mega_peek(memory, 0x8A),
        mega_peek(memory, 0x8B));
    const int32_t gain = new_score - score;
    score = new_score;
    const int32_t shown = mega_peek(memory, 0x85) + 1;
    lives = (shown == lives - 1 && mega_peek(memory, 0x8C) != 1) ? lives : shown;
    const int32_t over = mega_peek(memory, 0x85) == 0xFF;
    rules->var[0] = score;
    rules->var[1] = lives;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : lives;
}

#endif
