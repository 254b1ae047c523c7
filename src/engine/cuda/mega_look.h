// mega_look.h - from the logs of a step to its observation, by a block of threads. Shared source.
//
// One block per environment, and in it one warp for each band of 30 rows of the screen; warps know nothing of each
// other. Rows that look like the one above, in the last frame and in the one before it, are not drawn again: a map
// tells which row stands for them. Of the others a lane draws 32 pixels at a time, in shades, into memory that the
// warp shares: the last frame, and the one before where the two differ, for the maximum of both. Then the band is
// shrunk into twelve rows of the newest frame of the stack.
//
// Frames that are not as usual, and pictures of other sizes than 84 x 84, take the long way, by way of the pooled
// screen in the memory of the device.
#ifndef MEGA_LOOK_H
#define MEGA_LOOK_H
#include "mega_batch.h"

#define LOOK_PLACES 36u // rows that a warp has room for: those of a band, and some of the frame before
#define LOOK_BAND 30u   // rows: a lane for each
#define LOOK_BANDS 7u   // of a screen of 210 rows, and the warps of a block
#define LOOK_SHRUNK (84u * 84u / LOOK_BANDS) // bytes that a band becomes
#define LOOK_QUADS (21u * (LOOK_BAND / 5u))  // tasks of shrinking a band
#define LOOK_STARTS_SIZE 6u                  // bits of a number in mega_band.starts
#define LOOK_STARTS_ALL 0x41041u
#define LOOK_STARTS_MOST ((1u << LOOK_STARTS_SIZE) - 1u)

// Where the pixels of a picture come from: a log with checkpoints, or colours that were drawn.
typedef struct mega_source {
    const mega_log *log;
    const uint8_t *colors;
} mega_source;

MEGA_FN mega_source look_source(const mega_video *video, uint32_t frames_ago) {
    const uint32_t picture = video->current ^ frames_ago;
    mega_source source;
    source.log = NULL;
    source.colors = video->picture[picture];
    for (uint32_t i = 0; i < 3; i++) {
        const mega_log *log = &video->log[i];
        if (log->state == MEGA_SLOT_PENDING && log->picture == picture) {
            source.log = log;
        }
    }
    return source;
}

// A row of shades; `row` is a multiple of 8.
MEGA_FN void look_row(const mega_source *source, const mega_course *course, uint32_t y, uint8_t *row) {
    if (source->log != NULL) {
        ahead_draw_row(source->log, course->shades, y, row);
        return;
    }
    MEGA_ROLLED
    for (uint32_t x = 0; x < MEGA_WIDTH; x++) {
        row[x] = course->shades[source->colors[MEGA_WIDTH * y + x]];
    }
}

// What a warp works on. Its views are the rows that it draws: those of the last frame, and after them those of the
// frame before.
typedef struct mega_band {
    uint8_t rows[MEGA_WIDTH * LOOK_PLACES + 16]; // pixels; a filter reads past the end, with weight 0
    uint32_t starts[2u * LOOK_BAND];             // by view: see look_starts()
    uint16_t first[2u * LOOK_BAND];              // and as mega_log.first has it
    uint8_t row_of[LOOK_BAND + 2];               // which of `rows` has each row of the band
    uint8_t drawn[LOOK_BAND + 2];                // and which row of the band each of them is
    uint64_t pad;                                // the size is a multiple of 16
} mega_band;

MEGA_STATIC_ASSERT(sizeof(mega_band) % 16u == 0, "rows are copied by 16 bytes");

typedef struct mega_canvas {
    mega_band band[LOOK_BANDS];
} mega_canvas;

// The frames of a band: both, or `before` is NULL.
typedef struct mega_frames {
    const mega_log *log[2]; // the last one, the one before
    const uint8_t *shades;
    uint32_t top; // the band's first row
} mega_frames;

// ---- comparing -------------------------------------------------------------------------------------------

// Four bytes, 0xFF where `bytes` has anything but 0.
MEGA_FN uint32_t look_spread(uint32_t bytes) {
    const uint32_t any = (((bytes & 0x7F7F7F7Fu) + 0x7F7F7F7Fu) | bytes) & 0x80808080u;
    return (any >> 7) * 0xFFu;
}

// Do two segments look the same? An object that is not there may be anywhere, and a colour of nothing may be any.
MEGA_FN uint32_t look_is_alike(const mega_segment *a, const mega_segment *b) {
    const uint32_t objects = a->objects, field = a->field;
    const uint32_t ball = field >> FIELD_BALL & 1u;
    const uint32_t drawn = field & (0xFFFFFu | 1u << FIELD_BALL | 1u << FIELD_ALONE);
    // What counts: which objects there are, and the rest only for those. Bytes are those of the positions.
    const uint32_t in_places = look_spread((objects & 0xFFFFu) | (objects >> OBJECT_MISSILE & 7u) << 16 |
                                           (objects >> (OBJECT_MISSILE + 3) & 7u) << 24);
    const uint32_t in_sides = (in_places | in_places >> 16) & 0xFFFFu; // a player with its missile
    const uint32_t modes =
        (in_sides & (7u | 1u << 6)) | (in_sides >> 8 & 7u) << 3 | (in_sides >> 8 & 1u) << 7;
    const uint32_t in_objects = 0xFFFFu | 63u << OBJECT_MISSILE | modes << OBJECT_MODE;
    const uint32_t in_colors =
        0xFF000000u | in_sides | (drawn ? 0xFF0000u : 0u) | ((field >> FIELD_SCORE & 1u) ? 0xFFFFu : 0u);
    const uint32_t in_field = 0xFFFFFu | 1u << FIELD_BLANK | 1u << FIELD_BALL | 1u << FIELD_ALONE |
                              (ball ? 3u << FIELD_BALL_WIDTH : 0u) |
                              (drawn ? 1u << FIELD_REFLECT | 1u << FIELD_SCORE | 1u << FIELD_PRIORITY : 0u);
    const uint32_t differ = ((field ^ b->field) & in_field) | ((objects ^ b->objects) & in_objects) |
                            ((a->positions ^ b->positions) & in_places) |
                            ((a->colors ^ b->colors) & in_colors) | (ball ? (a->from ^ b->from) >> 24 : 0u);
    return differ == 0 || (field & b->field & 1u << FIELD_BLANK) != 0;
}

// Does row y, not the first, look like the one above? Rows of several segments are said not to; few of them do.
MEGA_FN uint32_t look_repeats(const mega_log *log, uint32_t y) {
    const uint32_t first = log->first[y], above = log->first[y - 1u], i = first & ~MEGA_ROW_BLANKED;
    if (first == above) {
        return segment_end(log, log->segments, i, y) >= MEGA_WIDTH;
    }
    if (first != above + 1u || segment_end(log, log->segments, i, y) < MEGA_WIDTH) {
        return 0;
    }
    const mega_segment here = log_segment(log, i), there = log_segment(log, i - 1u);
    return look_is_alike(&here, &there);
}

// Does a row look the same in two frames? Not if its segments end at different places, whatever these show.
MEGA_FN uint32_t look_is_still(const mega_log *a, const mega_log *b, uint32_t y) {
    const uint32_t first_a = a->first[y], first_b = b->first[y];
    uint32_t i = first_a & ~MEGA_ROW_BLANKED, k = first_b & ~MEGA_ROW_BLANKED;
    if (((first_a ^ first_b) & MEGA_ROW_BLANKED) != 0) {
        return 0;
    }
    for (;; i++, k++) {
        const uint32_t end = segment_end(a, a->segments, i, y);
        const mega_segment left = log_segment(a, i), right = log_segment(b, k);
        if (segment_end(b, b->segments, k, y) != end || !look_is_alike(&left, &right)) {
            return 0;
        }
        if (end >= MEGA_WIDTH) {
            return 1;
        }
    }
}

// Where the groups of a row begin: of each but the first, which segment shows its left pixel, counted from that
// of the first; or the largest number there is, and it is that segment or a later one.
MEGA_FN uint32_t look_starts(const mega_log *log, uint32_t y) {
    const uint32_t first = log->first[y] & ~MEGA_ROW_BLANKED, count = log->segments;
    uint32_t starts = 0;
    uint32_t end = segment_end(log, count, first, y);
    for (uint32_t i = 1; end < MEGA_WIDTH; i++) {
        const uint32_t number = i < LOOK_STARTS_MOST ? i : LOOK_STARTS_MOST;
        const uint32_t group = (end + 31u) / 32u; // this segment's, and from there on
        const uint32_t others = group != 0 ? (1u << LOOK_STARTS_SIZE * (group - 1u)) - 1u : 0u;
        const uint32_t next = segment_end(log, count, first + i, y);
        starts = (starts & others) | (number * LOOK_STARTS_ALL & ~others);
        end = next > end ? next : end;
    }
    return starts;
}

// What is to be drawn of a band.
typedef struct mega_work {
    uint32_t distinct; // bits: rows of the band that do not repeat the one above
    uint32_t rows;     // how many
    uint32_t moving;   // those of them that the two frames show differently; they come first
} mega_work;

// Finds the rows of a band that must be drawn.
MEGA_FN mega_work look_find_rows(mega_band *band, const mega_frames *frames, uint32_t height, uint32_t lane) {
    const mega_log *last = frames->log[0], *before = frames->log[1];
    uint32_t distinct = 0, moving = 0;
    mega_work work;
    for (uint32_t y = lane; y < height; y += MEGA_WARP) {
        const uint32_t row = frames->top + y;
        if (y == 0 || !look_repeats(last, row) || (before != NULL && !look_repeats(before, row))) {
            distinct |= 1u << y;
            moving |= (uint32_t)(before != NULL && !look_is_still(last, before, row)) << y;
        }
    }
    distinct = MEGA_WARP_JOIN(distinct);
    moving = MEGA_WARP_JOIN(moving);
    work.distinct = distinct;
    work.rows = (uint32_t)MEGA_COUNT_BITS(distinct);
    work.moving = (uint32_t)MEGA_COUNT_BITS(moving);
    for (uint32_t y = lane; y < height; y += MEGA_WARP) {
        const uint32_t up_to_here = 0xFFFFFFFFu >> (31u - y);
        const uint32_t from =
            31u - (uint32_t)MEGA_LEADING_ZEROS(distinct & up_to_here); // the row that stands for it
        const uint32_t below = (1u << from) - 1u, moves = moving >> from & 1u;
        const uint32_t place = moves ? (uint32_t)MEGA_COUNT_BITS(moving & below)
                                     : work.moving + (uint32_t)MEGA_COUNT_BITS(distinct & ~moving & below);
        band->row_of[y] = (uint8_t)place;
        if (from == y) {
            band->drawn[place] = (uint8_t)y;
            band->starts[place] = look_starts(last, frames->top + y);
            band->first[place] = last->first[frames->top + y];
            if (moves) {
                band->starts[work.rows + place] = look_starts(before, frames->top + y);
                band->first[work.rows + place] = before->first[frames->top + y];
            }
        }
    }
    MEGA_WARP_BARRIER();
    return work;
}

// ---- drawing ---------------------------------------------------------------------------------------------

// Eight bits to the lowest bits of eight nibbles.
MEGA_FN uint32_t look_nibbles(uint32_t bits) {
    bits = bits * 0x1001u & 0x000F000Fu;
    bits = bits * 0x41u & 0x03030303u;
    return bits * 9u & 0x11111111u;
}

// The shades of a segment's four colours.
MEGA_FN uint32_t look_shades(const mega_segment *segment, const uint8_t *shades) {
    const uint32_t colors = (segment->field >> FIELD_BLANK & 1u) != 0 ? 0u : segment->colors;
    return shades[colors & 0xFFu] | (uint32_t)shades[colors >> 8 & 0xFFu] << 8 |
           (uint32_t)shades[colors >> 16 & 0xFFu] << 16 | (uint32_t)shades[colors >> 24] << 24;
}

// 32 pixels, each one of eight shades: those of two segments.
typedef struct mega_paint {
    uint32_t shades[2];
    uint32_t low, high, second; // by pixel, the bits of its number
    uint32_t covered;           // pixels that have one
} mega_paint;

// Adds a segment to the pixels of `range`. Returns 0 if that would be a third set of shades.
MEGA_INLINE uint32_t look_add(mega_paint *paint, const mega_segment *segment, uint32_t shades, uint32_t group,
                              uint32_t range) {
    if (paint->covered == 0) {
        paint->shades[0] = shades;
    } else if (shades != paint->shades[0]) {
        if (paint->second != 0 && shades != paint->shades[1]) {
            return 0;
        }
        paint->shades[1] = shades;
        paint->second |= range;
    }
    const mega_group_colors shown = group_colors(segment, group);
    paint->low |= ~(shown.player0 | shown.playfield) & range;
    paint->high |= ~(shown.player0 | shown.player1) & range;
    paint->covered |= range;
    return 1;
}

// Eight of them, from bit `shift` on.
MEGA_INLINE void look_put_eight(const mega_paint *paint, uint32_t pools, uint32_t shift, uint32_t *to) {
    uint32_t which = look_nibbles(paint->low >> shift & 0xFFu) | look_nibbles(paint->high >> shift & 0xFFu)
                                                                     << 1;
    if (paint->second != 0) {
        which |= look_nibbles(paint->second >> shift & 0xFFu) << 2;
    }
    uint32_t left = MEGA_PICK4(paint->shades[0], paint->shades[1], which);
    uint32_t right = MEGA_PICK4(paint->shades[0], paint->shades[1], which >> 16);
    if (paint->covered != 0xFFFFFFFFu) {
        left &= tia_expand_four(paint->covered >> shift);
        right &= tia_expand_four(paint->covered >> (shift + 4u));
    }
    to[0] = pools ? MEGA_MAX4(to[0], left) : left;
    to[1] = pools ? MEGA_MAX4(to[1], right) : right;
}

// Puts pixels into memory, or, with `pools`, pools them with what is there.
MEGA_INLINE void look_put(const mega_paint *paint, uint32_t pools, uint32_t *to) {
    look_put_eight(paint, pools, 0, to);
    look_put_eight(paint, pools, 8, to + 2);
    look_put_eight(paint, pools, 16, to + 4);
    look_put_eight(paint, pools, 24, to + 6);
}

// 32 pixels of a row of a clean frame, from the segment on that shows the first of them.
MEGA_INLINE void look_group(const mega_log *log, const uint8_t *shades, uint32_t y, uint32_t group,
                            uint32_t first, uint32_t skip, uint32_t pools, uint32_t *to) {
    const uint32_t left = 32u * group, count = log->segments;
    uint32_t i = (first & ~MEGA_ROW_BLANKED) + skip, start = left;
    mega_paint paint;
    paint.shades[0] = paint.shades[1] = 0;
    paint.low = paint.high = paint.second = paint.covered = 0;
    if (group == 0 && (first & MEGA_ROW_BLANKED) != 0) {
        paint.shades[0] = shades[0] * 0x01010101u;
        paint.covered = 0xFFu;
        start = 8;
    }
    do {
        while (start < left + 32u) {
            const uint32_t end = segment_end(log, count, i, y);
            if (end > start) {
                const mega_segment segment = log_segment(log, i);
                if (!look_add(&paint, &segment, look_shades(&segment, shades), group,
                              group_range(group, start, end))) {
                    break;
                }
                start = end;
            }
            i++;
        }
        look_put(&paint, pools, to);
        paint.low = paint.high = paint.second = paint.covered = 0;
        pools = 1;
    } while (start < left + 32u);
}

// Draws what is to be drawn of a band.
MEGA_FN void look_draw(mega_band *band, const mega_frames *frames, mega_work work, uint32_t lane) {
    // Where there is room, views of the frame before get rows of their own, and are pooled afterwards. Else they
    // are pooled as they are drawn; then there are so many rows that those of the last frame are done before.
    const uint32_t views = work.rows + work.moving, beside = views <= LOOK_PLACES;
    MEGA_ROLLED
    for (uint32_t base = 0; base < 5u * views; base += MEGA_WARP) {
        const uint32_t view = (base + lane) / 5u, group = (base + lane) % 5u;
        if (view < views) {
            const uint32_t before = view >= work.rows, row = before ? view - work.rows : view;
            const uint32_t skip = band->starts[view] << LOOK_STARTS_SIZE >> LOOK_STARTS_SIZE * group;
            uint32_t *to = (uint32_t *)(band->rows + MEGA_WIDTH * (beside ? view : row) + 32u * group);
            look_group(before ? frames->log[1] : frames->log[0], frames->shades,
                       frames->top + band->drawn[row], group, band->first[view], skip & LOOK_STARTS_MOST,
                       before && !beside, to);
        }
        MEGA_WARP_BARRIER();
    }
    MEGA_ROLLED
    for (uint32_t i = lane; beside && i < work.moving * (MEGA_WIDTH / 4u); i += MEGA_WARP) {
        uint32_t *to = (uint32_t *)band->rows + i;
        *to = MEGA_MAX4(*to, to[work.rows * (MEGA_WIDTH / 4u)]);
    }
    MEGA_WARP_BARRIER();
}
MEGA_STATIC_ASSERT(5u * LOOK_PLACES / 2u >= 32u, "a warp's tasks are done before those that pool with them");

// ---- shrinking -------------------------------------------------------------------------------------------

// 210 x 160 to 84 x 84, as in resize_84(): five rows of the screen make two of the picture, and four columns come
// from twelve pixels, three words. A word of weights tells how much each of four pixels counts for a column.
#define TAP_FROM(x) (40u * ((x) / 21u) + 40u * ((x) % 21u) / 21u)
#define TAP_LEFT(x) (21u - 40u * ((x) % 21u) % 21u)
#define TAP_MIDDLE(x) (40u - TAP_LEFT(x) < 21u ? 40u - TAP_LEFT(x) : 21u)
#define TAP_RIGHT(x) (40u - TAP_LEFT(x) - TAP_MIDDLE(x))
#define TAP(x, pixel)                                         \
    ((uint64_t)((pixel) == TAP_FROM(x)        ? TAP_LEFT(x)   \
                : (pixel) == TAP_FROM(x) + 1u ? TAP_MIDDLE(x) \
                : (pixel) == TAP_FROM(x) + 2u ? TAP_RIGHT(x)  \
                                              : 0u))
#define TAP_WORD(x, pixel) \
    (TAP(x, pixel) | TAP(x, pixel + 1u) << 8 | TAP(x, pixel + 2u) << 16 | TAP(x, pixel + 3u) << 24)
#define TAP_WORDS(x, pixel) (TAP_WORD(x, pixel) | TAP_WORD(x, (pixel) + 4u) << 32)
#define QUAD_FROM(quad) (TAP_FROM(4u * (quad)) / 4u * 4u)
#define QUADS(value)                                                                                       \
    {                                                                                                      \
        value(0u), value(1u), value(2u), value(3u), value(4u), value(5u), value(6u), value(7u), value(8u), \
            value(9u), value(10u), value(11u), value(12u), value(13u), value(14u), value(15u), value(16u), \
            value(17u), value(18u), value(19u), value(20u)                                                 \
    }
// Columns 0 and 1 of a quad look at its first two words, 2 at all three, 3 at the last two.
#define QUAD_0(quad) TAP_WORDS(4u * (quad), QUAD_FROM(quad))
#define QUAD_1(quad) TAP_WORDS(4u * (quad) + 1u, QUAD_FROM(quad))
#define QUAD_2(quad) TAP_WORDS(4u * (quad) + 2u, QUAD_FROM(quad))
#define QUAD_2_LAST(quad) (TAP_WORD(4u * (quad) + 2u, QUAD_FROM(quad) + 8u) | (uint64_t)QUAD_FROM(quad) << 32)
#define QUAD_3(quad) TAP_WORDS(4u * (quad) + 3u, QUAD_FROM(quad) + 4u)
MEGA_TABLE uint64_t look_weights[5][21] = {
    QUADS(QUAD_0), QUADS(QUAD_1), QUADS(QUAD_2), QUADS(QUAD_2_LAST), // and where the quad begins
    QUADS(QUAD_3),
};
#undef TAP_FROM
#undef TAP_LEFT
#undef TAP_MIDDLE
#undef TAP_RIGHT
#undef TAP
#undef TAP_WORD
#undef TAP_WORDS
#undef QUAD_FROM
#undef QUADS
#undef QUAD_0
#undef QUAD_1
#undef QUAD_2
#undef QUAD_2_LAST
#undef QUAD_3

// Adds a row of the screen to four columns, in units of 1/40.
MEGA_INLINE void look_sum(const uint8_t *rows, uint32_t place, const uint64_t weights[5], uint32_t sums[4]) {
    const uint32_t *words = (const uint32_t *)(rows + MEGA_WIDTH * place);
    const uint32_t a = words[0], b = words[1], c = words[2];
    sums[0] = MEGA_DOT4(b, (uint32_t)(weights[0] >> 32), MEGA_DOT4(a, (uint32_t)weights[0], sums[0]));
    sums[1] = MEGA_DOT4(b, (uint32_t)(weights[1] >> 32), MEGA_DOT4(a, (uint32_t)weights[1], sums[1]));
    sums[2] = MEGA_DOT4(b, (uint32_t)(weights[2] >> 32), MEGA_DOT4(a, (uint32_t)weights[2], sums[2]));
    sums[2] = MEGA_DOT4(c, (uint32_t)weights[3], sums[2]);
    sums[3] = MEGA_DOT4(c, (uint32_t)(weights[4] >> 32), MEGA_DOT4(b, (uint32_t)weights[4], sums[3]));
}

// Sums of 0 to 51,000 in units of 1/200 to pixels: with this factor the rounded quotient is in the uppermost byte,
// and the rest is below the factor where the exact result is half way between two integers.
#define LOOK_FACTOR 83887u
MEGA_FN uint32_t look_divide(uint32_t sum) {
    return (sum + 100u) * LOOK_FACTOR;
}
#define LOOK_IS_TIE(quotient) (((quotient)&0xFFFFFFu) < LOOK_FACTOR)

// Four pixels from their sums. Ties become bits of `ties`.
MEGA_INLINE uint32_t look_pixels(const uint32_t twice[4], const uint32_t once[4], uint32_t *ties) {
    uint32_t q[4], least = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < 4; i++) {
        q[i] = look_divide(2u * twice[i] + once[i]);
        least = (q[i] & 0xFFFFFFu) < least ? q[i] & 0xFFFFFFu : least;
    }
    *ties = 0;
    if (LOOK_IS_TIE(least)) {
        for (uint32_t i = 0; i < 4; i++) {
            *ties |= (uint32_t)LOOK_IS_TIE(q[i]) << i;
        }
    }
    return MEGA_PICK4(MEGA_PICK4(q[0], q[1], 0x73u), MEGA_PICK4(q[2], q[3], 0x73u), 0x5410u);
}

// Four columns of two rows of the picture. Returns which of them are ties: first those of the upper row.
MEGA_FN uint32_t look_shrink_quad(const mega_band *band, uint32_t pair, uint32_t quad, uint8_t *to) {
    const uint8_t *row_of = band->row_of + 5u * pair;
    uint64_t weights[5];
    for (uint32_t i = 0; i < 5; i++) {
        weights[i] = look_weights[i][quad];
    }
    const uint8_t *rows = band->rows + (uint32_t)(weights[3] >> 32);
    uint32_t above[4] = {0}, middle[4] = {0}, below[4] = {0};
    look_sum(rows, row_of[2], weights, middle);
    if (row_of[0] == row_of[4]) { // all of them, since only rows side by side share a place
        for (uint32_t i = 0; i < 4; i++) {
            above[i] = below[i] = 2u * middle[i];
        }
    } else {
        look_sum(rows, row_of[0], weights, above);
        look_sum(rows, row_of[1], weights, above);
        look_sum(rows, row_of[3], weights, below);
        look_sum(rows, row_of[4], weights, below);
    }
    uint32_t upper_ties, lower_ties;
    const uint32_t upper = look_pixels(above, middle, &upper_ties);
    const uint32_t lower = look_pixels(below, middle, &lower_ties);
    MEGA_COPY4(to + 168u * pair + 4u * quad, &upper);
    MEGA_COPY4(to + 168u * pair + 84u + 4u * quad, &lower);
    return upper_ties | lower_ties << 4;
}

// The band becomes twelve rows of the picture, from `to` on.
MEGA_FN void look_shrink(const mega_resizer *resizer, const mega_band *band, uint32_t number, uint8_t *to,
                         uint32_t lane) {
    // Ties are few, so a lane goes through them after four tasks.
    for (uint32_t base = lane; base < LOOK_QUADS; base += 4u * MEGA_WARP) {
        uint32_t ties = 0;
        MEGA_ROLLED
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t task = base + MEGA_WARP * i;
            if (task < LOOK_QUADS) {
                ties |= look_shrink_quad(band, task / 21u, task % 21u, to) << 8u * i;
            }
        }
        MEGA_ROLLED
        for (; ties != 0; ties &= ties - 1u) {
            const uint32_t bit = (uint32_t)MEGA_LOWEST_BIT(ties), task = base + MEGA_WARP * (bit / 8u);
            const uint32_t y = 2u * (task / 21u) + (bit >> 2 & 1u), x = 4u * (task % 21u) + (bit & 3u);
            to[84u * y + x] = resize_area_pixel_of(resizer, band->rows, band->row_of, LOOK_BAND * number,
                                                   12u * number + y, x, 0);
        }
    }
}

// ---- an environment --------------------------------------------------------------------------------------

// How the screen of a step is made.
typedef struct mega_pooling {
    mega_source last, before;
    uint32_t pools; // 1: the maximum of both
    uint32_t left;  // frames of the step that nobody will see
    uint32_t shows; // 1: the last frame is new
} mega_pooling;

MEGA_FN mega_pooling look_plan(const mega_cell *cell, const mega_course *course, mega_video *video) {
    mega_pooling plan;
    plan.pools = course->task.maxpool && course->task.frame_skip > 1 && !cell->fresh;
    plan.left = task_unseen_frames(&course->task, &cell->step);
    plan.shows = plan.left == 0 || (plan.left == 2 && course->task.envpool);
    plan.last = look_source(video, 0);
    plan.before = look_source(video, 1);
    if (cell->step.kept) {
        plan.before.log = NULL;
        plan.before.colors = video_spare(video);
    }
    return plan;
}

// The pooled screen in the memory of the device has holes: rows that repeat the one above may be missing. Fills
// them in.
MEGA_FN void look_fill(uint8_t *pooled, const uint8_t *repeats, uint32_t height, uint32_t thread,
                       uint32_t threads) {
    for (uint32_t y = thread; y < height; y += threads) {
        uint32_t from = y;
        while (repeats[from]) {
            from--;
        }
        for (uint32_t x = 0; x < MEGA_WIDTH && from != y; x += 16u) {
            MEGA_COPY16(pooled + MEGA_WIDTH * y + x, pooled + MEGA_WIDTH * from + x);
        }
    }
}

// Whatever is not as usual: frames drawn before, frames kept from before, a step that ended early.
MEGA_FN void look_pool_any(const mega_course *course, const mega_pooling *plan, uint8_t *pooled,
                           uint8_t *repeats, uint32_t thread, uint32_t threads) {
    if (!plan->shows) {
        look_fill(pooled, repeats, course->cartridge.height, thread, threads);
    }
    MEGA_BLOCK_BARRIER();
    for (uint32_t y = thread; y < course->cartridge.height; y += threads) {
        uint64_t other[MEGA_WIDTH / 8];
        uint8_t *row = pooled + MEGA_WIDTH * y;
        uint32_t *words = (uint32_t *)row;
        const uint32_t *others = (const uint32_t *)other;
        repeats[y] = 0;
        if (plan->shows) {
            look_row(&plan->last, course, y, row);
        }
        if (plan->pools && plan->left <= 1) {
            look_row(&plan->before, course, y, (uint8_t *)other);
            MEGA_ROLLED
            for (uint32_t i = 0; i < MEGA_WIDTH / 4; i++) {
                words[i] = MEGA_MAX4(words[i], others[i]);
            }
        }
    }
}

// Moves bytes from .. until - 1 of the frames of a stack down by one frame. A thread moves the same bytes of all
// frames, so nobody waits.
MEGA_FN void look_move(uint8_t *frames, uint32_t stack, uint32_t size, uint32_t from, uint32_t until,
                       uint32_t thread, uint32_t threads) {
    if ((size | from | until) % 16u == 0) {
        MEGA_ROLLED
        for (uint32_t i = from + 16u * thread; i < until; i += 16u * threads) {
            for (uint32_t f = 1; f < stack; f++) {
                MEGA_COPY16(frames + (f - 1u) * size + i, frames + f * size + i);
            }
        }
        return;
    }
    MEGA_ROLLED
    for (uint32_t i = from + thread; i < until; i += threads) {
        MEGA_ROLLED
        for (uint32_t f = 1; f < stack; f++) {
            frames[(f - 1u) * size + i] = frames[f * size + i];
        }
    }
}

// The observation from the pooled screen: any size. EnvPool repeats the screen in all of the stack where a game
// begins.
MEGA_FN void look_push_any(const mega_course *course, const uint8_t *pooled, uint8_t *frames,
                           uint32_t repeated, uint32_t thread, uint32_t threads) {
    const mega_resizer *resizer = course->resizer;
    const uint32_t size = resizer->height * resizer->width, newest = course->task.stack - 1u;
    look_move(frames, course->task.stack, size, 0, size, thread, threads);
    MEGA_BLOCK_BARRIER();
    for (uint32_t i = thread; i < size; i += threads) {
        const uint8_t pixel = resize_area_pixel(resizer, pooled, i / resizer->width, i % resizer->width, 0);
        for (uint32_t f = repeated ? 0u : newest; f <= newest; f++) {
            frames[f * size + i] = pixel;
        }
    }
}

// Puts a band into the pooled screen: all of it, or without the rows that repeat.
MEGA_FN void look_keep(const mega_band *band, mega_work work, uint32_t height, uint32_t whole,
                       uint8_t *pooled, uint8_t *repeats, uint32_t lane) {
    const uint32_t count = (whole ? height : work.rows) * (MEGA_WIDTH / 16u);
    for (uint32_t y = lane; y < height; y += MEGA_WARP) {
        repeats[y] = (uint8_t)(!whole && (work.distinct >> y & 1u) == 0);
    }
    MEGA_ROLLED
    for (uint32_t i = lane; i < count; i += MEGA_WARP) {
        const uint32_t row = i / (MEGA_WIDTH / 16u), x = 16u * (i % (MEGA_WIDTH / 16u));
        const uint32_t y = whole ? row : band->drawn[row], place = whole ? band->row_of[row] : row;
        MEGA_COPY16(pooled + MEGA_WIDTH * y + x, band->rows + MEGA_WIDTH * place + x);
    }
}

// A band of clean frames, by a warp: into the pooled screen and, unless `frames` is NULL, into the observation.
MEGA_FN void look_at_band(const mega_course *course, mega_band *band, const mega_frames *shown,
                          uint8_t *pooled, uint8_t *repeats, uint8_t *frames, uint32_t lane) {
    const uint32_t rows = course->cartridge.height - shown->top;
    const uint32_t height = rows < LOOK_BAND ? rows : LOOK_BAND, number = shown->top / LOOK_BAND;
    const mega_work work = look_find_rows(band, shown, height, lane);
    look_draw(band, shown, work, lane);
    look_keep(band, work, height, frames == NULL, pooled + MEGA_WIDTH * shown->top, repeats + shown->top,
              lane);
    if (frames != NULL) {
        const uint32_t size = 84u * 84u, from = LOOK_SHRUNK * number, stack = course->task.stack;
        look_move(frames, stack, size, from, from + LOOK_SHRUNK, lane, MEGA_WARP);
        MEGA_WARP_BARRIER();
        look_shrink(course->resizer, band, number, frames + (stack - 1u) * size + from, lane);
    }
    MEGA_WARP_BARRIER();
}

// The observation of an environment's last step, and its pooled screen, by `threads` threads of which this is
// number `thread`. What task_capture() does.
MEGA_FN void look_at(const mega_batch *batch, uint32_t env, mega_canvas *canvas, uint32_t thread,
                     uint32_t threads) {
    mega_cell *cell = &batch->cells[env];
    const mega_course *course = &batch->courses[cell->course];
    const mega_pooling plan = look_plan(cell, course, &batch->videos[env]);
    const uint32_t repeated = cell->fresh && course->task.envpool && !cell->task.continued;
    const uint32_t clean =
        plan.left == 0 && plan.last.log != NULL && (!plan.pools || plan.before.log != NULL);
    const uint32_t usual = clean && course->resizer->kind == MEGA_RESIZE_84 && !repeated;
    uint8_t *pooled = batch->pooled + (uint64_t)batch->screen_size * env;
    uint8_t *frames = batch->observations + (uint64_t)batch->observation_size * env;
    if (clean) {
        const uint32_t warp = thread / MEGA_WARP;
        mega_frames shown;
        shown.log[0] = plan.last.log;
        shown.log[1] = plan.pools ? plan.before.log : NULL;
        shown.shades = course->shades;
        shown.top = LOOK_BAND * warp;
        for (; shown.top < course->cartridge.height;
             shown.top += LOOK_BAND * ((threads + MEGA_WARP - 1u) / MEGA_WARP)) {
            look_at_band(course, &canvas->band[warp], &shown, pooled, cell->task.repeats,
                         usual ? frames : NULL, thread % MEGA_WARP);
        }
    } else {
        look_pool_any(course, &plan, pooled, cell->task.repeats, thread, threads);
    }
    if (!usual) {
        MEGA_BLOCK_BARRIER();
        look_push_any(course, pooled, frames, repeated, thread, threads);
    }
}

#endif
