// mega_tia_blind.h - registers and beam of the TIA where nobody looks for pixels or collisions. Shared source.
//
// The same rules as in mega_tia_fast.h, without objects and lines. The beam moves only when a write depends on where it
// is: for most it is enough to know how far it has come in the end.
#ifndef MEGA_TIA_BLIND_H
#define MEGA_TIA_BLIND_H
#include "mega_tia_fast.h"

// The objects that a write may make visible, if it sets one of these bits.
MEGA_TABLE uint8_t tia_shows_object[64] = {
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    1u << MEGA_PF,
    1u << MEGA_PF,
    1u << MEGA_PF, // 00
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    1u << MEGA_P0,
    1u << MEGA_P1,
    1u << MEGA_M0,
    1u << MEGA_M1,
    1u << MEGA_BL, // 10
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0, // 20
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0, // 30
};
MEGA_TABLE uint8_t tia_shows_bits[64] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0xF0, 0xFF, 0xFF, // 00
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0x02, 0x02, 0x02, // 10
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0,    0,    0,    // 20
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0,    0,    0,    // 30
};

// Objects that may be seen before a register is written that shows one.
MEGA_FN uint32_t tia_latent_objects(const mega_tia *tia) {
    return (uint32_t)((tia->graphics[0] | tia->old_graphics[0]) != 0) << MEGA_P0 |
           (uint32_t)((tia->graphics[1] | tia->old_graphics[1]) != 0) << MEGA_P1 |
           (uint32_t)tia->enable_missile[0] << MEGA_M0 | (uint32_t)tia->enable_missile[1] << MEGA_M1 |
           (uint32_t)(tia->enable_ball | tia->old_enable_ball) << MEGA_BL |
           (uint32_t)(tia->playfield != 0) << MEGA_PF;
}

// The beam goes over the pixels that HMOVE blanks.
MEGA_INLINE void tia_blind_blank(mega_tia *tia, int32_t old_left, int32_t new_left) {
    if (tia->hmove_blank && old_left > TIA_LEFT_AFTER_BLANK && new_left <= TIA_LEFT_AFTER_BLANK) {
        tia->hmove_blank = 0;
    }
}

// tia_fast_advance without objects. What is known of the line in `line` is lost.
MEGA_INLINE void tia_blind_advance(mega_line *line, mega_tia *tia, int32_t clock) {
    if (clock <= tia->drawn_to || clock < line->window_start || tia->drawn_to >= line->window_end) {
        return;
    }
    if (clock > line->window_end) {
        clock = line->window_end;
    }
    while (clock > tia->drawn_to + tia->line_left) {
        tia_blind_blank(tia, tia->line_left, 0);
        tia->drawn_to += tia->line_left;
        tia->line_left = MEGA_CLOCKS_PER_LINE;
        tia_end_line(tia);
        line->row_at += MEGA_WIDTH;
    }
    const int32_t left = tia->line_left - (clock - tia->drawn_to);
    tia_blind_blank(tia, tia->line_left, left);
    tia->line_left = left;
    tia->drawn_to = clock;
}

// Must the beam have come up to this write? Ends of lines change what HMOVE, RESPn, CTRLPF and the star field leave.
MEGA_INLINE uint32_t tia_blind_needs_beam(const mega_tia *tia, const uint32_t reg, uint32_t value,
                                          int32_t clock) {
    switch (reg) {
    case TIA_HMOVE:
    case TIA_RESP0:
    case TIA_RESP1: return 1;
    case TIA_CTRLPF: return ((value ^ tia->ctrlpf) | (tia->ctrlpf ^ tia->pf_reflect)) & CTRLPF_REFLECT;
    case TIA_NUSIZ0:
    case TIA_RESM0:
    case TIA_RESMP0: return tia->star_field;
    case TIA_HMM0: return tia->star_field || clock == tia->last_hmove + 63;
    default: return 0;
    }
}

// One write; `reg` is constant here. `*far` is how far the writes so far take the beam: several pushes can fall on one
// cycle, and the first may be seen in the next line.
MEGA_INLINE void tia_blind_register(mega_line *line, mega_tia *tia, const mega_cartridge *cartridge,
                                    const uint32_t reg, uint32_t value, int32_t clock, int32_t *far) {
    const uint32_t line_clock = tia_line_clock(tia, clock);
    int32_t seen = clock + tia_delay(reg, line_clock), resp = TIA_RESP_HIDE;
    if (reg == TIA_RESP0 || reg == TIA_RESP1) {
        resp = tia_resp_case(tia, reg - TIA_RESP0, line_clock);
        seen = resp == TIA_RESP_DISPLAY ? clock + 11 : clock;
    }
    if (seen > *far) {
        *far = seen;
    }
    if (tia_blind_needs_beam(tia, reg, value, clock)) {
        tia_blind_advance(line, tia, *far);
    }
    tia_apply(tia, cartridge, reg, value, clock, line_clock, resp);
}

#define BLIND_CASE(reg)                                                   \
    case reg:                                                             \
        tia_blind_register(line, tia, cartridge, reg, value, clock, far); \
        break
#define BLIND_CASES4(reg)  \
    BLIND_CASE(reg);       \
    BLIND_CASE((reg) + 1); \
    BLIND_CASE((reg) + 2); \
    BLIND_CASE((reg) + 3)

MEGA_INLINE void tia_blind_write(mega_line *line, mega_tia *tia, const mega_cartridge *cartridge,
                                 uint32_t reg, uint32_t value, int32_t clock, int32_t *far) {
    switch (reg) {
        BLIND_CASE(TIA_VBLANK);
        BLIND_CASES4(0x04);
        BLIND_CASES4(0x08);
        BLIND_CASES4(0x0C);
        BLIND_CASES4(0x10);
        BLIND_CASE(TIA_RESBL);
        BLIND_CASE(TIA_GRP0);
        BLIND_CASES4(0x1C);
        BLIND_CASES4(0x20);
        BLIND_CASES4(0x24);
        BLIND_CASES4(0x28);
        BLIND_CASE(TIA_CXCLR);
    default: break;
    }
}
#undef BLIND_CASE
#undef BLIND_CASES4

#endif
