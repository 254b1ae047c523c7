// mega_show.h - pictures of a device's consoles for those who do not learn from gray ones of 84 x 84. Shared
// source.
#ifndef MEGA_SHOW_H
#define MEGA_SHOW_H
#include "mega_look.h"

// What mega_look.h does for all kinds of observations, slowly, by one thread.
MEGA_FN void show_observe(const mega_batch *batch, uint32_t env) {
    mega_player player;
    batch_connect(batch, env, &player);
    const mega_cell *cell = &batch->cells[env];
    if (cell->fresh) {
        task_begin_episode(&player.view);
    } else {
        task_capture(&player.view, task_unseen_frames(player.view.settings, &cell->step),
                     cell->step.kept ? player.view.earlier : NULL);
    }
}

// A picture whose segments do not show it is drawn from its records, by one thread.
MEGA_FN void show_draw_unseen(const mega_batch *batch, uint32_t env, uint32_t frames_ago, uint32_t thread) {
    const mega_source source = look_source(&batch->videos[env], frames_ago);
    if (source.log != NULL && !source.log->lined && thread == 0) {
        mega_player player;
        batch_connect(batch, env, &player);
        picture_look(&player.stage.machine, batch->videos[env].current ^ frames_ago);
    }
    MEGA_BLOCK_BARRIER();
}

// One of the last two pictures in colours, by a block of threads. What is seen next does not change.
MEGA_FN void show_picture(const mega_batch *batch, uint32_t env, uint32_t frames_ago, uint8_t *pixels,
                          uint32_t thread, uint32_t threads) {
    const mega_course *course = &batch->courses[batch->cells[env].course];
    show_draw_unseen(batch, env, frames_ago, thread);
    const mega_source source = look_source(&batch->videos[env], frames_ago);
    for (uint32_t y = thread; y < course->cartridge.height; y += threads) {
        uint8_t *row = pixels + MEGA_WIDTH * y;
        if (source.log != NULL) {
            ahead_draw_row(source.log, NULL, y, row);
        } else {
            MEGA_COPY(row, source.colors + MEGA_WIDTH * y, MEGA_WIDTH);
        }
    }
}

// Puts two pictures, the newer first, into a console that holds none.
MEGA_FN void show_replace(const mega_batch *batch, uint32_t env, const uint8_t *pixels, uint32_t thread,
                          uint32_t threads) {
    const mega_course *course = &batch->courses[batch->cells[env].course];
    const uint32_t size = MEGA_WIDTH * (uint32_t)course->cartridge.height;
    mega_video *video = &batch->videos[env];
    for (uint32_t i = thread; i < size; i += threads) {
        video->picture[0][i] = pixels[i];
        video->picture[1][i] = pixels[size + i];
    }
    if (thread == 0) {
        video->current = video->slot = 0;
        for (uint32_t i = 0; i < 3; i++) {
            video->log[i].state = MEGA_SLOT_EMPTY;
            video->log[i].shaded = 0;
        }
    }
}

#endif
