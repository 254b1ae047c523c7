// mega_look.h - from the logs of a step to its observation, by a block of threads. Shared source.
//
// One block per environment. Rows that look like the one above, in the last frame and in the one before it, are not
// drawn again: a map tells which row stands for them. Of the others a thread draws 32 pixels at a time, in shades, and
// keeps the maximum of both frames in memory that the block shares; then all shrink it into the newest frame of the
// stack.
#ifndef MEGA_LOOK_H
#define MEGA_LOOK_H
#include "mega_batch.h"

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
    for (uint32_t x = 0; x < MEGA_WIDTH; x++) {
        row[x] = course->shades[source->colors[MEGA_WIDTH * y + x]];
    }
}

// The pooled screen while a block works on it.
typedef struct mega_canvas {
    uint8_t rows[MEGA_WIDTH * 250 + 16]; // a filter reads past the end, with weight 0
    uint8_t row_of[256];                 // which of them has each row of the screen
    uint8_t drawn[256];                  // the rows of the screen that are there
    uint32_t distinct[8];                // bit y: row y differs from the one above
} mega_canvas;

// ---- drawing ---------------------------------------------------------------------------------------------

// Eight bits to the lowest bits of eight nibbles.
MEGA_FN uint32_t look_nibbles(uint32_t bits) {
    bits = (bits | bits << 12) & 0x000F000Fu;
    bits = (bits | bits << 6) & 0x03030303u;
    return (bits | bits << 3) & 0x11111111u;
}

// Draws 32 pixels of a segment over `pixels`, where `range` is set.
MEGA_INLINE void look_segment(const mega_segment *segment, const uint8_t *shades, uint32_t group,
                              uint32_t range, uint32_t pixels[8]) {
    uint32_t colors = 0, low = 0xFFFFFFFFu, high = 0xFFFFFFFFu;
    for (uint32_t c = 0; c < 4; c++) {
        colors |= (uint32_t)shades[segment->colors >> 8u * c & 0xFFu] << 8u * c;
    }
    if ((segment->field >> FIELD_BLANK & 1u) != 0) {
        colors = shades[0] * 0x01010101u;
    } else {
        const mega_group_colors shown = group_colors(segment, group);
        const uint32_t back = ~(shown.player0 | shown.player1 | shown.playfield);
        low = shown.player1 | back;
        high = shown.playfield | back;
    }
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t which = look_nibbles(low >> 8u * i & 0xFFu) | look_nibbles(high >> 8u * i & 0xFFu)
                                                                         << 1;
        const uint32_t left = MEGA_PICK4(colors, which & 0xFFFFu), right = MEGA_PICK4(colors, which >> 16);
        if (range == 0xFFFFFFFFu) {
            pixels[2 * i] = left;
            pixels[2 * i + 1] = right;
        } else {
            const uint32_t in_left = tia_expand_four(range >> 8u * i),
                           in_right = tia_expand_four(range >> (8u * i + 4u));
            pixels[2 * i] = (pixels[2 * i] & ~in_left) | (left & in_left);
            pixels[2 * i + 1] = (pixels[2 * i + 1] & ~in_right) | (right & in_right);
        }
    }
}

// 32 pixels of a row of a clean frame.
MEGA_INLINE void look_group(const mega_log *log, const uint8_t *shades, uint32_t y, uint32_t group,
                            uint32_t pixels[8]) {
    const uint32_t first = log->first[y], left = 32u * group, count = log->segments;
    for (uint32_t i = first & ~MEGA_ROW_BLANKED, start = 0; start < left + 32u; i++) {
        const uint32_t end = segment_end(log, count, i, y);
        if (end > start && end > left) {
            const mega_segment segment = log->segment[i];
            look_segment(&segment, shades, group, group_range(group, start, end), pixels);
        }
        start = end > start ? end : start;
    }
    if (group == 0 && (first & MEGA_ROW_BLANKED) != 0) {
        pixels[0] = pixels[1] = shades[0] * 0x01010101u;
    }
}

// Does a row consist of one segment, the same in both frames?
MEGA_FN uint32_t look_is_still(const mega_log *a, const mega_log *b, uint32_t y) {
    const uint32_t first_a = a->first[y], first_b = b->first[y];
    const uint32_t i = first_a & ~MEGA_ROW_BLANKED, k = first_b & ~MEGA_ROW_BLANKED;
    if (((first_a ^ first_b) & MEGA_ROW_BLANKED) != 0 || segment_end(a, a->segments, i, y) < MEGA_WIDTH ||
        segment_end(b, b->segments, k, y) < MEGA_WIDTH) {
        return 0;
    }
    const mega_segment *x = &a->segment[i], *z = &b->segment[k];
    return ((x->from ^ z->from) >> 24 | (x->field ^ z->field) | (x->objects ^ z->objects) |
            (x->positions ^ z->positions) | (x->colors ^ z->colors)) == 0;
}

// Does row y, not the first, look like the one above?
MEGA_FN uint32_t look_repeats(const mega_log *log, uint32_t y) {
    const uint32_t first = log->first[y];
    return first == log->first[y - 1] &&
           segment_end(log, log->segments, first & ~MEGA_ROW_BLANKED, y) == MEGA_WIDTH;
}

// Finds the rows that must be drawn. `before` may be NULL.
MEGA_FN uint32_t look_find_rows(mega_canvas *canvas, const mega_log *last, const mega_log *before,
                                uint32_t height, uint32_t thread, uint32_t threads) {
    for (uint32_t i = thread; i < 8; i += threads) {
        canvas->distinct[i] = 0;
    }
    MEGA_BLOCK_BARRIER();
    for (uint32_t y = thread; y < height; y += threads) {
        if (y == 0 || !look_repeats(last, y) || (before != NULL && !look_repeats(before, y))) {
            MEGA_WARP_OR(&canvas->distinct[y / 32u], 1u << y % 32u);
        }
    }
    MEGA_BLOCK_BARRIER();
    for (uint32_t y = thread; y < height; y += threads) {
        const uint32_t word = canvas->distinct[y / 32u], up_to_here = 0xFFFFFFFFu >> (31u - y % 32u);
        uint32_t place = (uint32_t)MEGA_COUNT_BITS(word & up_to_here) - 1u;
        for (uint32_t i = 0; i < y / 32u; i++) {
            place += (uint32_t)MEGA_COUNT_BITS(canvas->distinct[i]);
        }
        canvas->row_of[y] = (uint8_t)place;
        if ((word >> y % 32u & 1u) != 0) {
            canvas->drawn[place] = (uint8_t)y;
        }
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < 8; i++) {
        count += (uint32_t)MEGA_COUNT_BITS(canvas->distinct[i]);
    }
    MEGA_BLOCK_BARRIER();
    return count;
}

// Clean frames, both or the last alone.
MEGA_FN void look_draw(const mega_course *course, mega_canvas *canvas, const mega_log *last,
                       const mega_log *before, uint32_t thread, uint32_t threads) {
    const uint32_t count = look_find_rows(canvas, last, before, course->cartridge.height, thread, threads);
    for (uint32_t task = thread; task < 5u * count; task += threads) {
        const uint32_t row = task / 5u, group = task % 5u, y = canvas->drawn[row];
        uint32_t pixels[8] = {0}, others[8] = {0};
        look_group(last, course->shades, y, group, pixels);
        if (before != NULL && !look_is_still(last, before, y)) {
            look_group(before, course->shades, y, group, others);
        }
        uint32_t *to = (uint32_t *)(canvas->rows + MEGA_WIDTH * row + 32u * group);
        for (uint32_t i = 0; i < 8; i++) {
            to[i] = MEGA_MAX4(pixels[i], others[i]);
        }
    }
}

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

// Whatever is not as usual: frames drawn before, frames kept from before, a step that ended early.
MEGA_FN void look_draw_any(const mega_course *course, mega_canvas *canvas, const mega_pooling *plan,
                           const uint8_t *pooled, uint32_t thread, uint32_t threads) {
    for (uint32_t y = thread; y < course->cartridge.height; y += threads) {
        uint64_t other[MEGA_WIDTH / 8];
        uint8_t *row = canvas->rows + MEGA_WIDTH * y;
        uint32_t *words = (uint32_t *)row;
        const uint32_t *old = (const uint32_t *)(pooled + MEGA_WIDTH * y), *others = (const uint32_t *)other;
        canvas->row_of[y] = (uint8_t)y;
        if (plan->shows) {
            look_row(&plan->last, course, y, row);
        } else {
            for (uint32_t i = 0; i < MEGA_WIDTH / 4; i++) {
                words[i] = old[i];
            }
        }
        if (plan->pools && plan->left <= 1) {
            look_row(&plan->before, course, y, (uint8_t *)other);
            for (uint32_t i = 0; i < MEGA_WIDTH / 4; i++) {
                words[i] = MEGA_MAX4(words[i], others[i]);
            }
        }
    }
}

// The pooled screen of an environment's last step, by `threads` threads of which this is number `thread`. What
// task_capture() does.
MEGA_FN void look_pool(const mega_batch *batch, uint32_t env, mega_canvas *canvas, uint32_t thread,
                       uint32_t threads) {
    const mega_cell *cell = &batch->cells[env];
    const mega_course *course = &batch->courses[cell->course];
    const mega_pooling plan = look_plan(cell, course, &batch->videos[env]);
    uint8_t *pooled = batch->pooled + (uint64_t)batch->screen_size * env;
    if (plan.left == 0 && plan.last.log != NULL && (!plan.pools || plan.before.log != NULL)) {
        look_draw(course, canvas, plan.last.log, plan.pools ? plan.before.log : NULL, thread, threads);
    } else {
        look_draw_any(course, canvas, &plan, pooled, thread, threads);
    }
    MEGA_BLOCK_BARRIER();
    if (plan.shows || plan.left == 1) {
        for (uint32_t i = thread; i < course->cartridge.height * (MEGA_WIDTH / 16u); i += threads) {
            const uint32_t y = i / (MEGA_WIDTH / 16u), x = 16u * (i % (MEGA_WIDTH / 16u));
            MEGA_COPY16(pooled + MEGA_WIDTH * y + x, canvas->rows + MEGA_WIDTH * canvas->row_of[y] + x);
        }
    }
}

// ---- shrinking -------------------------------------------------------------------------------------------

// A column of the 84 x 84 filter has weights of its own; see resize_84().
typedef struct mega_column {
    uint32_t from, left, middle, right;
} mega_column;

MEGA_FN mega_column look_column(uint32_t x) {
    const uint32_t d = x % 21u;
    mega_column column;
    column.from = 40u * (x / 21u) + 40u * d / 21u;
    column.left = 21u - 40u * d % 21u;
    column.middle = 40u - column.left < 21u ? 40u - column.left : 21u;
    column.right = 40u - column.left - column.middle;
    return column;
}

MEGA_FN uint32_t look_sum(const mega_canvas *canvas, const mega_column *column, uint32_t y) {
    const uint8_t *row = canvas->rows + MEGA_WIDTH * canvas->row_of[y] + column->from;
    return column->left * row[0] + column->middle * row[1] + column->right * row[2];
}

MEGA_FN uint8_t look_pixel(const mega_resizer *resizer, const mega_canvas *canvas, uint32_t sum, uint32_t y,
                           uint32_t x) {
    const uint32_t whole = sum / 200u, rest = sum % 200u;
    return rest == 100 ? resize_area_pixel_of(resizer, canvas->rows, canvas->row_of, y, x, 0)
                       : (uint8_t)(whole + (rest > 100));
}

// Five rows of the screen make two of the picture. A task is a column of six.
MEGA_FN void look_shrink_84(const mega_resizer *resizer, const mega_canvas *canvas, uint8_t *to,
                            uint32_t thread, uint32_t threads) {
    for (uint32_t task = thread; task < 84u * 14u; task += threads) {
        const uint32_t x = task % 84u, first = 6u * (task / 84u);
        const mega_column column = look_column(x);
        for (uint32_t y = first; y < first + 6u; y += 2u) {
            const uint32_t top = y / 2u * 5u, shared = look_sum(canvas, &column, top + 2u);
            const uint32_t above = look_sum(canvas, &column, top) + look_sum(canvas, &column, top + 1u);
            const uint32_t below = look_sum(canvas, &column, top + 3u) + look_sum(canvas, &column, top + 4u);
            to[84u * y + x] = look_pixel(resizer, canvas, 2u * above + shared, y, x);
            to[84u * (y + 1u) + x] = look_pixel(resizer, canvas, shared + 2u * below, y + 1u, x);
        }
    }
}

// Moves the stack down by one frame and fills the last place; all of them where EnvPool begins a game.
MEGA_FN void look_push(const mega_batch *batch, uint32_t env, const mega_canvas *canvas, uint32_t thread,
                       uint32_t threads) {
    const mega_cell *cell = &batch->cells[env];
    const mega_course *course = &batch->courses[cell->course];
    const mega_resizer *resizer = course->resizer;
    uint8_t *frames = batch->observations + (uint64_t)batch->observation_size * env;
    const uint32_t size = resizer->height * resizer->width;
    // Each thread moves bytes of its own down the whole stack, so nobody waits.
    if (size % 16u == 0) {
        for (uint32_t i = thread; i < size / 16u; i += threads) {
            for (uint32_t f = 1; f < course->task.stack; f++) {
                MEGA_COPY16(frames + (f - 1u) * size + 16u * i, frames + f * size + 16u * i);
            }
        }
    } else {
        for (uint32_t i = thread; i < size; i += threads) {
            for (uint32_t f = 1; f < course->task.stack; f++) {
                frames[(f - 1u) * size + i] = frames[f * size + i];
            }
        }
    }
    MEGA_BLOCK_BARRIER();
    const uint32_t repeated = cell->fresh && course->task.envpool && !cell->task.continued;
    const uint32_t newest = course->task.stack - 1u;
    if (resizer->kind == MEGA_RESIZE_84 && !repeated) {
        look_shrink_84(resizer, canvas, frames + newest * size, thread, threads);
        return;
    }
    for (uint32_t i = thread; i < size; i += threads) {
        const uint32_t y = i / resizer->width, x = i % resizer->width;
        const uint8_t pixel = resize_area_pixel_of(resizer, canvas->rows, canvas->row_of, y, x, 0);
        for (uint32_t f = repeated ? 0u : newest; f <= newest; f++) {
            frames[f * size + i] = pixel;
        }
    }
}

#endif
