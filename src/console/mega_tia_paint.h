// mega_tia_paint.h - the colours of a line from the masks of its objects. Shared source.
//
// Three layers of one colour each are painted over the background, the lowest first: which objects are in a layer, and
// which layer is above which, is what CTRLPF decides. 64 pixels at a time where the processor has AVX-512, else 32 with
// AVX2, else 8.
#ifndef MEGA_TIA_PAINT_H
#define MEGA_TIA_PAINT_H
#include "mega_tia_mask.h"

// What the six objects show.
typedef struct tia_masks {
    tia_words object[MEGA_OBJECTS];
} tia_masks;

typedef struct tia_layers {
    tia_words mask[3];
    uint8_t color[3]; // numbers of colour registers
} tia_layers;

// What CTRLPF makes of the masks. `lonely`: the playfield is the only object that is enabled.
MEGA_INLINE tia_layers tia_layers_of(const tia_masks *masks, uint32_t ctrlpf, uint32_t lonely) {
    const tia_words left = tia_words_of(~0ull, 0xFFFFull, 0ull);
    const tia_words player0 = tia_words_or(masks->object[MEGA_P0], masks->object[MEGA_M0]);
    const tia_words player1 = tia_words_or(masks->object[MEGA_P1], masks->object[MEGA_M1]);
    const tia_words playfield = masks->object[MEGA_PF], ball = masks->object[MEGA_BL];
    tia_layers layers;
    if (MEGA_LIKELY((ctrlpf & (CTRLPF_SCORE | CTRLPF_PRIORITY)) == 0)) {
        layers.mask[0] = tia_words_or(playfield, ball);
        layers.mask[1] = player1;
        layers.mask[2] = player0;
        layers.color[0] = 2;
        layers.color[1] = 1;
        layers.color[2] = 0;
    } else if ((ctrlpf & CTRLPF_PRIORITY) == 0) {
        layers.mask[0] = ball;
        layers.mask[1] = tia_words_or(player1, tia_words_less(playfield, left));
        layers.mask[2] = tia_words_or(player0, tia_words_and(playfield, left));
        layers.color[0] = 2;
        layers.color[1] = 1;
        layers.color[2] = 0;
    } else if ((ctrlpf & CTRLPF_SCORE) != 0 && lonely) {
        layers.mask[0] = playfield;
        layers.mask[1] = tia_words_less(playfield, left);
        layers.mask[2] = tia_words_and(playfield, left);
        layers.color[0] = 2;
        layers.color[1] = 1;
        layers.color[2] = 0;
    } else {
        layers.mask[0] = player1;
        layers.mask[1] = player0;
        layers.mask[2] = tia_words_or(playfield, ball);
        layers.color[0] = 1;
        layers.color[1] = 0;
        layers.color[2] = 2;
    }
    return layers;
}

#if MEGA_WIDE_VECTORS
// Paints pixels from .. end - 1 of a row. `colors` are those of the registers, the background's last.
MEGA_INLINE void tia_paint(uint8_t *row, const tia_layers *layers, const uint8_t colors[4], uint32_t from,
                           uint32_t end) {
    const __m512i back = _mm512_set1_epi8((char)colors[3]);
    const __m512i color0 = _mm512_set1_epi8((char)colors[layers->color[0]]);
    const __m512i color1 = _mm512_set1_epi8((char)colors[layers->color[1]]);
    const __m512i color2 = _mm512_set1_epi8((char)colors[layers->color[2]]);
    uint64_t masks[3][MEGA_MASK_WORDS];
    for (uint32_t i = 0; i < 3; i++) {
        tia_words_store(masks[i], layers->mask[i]);
    }
    const uint32_t whole = from == 0 && end == MEGA_WIDTH;
    for (uint32_t word = from >> 6; word <= (end - 1u) >> 6; word++) {
        __m512i pixels = _mm512_mask_blend_epi8(masks[0][word], back, color0);
        pixels = _mm512_mask_blend_epi8(masks[1][word], pixels, color1);
        pixels = _mm512_mask_blend_epi8(masks[2][word], pixels, color2);
        if (!whole) {
            _mm512_mask_storeu_epi8(row + 64u * word, tia_below[end][word] & ~tia_below[from][word], pixels);
        } else if (word < 2) {
            _mm512_storeu_si512(row + 64u * word, pixels);
        } else {
            _mm256_storeu_si256((__m256i *)(row + 64u * word), _mm512_castsi512_si256(pixels));
        }
    }
}
#elif MEGA_VECTORS
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
MEGA_INLINE tia_vector tia_blend(tia_vector below, tia_vector above, uint32_t bits) {
    typedef char bytes __attribute__((vector_size(32)));
    return (tia_vector)__builtin_ia32_pblendvb256((bytes)below, (bytes)above, (bytes)tia_spread(bits));
}

// Paints pixels from .. end - 1 of a row. `colors` are those of the registers, the background's last.
MEGA_INLINE void tia_paint(uint8_t *row, const tia_layers *layers, const uint8_t colors[4], uint32_t from,
                           uint32_t end) {
    const tia_vector zero = {0};
    const tia_vector back = zero + colors[3];
    const tia_vector color0 = zero + colors[layers->color[0]];
    const tia_vector color1 = zero + colors[layers->color[1]];
    const tia_vector color2 = zero + colors[layers->color[2]];
    uint64_t words[3][MEGA_MASK_WORDS];
    uint32_t bits[3][2 * MEGA_MASK_WORDS];
    for (uint32_t i = 0; i < 3; i++) {
        tia_words_store(words[i], layers->mask[i]);
    }
    MEGA_COPY(bits, words, sizeof(bits));
    for (uint32_t i = from >> 5; i <= (end - 1u) >> 5; i++) {
        tia_vector pixels = tia_blend(back, color0, bits[0][i]);
        pixels = tia_blend(pixels, color1, bits[1][i]);
        pixels = tia_blend(pixels, color2, bits[2][i]);
        if (from > 32u * i || end < 32u * i + 32u) {
            // A piece keeps its neighbours' pixels.
            const uint64_t inside = tia_below[end][i >> 1] & ~tia_below[from][i >> 1];
            tia_vector old;
            MEGA_COPY(&old, row + 32u * i, 32);
            pixels = tia_blend(old, pixels, (uint32_t)(inside >> 32u * (i & 1u)));
        }
        MEGA_COPY(row + 32u * i, &pixels, 32);
    }
}
#else
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

MEGA_INLINE uint64_t tia_blend(uint64_t below, uint64_t above, uint64_t bits) {
    const uint64_t mask = tia_expand[bits & 0xFFu];
    return (below & ~mask) | (above & mask);
}

// Paints pixels from .. end - 1 of a row. `colors` are those of the registers, the background's last.
MEGA_INLINE void tia_paint(uint8_t *row, const tia_layers *layers, const uint8_t colors[4], uint32_t from,
                           uint32_t end) {
    const uint64_t each = 0x0101010101010101ull;
    const uint64_t back = colors[3] * each, color0 = colors[layers->color[0]] * each;
    const uint64_t color1 = colors[layers->color[1]] * each, color2 = colors[layers->color[2]] * each;
    uint64_t masks[3][MEGA_MASK_WORDS];
    for (uint32_t i = 0; i < 3; i++) {
        tia_words_store(masks[i], layers->mask[i]);
    }
    for (uint32_t i = from >> 3; i <= (end - 1u) >> 3; i++) {
        const uint32_t word = i >> 3, shift = 8u * (i & 7u);
        const uint64_t m0 = masks[0][word] >> shift, m1 = masks[1][word] >> shift,
                       m2 = masks[2][word] >> shift;
        uint64_t pixels = back;
        if (((m0 | m1 | m2) & 0xFFu) != 0) {
            pixels = tia_blend(tia_blend(tia_blend(back, color0, m0), color1, m1), color2, m2);
        }
        if (from > 8u * i || end < 8u * i + 8u) {
            // A piece keeps its neighbours' pixels.
            uint64_t old;
            MEGA_COPY(&old, row + 8u * i, 8);
            pixels = tia_blend(old, pixels, (tia_below[end][word] & ~tia_below[from][word]) >> shift);
        }
        MEGA_COPY(row + 8u * i, &pixels, 8);
    }
}
#endif

#endif
