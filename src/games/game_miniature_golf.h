// game_miniature_golf.h - Miniature Golf. Shared source.
//
// Generated from facts/games/miniature_golf.json by tools/gen_games.py; edit the facts.
//
// The reward is given once per hole, on the frame in which the hole number 0xAF changes: par of the hole just
// left minus the strokes it took, provided these are more than 0. over latches: it is set when the hole
// number changes to 0 and is cleared by a reset only. 0x88 non-zero means that the score line shows hole
// number and par (then 0x88 is the par); 0x88 zero means that 0x87 shows the running stroke total, which
// wraps after 99. This title has no life counter of its own: the reported lives value is 1 while the game
// runs and 0 once it is over. Difficulty 1 puts the left console switch to A, 0 to B.
#ifndef GAME_MINIATURE_GOLF_H
#define GAME_MINIATURE_GOLF_H
#include "mega_rules.h"

MEGA_FN void game_miniature_golf_reset(mega_rules *rules) {
    rules->var[0] = 0; // level
    rules->var[1] = 0; // par
    rules->var[2] = 0; // carried
    rules->var[3] = 0; // strokes
    rules->var[4] = 0; // strokes_at_start
    rules->var[5] = 0; // over
    rules->lives = 1;
}

MEGA_FN void game_miniature_golf_step(mega_rules *rules, mega_memory memory) {
    int32_t level = rules->var[0];
    int32_t par = rules->var[1];
    int32_t carried = rules->var[2];
    int32_t strokes = rules->var[3];
    int32_t strokes_at_start = rules->var[4];
    int32_t over = rules->var[5];
    const int32_t left = mega_bcd(mega_peek(memory, 0x87));
    const int32_t right = mega_bcd(mega_peek(memory, 0x88));
    const int32_t now_level = mega_bcd(mega_peek(memory, 0xAF));
    const int32_t changed = now_level != level;
    const int32_t used = strokes + carried - strokes_at_start;
    const int32_t gain = (changed && used > 0) ? par - used : 0;
    over = (changed && now_level == 0) ? 1 : over;
    strokes_at_start = changed ? strokes : strokes_at_start;
    carried = changed ? 0 : carried;
    level = now_level;
    par = right != 0 ? right : par;
    carried = (right == 0 && left < strokes) ? carried + strokes : carried;
    strokes = right == 0 ? left : strokes;
    rules->var[0] = level;
    rules->var[1] = par;
    rules->var[2] = carried;
    rules->var[3] = strokes;
    rules->var[4] = strokes_at_start;
    rules->var[5] = over;
    rules->reward = gain;
    rules->terminal = (uint8_t)(over != 0);
    rules->lives = over ? 0 : 1;
}

#endif
