// mega_look.h - from the logs of a step to its observation, by a block of threads. Shared source.
//
// One block per environment: a thread draws a row of the last frame and of the one before it, in shades, and keeps
// the maximum in memory that the block shares; then all shrink it into the newest frame of the stack.
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

// The pooled screen of an environment's last step, by `threads` threads of which this is number `thread`. What
// task_capture() does.
MEGA_FN void look_pool(const mega_batch *batch, uint32_t env, uint8_t *screen, uint32_t thread,
                       uint32_t threads) {
    const mega_cell *cell = &batch->cells[env];
    const mega_course *course = &batch->courses[cell->course];
    mega_video *video = &batch->videos[env];
    uint8_t *pooled = batch->pooled + (uint64_t)batch->screen_size * env;
    const uint32_t pooling = course->task.maxpool && course->task.frame_skip > 1 && !cell->fresh,
                   left = task_unseen_frames(&course->task, &cell->step),
                   shows = left == 0 || (left == 2 && course->task.envpool);
    const mega_source last = look_source(video, 0);
    mega_source before = look_source(video, 1);
    if (cell->step.kept) {
        before.log = NULL;
        before.colors = video_spare(video);
    }
    for (uint32_t y = thread; y < course->cartridge.height; y += threads) {
        uint64_t other[MEGA_WIDTH / 8];
        uint8_t *row = screen + MEGA_WIDTH * y;
        uint32_t *words = (uint32_t *)row;
        uint32_t *old = (uint32_t *)(pooled + MEGA_WIDTH * y);
        if (shows) {
            look_row(&last, course, y, row);
        } else {
            for (uint32_t i = 0; i < MEGA_WIDTH / 4; i++) {
                words[i] = old[i];
            }
        }
        if (pooling && left <= 1) {
            const uint32_t *others = (const uint32_t *)other;
            look_row(&before, course, y, (uint8_t *)other);
            for (uint32_t i = 0; i < MEGA_WIDTH / 4; i++) {
                words[i] = MEGA_MAX4(words[i], others[i]);
            }
        }
        if (shows || left == 1) {
            for (uint32_t i = 0; i < MEGA_WIDTH / 4; i++) {
                old[i] = words[i];
            }
        }
    }
}

// One pixel of the 84 x 84 filter; the rules of resize_84().
MEGA_FN uint8_t look_pixel_84(const mega_resizer *resizer, const uint8_t *screen, uint32_t y, uint32_t x) {
    const uint32_t top = y / 2u * 5u + (y & 1u) * 2u, first = (y & 1u) != 0 ? 1u : 2u;
    const uint32_t d = x % 21u, from = 40u * (x / 21u) + 40u * d / 21u;
    const uint32_t left = 21u - 40u * d % 21u, middle = 40u - left < 21u ? 40u - left : 21u;
    const uint32_t right = 40u - left - middle;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const uint8_t *row = screen + MEGA_WIDTH * (top + i) + from;
        const uint32_t weight = i == 0 ? first : i == 1 ? 2u : 3u - first;
        sum += weight * (left * row[0] + middle * row[1] + (right != 0 ? right * row[2] : 0u));
    }
    const uint32_t whole = sum / 200u, rest = sum % 200u;
    return rest == 100 ? resize_area_pixel(resizer, screen, y, x, 0) : (uint8_t)(whole + (rest > 100));
}

// Moves the stack down by one frame and fills the last place; all of them where EnvPool begins a game.
MEGA_FN void look_push(const mega_batch *batch, uint32_t env, const uint8_t *screen, uint32_t thread,
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
    for (uint32_t i = thread; i < size; i += threads) {
        const uint32_t y = i / resizer->width, x = i % resizer->width;
        const uint8_t pixel = resizer->kind == MEGA_RESIZE_84 ? look_pixel_84(resizer, screen, y, x)
                                                              : resize_area_pixel(resizer, screen, y, x, 0);
        for (uint32_t f = repeated ? 0u : newest; f <= newest; f++) {
            frames[f * size + i] = pixel;
        }
    }
}

#endif
