// mega_tia_fast.h - the picture, a line at a time, from a log of register writes. Shared source.
//
// The processor's side of the TIA (mega_bus.h) only logs writes. Here the log is replayed: each object's
// share of the current line is kept as a 160-bit mask that is rebuilt only when one of its registers changed,
// and cut where it changed in mid-line. At the end of a line collisions are ANDs of masks, and colours, if
// anybody wants to see them, a merge of masks, eight pixels at a time. A line without changes costs a copy.
//
// Everything is exact: mega_tia_plain.h gives the same collisions, registers and pixels. Only frames that do
// not draw the whole window (mega_console.h calls them ragged) are drawn by the plain renderer.
#ifndef MEGA_TIA_FAST_H
#define MEGA_TIA_FAST_H
#include "mega_tia.h"

enum {
    TIA_FAST_COLLIDE = 1,
    TIA_FAST_DRAW = 2
};

// Who collides in each bit of mega_tia.collisions.
MEGA_TABLE uint8_t tia_collision_a[16] = {2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3, 0, 4, 2, 0};
MEGA_TABLE uint8_t tia_collision_b[16] = {0, 1, 1, 0, 4, 5, 4, 5, 4, 5, 4, 5, 0, 5, 3, 1};

// Eight bits to eight bytes of 0 or 255, bit 0 first.
#define EXPAND(b)                                                                                \
    (((b)&1 ? 0xFFull : 0) | ((b)&2 ? 0xFFull << 8 : 0) | ((b)&4 ? 0xFFull << 16 : 0) |          \
     ((b)&8 ? 0xFFull << 24 : 0) | ((b)&16 ? 0xFFull << 32 : 0) | ((b)&32 ? 0xFFull << 40 : 0) | \
     ((b)&64 ? 0xFFull << 48 : 0) | ((b)&128 ? 0xFFull << 56 : 0))
#define EXPAND4(b) EXPAND(b), EXPAND((b) + 1), EXPAND((b) + 2), EXPAND((b) + 3)
#define EXPAND16(b) EXPAND4(b), EXPAND4((b) + 4), EXPAND4((b) + 8), EXPAND4((b) + 12)
#define EXPAND64(b) EXPAND16(b), EXPAND16((b) + 16), EXPAND16((b) + 32), EXPAND16((b) + 48)
MEGA_TABLE uint64_t tia_expand[256] = {EXPAND64(0), EXPAND64(64), EXPAND64(128), EXPAND64(192)};
#undef EXPAND
#undef EXPAND4
#undef EXPAND16
#undef EXPAND64

// The bits of a byte in reverse.
#define REVERSE2(b) (b), (b) + 128, (b) + 64, (b) + 192
#define REVERSE4(b) REVERSE2(b), REVERSE2((b) + 32), REVERSE2((b) + 16), REVERSE2((b) + 48)
#define REVERSE6(b) REVERSE4(b), REVERSE4((b) + 8), REVERSE4((b) + 4), REVERSE4((b) + 12)
MEGA_TABLE uint8_t tia_reversed[256] = {REVERSE6(0), REVERSE6(2), REVERSE6(1), REVERSE6(3)};
#undef REVERSE2
#undef REVERSE4
#undef REVERSE6

// Four bits to four bytes of 0 or 255.
MEGA_FN uint32_t tia_expand_four(uint32_t bits) {
    return ((bits & 15u) * 0x00204081u & 0x01010101u) * 0xFFu;
}

// ---- masks -------------------------------------------------------------------------------------------

// Each bit twice, or four times.
MEGA_FN uint32_t tia_stretch2(uint32_t byte) {
    byte = (byte | byte << 4) & 0x0F0Fu;
    byte = (byte | byte << 2) & 0x3333u;
    byte = (byte | byte << 1) & 0x5555u;
    return byte * 3u;
}
MEGA_FN uint32_t tia_stretch4(uint32_t byte) {
    byte = (byte | byte << 12) & 0x000F000Fu;
    byte = (byte | byte << 6) & 0x03030303u;
    byte = (byte | byte << 3) & 0x11111111u;
    return byte * 15u;
}

// Fills in a mask at once, since it is soon read as one vector.
MEGA_INLINE void tia_mask_set(uint64_t mask[MEGA_MASK_WORDS], uint64_t w0, uint64_t w1, uint64_t w2) {
#if MEGA_VECTORS
    typedef uint64_t words __attribute__((vector_size(8 * MEGA_MASK_WORDS)));
    const words all = {w0, w1, w2, 0};
    MEGA_COPY(mask, &all, sizeof(all));
#else
    mask[0] = w0;
    mask[1] = w1;
    mask[2] = w2;
    mask[3] = 0;
#endif
}

// Sets pixels from x (below 320) on; they wrap around the line. `low` has the first 64 of them, `high` up to 8 more.
MEGA_INLINE void tia_mask_place(uint64_t mask[MEGA_MASK_WORDS], uint64_t low, uint64_t high, uint32_t x) {
    const uint32_t at = x < MEGA_WIDTH ? x : x - MEGA_WIDTH, shift = at & 63u;
    const uint64_t first = low << shift;
    const uint64_t second = low >> 1 >> (63u - shift) | high << shift, third = high >> 1 >> (63u - shift);
    // By the word in which they begin; the last word has 32 bits in use, and what lies beyond begins the line.
    if (at < 64) {
        tia_mask_set(mask, first, second, third);
    } else if (at < 128) {
        tia_mask_set(mask, second >> 32 | third << 32, first, second & 0xFFFFFFFFu);
    } else {
        tia_mask_set(mask, first >> 32 | second << 32, second >> 32 | third << 32, first & 0xFFFFFFFFu);
    }
}

// Copies of up to 8 pixels by NUSIZ bits 0..2, as tia_copies has them: a factor for those within 64 pixels, and
// whether there is one at 64.
MEGA_TABLE uint64_t tia_copies_low[8] = {
    1ull, 0x10001ull, 0x100000001ull, 0x100010001ull, 1ull, 1ull, 0x100000001ull, 1ull,
};
MEGA_TABLE uint8_t tia_copies_high[8] = {0, 0, 0, 0, 1, 0, 1, 0};

MEGA_FN void tia_mask_player(const mega_tia *tia, uint32_t n, uint64_t mask[MEGA_MASK_WORDS]) {
    const uint32_t shown = tia->delay_player[n] ? tia->old_graphics[n] : tia->graphics[n];
    const uint32_t mode = tia->nusiz[n] & 7u, hidden = tia->first_hidden[n];
    if (shown == 0) {
        return;
    }
    const uint32_t pattern = tia->reflect[n] ? shown : tia_reversed[shown]; // bit 0 leftmost
    if (MEGA_UNLIKELY(mode == 5 || mode == 7)) {
        if (!hidden) {
            tia_mask_place(mask, mode == 5 ? tia_stretch2(pattern) : tia_stretch4(pattern), 0,
                           tia->position[n] + 1u);
        }
        return;
    }
    tia_mask_place(mask, pattern * (tia_copies_low[mode] - (hidden != 0)),
                   (uint64_t)pattern * tia_copies_high[mode], tia->position[n]);
}

MEGA_FN void tia_mask_missile(const mega_tia *tia, uint32_t n, uint64_t mask[MEGA_MASK_WORDS]) {
    const uint64_t bits = (1u << tia_missile_width(tia, n)) - 1u;
    const uint32_t mode = tia->nusiz[n] & 7u;
    if (tia_missile_enabled(tia, n)) {
        tia_mask_place(mask, bits * tia_copies_low[mode], bits * tia_copies_high[mode],
                       tia->position[MEGA_M0 + n]);
    }
}

// Each of eight bits four times, as tia_stretch4 does it.
#define STRETCH(b)                                                                                 \
    (((b)&1 ? 0xFu : 0u) | ((b)&2 ? 0xF0u : 0u) | ((b)&4 ? 0xF00u : 0u) | ((b)&8 ? 0xF000u : 0u) | \
     ((b)&16 ? 0xF0000u : 0u) | ((b)&32 ? 0xF00000u : 0u) | ((b)&64 ? 0xF000000u : 0u) |           \
     ((b)&128 ? 0xF0000000u : 0u))
#define STRETCH4(b) STRETCH(b), STRETCH((b) + 1), STRETCH((b) + 2), STRETCH((b) + 3)
#define STRETCH16(b) STRETCH4(b), STRETCH4((b) + 4), STRETCH4((b) + 8), STRETCH4((b) + 12)
#define STRETCH64(b) STRETCH16(b), STRETCH16((b) + 16), STRETCH16((b) + 32), STRETCH16((b) + 48)
MEGA_TABLE uint32_t tia_stretched4[256] = {STRETCH64(0), STRETCH64(64), STRETCH64(128), STRETCH64(192)};
#undef STRETCH
#undef STRETCH4
#undef STRETCH16
#undef STRETCH64

// The same for 16 bits.
MEGA_INLINE uint64_t tia_stretch16(uint32_t bits) {
    return tia_stretched4[bits & 0xFFu] | (uint64_t)tia_stretched4[bits >> 8 & 0xFFu] << 32;
}

MEGA_FN void tia_mask_playfield(const mega_tia *tia, uint64_t mask[MEGA_MASK_WORDS]) {
    // Left to right: PF0 from bit 4, PF1 from bit 7 down, PF2 from bit 0 up; four pixels each.
    const uint32_t playfield = tia->playfield;
    if (playfield == 0) {
        return;
    }
    const uint32_t left = (playfield & 0xFF00Fu) | (uint32_t)tia_reversed[playfield >> 4 & 0xFFu] << 4;
    const uint64_t low = tia_stretch16(left & 0xFFFFu); // 80 pixels: `low` holds the first 64
    const uint64_t high = tia_stretched4[left >> 16];
    uint64_t right = low, end = high; // pixels 80..143, and those after them
    if (tia->pf_reflect) {
        const uint32_t mirror = (uint32_t)tia_reversed[playfield >> 12] | (playfield & 0xFF0u) << 4 |
                                (uint32_t)tia_reversed[playfield & 0xFu] << 12;
        right = tia_stretch16(mirror & 0xFFFFu);
        end = tia_stretched4[mirror >> 16];
    }
    tia_mask_set(mask, low, high | right << 16, right >> 48 | end << 16);
}

MEGA_INLINE void tia_mask_build(const mega_tia *tia, uint32_t object, uint64_t mask[MEGA_MASK_WORDS]) {
    tia_mask_set(mask, 0, 0, 0);
    switch (object) {
    case MEGA_P0:
    case MEGA_P1: tia_mask_player(tia, object - MEGA_P0, mask); break;
    case MEGA_M0:
    case MEGA_M1: tia_mask_missile(tia, object - MEGA_M0, mask); break;
    case MEGA_BL:
        if (tia_ball_enabled(tia)) {
            const uint32_t width = 1u << (tia->ctrlpf >> 4 & 3u);
            tia_mask_place(mask, (1u << width) - 1u, 0, tia->position[MEGA_BL]);
        }
        break;
    default: tia_mask_playfield(tia, mask); break;
    }
}

// The pixels below x, for x from 0 to 160.
#define BELOW1(x, word) \
    ((x) >= 64 * (word) + 64 ? ~0ull : (x) > 64 * (word) ? (1ull << (((x)-64 * (word)) & 63)) - 1ull : 0ull)
#define BELOW(x) \
    { BELOW1(x, 0), BELOW1(x, 1), BELOW1(x, 2), 0ull }
#define BELOW4(x) BELOW(x), BELOW((x) + 1), BELOW((x) + 2), BELOW((x) + 3)
#define BELOW16(x) BELOW4(x), BELOW4((x) + 4), BELOW4((x) + 8), BELOW4((x) + 12)
MEGA_TABLE uint64_t tia_below[MEGA_WIDTH + 1][MEGA_MASK_WORDS] = {
    BELOW16(0),  BELOW16(16),  BELOW16(32),  BELOW16(48),  BELOW16(64), BELOW16(80),
    BELOW16(96), BELOW16(112), BELOW16(128), BELOW16(144), BELOW(160),
};
#undef BELOW
#undef BELOW1
#undef BELOW4
#undef BELOW16

// ---- one line ----------------------------------------------------------------------------------------

// The beam's place in the line as a pixel number.
MEGA_FN uint32_t tia_beam_x(const mega_tia *tia) {
    const int32_t x = MEGA_CLOCKS_PER_LINE - MEGA_CLOCKS_BLANK - tia->line_left;
    return x > 0 ? (uint32_t)x : 0u;
}

MEGA_FN void tia_line_set_done(mega_line *line, uint32_t x) {
    for (uint32_t object = 0; object < MEGA_OBJECTS; object++) {
        line->done[object] = (uint8_t)x;
        for (uint32_t w = 0; w < MEGA_MASK_WORDS; w++) {
            line->seen[object][w] = 0;
        }
    }
    line->cut = x != 0 ? (1u << MEGA_OBJECTS) - 1u : 0u;
    line->from = (uint8_t)x;
}

// Prepares the scratch for a replay that starts where the beam is.
MEGA_FN void tia_line_begin(mega_line *line, const mega_tia *tia, const mega_cartridge *cartridge,
                            const uint8_t *shades) {
    const uint32_t x = tia_beam_x(tia);
    line->shades = shades;
    line->window_start = tia_window_start(tia, cartridge);
    line->window_end = tia_window_end(tia, cartridge);
    tia_line_set_done(line, x);
    line->row_at = tia->picture_at - (int32_t)x;
    line->stale = (1u << MEGA_OBJECTS) - 1u;
    line->present = 0;
    line->changed = 1;
    line->changed_next = 0;
    line->pieces = 0;
    line->blank_left = 0;
    line->repeat = 0;
    line->lost = 0;
}

// Template: `object` is constant.
MEGA_INLINE void tia_line_refresh_one(mega_line *line, const mega_tia *tia, const uint32_t object) {
    if (((uint32_t)line->stale >> object & 1u) != 0) {
        uint64_t *mask = line->mask[object];
        tia_mask_build(tia, object, mask);
        line->present &= (uint8_t) ~(1u << object);
        line->present |= (uint8_t)((uint32_t)((mask[0] | mask[1] | mask[2]) != 0) << object);
    }
}
MEGA_NOINLINE void tia_line_refresh_some(mega_line *line, const mega_tia *tia) {
    tia_line_refresh_one(line, tia, MEGA_P0);
    tia_line_refresh_one(line, tia, MEGA_P1);
    tia_line_refresh_one(line, tia, MEGA_M0);
    tia_line_refresh_one(line, tia, MEGA_M1);
    tia_line_refresh_one(line, tia, MEGA_BL);
    tia_line_refresh_one(line, tia, MEGA_PF);
    line->stale = 0;
}
MEGA_INLINE void tia_line_refresh(mega_line *line, const mega_tia *tia) {
    if (line->stale != 0) {
        tia_line_refresh_some(line, tia);
    }
}

#if MEGA_VECTORS
typedef uint8_t tia_vector __attribute__((vector_size(32)));

// 32 bits to 32 bytes of 0 or 255.
MEGA_INLINE tia_vector tia_spread(uint32_t bits) {
    typedef uint32_t words __attribute__((vector_size(32)));
    const words all = {bits, bits, bits, bits, bits, bits, bits, bits};
    const tia_vector from = {0,  0,  0,  0,  0,  0,  0,  0,  1,  1,  1,  1,  1,  1,  1,  1,
                             18, 18, 18, 18, 18, 18, 18, 18, 19, 19, 19, 19, 19, 19, 19, 19};
    const tia_vector bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128,
                            1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const tia_vector spread = __builtin_shuffle((tia_vector)all, from);
    return (tia_vector)((spread & bit) == bit);
}

// Merges three disjoint masks of colours over the background.
MEGA_INLINE void tia_line_paint(uint8_t *row, const uint8_t colors[4], uint64_t masks[3][MEGA_MASK_WORDS],
                                uint32_t from, uint32_t end) {
    const tia_vector zero = {0};
    const tia_vector back = zero + colors[3];
    const tia_vector color0 = (zero + colors[0]) ^ back;
    const tia_vector color1 = (zero + colors[1]) ^ back;
    const tia_vector color2 = (zero + colors[2]) ^ back;
    for (uint32_t i = from >> 5; i <= (end - 1u) >> 5; i++) {
        const uint32_t word = i >> 1, shift = 32u * (i & 1u);
        const uint32_t m0 = (uint32_t)(masks[0][word] >> shift), m1 = (uint32_t)(masks[1][word] >> shift);
        const uint32_t m2 = (uint32_t)(masks[2][word] >> shift);
        tia_vector pixels =
            back ^ (tia_spread(m0) & color0) ^ (tia_spread(m1) & color1) ^ (tia_spread(m2) & color2);
        if (from > 32u * i || end < 32u * i + 32u) {
            // A piece keeps its neighbours' pixels.
            const tia_vector inside =
                tia_spread((uint32_t)((tia_below[end][word] & ~tia_below[from][word]) >> shift));
            tia_vector old;
            MEGA_COPY(&old, row + 32u * i, 32);
            pixels = (pixels & inside) | (old & ~inside);
        }
        MEGA_COPY(row + 32u * i, &pixels, 32);
    }
}
#else
// Merges three disjoint masks of colours over the background.
MEGA_INLINE void tia_line_paint(uint8_t *row, const uint8_t colors[4], uint64_t masks[3][MEGA_MASK_WORDS],
                                uint32_t from, uint32_t end) {
    const uint64_t each = 0x0101010101010101ull;
    const uint64_t back = colors[3] * each;
    const uint64_t color0 = colors[0] * each ^ back;
    const uint64_t color1 = colors[1] * each ^ back;
    const uint64_t color2 = colors[2] * each ^ back;
    const uint32_t whole = from == 0 && end == MEGA_WIDTH;
    for (uint32_t word = from >> 6; word <= (end - 1u) >> 6; word++) {
        uint64_t m0 = masks[0][word], m1 = masks[1][word], m2 = masks[2][word];
        const uint64_t range = tia_below[end][word] & ~tia_below[from][word];
        uint8_t *group = row + 64u * word;
        for (uint32_t i = 0; i < (word < 2 ? 8u : 4u); i++, m0 >>= 8, m1 >>= 8, m2 >>= 8, group += 8) {
            uint64_t pixels = back;
            if (((m0 | m1 | m2) & 0xFFu) != 0) {
                pixels ^= (tia_expand[m0 & 0xFFu] & color0) ^ (tia_expand[m1 & 0xFFu] & color1) ^
                          (tia_expand[m2 & 0xFFu] & color2);
            }
            if (!whole) {
                // A piece keeps its neighbours' pixels.
                const uint64_t inside = tia_expand[range >> (8u * i) & 0xFFu];
                uint64_t old;
                MEGA_COPY(&old, group, 8);
                pixels = (pixels & inside) | (old & ~inside);
            }
            MEGA_COPY(group, &pixels, 8);
        }
    }
}
#endif

// Distributes the objects' masks over the three object colours by priority.
MEGA_NOINLINE void tia_line_color(uint8_t *row, const mega_tia *tia, const uint8_t *shades,
                                  const uint64_t masks[MEGA_OBJECTS][MEGA_MASK_WORDS], uint32_t from,
                                  uint32_t end) {
    const uint64_t left[MEGA_MASK_WORDS] = {~0ull, 0xFFFFull, 0ull, 0ull};
    const uint32_t score = tia->ctrlpf & CTRLPF_SCORE;
    uint64_t colored[3][MEGA_MASK_WORDS];
    if ((tia->ctrlpf & CTRLPF_PRIORITY) != 0) {
        const uint32_t quirk = score && tia_enabled_objects(tia) == 1u << MEGA_PF;
        for (uint32_t w = 0; w < MEGA_MASK_WORDS; w++) {
            const uint64_t playfield = masks[MEGA_PF][w] | masks[MEGA_BL][w];
            colored[0][w] = (masks[MEGA_P0][w] | masks[MEGA_M0][w]) & ~playfield;
            colored[1][w] = (masks[MEGA_P1][w] | masks[MEGA_M1][w]) & ~playfield & ~colored[0][w];
            colored[2][w] = playfield;
            if (quirk) {
                colored[0][w] = playfield & left[w];
                colored[1][w] = playfield & ~left[w];
                colored[2][w] = 0;
            }
        }
    } else {
        for (uint32_t w = 0; w < MEGA_MASK_WORDS; w++) {
            uint64_t playfield = masks[MEGA_PF][w];
            colored[0][w] = masks[MEGA_P0][w] | masks[MEGA_M0][w];
            colored[1][w] = masks[MEGA_P1][w] | masks[MEGA_M1][w];
            if (score) {
                colored[0][w] |= playfield & left[w];
                colored[1][w] |= playfield & ~left[w];
                playfield = 0;
            }
            colored[1][w] &= ~colored[0][w];
            colored[2][w] = (playfield | masks[MEGA_BL][w]) & ~colored[0][w] & ~colored[1][w];
        }
    }
    uint8_t colors[4];
    for (uint32_t i = 0; i < 4; i++) {
        colors[i] = shades != NULL ? shades[tia->colors[i]] : tia->colors[i];
    }
    tia_line_paint(row, colors, colored, from, end);
}

// What an object shows in a range: what is final of it, and its mask where it is not done. Returns whether it shows
// anything.
MEGA_INLINE uint32_t tia_mask_piece(uint64_t *out, const uint64_t *mask, const uint64_t *done,
                                    const uint64_t *seen, const uint64_t *range) {
#if MEGA_VECTORS
    typedef uint64_t words __attribute__((vector_size(8 * MEGA_MASK_WORDS)));
    typedef long long quads __attribute__((vector_size(8 * MEGA_MASK_WORDS)));
    words m, d, s, r;
    MEGA_COPY(&m, mask, sizeof(m));
    MEGA_COPY(&d, done, sizeof(d));
    MEGA_COPY(&s, seen, sizeof(s));
    MEGA_COPY(&r, range, sizeof(r));
    m = ((m & ~d) | s) & r;
    MEGA_COPY(out, &m, sizeof(m));
    return !__builtin_ia32_ptestz256((quads)m, (quads)m);
#else
    for (uint32_t w = 0; w < MEGA_MASK_WORDS; w++) {
        out[w] = ((mask[w] & ~done[w]) | seen[w]) & range[w];
    }
    return (out[0] | out[1] | out[2]) != 0;
#endif
}

// The masks of pixels from .. end - 1 in a line where objects changed on the way.
MEGA_NOINLINE uint32_t tia_line_cut(const mega_line *line, uint64_t (*masks)[MEGA_MASK_WORDS], uint32_t from,
                                    uint32_t end) {
    uint32_t present = 0;
    uint64_t range[MEGA_MASK_WORDS];
    for (uint32_t w = 0; w < MEGA_MASK_WORDS; w++) {
        range[w] = tia_below[end][w] & ~tia_below[from][w];
    }
    for (uint32_t object = 0; object < MEGA_OBJECTS; object++) {
        present |= tia_mask_piece(masks[object], line->mask[object], tia_below[line->done[object]],
                                  line->seen[object], range)
                   << object;
    }
    return present;
}

MEGA_FN void tia_line_collide(mega_tia *tia, const uint64_t masks[MEGA_OBJECTS][MEGA_MASK_WORDS],
                              uint32_t present) {
    for (uint32_t open = tia_collisions_of[present] & ~(uint32_t)tia->collisions; open != 0;
         open &= open - 1u) {
        const uint32_t bit = (uint32_t)MEGA_LOWEST_BIT(open);
        const uint64_t *a = masks[tia_collision_a[bit]], *b = masks[tia_collision_b[bit]];
        if (((a[0] & b[0]) | (a[1] & b[1]) | (a[2] & b[2])) != 0) {
            tia->collisions |= (uint16_t)(1u << bit);
        }
    }
}

// Collisions and colours of the pixels from line->from to end - 1, which are final.
MEGA_INLINE void tia_line_flush(mega_line *line, mega_tia *tia, uint8_t *picture, uint32_t end,
                                uint32_t what) {
    const uint32_t from = line->from;
    if (end <= from) {
        return;
    }
    uint8_t *row = picture + line->row_at;
    line->from = (uint8_t)end;
    if (tia->vblank) {
        if ((what & TIA_FAST_DRAW) != 0) {
            if (from == 0 && end == MEGA_WIDTH) {
                MEGA_FILL(row, 0, MEGA_WIDTH);
            } else {
                MEGA_FILL(row + from, 0, end - from);
            }
        }
        return;
    }
    if ((what & TIA_FAST_DRAW) == 0) {
        // Often no two objects are there whose collision is not known yet.
        const uint32_t candidates = tia_enabled_objects(tia) | line->cut;
        if ((tia_collisions_of[candidates] & ~(uint32_t)tia->collisions) == 0) {
            return;
        }
    }
    tia_line_refresh(line, tia);
    if (line->cut == 0 && from == 0 && end == MEGA_WIDTH) {
        if ((what & TIA_FAST_COLLIDE) != 0) {
            tia_line_collide(tia, (const uint64_t(*)[MEGA_MASK_WORDS])line->mask, line->present);
        }
        if ((what & TIA_FAST_DRAW) != 0) {
            tia_line_color(row, tia, line->shades, (const uint64_t(*)[MEGA_MASK_WORDS])line->mask, from, end);
        }
        return;
    }
    uint64_t masks[MEGA_OBJECTS][MEGA_MASK_WORDS];
    const uint32_t present = tia_line_cut(line, masks, from, end);
    if ((what & TIA_FAST_COLLIDE) != 0) {
        tia_line_collide(tia, (const uint64_t(*)[MEGA_MASK_WORDS])masks, present);
    }
    if ((what & TIA_FAST_DRAW) != 0) {
        tia_line_color(row, tia, line->shades, (const uint64_t(*)[MEGA_MASK_WORDS])masks, from, end);
    }
}

// The last pixel of the line has been passed.
MEGA_INLINE void tia_line_complete(mega_line *line, mega_tia *tia, uint8_t *picture, uint32_t what) {
    if (line->changed || line->from != 0 || line->blank_left || !line->repeat) {
        tia_line_flush(line, tia, picture, MEGA_WIDTH, what);
    } else if ((what & TIA_FAST_DRAW) != 0) {
        uint8_t *row = picture + line->row_at;
        MEGA_COPY(row, row - MEGA_WIDTH, MEGA_WIDTH);
    }
    if (line->blank_left && (what & TIA_FAST_DRAW) != 0) {
        MEGA_FILL(picture + line->row_at, 0, 8);
    }
}

MEGA_INLINE void tia_line_next(mega_line *line, mega_tia *tia) {
    if (tia->star_field || tia->m0_override != MEGA_M0_NORMAL) {
        line->stale |= (uint8_t)(1u << MEGA_M0);
        line->changed_next = 1;
    }
    if ((tia->first_hidden[0] | tia->first_hidden[1]) != 0) {
        line->stale |= (uint8_t)(1u << MEGA_P0 | 1u << MEGA_P1);
        line->changed_next = 1;
    }
    if (tia->pf_reflect != (tia->ctrlpf & CTRLPF_REFLECT)) {
        line->stale |= (uint8_t)(1u << MEGA_PF);
        line->changed_next = 1;
    }
    tia_end_line(tia);
    // A line that was cut shows a mixture; the next one is whole again and so differs.
    line->repeat = !line->blank_left && !line->cut && !line->pieces;
    line->changed = line->changed_next;
    line->changed_next = 0;
    line->blank_left = 0;
    line->pieces = 0;
    line->row_at += MEGA_WIDTH;
    if (line->cut) {
        tia_line_set_done(line, 0);
    }
    line->from = 0;
}

// Clocks left in a line when the blank that HMOVE asks for, 8 pixels, has been shown.
#define TIA_LEFT_AFTER_BLANK (MEGA_CLOCKS_PER_LINE - MEGA_CLOCKS_BLANK - 8)

MEGA_INLINE void tia_line_blank(mega_line *line, mega_tia *tia, int32_t old_left, int32_t new_left) {
    if (tia->hmove_blank && old_left > TIA_LEFT_AFTER_BLANK && new_left <= TIA_LEFT_AFTER_BLANK) {
        tia->hmove_blank = 0;
        line->blank_left = 1;
    }
}

// Advances past the end of a line, of the blank or of the window. `clock` lies after the beam and not before
// the window, and the beam has not left the window.
MEGA_INLINE void tia_fast_advance_far(mega_line *line, mega_tia *tia, uint8_t *picture, int32_t clock,
                                      uint32_t what) {
    const int32_t end = line->window_end;
    if (clock > end) {
        clock = end;
    }
    while (clock > tia->drawn_to + tia->line_left) {
        tia_line_blank(line, tia, tia->line_left, 0);
        tia_line_complete(line, tia, picture, what);
        tia->drawn_to += tia->line_left;
        tia->line_left = MEGA_CLOCKS_PER_LINE;
        tia_line_next(line, tia);
    }
    const int32_t left = tia->line_left - (clock - tia->drawn_to);
    tia_line_blank(line, tia, tia->line_left, left);
    tia->line_left = left;
    tia->drawn_to = clock;
    if (clock == end) {
        tia_line_complete(line, tia, picture, what);
        tia_line_set_done(line, MEGA_WIDTH); // nothing after the window is seen
    }
}
MEGA_NOINLINE void tia_far_collide(mega_line *line, mega_tia *tia, uint8_t *picture, int32_t clock) {
    tia_fast_advance_far(line, tia, picture, clock, TIA_FAST_COLLIDE);
}
MEGA_NOINLINE void tia_far_draw(mega_line *line, mega_tia *tia, uint8_t *picture, int32_t clock) {
    tia_fast_advance_far(line, tia, picture, clock, TIA_FAST_DRAW);
}
MEGA_NOINLINE void tia_far_both(mega_line *line, mega_tia *tia, uint8_t *picture, int32_t clock) {
    tia_fast_advance_far(line, tia, picture, clock, TIA_FAST_COLLIDE | TIA_FAST_DRAW);
}

// The rules of tia_plain_advance. picture_at is left to tia_fast_settle.
MEGA_INLINE void tia_fast_advance(mega_line *line, mega_tia *tia, uint8_t *picture, int32_t clock,
                                  uint32_t what) {
    const int32_t ahead = clock - tia->drawn_to;
    if (ahead <= 0 || clock < line->window_start || tia->drawn_to >= line->window_end) {
        return;
    }
    const int32_t left = tia->line_left - ahead;
    if (left >= (tia->hmove_blank ? TIA_LEFT_AFTER_BLANK + 1 : 0) && clock < line->window_end) {
        tia->line_left = left;
        tia->drawn_to = clock;
    } else if (what == TIA_FAST_COLLIDE) {
        tia_far_collide(line, tia, picture, clock);
    } else if (what == TIA_FAST_DRAW) {
        tia_far_draw(line, tia, picture, clock);
    } else {
        tia_far_both(line, tia, picture, clock);
    }
}

// Brings what the replay keeps in its scratch back into the TIA.
MEGA_FN void tia_fast_settle(const mega_line *line, mega_tia *tia) {
    tia->picture_at = line->row_at + (int32_t)tia_beam_x(tia);
}

// ---- register writes ---------------------------------------------------------------------------------

// Could what an object showed so far in the line meet anything in a collision that is not known yet? Whatever it could
// meet is enabled now, or has changed in this line.
MEGA_FN uint32_t tia_is_wanted(const mega_line *line, const mega_tia *tia, uint32_t object) {
    const uint32_t own = 1u << object, enabled = tia_enabled_objects(tia), all = enabled | line->cut;
    return (enabled & own) != 0 && (tia_collisions_of[all] & ~(uint32_t)tia_collisions_of[all & ~own] &
                                    ~(uint32_t)tia->collisions) != 0;
}

// What an object showed from done[] to x - 1 is final.
MEGA_NOINLINE void tia_touch_cut(mega_line *line, const mega_tia *tia, uint32_t object, uint32_t x) {
    if (((uint32_t)line->stale >> object & 1u) != 0) {
        tia_mask_build(tia, object, line->mask[object]);
    }
    const uint64_t *until = tia_below[x], *done = tia_below[line->done[object]];
    for (uint32_t w = 0; w < MEGA_MASK_WORDS; w++) {
        line->seen[object][w] |= line->mask[object][w] & until[w] & ~done[w];
    }
    line->done[object] = (uint8_t)x;
    line->cut |= (uint8_t)(1u << object);
}

// The same where only collisions count.
MEGA_NOINLINE void tia_touch_cut_wanted(mega_line *line, const mega_tia *tia, uint32_t object, uint32_t x) {
    if (tia_is_wanted(line, tia, object)) {
        tia_touch_cut(line, tia, object, x);
        return;
    }
    line->done[object] = (uint8_t)x;
    line->cut |= (uint8_t)(1u << object);
}

// An object is about to change.
MEGA_INLINE void tia_touch(mega_line *line, mega_tia *tia, uint8_t *picture, uint32_t object, uint32_t what) {
    const uint32_t x = tia_beam_x(tia);
    line->changed = 1;
    if (x > line->done[object]) {
        const uint32_t priority_and_score = CTRLPF_PRIORITY | CTRLPF_SCORE;
        if ((what & TIA_FAST_DRAW) != 0 && (tia->ctrlpf & priority_and_score) == priority_and_score) {
            // Colours depend on which objects are enabled, so every change ends a piece.
            line->pieces = 1;
            tia_line_flush(line, tia, picture, x, what);
        }
        if ((what & TIA_FAST_DRAW) != 0) {
            tia_touch_cut(line, tia, object, x);
        } else {
            tia_touch_cut_wanted(line, tia, object, x);
        }
    }
    line->stale |= (uint8_t)(1u << object);
}

// Something that all objects share is about to change: a colour, the priority, blanking.
MEGA_INLINE void tia_touch_all(mega_line *line, mega_tia *tia, uint8_t *picture, uint32_t what) {
    const uint32_t x = tia_beam_x(tia);
    line->changed = 1;
    line->pieces = 1;
    if (x > line->from) {
        tia_line_flush(line, tia, picture, x, what);
    }
}

// What must be final before a register changes. Template: `reg` and `what` are constant.
MEGA_INLINE void tia_touch_register(mega_line *line, mega_tia *tia, uint8_t *picture, uint32_t reg,
                                    uint32_t line_clock, uint32_t what) {
    switch (reg) {
    case TIA_GRP0:
        if (!tia->delay_player[0]) {
            tia_touch(line, tia, picture, MEGA_P0, what);
        }
        if (tia->delay_player[1]) {
            tia_touch(line, tia, picture, MEGA_P1, what);
        }
        break;
    case TIA_GRP1:
        if (!tia->delay_player[1]) {
            tia_touch(line, tia, picture, MEGA_P1, what);
        }
        if (tia->delay_player[0]) {
            tia_touch(line, tia, picture, MEGA_P0, what);
        }
        if (tia->delay_ball) {
            tia_touch(line, tia, picture, MEGA_BL, what);
        }
        break;
    case TIA_PF0:
    case TIA_PF1:
    case TIA_PF2: tia_touch(line, tia, picture, MEGA_PF, what); break;
    case TIA_COLUP0:
    case TIA_COLUP1:
    case TIA_COLUPF:
    case TIA_COLUBK:
        if ((what & TIA_FAST_DRAW) != 0) {
            tia_touch_all(line, tia, picture, what);
        }
        break;
    case TIA_RESP0:
    case TIA_RESP1: tia_touch(line, tia, picture, reg - TIA_RESP0, what); break;
    case TIA_REFP0:
    case TIA_REFP1: tia_touch(line, tia, picture, reg - TIA_REFP0, what); break;
    case TIA_VDELP0:
    case TIA_VDELP1: tia_touch(line, tia, picture, reg - TIA_VDELP0, what); break;
    case TIA_NUSIZ0:
    case TIA_NUSIZ1:
        tia_touch(line, tia, picture, reg - TIA_NUSIZ0, what);
        tia_touch(line, tia, picture, MEGA_M0 + reg - TIA_NUSIZ0, what);
        break;
    case TIA_ENAM0:
    case TIA_ENAM1: tia_touch(line, tia, picture, MEGA_M0 + reg - TIA_ENAM0, what); break;
    case TIA_RESMP0:
    case TIA_RESMP1: tia_touch(line, tia, picture, MEGA_M0 + reg - TIA_RESMP0, what); break;
    case TIA_RESM0:
    case TIA_RESM1:
    case TIA_RESBL: tia_touch(line, tia, picture, MEGA_M0 + reg - TIA_RESM0, what); break;
    case TIA_ENABL:
    case TIA_VDELBL: tia_touch(line, tia, picture, MEGA_BL, what); break;
    case TIA_HMOVE: {
        uint32_t objects = tia_moved_by_hmove(tia, line_clock / 3u) |
                           (uint32_t)(tia->first_hidden[0] != 0) << MEGA_P0 |
                           (uint32_t)(tia->first_hidden[1] != 0) << MEGA_P1 |
                           (uint32_t)(tia->m0_override != MEGA_M0_NORMAL) << MEGA_M0;
        for (; objects != 0; objects &= objects - 1u) {
            tia_touch(line, tia, picture, (uint32_t)MEGA_LOWEST_BIT(objects), what);
        }
        break;
    }
    case TIA_CTRLPF:
        tia_touch_all(line, tia, picture, what);
        tia_touch(line, tia, picture, MEGA_BL, what);
        tia_touch(line, tia, picture, MEGA_PF, what);
        break;
    case TIA_VBLANK:
    case TIA_CXCLR: tia_touch_all(line, tia, picture, what); break;
    default: break;
    }
}

// Registers that change nothing that is being replayed: motions matter when HMOVE is hit (but HMM0 may start the
// star field), colours when something is drawn. The beam need not come up to such a write.
MEGA_INLINE uint32_t tia_is_unseen(const uint32_t reg, uint32_t what) {
    return (reg >= TIA_HMP0 && reg <= TIA_HMBL && reg != TIA_HMM0) ||
           (reg >= TIA_COLUP0 && reg <= TIA_COLUBK && (what & TIA_FAST_DRAW) == 0);
}

// One write, with everything that depends on the register folded away: `reg` is constant here.
MEGA_INLINE void tia_fast_register(mega_line *line, mega_tia *tia, const mega_cartridge *cartridge,
                                   uint8_t *picture, const uint32_t reg, uint32_t value, int32_t clock,
                                   uint32_t what) {
    const uint32_t line_clock = tia_line_clock(tia, clock);
    int32_t resp = TIA_RESP_HIDE;
    if (!tia_is_unseen(reg, what)) {
        tia_fast_advance(line, tia, picture, clock + tia_delay(reg, line_clock), what);
    }
    if (reg == TIA_RESP0 || reg == TIA_RESP1) {
        resp = tia_resp_case(tia, reg - TIA_RESP0, line_clock);
        if (resp == TIA_RESP_DISPLAY) {
            tia_fast_advance(line, tia, picture, clock + 11, what);
        }
    }
    tia_touch_register(line, tia, picture, reg, line_clock, what);
    tia_apply(tia, cartridge, reg, value, clock, line_clock, resp);
}

#define FAST_CASE(reg)                                                             \
    case reg:                                                                      \
        tia_fast_register(line, tia, cartridge, picture, reg, value, clock, what); \
        break
#define FAST_CASES4(reg)  \
    FAST_CASE(reg);       \
    FAST_CASE((reg) + 1); \
    FAST_CASE((reg) + 2); \
    FAST_CASE((reg) + 3)

MEGA_INLINE void tia_fast_write(mega_line *line, mega_tia *tia, const mega_cartridge *cartridge,
                                uint8_t *picture, uint32_t reg, uint32_t value, int32_t clock,
                                uint32_t what) {
    switch (reg) {
        FAST_CASE(TIA_VBLANK);
        FAST_CASES4(0x04);
        FAST_CASES4(0x08);
        FAST_CASES4(0x0C);
        FAST_CASES4(0x10);
        FAST_CASE(TIA_RESBL);
        FAST_CASE(TIA_GRP0);
        FAST_CASES4(0x1C);
        FAST_CASES4(0x20);
        FAST_CASES4(0x24);
        FAST_CASES4(0x28);
        FAST_CASE(TIA_CXCLR);
    default: // no effect but on the beam
        tia_fast_advance(line, tia, picture, clock, what);
        break;
    }
}
#undef FAST_CASE
#undef FAST_CASES4

#endif
