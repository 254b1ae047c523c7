// mega_ahead.h - the TIA ahead of its picture: lines that can be drawn in any order. Shared source.
//
// Where many threads share a console (a GPU), a replay of the log from its beginning is a queue. So there the
// registers are brought up to date as they are written, and the log also keeps segments: what the picture was made
// of from one pixel on, until the next segment. Writes in the dark part of a line end up in one segment, and those
// that change nothing visible in none. A line can then be collided or drawn by anybody, at any time before the log
// is used again, without knowing what a register is. What is owed is a range of pixels: those whose collisions
// nobody has asked for yet.
//
// Everything else is as in mega_picture.h, and gives the same bytes.
#ifndef MEGA_AHEAD_H
#define MEGA_AHEAD_H
#include "mega_tia_mask.h"

#if MEGA_AHEAD

// ---- segments --------------------------------------------------------------------------------------------

// Places of the bits of mega_segment.field and .objects.
enum {
    FIELD_REFLECT = 20, // below it: the 20 cells of the left half, bit 0 leftmost
    FIELD_SCORE,
    FIELD_PRIORITY,
    FIELD_BLANK,      // vertical blank: black, and nothing collides
    FIELD_ALONE,      // the playfield is the only object enabled
    FIELD_BALL,       // 1: there is a ball ...
    FIELD_BALL_WIDTH, // ... log2 of its width, 2 bits
    OBJECT_MODE = 16, // below it: patterns of the players, 8 bits each, bit 0 leftmost; here 3 bits each
    OBJECT_HIDDEN = 22,
    OBJECT_MISSILE = 24 // 3 bits each: 0, or 1 + log2 of the width
};

// Parts of a segment that a register is part of.
enum {
    PART_FIELD = 1,
    PART_PLAYER0 = 2, // the missile goes with its player
    PART_PLAYER1 = 4,
    PART_PLACES = 8,
    PART_COLORS = 16,
    PART_ALL = 31
};
#define PART_PLAYERS (PART_PLAYER0 | PART_PLAYER1)
MEGA_TABLE uint8_t ahead_parts[64] = {
    0,            // VSYNC
    PART_FIELD,   // VBLANK
    0,            // WSYNC
    0,            // RSYNC
    PART_PLAYER0, // NUSIZ0
    PART_PLAYER1, // NUSIZ1
    PART_COLORS,
    PART_COLORS,
    PART_COLORS,
    PART_COLORS,
    PART_FIELD, // CTRLPF
    PART_PLAYER0,
    PART_PLAYER1, // REFP
    PART_FIELD,
    PART_FIELD,
    PART_FIELD,                 // PF
    PART_PLACES | PART_PLAYER0, // RESP0
    PART_PLACES | PART_PLAYER1, // RESP1
    PART_PLACES | PART_PLAYER0, // RESM0
    PART_PLACES,
    PART_PLACES, // RESM1, RESBL
    0,
    0,
    0,
    0,
    0,
    0,                         // sound
    PART_PLAYERS,              // GRP0
    PART_PLAYERS | PART_FIELD, // GRP1: the ball's copy, too
    PART_PLAYER0,
    PART_PLAYER1, // ENAM
    PART_FIELD,   // ENABL
    0,
    0,
    0,
    0,
    0, // HM
    PART_PLAYER0,
    PART_PLAYER1,               // VDELP
    PART_FIELD,                 // VDELBL
    PART_PLACES | PART_PLAYER0, // RESMP0
    PART_PLACES | PART_PLAYER1, // RESMP1
    PART_PLACES | PART_PLAYERS, // HMOVE
};

MEGA_FN uint32_t ahead_pack_field(const mega_tia *tia) {
    const uint32_t cells = (tia->playfield & 0xFF00Fu) | tia_reverse_bits(tia->playfield >> 4 & 0xFFu) << 4;
    const uint32_t both = CTRLPF_SCORE | CTRLPF_PRIORITY; // only then it matters what else is enabled
    const uint32_t alone = (tia->ctrlpf & both) == both && tia_enabled_objects(tia) == 1u << MEGA_PF;
    return cells | (uint32_t)tia->pf_reflect << FIELD_REFLECT |
           (uint32_t)((tia->ctrlpf & CTRLPF_SCORE) != 0) << FIELD_SCORE |
           (uint32_t)((tia->ctrlpf & CTRLPF_PRIORITY) != 0) << FIELD_PRIORITY |
           (uint32_t)(tia->vblank != 0) << FIELD_BLANK | alone << FIELD_ALONE |
           tia_ball_enabled(tia) << FIELD_BALL | (tia->ctrlpf >> 4 & 3u) << FIELD_BALL_WIDTH;
}

MEGA_FN uint32_t ahead_pack_player(const mega_tia *tia, uint32_t n) {
    const uint32_t shown = tia->delay_player[n] ? tia->old_graphics[n] : tia->graphics[n];
    const uint32_t pattern = tia->reflect[n] ? shown : tia_reverse_bits(shown);
    const uint32_t width = tia_missile_enabled(tia, n) ? tia_missile_width(tia, n) : 0u;
    const uint32_t code = width == 0 ? 0u : 1u + (width > 1) + (width > 2) + (width > 4);
    return pattern << 8u * n | (uint32_t)(tia->nusiz[n] & 7u) << (OBJECT_MODE + 3u * n) |
           (uint32_t)tia->first_hidden[n] << (OBJECT_HIDDEN + n) | code << (OBJECT_MISSILE + 3u * n);
}
#define OBJECTS_OF_PLAYER0 (0xFFu | 7u << OBJECT_MODE | 1u << OBJECT_HIDDEN | 7u << OBJECT_MISSILE)

MEGA_FN uint32_t ahead_pack_four(const uint8_t bytes[4]) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

// Brings the parts of a segment up to date that may have changed.
MEGA_FN void ahead_pack(const mega_tia *tia, uint32_t row, uint32_t x, uint32_t parts,
                        mega_segment *segment) {
    if ((parts & PART_FIELD) != 0) {
        segment->field = ahead_pack_field(tia);
    }
    if ((parts & PART_PLAYER0) != 0) {
        segment->objects = (segment->objects & ~OBJECTS_OF_PLAYER0) | ahead_pack_player(tia, 0);
    }
    if ((parts & PART_PLAYER1) != 0) {
        segment->objects = (segment->objects & OBJECTS_OF_PLAYER0) | ahead_pack_player(tia, 1);
    }
    if ((parts & PART_PLACES) != 0) {
        segment->positions = ahead_pack_four(tia->position);
    }
    if ((parts & PART_COLORS) != 0) {
        segment->colors = ahead_pack_four(tia->colors);
    }
    segment->from = x | row << 8 | (uint32_t)tia->position[MEGA_BL] << 24;
}

#define SEGMENT_ROW(from) ((from) >> 8 & 0x1FFu)
#define SEGMENT_X(from) ((from)&0xFFu)
// Pixels counted from the top left corner.
#define SEGMENT_PLACE(from) (MEGA_WIDTH * SEGMENT_ROW(from) + SEGMENT_X(from))

// ---- the beam --------------------------------------------------------------------------------------------

MEGA_FN uint32_t ahead_place(const mega_machine *m) {
    return MEGA_WIDTH * m->ahead.row + tia_beam_x(&m->console->tia);
}

// Collisions are known up to where the beam is.
MEGA_FN void ahead_settle(mega_machine *m) {
    m->ahead.owed = ahead_place(m);
    m->ahead.owed_segment = m->ahead.segments != 0 ? m->ahead.segments - 1u : 0u;
}

// Starts a request where the TIA stands now.
MEGA_FN void ahead_begin(mega_machine *m) {
    const mega_tia *tia = &m->console->tia;
    mega_ahead *ahead = &m->ahead;
    ahead->window_start = tia_window_start(tia, m->cartridge);
    ahead->window_end = tia_window_end(tia, m->cartridge);
    ahead->row = (uint32_t)(tia->picture_at - (int32_t)tia_beam_x(tia)) / MEGA_WIDTH;
    ahead->segments = 0;
    ahead->changed = PART_ALL;
    ahead_settle(m);
}

// The beam is about to leave pixel x of its row.
MEGA_FN void ahead_leave(mega_machine *m, uint32_t x) {
    mega_ahead *ahead = &m->ahead;
    const uint32_t is_first = ahead->segments == 0;
    if (ahead->changed) {
        const mega_segment last = ahead->last;
        mega_segment next = last;
        ahead_pack(&m->console->tia, ahead->row, x, ahead->changed, &next);
        ahead->changed = 0;
        if (is_first ||
            ((next.from ^ last.from) >> 24 | (next.field ^ last.field) | (next.objects ^ last.objects) |
             (next.positions ^ last.positions) | (next.colors ^ last.colors)) != 0) {
            log_put_segment(m->run.log, ahead->segments++, &next);
            ahead->last = next;
        }
    }
    if (x == 0 || is_first) {
        m->run.log->first[ahead->row] = (uint16_t)(ahead->segments - 1u);
    }
}

// The beam goes to `clock`. The rules of tia_fast_advance.
MEGA_FN void ahead_advance(mega_machine *m, int32_t clock) {
    mega_tia *tia = &m->console->tia;
    mega_ahead *ahead = &m->ahead;
    if (clock <= tia->drawn_to || clock < ahead->window_start || tia->drawn_to >= ahead->window_end) {
        return;
    }
    if (clock > ahead->window_end) {
        clock = ahead->window_end;
    }
    for (;;) {
        const uint32_t past_end = clock > tia->drawn_to + tia->line_left;
        const int32_t left = past_end ? 0 : tia->line_left - (clock - tia->drawn_to);
        const uint32_t x = tia_beam_x(tia);
        if (left < MEGA_CLOCKS_PER_LINE - MEGA_CLOCKS_BLANK && x < MEGA_WIDTH) {
            ahead_leave(m, x);
        }
        if (tia->hmove_blank && tia->line_left > TIA_LEFT_AFTER_BLANK && left <= TIA_LEFT_AFTER_BLANK) {
            tia->hmove_blank = 0;
            m->run.log->first[ahead->row] |= MEGA_ROW_BLANKED;
        }
        if (!past_end) {
            tia->line_left = left;
            tia->drawn_to = clock;
            return;
        }
        tia->drawn_to += tia->line_left;
        tia->line_left = MEGA_CLOCKS_PER_LINE;
        if ((tia->first_hidden[0] | tia->first_hidden[1] | tia->star_field | tia->m0_override |
             (tia->pf_reflect ^ (tia->ctrlpf & CTRLPF_REFLECT))) != 0) {
            ahead->changed = PART_ALL;
        }
        tia_end_line(tia);
        ahead->row++;
    }
}

// A write has just been logged: brings the beam to where it is seen. Returns the case of RESPn.
MEGA_INLINE int32_t ahead_prepare(mega_machine *m, uint32_t reg, uint32_t cycles, uint32_t *line_clock) {
    const mega_tia *tia = &m->console->tia;
    const int32_t clock = (int32_t)(3u * cycles);
    const uint32_t both = CTRLPF_SCORE | CTRLPF_PRIORITY;
    int32_t resp = TIA_RESP_HIDE;
    *line_clock = tia_line_clock(tia, clock);
    if (!tia_is_motion(reg)) {
        ahead_advance(m, clock + tia_delay(reg, *line_clock));
    }
    if (reg == TIA_RESP0 || reg == TIA_RESP1) {
        resp = tia_resp_case(tia, reg - TIA_RESP0, *line_clock);
        if (resp == TIA_RESP_DISPLAY) {
            ahead_advance(m, clock + 11);
        }
    }
    if (reg == TIA_CXCLR) {
        ahead_settle(m); // whatever was owed is forgotten
    }
    m->ahead.changed |= ahead_parts[reg] | ((tia->ctrlpf & both) == both ? (uint32_t)PART_FIELD : 0u);
    return resp;
}
MEGA_INLINE void ahead_apply(mega_machine *m, uint32_t reg, uint32_t value, uint32_t cycles) {
    uint32_t line_clock;
    const int32_t resp = ahead_prepare(m, reg, cycles, &line_clock);
    tia_apply(&m->console->tia, m->cartridge, reg, value, (int32_t)(3u * cycles), line_clock, resp);
}
MEGA_NOINLINE void ahead_write(mega_machine *m, uint32_t reg, uint32_t value, uint32_t cycles) {
    ahead_apply(m, reg, value, cycles);
}

// A write and the end of each line can add a segment; the log must have room for the rest of the screen.
#define AHEAD_ROOM (MEGA_SEGMENTS - (MEGA_PICTURE_ROWS + 4u))
MEGA_FN uint32_t ahead_is_full(const mega_machine *m) {
    return m->ahead.segments >= AHEAD_ROOM;
}

// ---- masks -----------------------------------------------------------------------------------------------

// All of this looks at 32 pixels of a line, the group number `group` of five.
#define MEGA_GROUPS (MEGA_WIDTH / 32)

// An object before it is placed: 160 pixels from its own left edge on; only the first three words can be set.
// NUSIZ puts copies at 16, 32 and 64.
typedef struct mega_strip_bits {
    uint32_t word[3];
} mega_strip_bits;

#define COPIES_AT_16 0x0Au // modes, as bits
#define COPIES_AT_32 0x4Cu
#define COPIES_AT_64 0x50u

// `first` and copies of `bits`, which has up to 8.
MEGA_FN mega_strip_bits strip_of(uint32_t first, uint32_t bits, uint32_t mode) {
    mega_strip_bits strip;
    strip.word[0] = first | (COPIES_AT_16 >> mode & 1u) * bits << 16;
    strip.word[1] = (COPIES_AT_32 >> mode & 1u) * bits;
    strip.word[2] = (COPIES_AT_64 >> mode & 1u) * bits;
    return strip;
}

// What a group shows of an object whose left edge is at pixel x (below 320) and which wraps around the line.
MEGA_FN uint32_t group_place(mega_strip_bits strip, uint32_t x, uint32_t group) {
    const uint32_t at = x < MEGA_WIDTH ? x : x - MEGA_WIDTH;
    const uint32_t edge =
        32u * group + (32u * group < at ? MEGA_WIDTH : 0u) - at; // the group's, in the strip
    const uint32_t word = edge / 32u;
    const uint32_t left = word == 0 ? strip.word[0] : word == 1 ? strip.word[1] : strip.word[2];
    const uint32_t right = word == 0 ? strip.word[1] : word == 1 ? strip.word[2] : strip.word[0];
    return MEGA_FUNNEL(word < 3 ? left : 0u, word < 2 || word == 4 ? right : 0u, edge % 32u);
}

MEGA_FN uint32_t group_player(const mega_segment *segment, uint32_t n, uint32_t group) {
    const uint32_t pattern = segment->objects >> 8u * n & 0xFFu;
    const uint32_t mode = segment->objects >> (OBJECT_MODE + 3u * n) & 7u;
    const uint32_t hidden = segment->objects >> (OBJECT_HIDDEN + n) & 1u;
    uint32_t position = segment->positions >> 8u * n & 0xFFu, first = pattern;
    if (pattern == 0) {
        return 0;
    }
    if (mode == 5 || mode == 7) {
        first = mode == 5 ? tia_stretch2(pattern) : tia_stretch4(pattern);
        position++;
    }
    return group_place(strip_of(hidden ? 0u : first, pattern, mode), position, group);
}

MEGA_FN uint32_t group_missile(const mega_segment *segment, uint32_t n, uint32_t group) {
    const uint32_t code = segment->objects >> (OBJECT_MISSILE + 3u * n) & 7u;
    const uint32_t mode = segment->objects >> (OBJECT_MODE + 3u * n) & 7u;
    const uint32_t position = segment->positions >> (16u + 8u * n) & 0xFFu;
    const uint32_t bits = (1u << (1u << code >> 1)) - 1u;
    return code != 0 ? group_place(strip_of(bits, bits, mode), position, group) : 0u;
}

MEGA_FN uint32_t group_ball(const mega_segment *segment, uint32_t group) {
    const uint32_t width = 1u << (segment->field >> FIELD_BALL_WIDTH & 3u);
    if ((segment->field >> FIELD_BALL & 1u) == 0) {
        return 0;
    }
    return group_place(strip_of((1u << width) - 1u, 0, 0), segment->from >> 24, group);
}

MEGA_FN uint32_t group_playfield(const mega_segment *segment, uint32_t group) {
    const uint32_t left = segment->field & 0xFFFFFu;
    const uint32_t right = (segment->field >> FIELD_REFLECT & 1u) != 0 ? MEGA_REVERSE32(left) >> 12 : left;
    // Eight cells: groups 0, 1 from the left half, 3, 4 from the right, 2 from both.
    const uint32_t cells = group < 2    ? left >> 8u * group
                           : group == 2 ? left >> 16 | right << 4
                                        : right >> (8u * group - 20u);
    return tia_stretch4(cells & 0xFFu);
}

// Objects that may be somewhere in a line of this segment.
MEGA_FN uint32_t segment_objects(const mega_segment *segment) {
    const uint32_t objects = segment->objects;
    return (uint32_t)((objects & 0xFFu) != 0) << MEGA_P0 | (uint32_t)((objects & 0xFF00u) != 0) << MEGA_P1 |
           (uint32_t)((objects >> OBJECT_MISSILE & 7u) != 0) << MEGA_M0 |
           (uint32_t)((objects >> (OBJECT_MISSILE + 3) & 7u) != 0) << MEGA_M1 |
           (segment->field >> FIELD_BALL & 1u) << MEGA_BL |
           (uint32_t)((segment->field & 0xFFFFFu) != 0) << MEGA_PF;
}

// The pixels of a group that lie in from .. end - 1.
MEGA_FN uint32_t group_range(uint32_t group, uint32_t from, uint32_t end) {
    const uint32_t low = from > 32u * group ? from - 32u * group : 0u;
    const uint32_t high = end > 32u * group ? end - 32u * group : 0u;
    const uint32_t below_low = low < 32 ? (1u << low) - 1u : 0xFFFFFFFFu;
    const uint32_t below_high = high < 32 ? (1u << high) - 1u : 0xFFFFFFFFu;
    return below_high & ~below_low;
}

MEGA_FN uint32_t group_collide(const mega_segment *segment, uint32_t group, uint32_t range) {
    const uint32_t p0 = group_player(segment, 0, group) & range, p1 = group_player(segment, 1, group) & range;
    const uint32_t m0 = group_missile(segment, 0, group) & range;
    const uint32_t m1 = group_missile(segment, 1, group) & range;
    const uint32_t bl = group_ball(segment, group) & range, pf = group_playfield(segment, group) & range;
    uint32_t bits = 0;
    bits |= (m0 & p0) != 0 ? 0x0001u : 0u;
    bits |= (m0 & p1) != 0 ? 0x0002u : 0u;
    bits |= (m1 & p1) != 0 ? 0x0004u : 0u;
    bits |= (m1 & p0) != 0 ? 0x0008u : 0u;
    bits |= (p0 & bl) != 0 ? 0x0010u : 0u;
    bits |= (p0 & pf) != 0 ? 0x0020u : 0u;
    bits |= (p1 & bl) != 0 ? 0x0040u : 0u;
    bits |= (p1 & pf) != 0 ? 0x0080u : 0u;
    bits |= (m0 & bl) != 0 ? 0x0100u : 0u;
    bits |= (m0 & pf) != 0 ? 0x0200u : 0u;
    bits |= (m1 & bl) != 0 ? 0x0400u : 0u;
    bits |= (m1 & pf) != 0 ? 0x0800u : 0u;
    bits |= (bl & pf) != 0 ? 0x2000u : 0u;
    bits |= (m0 & m1) != 0 ? 0x4000u : 0u;
    bits |= (p0 & p1) != 0 ? 0x8000u : 0u;
    return bits;
}

// The pixels of a group that show each of the three object colours; the rest is background.
typedef struct mega_group_colors {
    uint32_t player0, player1, playfield;
} mega_group_colors;

MEGA_FN mega_group_colors group_colors(const mega_segment *segment, uint32_t group) {
    const uint32_t left = group < 2 ? 0xFFFFFFFFu : group == 2 ? 0xFFFFu : 0u;
    const uint32_t score = segment->field >> FIELD_SCORE & 1u;
    const uint32_t side0 = group_player(segment, 0, group) | group_missile(segment, 0, group);
    const uint32_t side1 = group_player(segment, 1, group) | group_missile(segment, 1, group);
    const uint32_t ball = group_ball(segment, group), cells = group_playfield(segment, group);
    mega_group_colors out;
    if ((segment->field >> FIELD_PRIORITY & 1u) != 0) {
        const uint32_t front = cells | ball;
        const uint32_t quirk = score && (segment->field >> FIELD_ALONE & 1u) != 0;
        out.player0 = quirk ? front & left : side0 & ~front;
        out.player1 = quirk ? front & ~left : side1 & ~front & ~out.player0;
        out.playfield = quirk ? 0u : front;
    } else {
        out.player0 = side0 | (score ? cells & left : 0u);
        out.player1 = (side1 | (score ? cells & ~left : 0u)) & ~out.player0;
        out.playfield = ((score ? 0u : cells) | ball) & ~out.player0 & ~out.player1;
    }
    return out;
}

// ---- rows ------------------------------------------------------------------------------------------------

// Where segment number i of a row ends.
MEGA_FN uint32_t segment_end(const mega_log *log, uint32_t count, uint32_t i, uint32_t row) {
    if (i + 1u >= count || SEGMENT_ROW(log->from[i + 1u]) != row) {
        return MEGA_WIDTH;
    }
    return SEGMENT_X(log->from[i + 1u]);
}

// Draws the pixels of a row that are left of `until`, in shades or, without them, in colours. `row` is a multiple of 8. An
// edge that HMOVE blanked must be among them.
MEGA_FN void ahead_draw_until(const mega_log *log, const uint8_t *shades, uint32_t y, uint32_t until,
                              uint8_t *row) {
    const uint32_t first = log->first[y];
    for (uint32_t i = first & ~MEGA_ROW_BLANKED, start = 0; start < until; i++) {
        const uint32_t next = segment_end(log, log->segments, i, y);
        const uint32_t end = until < MEGA_WIDTH && next > until ? until : next; // whole rows ask nothing
        if (end <= start) {
            continue;
        }
        const mega_segment segment = log_segment(log, i);
        const uint32_t black = segment.field >> FIELD_BLANK & 1u;
        uint32_t color[4];
        for (uint32_t c = 0; c < 4; c++) {
            const uint32_t index = black ? 0u : segment.colors >> 8u * c & 0xFFu;
            color[c] = (shades != NULL ? shades[index] : index) * 0x01010101u;
        }
        for (uint32_t group = start / 32u; group <= (end - 1u) / 32u; group++) {
            const mega_group_colors shown = group_colors(&segment, group);
            const uint32_t range = group_range(group, start, end);
            for (uint32_t k = 0; k < 8; k++) {
                uint8_t *four = row + 32u * group + 4u * k;
                const uint32_t inside = tia_expand_four(range >> 4u * k);
                uint32_t pixels, old;
                pixels = color[3] ^ (tia_expand_four(shown.player0 >> 4u * k) & (color[0] ^ color[3])) ^
                         (tia_expand_four(shown.player1 >> 4u * k) & (color[1] ^ color[3])) ^
                         (tia_expand_four(shown.playfield >> 4u * k) & (color[2] ^ color[3]));
                MEGA_COPY4(&old, four);
                pixels = (old & ~inside) | (pixels & inside);
                MEGA_COPY4(four, &pixels);
            }
        }
        start = end;
    }
    if ((first & MEGA_ROW_BLANKED) != 0) {
        const uint32_t none = shades != NULL ? shades[0] * 0x01010101u : 0u;
        MEGA_COPY4(row, &none);
        MEGA_COPY4(row + 4, &none);
    }
}
MEGA_FN void ahead_draw_row(const mega_log *log, const uint8_t *shades, uint32_t y, uint8_t *row) {
    ahead_draw_until(log, shades, y, MEGA_WIDTH, row);
}

// ---- debts -----------------------------------------------------------------------------------------------

MEGA_FN uint32_t ahead_owes(const mega_machine *m) {
    return m->ahead.owed != ahead_place(m);
}

// What a console owes, in a form that can be handed to others: the collisions of the pixels from .. until - 1, in
// which the segments first .. end - 1 are shown.
typedef struct mega_debt {
    const mega_log *log;
    uint32_t first, end;
    uint32_t from, until;
} mega_debt;

MEGA_FN mega_debt ahead_debt(const mega_machine *m) {
    mega_debt debt;
    debt.log = m->run.log;
    debt.first = m->ahead.owed_segment;
    debt.end = m->ahead.segments;
    debt.from = m->ahead.owed;
    debt.until = ahead_place(m);
    return debt;
}

// The part of a line in which collisions of a segment are looked for: pixels x .. stop - 1, those from 160 on being
// the first of the line.
typedef struct mega_span {
    uint32_t x, stop;
} mega_span;

// Can segment i have collisions beside those known? Lines that look the same collide the same: once is enough.
MEGA_FN uint32_t debt_look_at(const mega_debt *debt, uint32_t i, uint32_t known, const mega_segment *segment,
                              mega_span *span) {
    const uint32_t next = i + 1u < debt->end ? SEGMENT_PLACE(debt->log->from[i + 1u]) : debt->until;
    const uint32_t start =
        SEGMENT_PLACE(segment->from) > debt->from ? SEGMENT_PLACE(segment->from) : debt->from;
    const uint32_t end = next < debt->until ? next : debt->until;
    const uint32_t possible = tia_collisions_of[segment_objects(segment)];
    span->x = start % MEGA_WIDTH;
    span->stop = end - start < MEGA_WIDTH ? span->x + (end - start) : 2u * MEGA_WIDTH;
    return start < end && (possible & ~known) != 0 && (segment->field >> FIELD_BLANK & 1u) == 0;
}

MEGA_FN uint32_t span_collide(const mega_segment *segment, mega_span span, uint32_t group) {
    const uint32_t wrapped = span.stop > MEGA_WIDTH ? group_range(group, 0, span.stop - MEGA_WIDTH) : 0u;
    const uint32_t range =
        group_range(group, span.x, span.stop < MEGA_WIDTH ? span.stop : MEGA_WIDTH) | wrapped;
    return range != 0 ? group_collide(segment, group, range) : 0u;
}

// Groups of 32 pixels, as bits, of the pixels x .. end - 1; those from 160 on are the first of the line.
MEGA_FN uint32_t groups_between(uint32_t x, uint32_t end) {
    const uint32_t groups = (2u << (end - 1u) / 32u) - (1u << x / 32u);
    return (groups | groups >> MEGA_GROUPS) & ((1u << MEGA_GROUPS) - 1u);
}

// Groups in which a player or missile, with its copies, may be. A pattern that is stretched begins a pixel later.
#define EXTENT(pixels) ((uint64_t)(pixels))
#define EXTENTS                                                                             \
    (EXTENT(8) | EXTENT(24) << 8 | EXTENT(40) << 16 | EXTENT(40) << 24 | EXTENT(72) << 32 | \
     EXTENT(17) << 40 | EXTENT(72) << 48 | EXTENT(33) << 56)
MEGA_FN uint32_t groups_of_object(const mega_segment *segment, uint32_t object) {
    const uint32_t n = object & 1u, mode = segment->objects >> (OBJECT_MODE + 3u * n) & 7u;
    const uint32_t present = object < MEGA_M0 ? segment->objects >> 8u * n & 0xFFu
                                              : segment->objects >> (OBJECT_MISSILE + 3u * n) & 7u;
    const uint32_t x = segment->positions >> 8u * object & 0xFFu;
    return present != 0 ? groups_between(x, x + (uint32_t)(EXTENTS >> 8u * mode & 0xFFu)) : 0u;
}
#undef EXTENTS
#undef EXTENT

MEGA_FN uint32_t groups_of_playfield(const mega_segment *segment) {
    const uint32_t left = segment->field & 0xFFFFFu;
    const uint32_t right = (segment->field >> FIELD_REFLECT & 1u) != 0 ? MEGA_REVERSE32(left) >> 12 : left;
    return (uint32_t)((left & 0xFFu) != 0) | (uint32_t)((left & 0xFF00u) != 0) << 1 |
           (uint32_t)(((left >> 16) | (right & 15u)) != 0) << 2 | (uint32_t)((right & 0xFF0u) != 0) << 3 |
           (uint32_t)((right & 0xFF000u) != 0) << 4;
}

// Groups of a span in which a segment may have collisions: those with two objects or more.
MEGA_FN uint32_t span_groups(const mega_segment *segment, mega_span span) {
    uint32_t one = groups_of_playfield(segment), two = 0;
    for (uint32_t object = 0; object < 4; object++) {
        const uint32_t groups = groups_of_object(segment, object);
        two |= one & groups;
        one |= groups;
    }
    const uint32_t ball = segment->from >> 24;
    two |= (segment->field >> FIELD_BALL & 1u) != 0 ? one & groups_between(ball, ball + 8u) : 0u;
    return two & groups_between(span.x, span.stop);
}

// Pays the debt, alone.
MEGA_NOINLINE void ahead_collide(mega_machine *m) {
    const mega_debt debt = ahead_debt(m);
    uint32_t known = m->console->tia.collisions;
    for (uint32_t i = debt.first; i < debt.end; i++) {
        const mega_segment segment = log_segment(debt.log, i);
        mega_span span;
        const uint32_t counts = debt_look_at(&debt, i, known, &segment, &span);
        for (uint32_t groups = counts ? span_groups(&segment, span) : 0u; groups != 0;
             groups &= groups - 1u) {
            known |= span_collide(&segment, span, (uint32_t)MEGA_LOWEST_BIT(groups));
        }
    }
    m->console->tia.collisions = (uint16_t)known;
    ahead_settle(m);
}

#endif
#endif
