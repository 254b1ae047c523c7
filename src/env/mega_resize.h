// mega_resize.h - resizing of 8-bit images with the area filter of the reference (OpenCV's). Shared source.
//
// Three cases by the ratio of the sizes: whole-number shrinking, other shrinking, and enlarging. The
// arithmetic is that of the reference to the last bit: floats are rounded after every product and every
// sum, so the compiler must not fuse them (-ffp-contract=off, -fmad=false).
#ifndef MEGA_RESIZE_H
#define MEGA_RESIZE_H
#include "mega_base.h"

#define MEGA_RESIZE_MAX 512   // largest target height or width
#define MEGA_SOURCE_MAX 320   // largest source height or width
#define MEGA_RESIZE_TAPS 2048 // most weights of an axis

enum {
    MEGA_RESIZE_COPY,
    MEGA_RESIZE_WHOLE,
    MEGA_RESIZE_AREA,
    MEGA_RESIZE_ENLARGE,
    MEGA_RESIZE_84
};

typedef struct mega_axis {
    uint16_t first[MEGA_RESIZE_MAX + 1]; // taps of target d: first[d] .. first[d + 1] - 1
    uint16_t source[MEGA_RESIZE_TAPS];
    float weight[MEGA_RESIZE_TAPS];
} mega_axis;

typedef struct mega_resizer {
    uint32_t kind; // MEGA_RESIZE_*
    uint32_t source_height, source_width, height, width, channels;
    uint32_t whole_x, whole_y; // of MEGA_RESIZE_WHOLE
    mega_axis x, y;
    int16_t linear_x[MEGA_RESIZE_MAX][2], linear_y[MEGA_RESIZE_MAX][2]; // of MEGA_RESIZE_ENLARGE
    uint16_t from_x[MEGA_RESIZE_MAX][2], from_y[MEGA_RESIZE_MAX][2];
} mega_resizer;

// ---- rounding without a C library ------------------------------------------------------------------------

// Nearest integer, ties to even; 0 <= value < 2^22.
MEGA_FN int32_t resize_round(float value) {
    const int32_t floor_value = (int32_t)value;
    const float rest = value - (float)floor_value;
    return floor_value + (rest > 0.5f || (rest == 0.5f && (floor_value & 1) != 0));
}
MEGA_FN uint8_t resize_clamp(int32_t value) {
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}
MEGA_FN int32_t resize_ceil(double value) {
    const int32_t whole = (int32_t)value;
    return whole + ((double)whole < value);
}

// ---- set-up ----------------------------------------------------------------------------------------------

MEGA_FN double resize_scale(uint32_t source, uint32_t target) {
    return 1.0 / ((double)target / (double)source);
}

MEGA_FN void resize_add_tap(mega_axis *axis, uint32_t *count, int32_t source, double weight) {
    axis->source[*count] = (uint16_t)source;
    axis->weight[*count] = (float)weight;
    ++*count;
}

MEGA_FN void resize_build_area(mega_axis *axis, uint32_t source, uint32_t target) {
    const double scale = resize_scale(source, target);
    const double length = (double)source;
    uint32_t count = 0;
    for (uint32_t d = 0; d < target; d++) {
        const double from = (double)d * scale, to = from + scale;
        const double cell = scale < length - from ? scale : length - from;
        int32_t first = resize_ceil(from);
        int32_t last = (int32_t)to < (int32_t)source - 1 ? (int32_t)to : (int32_t)source - 1;
        first = first < last ? first : last;
        axis->first[d] = (uint16_t)count;
        if ((double)first - from > 0.001) {
            resize_add_tap(axis, &count, first - 1, ((double)first - from) / cell);
        }
        for (int32_t i = first; i < last; i++) {
            resize_add_tap(axis, &count, i, 1.0 / cell);
        }
        if (to - (double)last > 0.001) {
            double rest = to - (double)last < 1.0 ? to - (double)last : 1.0;
            rest = rest < cell ? rest : cell;
            resize_add_tap(axis, &count, last, rest / cell);
        }
    }
    axis->first[target] = (uint16_t)count;
}

MEGA_FN void resize_build_linear(int16_t weight[][2], uint16_t from[][2], uint32_t source, uint32_t target) {
    const double inverse = (double)target / (double)source;
    const double scale = 1.0 / inverse;
    for (uint32_t d = 0; d < target; d++) {
        int32_t i = (int32_t)((double)d * scale);
        float f = (float)((double)(d + 1) - (double)(i + 1) * inverse);
        f = f <= 0.0f ? 0.0f : f - (float)(int32_t)f;
        if (i >= (int32_t)source - 1) {
            i = (int32_t)source - 1;
            f = 0.0f;
        }
        weight[d][0] = (int16_t)resize_round((1.0f - f) * 2048.0f);
        weight[d][1] = (int16_t)resize_round(f * 2048.0f);
        from[d][0] = (uint16_t)i;
        from[d][1] = (uint16_t)(i + 1 < (int32_t)source ? i + 1 : (int32_t)source - 1);
    }
}

// Sizes are at least 1 and at most the limits above.
MEGA_FN void resize_prepare(mega_resizer *r, uint32_t source_height, uint32_t source_width, uint32_t height,
                            uint32_t width, uint32_t channels) {
    const double tiny = 2.2e-16;
    const double scale_x = resize_scale(source_width, width), scale_y = resize_scale(source_height, height);
    const double off_x = scale_x - (double)(int32_t)(scale_x + 0.5);
    const double off_y = scale_y - (double)(int32_t)(scale_y + 0.5);
    r->source_height = source_height;
    r->source_width = source_width;
    r->height = height;
    r->width = width;
    r->channels = channels;
    r->whole_x = (uint32_t)(scale_x + 0.5);
    r->whole_y = (uint32_t)(scale_y + 0.5);
    if (height == source_height && width == source_width) {
        r->kind = MEGA_RESIZE_COPY;
    } else if (scale_x < 1.0 || scale_y < 1.0) {
        r->kind = MEGA_RESIZE_ENLARGE;
        resize_build_linear(r->linear_x, r->from_x, source_width, width);
        resize_build_linear(r->linear_y, r->from_y, source_height, height);
    } else if (off_x < tiny && off_x > -tiny && off_y < tiny && off_y > -tiny) {
        r->kind = MEGA_RESIZE_WHOLE;
    } else {
        r->kind = source_height == 210 && source_width == 160 && height == 84 && width == 84 && channels == 1
                      ? MEGA_RESIZE_84
                      : MEGA_RESIZE_AREA;
        resize_build_area(&r->x, source_width, width);
        resize_build_area(&r->y, source_height, height);
    }
}

// ---- the filters -----------------------------------------------------------------------------------------

// One target pixel of the area filter: rows first, then columns, in the order of the taps. `row_of`, unless it is
// NULL, tells which row of memory has each row of the source, from row `top` on.
MEGA_FN uint8_t resize_area_pixel_of(const mega_resizer *r, const uint8_t *source, const uint8_t *row_of,
                                     uint32_t top, uint32_t y, uint32_t x, uint32_t channel) {
    float sum = 0.0f;
    for (uint32_t j = r->y.first[y]; j < r->y.first[y + 1]; j++) {
        const uint32_t at = row_of != NULL ? row_of[r->y.source[j] - top] : r->y.source[j];
        const uint8_t *row = source + at * r->source_width * r->channels + channel;
        float line = 0.0f;
        for (uint32_t i = r->x.first[x]; i < r->x.first[x + 1]; i++) {
            const float product = (float)row[r->x.source[i] * r->channels] * r->x.weight[i];
            line = line + product;
        }
        const float weighted = r->y.weight[j] * line;
        sum = j == r->y.first[y] ? weighted : sum + weighted;
    }
    return resize_clamp(resize_round(sum));
}

MEGA_FN uint8_t resize_area_pixel(const mega_resizer *r, const uint8_t *source, uint32_t y, uint32_t x,
                                  uint32_t channel) {
    return resize_area_pixel_of(r, source, NULL, 0, y, x, channel);
}

MEGA_FN void resize_area(const mega_resizer *r, const uint8_t *source, uint8_t *target) {
    for (uint32_t y = 0; y < r->height; y++) {
        for (uint32_t x = 0; x < r->width; x++) {
            for (uint32_t c = 0; c < r->channels; c++) {
                *target++ = resize_area_pixel(r, source, y, x, c);
            }
        }
    }
}

MEGA_FN void resize_whole(const mega_resizer *r, const uint8_t *source, uint8_t *target) {
    const uint32_t area = r->whole_x * r->whole_y;
    const float share = (float)(1.0 / (double)area);
    for (uint32_t y = 0; y < r->height; y++) {
        for (uint32_t x = 0; x < r->width * r->channels; x++) {
            const uint32_t column = x / r->channels * r->whole_x * r->channels + x % r->channels;
            uint32_t sum = 0;
            for (uint32_t j = 0; j < r->whole_y; j++) {
                const uint8_t *row = source + (y * r->whole_y + j) * r->source_width * r->channels + column;
                for (uint32_t i = 0; i < r->whole_x; i++) {
                    sum += row[i * r->channels];
                }
            }
            *target++ = r->whole_x == 2 && r->whole_y == 2 ? (uint8_t)((sum + 2u) >> 2)
                                                           : resize_clamp(resize_round((float)sum * share));
        }
    }
}

MEGA_FN void resize_enlarge(const mega_resizer *r, const uint8_t *source, uint8_t *target) {
    const uint32_t channels = r->channels, pitch = r->source_width * channels;
    for (uint32_t y = 0; y < r->height; y++) {
        const uint8_t *rows[2] = {source + r->from_y[y][0] * pitch, source + r->from_y[y][1] * pitch};
        for (uint32_t x = 0; x < r->width; x++) {
            for (uint32_t c = 0; c < channels; c++) {
                int32_t sum = 2;
                for (uint32_t k = 0; k < 2; k++) {
                    const int32_t line = rows[k][r->from_x[x][0] * channels + c] * r->linear_x[x][0] +
                                         rows[k][r->from_x[x][1] * channels + c] * r->linear_x[x][1];
                    sum += (r->linear_y[y][k] * (line >> 4)) >> 16;
                }
                *target++ = resize_clamp(sum >> 2);
            }
        }
    }
}

// 210 x 160 to 84 x 84 in integers: weights are multiples of 1/5 down and 1/40 across. Where the exact result
// lies half way between two integers the floats' rounding decides, so these pixels go the long way.
// Rows 5k .. 5k + 4 make target rows 2k and 2k + 1; columns 40k .. 40k + 39 make 21 target columns: target d
// covers 40 d .. 40 d + 39 in units of 1/21 pixel.
#define TAP_FROM(d) (40u * (d) / 21u)
#define TAP_LEFT(d) (21u - 40u * (d) % 21u)
#define TAP_MIDDLE(d) (40u - TAP_LEFT(d) < 21u ? 40u - TAP_LEFT(d) : 21u)
#define TAP_RIGHT(d) (40u - TAP_LEFT(d) - TAP_MIDDLE(d))

#define RESIZE_84_SUMS 96 // of a target row, and some more to make whole vectors

#if MEGA_VECTORS
// Across first: each source row that differs from the one above is filtered once.
#define RESIZE_84_ROWS 6 // three at least are in use, and five make two target rows
typedef struct resize_84_work {
    uint16_t row[RESIZE_84_ROWS][RESIZE_84_SUMS]; // in units of 1/40
    uint32_t newest;                              // the row filtered last
    uint32_t next;                                // the next source row
    uint8_t row_of[210];                          // by source row
} resize_84_work;

typedef char resize_bytes __attribute__((vector_size(16)));
typedef short resize_words __attribute__((vector_size(16)));

// Eight targets from d on, from 16 source pixels that begin with `base`.
#define PICK1(d, base, tap) (char)(TAP_FROM(d) + (tap) - (base) < 16u ? TAP_FROM(d) + (tap) - (base) : 0u)
#define PICK2(d, base) PICK1(d, base, 0u), PICK1(d, base, 1u)
#define PICK8(d, base)                                                                   \
    PICK2(d, base), PICK2((d) + 1u, base), PICK2((d) + 2u, base), PICK2((d) + 3u, base), \
        PICK2((d) + 4u, base), PICK2((d) + 5u, base), PICK2((d) + 6u, base), PICK2((d) + 7u, base)
#define LAST2(d, base) PICK1(d, base, 2u), 0
#define LAST8(d, base)                                                                   \
    LAST2(d, base), LAST2((d) + 1u, base), LAST2((d) + 2u, base), LAST2((d) + 3u, base), \
        LAST2((d) + 4u, base), LAST2((d) + 5u, base), LAST2((d) + 6u, base), LAST2((d) + 7u, base)
#define WEIGHT2(d) (char)TAP_LEFT(d), (char)TAP_MIDDLE(d)
#define WEIGHT8(d)                                                                          \
    WEIGHT2(d), WEIGHT2((d) + 1u), WEIGHT2((d) + 2u), WEIGHT2((d) + 3u), WEIGHT2((d) + 4u), \
        WEIGHT2((d) + 5u), WEIGHT2((d) + 6u), WEIGHT2((d) + 7u)
#define REST2(d) (char)TAP_RIGHT(d), 0
#define REST8(d)                                                                                   \
    REST2(d), REST2((d) + 1u), REST2((d) + 2u), REST2((d) + 3u), REST2((d) + 4u), REST2((d) + 5u), \
        REST2((d) + 6u), REST2((d) + 7u)
#define TARGETS(d, base)                                                                                   \
    do {                                                                                                   \
        const resize_bytes pick = {PICK8(d, base)}, last = {LAST8(d, base)};                               \
        const resize_bytes weight = {WEIGHT8(d)}, rest = {REST8(d)};                                       \
        resize_bytes in;                                                                                   \
        MEGA_COPY(&in, from + (base), 16);                                                                 \
        const resize_words out = __builtin_ia32_pmaddubsw128(__builtin_ia32_pshufb128(in, pick), weight) + \
                                 __builtin_ia32_pmaddubsw128(__builtin_ia32_pshufb128(in, last), rest);    \
        MEGA_COPY(to + (d), &out, 16);                                                                     \
    } while (0)

// The last of a period's 24 targets come from beyond its pixels: they are wrong, and come right with the next period.
MEGA_FN void resize_84_across(const uint8_t *from, uint16_t *to) {
    for (uint32_t period = 0; period < 4; period++, from += 40, to += 21) {
        TARGETS(0u, 0u);
        TARGETS(7u, 13u);
        TARGETS(14u, 24u);
    }
    *to = 0;
}
#undef PICK1
#undef PICK2
#undef PICK8
#undef LAST2
#undef LAST8
#undef WEIGHT2
#undef WEIGHT8
#undef REST2
#undef REST8
#undef TARGETS

MEGA_FN void resize_84_begin(resize_84_work *work) {
    MEGA_FILL(work->row, 0, sizeof(work->row));
    work->newest = work->next = 0;
}

// The exact results of target row y, made from source rows `top` to `top` + 2, in units of 1/200.
MEGA_FN void resize_84_sums(resize_84_work *work, const uint8_t *source, const uint8_t *repeats, uint32_t y,
                            uint32_t top, uint16_t *sums) {
    for (uint32_t i = work->next; i < top + 3u; i++) {
        if (repeats == NULL || i == 0 || !repeats[i]) {
            work->newest = (work->newest + 1u) % RESIZE_84_ROWS;
            resize_84_across(source + 160u * i, work->row[work->newest]);
        }
        work->row_of[i] = (uint8_t)work->newest;
    }
    work->next = top + 3u;
    const uint32_t odd = y & 1u; // the row that two target rows share is the last or the first
    const uint16_t *shared = work->row[work->row_of[odd ? top : top + 2u]];
    const uint16_t *a = work->row[work->row_of[top + odd]], *b = work->row[work->row_of[top + 1u + odd]];
    for (uint32_t x = 0; x < RESIZE_84_SUMS; x++) {
        sums[x] = (uint16_t)(2u * ((uint32_t)a[x] + b[x]) + shared[x]);
    }
}
#else
// Down first, so that the filter across runs once for each target row.
typedef struct resize_84_work {
    uint16_t column[162]; // sums down a column, in fifths; the last two are read with weight 0
} resize_84_work;

MEGA_FN void resize_84_begin(resize_84_work *work) {
    work->column[160] = work->column[161] = 0;
}

#define TAP(d)                                                                                 \
    out[d] = (uint16_t)(TAP_LEFT(d) * in[TAP_FROM(d)] + TAP_MIDDLE(d) * in[TAP_FROM(d) + 1u] + \
                        TAP_RIGHT(d) * in[TAP_FROM(d) + 2u])
MEGA_FN void resize_84_across(const uint16_t *column, uint16_t *sums) {
    for (uint32_t period = 0; period < 4; period++) {
        const uint16_t *in = column + 40u * period;
        uint16_t *out = sums + 21u * period;
        TAP(0);
        TAP(1);
        TAP(2);
        TAP(3);
        TAP(4);
        TAP(5);
        TAP(6);
        TAP(7);
        TAP(8);
        TAP(9);
        TAP(10);
        TAP(11);
        TAP(12);
        TAP(13);
        TAP(14);
        TAP(15);
        TAP(16);
        TAP(17);
        TAP(18);
        TAP(19);
        TAP(20);
    }
}
#undef TAP

// The exact results of target row y, made from source rows `top` to `top` + 2, in units of 1/200.
MEGA_FN void resize_84_sums(resize_84_work *work, const uint8_t *source, const uint8_t *repeats, uint32_t y,
                            uint32_t top, uint16_t *sums) {
    const uint8_t *row = source + top * 160u;
    const uint32_t first = (y & 1u) != 0 ? 1 : 2, last = 3u - first;
    for (uint32_t x = 0; x < 160; x++) {
        work->column[x] = (uint16_t)(first * row[x] + 2u * row[x + 160] + last * row[x + 320]);
    }
    resize_84_across(work->column, sums);
    (void)repeats;
}
#endif
#undef TAP_FROM
#undef TAP_LEFT
#undef TAP_MIDDLE
#undef TAP_RIGHT

// Pixels half way between two values: the bytes of `ties` are 1 there. Even and odd rows add up in another order, so
// equal sums may differ here.
MEGA_FN void resize_84_ties(const mega_resizer *r, const uint8_t *source, const uint8_t *ties, uint32_t y,
                            uint8_t *target) {
    for (uint32_t x = 0; x < 84; x += 4) {
        uint32_t four;
        MEGA_COPY4(&four, ties + x);
        for (; four != 0; four &= four - 1u) {
            const uint32_t at = x + (uint32_t)MEGA_LOWEST_BIT(four) / 8u;
            target[at] = resize_area_pixel(r, source, y, at, 0);
        }
    }
}

// `repeats[y]` is 1 where source row y is known to equal the one above; NULL when nothing is known.
MEGA_FN void resize_84(const mega_resizer *r, const uint8_t *source, const uint8_t *repeats,
                       uint8_t *target) {
    resize_84_work work;
    uint16_t sums[RESIZE_84_SUMS];
    uint8_t rounded[RESIZE_84_SUMS];
    uint32_t ties[RESIZE_84_SUMS / 4]; // bytes, in the row above
    uint8_t *tie = (uint8_t *)ties;
    uint32_t any = 0; // of them is set
    resize_84_begin(&work);
    MEGA_FILL(sums, 0, sizeof(sums));
    for (uint32_t y = 0; y < 84; y++, target += 84) {
        const uint32_t top = y / 2u * 5u + (y & 1u) * 2u;
        if (repeats != NULL && y != 0) {
            // All rows from the second of the target row above to the last of this one.
            uint32_t equal = repeats[top] & repeats[top + 1] & repeats[top + 2] & repeats[top - 1];
            equal &= (y & 1u) != 0 ? 1u : repeats[top - 2];
            if (equal != 0) {
                MEGA_COPY(target, target - 84, 84);
                if (any) {
                    resize_84_ties(r, source, tie, y, target);
                }
                continue;
            }
        }
        resize_84_sums(&work, source, repeats, y, top, sums);
        uint8_t some = 0;
        for (uint32_t x = 0; x < RESIZE_84_SUMS; x++) {
            // A division by 200 that fits in 16-bit vectors: by 8, then by 25.
            const uint16_t eighth = (uint16_t)(sums[x] >> 3);
            const uint16_t whole = (uint16_t)((uint16_t)((uint32_t)eighth * 5243u >> 16) >> 1);
            const uint16_t rest = (uint16_t)(sums[x] - 200u * whole);
            rounded[x] = (uint8_t)(whole + (rest > 100));
            tie[x] = rest == 100;
            some |= tie[x];
        }
        MEGA_COPY(target, rounded, 84);
        any = some;
        if (any) {
            resize_84_ties(r, source, tie, y, target);
        }
    }
}

// `repeats` as for resize_84.
MEGA_FN void resize_run(const mega_resizer *r, const uint8_t *source, const uint8_t *repeats,
                        uint8_t *target) {
    switch (r->kind) {
    case MEGA_RESIZE_COPY: MEGA_COPY(target, source, r->height * r->width * r->channels); break;
    case MEGA_RESIZE_WHOLE: resize_whole(r, source, target); break;
    case MEGA_RESIZE_AREA: resize_area(r, source, target); break;
    case MEGA_RESIZE_ENLARGE: resize_enlarge(r, source, target); break;
    default: resize_84(r, source, repeats, target); break;
    }
}

#endif
