// mega_tia.h - TIA: what each register write changes. Shared source.
//
// The TIA here is a set of registers and a beam. Drawing is lazy: before a register changes, the beam is
// advanced to the clock at which the change becomes visible, and everything up to there is drawn with the
// old value. Two renderers exist: mega_tia_plain.h (a pixel at a time, the reference) and mega_tia_fast.h
// (a line at a time, as bit masks); both use the rules in this file.
#ifndef MEGA_TIA_H
#define MEGA_TIA_H
#include "mega_machine.h"

// Write registers.
enum {
    TIA_VSYNC = 0x00,
    TIA_VBLANK = 0x01,
    TIA_WSYNC = 0x02,
    TIA_NUSIZ0 = 0x04,
    TIA_NUSIZ1 = 0x05,
    TIA_COLUP0 = 0x06,
    TIA_COLUP1 = 0x07,
    TIA_COLUPF = 0x08,
    TIA_COLUBK = 0x09,
    TIA_CTRLPF = 0x0A,
    TIA_REFP0 = 0x0B,
    TIA_REFP1 = 0x0C,
    TIA_PF0 = 0x0D,
    TIA_PF1 = 0x0E,
    TIA_PF2 = 0x0F,
    TIA_RESP0 = 0x10,
    TIA_RESP1 = 0x11,
    TIA_RESM0 = 0x12,
    TIA_RESM1 = 0x13,
    TIA_RESBL = 0x14,
    TIA_AUDC0 = 0x15,
    TIA_AUDV1 = 0x1A,
    TIA_GRP0 = 0x1B,
    TIA_GRP1 = 0x1C,
    TIA_ENAM0 = 0x1D,
    TIA_ENAM1 = 0x1E,
    TIA_ENABL = 0x1F,
    TIA_HMP0 = 0x20,
    TIA_HMM0 = 0x22,
    TIA_HMBL = 0x24,
    TIA_VDELP0 = 0x25,
    TIA_VDELP1 = 0x26,
    TIA_VDELBL = 0x27,
    TIA_RESMP0 = 0x28,
    TIA_RESMP1 = 0x29,
    TIA_HMOVE = 0x2A,
    TIA_HMCLR = 0x2B,
    TIA_CXCLR = 0x2C,
    TIA_NOTHING = 0x3F // no register: an access that only advances the beam
};

// Bits of CTRLPF.
enum {
    CTRLPF_REFLECT = 1,
    CTRLPF_SCORE = 2,
    CTRLPF_PRIORITY = 4
};

// Clocks from a write to the moment it shows, for the registers where that is constant. The playfield's
// delay depends on the position in the line.
MEGA_INLINE int32_t tia_delay(uint32_t reg, uint32_t line_clock) {
    switch (reg) {
    case TIA_VBLANK:
    case TIA_REFP0:
    case TIA_REFP1:
    case TIA_GRP0:
    case TIA_GRP1: return 1;
    case TIA_NUSIZ0:
    case TIA_NUSIZ1:
    case TIA_RESM0:
    case TIA_RESM1: return 8;
    case TIA_PF0:
    case TIA_PF1:
    case TIA_PF2: {
        const uint32_t phase = line_clock / 3u % 4u;
        return (int32_t)(phase < 2 ? phase + 4u : phase);
    }
    default: return 0;
    }
}

// The registers for which that may be more than 0, as bits.
#define TIA_DELAYED                                                                                       \
    (1ull << TIA_VBLANK | 3ull << TIA_REFP0 | 3ull << TIA_GRP0 | 3ull << TIA_NUSIZ0 | 3ull << TIA_RESM0 | \
     7ull << TIA_PF0)

MEGA_FN uint32_t tia_line_clock(const mega_tia *tia, int32_t clock) {
    return (uint32_t)(clock - tia->frame_start) % MEGA_CLOCKS_PER_LINE;
}

// The beam's place in the line as a pixel number.
MEGA_FN uint32_t tia_beam_x(const mega_tia *tia) {
    const int32_t x = MEGA_CLOCKS_PER_LINE - MEGA_CLOCKS_BLANK - tia->line_left;
    return x > 0 ? (uint32_t)x : 0u;
}
// Clocks left in a line when the blank that HMOVE asks for, 8 pixels, has been shown.
#define TIA_LEFT_AFTER_BLANK (MEGA_CLOCKS_PER_LINE - MEGA_CLOCKS_BLANK - 8)

// Registers that matter when HMOVE is hit; but HMM0 may start the star field.
MEGA_INLINE uint32_t tia_is_motion(const uint32_t reg) {
    return reg >= TIA_HMP0 && reg <= TIA_HMBL && reg != TIA_HMM0;
}

// The display window, in clocks.
MEGA_FN int32_t tia_window_start(const mega_tia *tia, const mega_cartridge *cartridge) {
    return tia->frame_start + MEGA_CLOCKS_PER_LINE * (int32_t)cartridge->y_start;
}
MEGA_FN int32_t tia_window_end(const mega_tia *tia, const mega_cartridge *cartridge) {
    return tia_window_start(tia, cartridge) + MEGA_CLOCKS_PER_LINE * (int32_t)cartridge->height;
}

// Copies of a player or missile by NUSIZ bits 0..2: bit i is set when a copy stands at offset 16 * i.
MEGA_TABLE uint8_t tia_copies[8] = {0x01, 0x03, 0x05, 0x07, 0x11, 0x01, 0x15, 0x01};
// Width of a player in pixels per pattern bit, as a shift.
MEGA_FN uint32_t tia_player_shift(uint32_t nusiz) {
    const uint32_t mode = nusiz & 7u;
    return mode == 5 ? 1u : mode == 7 ? 2u : 0u;
}

MEGA_FN uint32_t tia_reverse_bits(uint32_t byte) {
    byte = (byte & 0xF0u) >> 4 | (byte & 0x0Fu) << 4;
    byte = (byte & 0xCCu) >> 2 | (byte & 0x33u) << 2;
    return (byte & 0xAAu) >> 1 | (byte & 0x55u) << 1;
}

// The pattern a player shows, bit 7 leftmost.
MEGA_FN uint32_t tia_player_pattern(const mega_tia *tia, uint32_t player) {
    const uint32_t pattern = tia->delay_player[player] ? tia->old_graphics[player] : tia->graphics[player];
    return tia->reflect[player] ? tia_reverse_bits(pattern) : pattern;
}
MEGA_FN uint32_t tia_missile_enabled(const mega_tia *tia, uint32_t missile) {
    return tia->enable_missile[missile] & (tia->missile_to_player[missile] ^ 1u);
}
MEGA_FN uint32_t tia_ball_enabled(const mega_tia *tia) {
    return tia->delay_ball ? tia->old_enable_ball : tia->enable_ball;
}
// Width of missile 0 or 1 in pixels; 0 while the star field hides it.
MEGA_FN uint32_t tia_missile_width(const mega_tia *tia, uint32_t missile) {
    uint32_t shift = tia->nusiz[missile] >> 4 & 3u;
    if (missile == 0 && tia->m0_override != MEGA_M0_NORMAL) {
        if (tia->m0_override == MEGA_M0_HIDDEN) {
            return 0;
        }
        shift |= 1u;
    }
    return 1u << shift;
}
// Objects whose registers could show something, wherever they stand.
MEGA_FN uint32_t tia_enabled_objects(const mega_tia *tia) {
    const uint32_t pattern0 = tia->delay_player[0] ? tia->old_graphics[0] : tia->graphics[0];
    const uint32_t pattern1 = tia->delay_player[1] ? tia->old_graphics[1] : tia->graphics[1];
    return (uint32_t)(pattern0 != 0) << MEGA_P0 | (uint32_t)(pattern1 != 0) << MEGA_P1 |
           tia_missile_enabled(tia, 0) << MEGA_M0 | tia_missile_enabled(tia, 1) << MEGA_M1 |
           tia_ball_enabled(tia) << MEGA_BL | (uint32_t)(tia->playfield != 0) << MEGA_PF;
}

// Collision bits for each set of objects that share a pixel.
MEGA_SMALL_TABLE uint16_t tia_collisions_of[64] = {
    0x0000, 0x0000, 0x0000, 0x8000, 0x0000, 0x0001, 0x0002, 0x8003, //
    0x0000, 0x0008, 0x0004, 0x800C, 0x4000, 0x4009, 0x4006, 0xC00F, //
    0x0000, 0x0010, 0x0040, 0x8050, 0x0100, 0x0111, 0x0142, 0x8153, //
    0x0400, 0x0418, 0x0444, 0x845C, 0x4500, 0x4519, 0x4546, 0xC55F, //
    0x0000, 0x0020, 0x0080, 0x80A0, 0x0200, 0x0221, 0x0282, 0x82A3, //
    0x0800, 0x0828, 0x0884, 0x88AC, 0x4A00, 0x4A29, 0x4A86, 0xCAAF, //
    0x2000, 0x2030, 0x20C0, 0xA0F0, 0x2300, 0x2331, 0x23C2, 0xA3F3, //
    0x2C00, 0x2C38, 0x2CC4, 0xACFC, 0x6F00, 0x6F39, 0x6FC6, 0xEFFF,
};

// ---- positions ---------------------------------------------------------------------------------------

// What RESPn does to the copies of the player, by where the new position falls relative to the old copies.
enum {
    TIA_RESP_DISPLAY,
    TIA_RESP_DELAY,
    TIA_RESP_HIDE
};

MEGA_FN uint32_t tia_resp_position(uint32_t line_clock) {
    return line_clock < MEGA_CLOCKS_BLANK ? 3u : (line_clock - MEGA_CLOCKS_BLANK + 5u) % MEGA_WIDTH;
}

// For a player that stands at `old` with these copies (NUSIZ).
MEGA_SELDOM int32_t tia_resp_case_of(uint32_t old, uint32_t nusiz, uint32_t line_clock) {
    const uint32_t position = tia_resp_position(line_clock);
    const uint32_t distance = (position + MEGA_WIDTH - old) % MEGA_WIDTH;
    const uint32_t width = 8u << tia_player_shift(nusiz);
    const uint32_t copies = tia_copies[nusiz & 7u];
    for (uint32_t copy = 0; copy < 5; copy++) {
        const uint32_t offset = 16u * copy;
        if ((copies >> copy & 1u) == 0 || distance < offset) {
            continue;
        }
        if (distance - offset < 4) {
            return TIA_RESP_DELAY;
        }
        if (distance - offset < 4 + width) {
            return TIA_RESP_DISPLAY;
        }
    }
    return TIA_RESP_HIDE;
}
MEGA_FN int32_t tia_resp_case(const mega_tia *tia, uint32_t player, uint32_t line_clock) {
    return tia_resp_case_of(tia->position[player], tia->nusiz[player], line_clock);
}

// RESM0, RESM1, RESBL: the new position, `age` clocks after the last HMOVE. Some right after one are special: the
// games that the reference's authors looked at need them.
MEGA_SELDOM uint32_t tia_reset_place(uint32_t reg, int32_t age, uint32_t line_clock) {
    uint32_t position =
        line_clock < MEGA_CLOCKS_BLANK ? 2u : (line_clock - MEGA_CLOCKS_BLANK + 4u) % MEGA_WIDTH;
    if (reg == TIA_RESM0) {
        if (age == 60 && line_clock == 69) {
            position = 8;
        }
    } else if (reg == TIA_RESM1) {
        if (age == 9 && line_clock == 18) {
            position = 3;
        }
    } else if (age == 54 && (line_clock == 60 || line_clock == 69)) {
        position = 10;
    } else if (age == 9 && line_clock == 18) {
        position = 3;
    } else if (age == 21 && line_clock == 30) {
        position = 6;
    } else if (age == 18 && line_clock == 27) {
        position = 5;
    }
    return position;
}
MEGA_FN void tia_reset_position(mega_tia *tia, uint32_t reg, int32_t clock, uint32_t line_clock) {
    tia->position[reg - TIA_RESM0 + MEGA_M0] =
        (uint8_t)tia_reset_place(reg, clock - tia->last_hmove, line_clock);
    if (reg == TIA_RESM0) {
        tia->m0_override = MEGA_M0_NORMAL;
    }
}

// Limits of the motion by HMOVE at cycles 4..20 (a least motion to the right) and 55..74 (the motion that the
// comb of extra clocks still allows).
MEGA_SMALL_TABLE int8_t tia_hmove_least[17] = {-6, -5, -5, -4, -3, -2, -2, -1, 0, 1, 1, 2, 3, 4, 4, 5, 6};
MEGA_SMALL_TABLE int8_t tia_hmove_late[20] = {6,  5,  4,  4,  3,  2,  1,  1,  0,  -1,
                                              -2, -2, -3, -4, -5, -5, -6, -7, -8, -8};

MEGA_FN int32_t tia_motion(uint32_t cycle, uint32_t nibble) {
    const int32_t motion = nibble < 8 ? -(int32_t)nibble : 16 - (int32_t)nibble;
    if (cycle <= 3 || cycle == 75) {
        return motion;
    }
    if (cycle <= 20) {
        const int32_t least = tia_hmove_least[cycle - 4];
        return motion > least ? motion : least;
    }
    if (cycle <= 54) {
        return 0;
    }
    const int32_t late = motion + tia_hmove_late[cycle - 55];
    return late < 0 ? late : 0;
}

// Most programs strobe HMOVE on every line with all motions at 0: then nothing moves, unless it is late.
MEGA_FN uint32_t tia_hmove_is_still(const mega_tia *tia, uint32_t cycle) {
    const uint32_t any =
        (uint32_t)tia->motion[0] | tia->motion[1] | tia->motion[2] | tia->motion[3] | tia->motion[4];
    return any == 0 && cycle <= 12;
}

MEGA_FN uint32_t tia_wrap_position(int32_t position) {
    return (uint32_t)(position < 0             ? position + MEGA_WIDTH
                      : position >= MEGA_WIDTH ? position - MEGA_WIDTH
                                               : position);
}
// HMOVE at the beginning of a line moves by what the registers say.
MEGA_FN uint32_t tia_hmove_is_usual(uint32_t cycle) {
    return cycle <= 3 || cycle == 75;
}
MEGA_SELDOM void tia_move_objects(mega_tia *tia, uint32_t cycle) {
    if (tia_hmove_is_usual(cycle)) {
        for (uint32_t object = 0; object < 5; object++) {
            const int32_t nibble = tia->motion[object];
            const int32_t moved = tia->position[object] + (nibble < 8 ? 0 : 16) - nibble;
            tia->position[object] = (uint8_t)tia_wrap_position(moved);
        }
        return;
    }
    for (uint32_t object = 0; object < 5; object++) {
        const int32_t moved = tia->position[object] + tia_motion(cycle, tia->motion[object]);
        tia->position[object] = (uint8_t)tia_wrap_position(moved);
    }
}

// The objects that HMOVE would move, as bits.
MEGA_FN uint32_t tia_moved_by_hmove(const mega_tia *tia, uint32_t cycle) {
    uint32_t objects = 0;
    if (tia_hmove_is_still(tia, cycle)) {
        return 0;
    }
    for (uint32_t object = 0; object < 5; object++) {
        const uint32_t moves = tia_hmove_is_usual(cycle) ? tia->motion[object] != 0
                                                         : tia_motion(cycle, tia->motion[object]) != 0;
        objects |= moves << object;
    }
    return objects;
}

MEGA_FN void tia_hmove(mega_tia *tia, const mega_cartridge *cartridge, int32_t clock, uint32_t line_clock) {
    const uint32_t cycle = line_clock / 3u;
    if (!tia_hmove_is_still(tia, cycle)) {
        tia_move_objects(tia, cycle);
    }
    if ((cycle <= 20 || cycle == 75) && cartridge->hmove_blanks) {
        tia->hmove_blank = 1;
    }
    tia->first_hidden[0] = 0;
    tia->first_hidden[1] = 0;
    tia->m0_override = MEGA_M0_NORMAL;
    tia->last_hmove = clock;
    tia->star_field = 0;
}

// What happens when the beam passes the end of a line of the window.
MEGA_FN void tia_end_line(mega_tia *tia) {
    tia->pf_reflect = tia->ctrlpf & CTRLPF_REFLECT;
    tia->first_hidden[0] = 0;
    tia->first_hidden[1] = 0;
    if (tia->star_field) {
        // "Cosmic Ark": missile 0 moves on every line and changes its shape.
        tia->star_counter = (uint8_t)((tia->star_counter + 1u) & 3u);
        const uint32_t step = tia->star_counter == 0   ? 18u
                              : tia->star_counter == 1 ? 33u
                              : tia->star_counter == 2 ? 0u
                                                       : 17u;
        tia->position[MEGA_M0] = (uint8_t)((tia->position[MEGA_M0] + MEGA_WIDTH - step) % MEGA_WIDTH);
        tia->m0_override = tia->star_counter == 1   ? MEGA_M0_WIDE
                           : tia->star_counter == 2 ? MEGA_M0_HIDDEN
                                                    : MEGA_M0_NORMAL;
    } else {
        tia->m0_override = MEGA_M0_NORMAL;
    }
}

// ---- register writes ---------------------------------------------------------------------------------

// Changes the registers; the beam has been advanced already. For RESPn `resp` is the case found before.
MEGA_INLINE void tia_apply(mega_tia *tia, const mega_cartridge *cartridge, uint32_t reg, uint32_t value,
                           int32_t clock, uint32_t line_clock, int32_t resp) {
    switch (reg) {
    case TIA_VBLANK: tia->vblank = (uint8_t)(value & 2u); break;
    case TIA_NUSIZ0:
        tia->m0_override = MEGA_M0_NORMAL;
        tia->nusiz[0] = (uint8_t)(value & 0x37u);
        tia->first_hidden[0] = 0;
        break;
    case TIA_NUSIZ1:
        tia->nusiz[1] = (uint8_t)(value & 0x37u);
        tia->first_hidden[1] = 0;
        break;
    case TIA_COLUP0:
    case TIA_COLUP1:
    case TIA_COLUPF:
    case TIA_COLUBK: tia->colors[reg - TIA_COLUP0] = (uint8_t)((value & 0xFEu) | tia->color_loss); break;
    case TIA_CTRLPF:
        tia->ctrlpf = (uint8_t)(value & 0x37u);
        if (line_clock < 147) {
            tia->pf_reflect = (uint8_t)(value & CTRLPF_REFLECT);
        }
        break;
    case TIA_REFP0:
    case TIA_REFP1: tia->reflect[reg - TIA_REFP0] = (uint8_t)(value >> 3 & 1u); break;
    case TIA_PF0: tia->playfield = (tia->playfield & 0xFFFF0u) | (value >> 4 & 0xFu); break;
    case TIA_PF1: tia->playfield = (tia->playfield & 0xFF00Fu) | value << 4; break;
    case TIA_PF2: tia->playfield = (tia->playfield & 0x00FFFu) | value << 12; break;
    case TIA_RESP0:
    case TIA_RESP1:
        tia->position[reg - TIA_RESP0] = (uint8_t)tia_resp_position(line_clock);
        tia->first_hidden[reg - TIA_RESP0] = resp != TIA_RESP_DELAY;
        break;
    case TIA_RESM0:
    case TIA_RESM1:
    case TIA_RESBL: tia_reset_position(tia, reg, clock, line_clock); break;
    case TIA_GRP0:
        tia->graphics[0] = (uint8_t)value;
        tia->old_graphics[1] = tia->graphics[1];
        break;
    case TIA_GRP1:
        tia->graphics[1] = (uint8_t)value;
        tia->old_graphics[0] = tia->graphics[0];
        tia->old_enable_ball = tia->enable_ball;
        break;
    case TIA_ENAM0:
    case TIA_ENAM1: tia->enable_missile[reg - TIA_ENAM0] = (uint8_t)(value >> 1 & 1u); break;
    case TIA_ENABL: tia->enable_ball = (uint8_t)(value >> 1 & 1u); break;
    case TIA_HMM0:
        if (clock == tia->last_hmove + 63 && tia->motion[MEGA_M0] == 7 && value >> 4 == 6) {
            tia->star_field = 1;
            tia->star_counter = 0;
        }
        tia->motion[MEGA_M0] = (uint8_t)(value >> 4);
        break;
    case TIA_HMP0:
    case TIA_HMP0 + 1:
    case TIA_HMM0 + 1:
    case TIA_HMBL: tia->motion[reg - TIA_HMP0] = (uint8_t)(value >> 4); break;
    case TIA_VDELP0:
    case TIA_VDELP1: tia->delay_player[reg - TIA_VDELP0] = (uint8_t)(value & 1u); break;
    case TIA_VDELBL: tia->delay_ball = (uint8_t)(value & 1u); break;
    case TIA_RESMP0:
    case TIA_RESMP1: {
        const uint32_t n = reg - TIA_RESMP0;
        if (tia->missile_to_player[n] && (value & 2u) == 0) {
            const uint32_t middle = 4u << tia_player_shift(tia->nusiz[n]);
            tia->position[MEGA_M0 + n] = (uint8_t)((tia->position[n] + middle) % MEGA_WIDTH);
            if (n == 0) {
                tia->m0_override = MEGA_M0_NORMAL;
            }
        }
        tia->missile_to_player[n] = (uint8_t)(value >> 1 & 1u);
        break;
    }
    case TIA_HMOVE: tia_hmove(tia, cartridge, clock, line_clock); break;
    case TIA_HMCLR:
        for (uint32_t object = 0; object < 5; object++) {
            tia->motion[object] = 0;
        }
        break;
    case TIA_CXCLR: tia->collisions = 0; break;
    default: break;
    }
}

// Registers and beam at a system reset; the picture is cleared by the caller.
MEGA_FN void tia_reset(mega_tia *tia) {
    uint8_t *bytes = (uint8_t *)tia;
    for (uint32_t i = 0; i < sizeof(mega_tia); i++) {
        bytes[i] = 0;
    }
    tia->line_left = MEGA_CLOCKS_PER_LINE;
}

#endif
