// test_look.c - pictures from segments as a warp of a GPU makes them (mega_look.h), against simpler ways to do it.
#include "mega_look.h"
#include "mega_test.h"

static uint32_t random_state = 1;

static uint32_t draw(uint32_t below) {
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 4) * below >> 28);
}

static uint8_t shades[256];
static mega_log logs[2];
static mega_course course;
static mega_resizer resizer;

// ---- masks ---------------------------------------------------------------------------------------------

// Missiles that are 1 to 8 pixels wide, out of anything.
static uint32_t narrow_missiles(uint32_t objects) {
    for (uint32_t n = 0; n < 2; n++) {
        const uint32_t place = OBJECT_MISSILE + 3u * n;
        objects &= (objects >> place & 7u) > 4 ? ~(3u << place) : 0xFFFFFFFFu;
    }
    return objects;
}

// Objects that are often missing, and colours that are often the same.
static mega_segment draw_segment(void) {
    mega_segment segment;
    const uint32_t few = draw(3), palette = draw(2);
    segment.from = draw(160) << 24;
    segment.field = draw(1u << 28) & (draw(2) ? 0xFFFFFFFu : 0xFF00000u);
    segment.field &= draw(8) ? ~(1u << FIELD_BLANK) : 0xFFFFFFFFu;
    segment.field &= draw(2) ? ~(1u << FIELD_BALL) : 0xFFFFFFFFu;
    segment.objects = draw(1u << 28) << 2 & (few == 0 ? 0x00FF00FFu : few == 1 ? 0x00FFFFFFu : 0x3FFFFFFFu);
    segment.objects = narrow_missiles(segment.objects);
    segment.positions = draw(160) | draw(160) << 8 | draw(160) << 16 | draw(160) << 24;
    segment.colors = palette ? 0x10203040u : 0x04050607u + draw(3);
    return segment;
}

// Is pixel x one of those that `bits` sets, `scale` pixels for each bit, from `at` on?
static uint32_t covers(uint32_t x, uint32_t at, uint32_t bits, uint32_t scale) {
    const uint32_t distance = (x + 2u * MEGA_WIDTH - at) % MEGA_WIDTH;
    return distance < 8u * scale && (bits >> distance / scale & 1u) != 0;
}

static uint32_t model_player(const mega_segment *segment, uint32_t n, uint32_t x) {
    const uint32_t mode = segment->objects >> (OBJECT_MODE + 3u * n) & 7u;
    const uint32_t hidden = segment->objects >> (OBJECT_HIDDEN + n) & 1u;
    const uint32_t scale = mode == 5 ? 2 : mode == 7 ? 4 : 1;
    const uint32_t at = (segment->positions >> 8u * n & 0xFFu) + (scale > 1);
    uint32_t shown = 0;
    for (uint32_t copy = hidden; copy < 5; copy++) {
        if ((tia_copies[mode] >> copy & 1u) != 0) {
            shown |= covers(x, at + 16u * copy, segment->objects >> 8u * n & 0xFFu, scale);
        }
    }
    return shown;
}

static uint32_t model_missile(const mega_segment *segment, uint32_t n, uint32_t x) {
    const uint32_t mode = segment->objects >> (OBJECT_MODE + 3u * n) & 7u;
    const uint32_t code = segment->objects >> (OBJECT_MISSILE + 3u * n) & 7u;
    uint32_t shown = 0;
    for (uint32_t copy = 0; copy < 5 && code != 0; copy++) {
        if ((tia_copies[mode] >> copy & 1u) != 0) {
            shown |= covers(x, (segment->positions >> (16u + 8u * n) & 0xFFu) + 16u * copy,
                            (1u << (1u << (code - 1u))) - 1u, 1);
        }
    }
    return shown;
}

static uint32_t model_ball(const mega_segment *segment, uint32_t x) {
    const uint32_t width = 1u << (segment->field >> FIELD_BALL_WIDTH & 3u);
    return (segment->field >> FIELD_BALL & 1u) != 0 && covers(x, segment->from >> 24, (1u << width) - 1u, 1);
}

static void test_masks(void) {
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        const mega_segment segment = draw_segment();
        const uint32_t group = draw(5);
        const uint32_t player0 = group_player(&segment, 0, group), player1 = group_player(&segment, 1, group);
        const uint32_t missile0 = group_missile(&segment, 0, group),
                       missile1 = group_missile(&segment, 1, group);
        const uint32_t ball = group_ball(&segment, group);
        for (uint32_t bit = 0; bit < 32; bit++) {
            const uint32_t x = 32u * group + bit;
            wrong += (player0 >> bit & 1u) != model_player(&segment, 0, x);
            wrong += (player1 >> bit & 1u) != model_player(&segment, 1, x);
            wrong += (missile0 >> bit & 1u) != model_missile(&segment, 0, x);
            wrong += (missile1 >> bit & 1u) != model_missile(&segment, 1, x);
            wrong += (ball >> bit & 1u) != model_ball(&segment, x);
        }
    }
    MEGA_CHECK_EQ(wrong, 0);
}

// Groups that are left out when collisions are looked for have none, and few are taken for nothing.
static void test_groups(void) {
    uint32_t missed = 0, idle = 0, all = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        mega_segment segment = draw_segment();
        mega_span span;
        if (draw(2)) {
            segment.field &= ~0xFFFFFu | 1u << draw(20); // few cells
        }
        span.x = draw(MEGA_WIDTH);
        span.stop = span.x + 1u + draw(2u * MEGA_WIDTH - span.x);
        const uint32_t groups = span_groups(&segment, span);
        for (uint32_t group = 0; group < MEGA_GROUPS; group++) {
            const uint32_t found = span_collide(&segment, span, group), looked = groups >> group & 1u;
            missed += found != 0 && !looked;
            idle += found == 0 && looked;
            all++;
        }
    }
    MEGA_CHECK_EQ(missed, 0);
    MEGA_CHECK(idle < all / 2u);
}

// ---- comparing -----------------------------------------------------------------------------------------

// The row that a segment is by itself.
static void draw_alone(const mega_segment *segment, uint8_t *row) {
    logs[0].segments = 1;
    logs[0].first[0] = 0;
    log_put_segment(&logs[0], 0, segment);
    ahead_draw_row(&logs[0], shades, 0, row);
}

static void test_alike(void) {
    uint64_t rows[2][MEGA_WIDTH / 8];
    uint32_t wrong = 0, alike = 0, unlike = 0;
    for (uint32_t i = 0; i < 200000; i++) {
        const mega_segment a = draw_segment();
        mega_segment b = a;
        wrong += !look_is_alike(&a, &b);
        // One bit is another: of the ball's position, or of anything else.
        uint32_t *const words[5] = {&b.from, &b.field, &b.objects, &b.positions, &b.colors};
        const uint32_t which = draw(5);
        *words[which] ^= 1u << (which == 0 ? 24u + draw(8) : draw(which == 1 ? 28 : which == 2 ? 30 : 32));
        b.objects = narrow_missiles(b.objects);
        draw_alone(&a, (uint8_t *)rows[0]);
        draw_alone(&b, (uint8_t *)rows[1]);
        const uint32_t same = memcmp(rows[0], rows[1], MEGA_WIDTH) == 0;
        wrong += look_is_alike(&a, &b) && !same;
        alike += look_is_alike(&a, &b);
        unlike += same && !look_is_alike(&a, &b);
    }
    MEGA_CHECK_EQ(wrong, 0);
    MEGA_CHECK(alike > 20000); // it does find some
    MEGA_CHECK(unlike < alike);
}

// ---- bands ---------------------------------------------------------------------------------------------

// Fills a log with rows of one segment or of many; some look like the one above or are blanked at the left. What
// `other` has is taken over for most rows, if it is not NULL.
static void draw_log(mega_log *log, const mega_log *other, uint32_t crowded, uint32_t changes) {
    uint32_t count = 0;
    log->state = MEGA_SLOT_PENDING;
    for (uint32_t y = 0; y < 210; y++) {
        const uint32_t kind = draw(4), copies = other != NULL && draw(100) >= changes;
        if (copies) {
            const uint32_t from = other->first[y] & ~MEGA_ROW_BLANKED;
            for (uint32_t i = from; i == from || (i < other->segments && SEGMENT_ROW(other->from[i]) == y);
                 i++) {
                const uint32_t x = i == from ? 0u : SEGMENT_X(other->from[i]);
                log->body[count] = other->body[i];
                log->from[count] = (other->from[i] & 0xFF000000u) | y << 8 | x;
                log->first[y] =
                    i == from ? (uint16_t)(count | (other->first[y] & MEGA_ROW_BLANKED)) : log->first[y];
                count++;
            }
            continue;
        }
        if (kind != 0 || y == 0 || count == 0) {
            const mega_segment segment =
                kind == 1 && count != 0 ? log_segment(log, count - 1u) : draw_segment();
            log_put_segment(log, count, &segment);
            log->from[count] = (segment.from & 0xFF000000u) | y << 8;
            if (kind == 1) { // perhaps it does not look like another
                log->body[count].positions ^= draw(2) << draw(32);
            }
            count++;
        }
        log->first[y] = (uint16_t)((count - 1u) | (draw(8) == 0 ? MEGA_ROW_BLANKED : 0u));
        const uint32_t step = draw(crowded) == 0 ? 1u + draw(60) : MEGA_WIDTH;
        for (uint32_t x = step; x < MEGA_WIDTH && kind > 1 && count < 1700; x += step) {
            const mega_segment segment = draw_segment();
            log_put_segment(log, count, &segment);
            log->from[count] = (segment.from & 0xFF000000u) | y << 8 | x;
            count++;
        }
    }
    log->segments = count;
}

// A screen in both ways: all of it, and with holes that are filled in afterwards.
static void test_screen(uint32_t pools) {
    static _Alignas(16) uint8_t pooled[2][MEGA_WIDTH * 210], expected[MEGA_WIDTH * 210];
    static _Alignas(16) uint8_t frames[2 * 84 * 84], picture[84 * 84];
    static mega_band band;
    uint64_t other[MEGA_WIDTH / 8];
    uint8_t repeats[2][256] = {{0}};
    mega_frames shown = {{&logs[0], pools ? &logs[1] : NULL}, shades, 0};
    for (uint32_t y = 0; y < 210; y++) {
        ahead_draw_row(&logs[0], shades, y, expected + MEGA_WIDTH * y);
        ahead_draw_row(&logs[1], shades, y, (uint8_t *)other);
        for (uint32_t x = 0; x < MEGA_WIDTH && pools; x++) {
            const uint8_t b = ((const uint8_t *)other)[x];
            uint8_t *a = &expected[MEGA_WIDTH * y + x];
            *a = *a > b ? *a : b;
        }
    }
    memset(pooled, 0xA5, sizeof pooled);
    memset(frames, 1, 84 * 84);
    memset(frames + 84 * 84, 2, 84 * 84);
    for (; shown.top < 210; shown.top += LOOK_BAND) {
        look_at_band(&course, &band, &shown, pooled[0], repeats[0], NULL, 0);
        look_at_band(&course, &band, &shown, pooled[1], repeats[1], frames, 0);
    }
    look_fill(pooled[1], repeats[1], 210, 0, 1);
    resize_run(&resizer, expected, NULL, picture);
    MEGA_CHECK_BYTES(pooled[0], expected, sizeof expected);
    MEGA_CHECK_BYTES(pooled[1], expected, sizeof expected);
    MEGA_CHECK_BYTES(frames + 84 * 84, picture, sizeof picture);
    MEGA_CHECK_EQ(frames[0], 2);
    MEGA_CHECK_EQ(frames[84 * 84 - 1], 2);
}

static void test_bands(void) {
    resize_prepare(&resizer, 210, 160, 84, 84, 1);
    course.cartridge.height = 210;
    course.task.stack = 2;
    course.resizer = &resizer;
    course.shades = shades;
    for (uint32_t i = 0; i < 400; i++) {
        // Few rows that move fit beside the others, many do not.
        draw_log(&logs[1], NULL, 1u + draw(10), 0);
        draw_log(&logs[0], &logs[1], 1u + draw(10), draw(2) ? 3u : 100u);
        test_screen(i % 4 != 0);
    }
}

// ---- the division --------------------------------------------------------------------------------------

static void test_division(void) {
    uint32_t wrong = 0;
    for (uint32_t sum = 0; sum <= 200u * 255u; sum++) {
        const uint32_t quotient = look_divide(sum), rest = sum % 200u;
        wrong += LOOK_IS_TIE(quotient) != (rest == 100);
        wrong += rest != 100 && quotient >> 24 != sum / 200u + (rest > 100);
    }
    MEGA_CHECK_EQ(wrong, 0);
}

int main(void) {
    for (uint32_t i = 0; i < 256; i++) {
        shades[i] = (uint8_t)(i * 7u + 3u);
    }
    test_masks();
    test_groups();
    test_alike();
    test_bands();
    test_division();
    return mega_test_result();
}
