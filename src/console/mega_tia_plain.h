// mega_tia_plain.h - the picture, one pixel at a time. Shared source.
//
// Simple and slow: the in-house reference for mega_tia_fast.h, and the one that draws what only frames of
// unusual length need (pixels that a piece leaves beyond its end).
#ifndef MEGA_TIA_PLAIN_H
#define MEGA_TIA_PLAIN_H
#include "mega_tia.h"

enum {
    TIA_PLAIN_COLLIDE = 1,
    TIA_PLAIN_DRAW = 2
};

// Is pixel x inside a copy of player n? `bit` receives which bit of the pattern it shows.
MEGA_FN uint32_t tia_in_player(const mega_tia *tia, uint32_t n, uint32_t x, uint32_t *bit) {
    const uint32_t shift = tia_player_shift(tia->nusiz[n]);
    const uint32_t copies = tia_copies[tia->nusiz[n] & 7u];
    // Wide players come one pixel late.
    const uint32_t distance = (x + 2 * MEGA_WIDTH - tia->position[n] - (shift != 0)) % MEGA_WIDTH;
    for (uint32_t copy = tia->first_hidden[n]; copy < 5; copy++) {
        const uint32_t offset = 16u * copy;
        if ((copies >> copy & 1u) != 0 && distance >= offset && distance - offset < 8u << shift) {
            *bit = 7u - ((distance - offset) >> shift);
            return 1;
        }
    }
    return 0;
}

MEGA_FN uint32_t tia_in_missile(const mega_tia *tia, uint32_t n, uint32_t x) {
    const uint32_t copies = tia_copies[tia->nusiz[n] & 7u];
    const uint32_t width = tia_missile_width(tia, n);
    const uint32_t distance = (x + MEGA_WIDTH - tia->position[MEGA_M0 + n]) % MEGA_WIDTH;
    for (uint32_t copy = 0; copy < 5; copy++) {
        const uint32_t offset = 16u * copy;
        if ((copies >> copy & 1u) != 0 && distance >= offset && distance - offset < width) {
            return 1;
        }
    }
    return 0;
}

MEGA_FN uint32_t tia_in_ball(const mega_tia *tia, uint32_t x) {
    return (x + MEGA_WIDTH - tia->position[MEGA_BL]) % MEGA_WIDTH < 1u << (tia->ctrlpf >> 4 & 3u);
}

MEGA_FN uint32_t tia_in_playfield(const mega_tia *tia, uint32_t x) {
    uint32_t cell = x / 4u;
    if (cell >= 20) {
        cell = tia->pf_reflect ? 39u - cell : cell - 20u;
    }
    const uint32_t bit = cell < 4 ? cell : cell < 12 ? 15u - cell : cell;
    return tia->playfield >> bit & 1u;
}

// Objects active at pixel x.
MEGA_FN uint32_t tia_objects_at(const mega_tia *tia, uint32_t enabled, uint32_t x) {
    uint32_t objects = 0;
    for (uint32_t n = 0; n < 2; n++) {
        uint32_t bit = 0;
        if ((enabled >> (MEGA_P0 + n) & 1u) != 0 && tia_in_player(tia, n, x, &bit)) {
            objects |= (tia_player_pattern(tia, n) >> bit & 1u) << (MEGA_P0 + n);
        }
        if ((enabled >> (MEGA_M0 + n) & 1u) != 0) {
            objects |= tia_in_missile(tia, n, x) << (MEGA_M0 + n);
        }
    }
    if ((enabled >> MEGA_BL & 1u) != 0) {
        objects |= tia_in_ball(tia, x) << MEGA_BL;
    }
    return objects | tia_in_playfield(tia, x) << MEGA_PF;
}

// The colour of pixel x where `objects` meet.
MEGA_FN uint8_t tia_color(const mega_tia *tia, uint32_t enabled, uint32_t objects, uint32_t x) {
    const uint32_t player0 = objects & (1u << MEGA_P0 | 1u << MEGA_M0);
    const uint32_t player1 = objects & (1u << MEGA_P1 | 1u << MEGA_M1);
    const uint32_t playfield = objects & 1u << MEGA_PF;
    const uint32_t ball = objects & 1u << MEGA_BL;
    const uint32_t score = tia->ctrlpf & CTRLPF_SCORE;
    const uint8_t side = tia->colors[x < 80 ? 0 : 1];
    if ((tia->ctrlpf & CTRLPF_PRIORITY) != 0) {
        if (playfield | ball) {
            // Priority hides the score colours, except when the playfield is the only object enabled.
            return score && enabled == 1u << MEGA_PF ? side : tia->colors[2];
        }
        return player0 ? tia->colors[0] : player1 ? tia->colors[1] : tia->colors[3];
    }
    if (score && playfield && x < 80) {
        return tia->colors[0];
    }
    if (player0 | player1) {
        return player0 ? tia->colors[0] : tia->colors[1];
    }
    if (playfield) {
        return score ? side : tia->colors[2];
    }
    return ball ? tia->colors[2] : tia->colors[3];
}

// Does the reference draw the four pixels from x (a multiple of 4) in one go, even past the end of a piece?
MEGA_FN uint32_t tia_drawn_by_four(const mega_tia *tia, uint32_t enabled, uint32_t x) {
    const uint32_t p0 = 1u << MEGA_P0, p1 = 1u << MEGA_P1, m0 = 1u << MEGA_M0, m1 = 1u << MEGA_M1;
    const uint32_t bl = 1u << MEGA_BL, pf = 1u << MEGA_PF;
    if (enabled == pf) {
        return 1;
    }
    const uint32_t plain = enabled == p0 || enabled == p1 || enabled == m0 || enabled == m1 ||
                           enabled == bl || enabled == (p0 | p1) || enabled == (m0 | m1) ||
                           enabled == (bl | m0) || enabled == (bl | m1) || enabled == (bl | p1);
    const uint32_t over = enabled == (pf | p0) || enabled == (pf | p1) || enabled == (pf | bl);
    if (!plain && !(over && (tia->ctrlpf & CTRLPF_SCORE) == 0)) {
        return 0;
    }
    for (uint32_t i = x; i < x + 4; i++) {
        uint32_t bit;
        if (((enabled & p0) != 0 && tia_in_player(tia, 0, i, &bit)) ||
            ((enabled & p1) != 0 && tia_in_player(tia, 1, i, &bit)) ||
            ((enabled & m0) != 0 && tia_in_missile(tia, 0, i)) ||
            ((enabled & m1) != 0 && tia_in_missile(tia, 1, i)) ||
            ((enabled & bl) != 0 && tia_in_ball(tia, i))) {
            return 0;
        }
    }
    return 1;
}

// Draws pixels x .. x + count - 1 of the line at `row`.
MEGA_FN void tia_plain_piece(mega_tia *tia, uint8_t *row, uint32_t x, uint32_t count, uint32_t what) {
    if (tia->vblank) {
        for (uint32_t i = x; i < x + count && (what & TIA_PLAIN_DRAW) != 0; i++) {
            row[i] = 0;
        }
        return;
    }
    const uint32_t enabled = tia_enabled_objects(tia);
    const uint32_t end = x + count;
    for (uint32_t i = x; i < end; i++) {
        const uint32_t objects = tia_objects_at(tia, enabled, i);
        if ((what & TIA_PLAIN_COLLIDE) != 0) {
            tia->collisions |= tia_collisions_of[objects];
        }
        if ((what & TIA_PLAIN_DRAW) != 0) {
            row[i] = tia_color(tia, enabled, objects, i);
        }
    }
    const uint32_t group = end & ~3u;
    if ((what & TIA_PLAIN_DRAW) != 0 && enabled != 0 && group >= x && group < end &&
        tia_drawn_by_four(tia, enabled, group)) {
        for (uint32_t i = end; i < group + 4; i++) {
            row[i] = tia_color(tia, enabled, tia_objects_at(tia, enabled, i), i);
        }
    }
}

// Advances the beam to `clock`. `picture` has MEGA_PICTURE_ROWS rows.
MEGA_NOINLINE void tia_plain_advance(mega_tia *tia, const mega_cartridge *cartridge, uint8_t *picture,
                                     int32_t clock, uint32_t what) {
    const int32_t end = tia_window_end(tia, cartridge);
    if (clock < tia_window_start(tia, cartridge) || tia->drawn_to >= end || tia->drawn_to >= clock) {
        return;
    }
    if (clock > end) {
        clock = end;
    }
    do {
        int32_t position = MEGA_CLOCKS_PER_LINE - tia->line_left;
        const uint32_t line_done = clock > tia->drawn_to + tia->line_left;
        int32_t count = line_done ? tia->line_left : clock - tia->drawn_to;
        tia->drawn_to += count;
        tia->line_left = line_done ? MEGA_CLOCKS_PER_LINE : tia->line_left - count;
        if (position < MEGA_CLOCKS_BLANK) {
            const int32_t blank = MEGA_CLOCKS_BLANK - position < count ? MEGA_CLOCKS_BLANK - position : count;
            position += blank;
            count -= blank;
        }
        const int32_t at = tia->picture_at;
        if (count > 0) {
            const int32_t x = position - MEGA_CLOCKS_BLANK;
            tia_plain_piece(tia, picture + (at - x), (uint32_t)x, (uint32_t)count, what);
            tia->picture_at = at + count;
        }
        if (tia->hmove_blank && position < MEGA_CLOCKS_BLANK + 8) {
            for (int32_t i = 0; i < MEGA_CLOCKS_BLANK + 8 - position && (what & TIA_PLAIN_DRAW) != 0; i++) {
                if (at + i < MEGA_WIDTH * MEGA_PICTURE_ROWS) {
                    picture[at + i] = 0;
                }
            }
            if (position + count >= MEGA_CLOCKS_BLANK + 8) {
                tia->hmove_blank = 0;
            }
        }
        if (line_done) {
            tia_end_line(tia);
        }
    } while (tia->drawn_to < clock);
}

// A write: the beam first, then the register.
MEGA_FN void tia_plain_write(mega_tia *tia, const mega_cartridge *cartridge, uint8_t *picture, uint32_t reg,
                             uint32_t value, int32_t clock, uint32_t what) {
    const uint32_t line_clock = tia_line_clock(tia, clock);
    int32_t resp = TIA_RESP_HIDE;
    tia_plain_advance(tia, cartridge, picture, clock + tia_delay(reg, line_clock), what);
    if (reg == TIA_RESP0 || reg == TIA_RESP1) {
        resp = tia_resp_case(tia, reg - TIA_RESP0, line_clock);
        if (resp == TIA_RESP_DISPLAY) {
            tia_plain_advance(tia, cartridge, picture, clock + 11, what);
        }
    }
    tia_apply(tia, cartridge, reg, value, clock, line_clock, resp);
}

#endif
