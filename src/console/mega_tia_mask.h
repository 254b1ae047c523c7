// mega_tia_mask.h - where the objects of the TIA are in a line: masks of 160 bits, one for each pixel. Shared source.
#ifndef MEGA_TIA_MASK_H
#define MEGA_TIA_MASK_H
#include "mega_tia.h"

// A mask, or several colours' shares of a line, as a value: bit x of the words is pixel x. What lies beyond 160 is 0.
#if MEGA_VECTORS
typedef uint64_t tia_words __attribute__((vector_size(8 * MEGA_MASK_WORDS)));

MEGA_INLINE tia_words tia_words_of(uint64_t w0, uint64_t w1, uint64_t w2) {
    const tia_words words = {w0, w1, w2, 0};
    return words;
}
MEGA_INLINE tia_words tia_words_load(const uint64_t *from) {
    tia_words words;
    MEGA_COPY(&words, from, sizeof(words));
    return words;
}
MEGA_INLINE void tia_words_store(uint64_t *to, tia_words words) {
    MEGA_COPY(to, &words, sizeof(words));
}
MEGA_INLINE tia_words tia_words_and(tia_words a, tia_words b) {
    return a & b;
}
MEGA_INLINE tia_words tia_words_or(tia_words a, tia_words b) {
    return a | b;
}
// The first without the second.
MEGA_INLINE tia_words tia_words_less(tia_words a, tia_words b) {
    return a & ~b;
}
MEGA_INLINE uint32_t tia_words_any(tia_words words) {
    typedef long long quads __attribute__((vector_size(8 * MEGA_MASK_WORDS)));
    return !__builtin_ia32_ptestz256((quads)words, (quads)words);
}
#else
typedef struct tia_words {
    uint64_t w0, w1, w2;
} tia_words;

MEGA_INLINE tia_words tia_words_of(uint64_t w0, uint64_t w1, uint64_t w2) {
    const tia_words words = {w0, w1, w2};
    return words;
}
MEGA_INLINE tia_words tia_words_load(const uint64_t *from) {
    return tia_words_of(from[0], from[1], from[2]);
}
MEGA_INLINE void tia_words_store(uint64_t *to, tia_words words) {
    to[0] = words.w0;
    to[1] = words.w1;
    to[2] = words.w2;
}
MEGA_INLINE tia_words tia_words_and(tia_words a, tia_words b) {
    return tia_words_of(a.w0 & b.w0, a.w1 & b.w1, a.w2 & b.w2);
}
MEGA_INLINE tia_words tia_words_or(tia_words a, tia_words b) {
    return tia_words_of(a.w0 | b.w0, a.w1 | b.w1, a.w2 | b.w2);
}
// The first without the second.
MEGA_INLINE tia_words tia_words_less(tia_words a, tia_words b) {
    return tia_words_of(a.w0 & ~b.w0, a.w1 & ~b.w1, a.w2 & ~b.w2);
}
MEGA_INLINE uint32_t tia_words_any(tia_words words) {
    return (words.w0 | words.w1 | words.w2) != 0;
}
#endif

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

// Pixels from x (below 320) on; they wrap around the line. `low` has the first 64 of them, `high` up to 8 more.
MEGA_INLINE tia_words tia_mask_place(uint64_t low, uint64_t high, uint32_t x) {
    const uint32_t at = x < MEGA_WIDTH ? x : x - MEGA_WIDTH, shift = at & 63u;
    const uint64_t first = low << shift;
    const uint64_t second = low >> 1 >> (63u - shift) | high << shift, third = high >> 1 >> (63u - shift);
    // By the word in which they begin; the last word has 32 bits in use, and what lies beyond begins the line.
    if (at < 64) {
        return tia_words_of(first, second, third);
    }
    if (at < 128) {
        return tia_words_of(second >> 32 | third << 32, first, second & 0xFFFFFFFFu);
    }
    return tia_words_of(first >> 32 | second << 32, second >> 32 | third << 32, first & 0xFFFFFFFFu);
}

// Copies of up to 8 pixels by NUSIZ bits 0..2, as tia_copies has them: a factor for those within 64 pixels, and
// whether there is one at 64.
MEGA_TABLE uint64_t tia_copies_low[8] = {
    1ull, 0x10001ull, 0x100000001ull, 0x100010001ull, 1ull, 1ull, 0x100000001ull, 1ull,
};
MEGA_TABLE uint8_t tia_copies_high[8] = {0, 0, 0, 0, 1, 0, 1, 0};

MEGA_INLINE tia_words tia_mask_player(const mega_tia *tia, uint32_t n) {
    const uint32_t shown = tia->delay_player[n] ? tia->old_graphics[n] : tia->graphics[n];
    const uint32_t mode = tia->nusiz[n] & 7u, hidden = tia->first_hidden[n];
    const uint32_t pattern = tia->reflect[n] ? shown : tia_reversed[shown]; // bit 0 leftmost
    if (shown == 0) {
        return tia_words_of(0, 0, 0);
    }
    if (MEGA_UNLIKELY(mode == 5 || mode == 7)) {
        const uint64_t wide = hidden ? 0u : mode == 5 ? tia_stretch2(pattern) : tia_stretch4(pattern);
        return tia_mask_place(wide, 0, tia->position[n] + 1u);
    }
    return tia_mask_place(pattern * (tia_copies_low[mode] - (hidden != 0)),
                          (uint64_t)pattern * tia_copies_high[mode], tia->position[n]);
}

MEGA_INLINE tia_words tia_mask_missile(const mega_tia *tia, uint32_t n) {
    const uint64_t bits = (1u << tia_missile_width(tia, n)) - 1u;
    const uint32_t mode = tia->nusiz[n] & 7u;
    return !tia_missile_enabled(tia, n)
               ? tia_words_of(0, 0, 0)
               : tia_mask_place(bits * tia_copies_low[mode], bits * tia_copies_high[mode],
                                tia->position[MEGA_M0 + n]);
}

MEGA_INLINE tia_words tia_mask_ball(const mega_tia *tia) {
    const uint32_t width = 1u << (tia->ctrlpf >> 4 & 3u);
    return !tia_ball_enabled(tia) ? tia_words_of(0, 0, 0)
                                  : tia_mask_place((1u << width) - 1u, 0, tia->position[MEGA_BL]);
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

MEGA_INLINE tia_words tia_mask_playfield(const mega_tia *tia) {
    // Left to right: PF0 from bit 4, PF1 from bit 7 down, PF2 from bit 0 up; four pixels each.
    const uint32_t playfield = tia->playfield;
    if (playfield == 0) {
        return tia_words_of(0, 0, 0);
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
    return tia_words_of(low, high | right << 16, right >> 48 | end << 16);
}

// What an object shows in a whole line as its registers are.
MEGA_INLINE tia_words tia_mask_of(const mega_tia *tia, uint32_t object) {
    switch (object) {
    case MEGA_P0:
    case MEGA_P1: return tia_mask_player(tia, object - MEGA_P0);
    case MEGA_M0:
    case MEGA_M1: return tia_mask_missile(tia, object - MEGA_M0);
    case MEGA_BL: return tia_mask_ball(tia);
    default: return tia_mask_playfield(tia);
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

#endif
