// mega_task_core.h - one environment as a learner sees it: a lane of the reference's vector environment.
// Shared source.
//
// Observations are made from the two picture buffers of the console without copies in between: the last
// two frames of a step are converted, pooled and resized in one go.
#ifndef MEGA_TASK_CORE_H
#define MEGA_TASK_CORE_H
#include "mega_env.h"
#include "mega_palettes.h"
#include "mega_resize.h"

#define MEGA_SCREEN_BYTES (MEGA_WIDTH * MEGA_PICTURE_ROWS)

typedef struct mega_task_settings {
    uint32_t frame_skip;
    uint32_t stack;
    int32_t noop_max;
    int32_t max_frames; // of an episode's steps
    uint32_t channels;  // 1 gray, 3 RGB
    uint8_t maxpool, fire_reset, reward_clipping, episodic_life, life_loss_info;
    uint8_t pad[3];
} mega_task_settings;

// What a task remembers beside its environment.
typedef struct mega_task_state {
    mega_mt19937 noop_random;
    int32_t lives;   // at the end of the last step
    uint32_t frames; // of this episode
    uint32_t newest; // place in the stack of the newest frame
    uint32_t repeats_known;             // 1: `repeats` fits the pooled screen
    uint8_t repeats[MEGA_PICTURE_ROWS]; // 1 where a row of the pooled screen equals the one above
} mega_task_state;

typedef struct mega_task_view {
    mega_stage *stage;
    mega_task_state *state;
    const mega_task_settings *settings;
    const mega_resizer *resizer;
    const uint8_t *actions; // the action set
    uint32_t action_count;
    uint8_t *pooled; // the last pooled screen, full size: channels * 160 * height
    uint8_t *earlier; // the frame before, when the console could not keep it
    uint8_t *frames; // stack * height * width * channels, a ring
} mega_task_view;

typedef struct mega_task_outcome {
    int32_t reward;
    uint8_t terminated, truncated, episode_over, pad;
} mega_task_outcome;

// ---- pictures ------------------------------------------------------------------------------------------

// Converts palette indices; keeps the maximum with what `out` holds when `pool` is set.
MEGA_FN void task_convert(const uint8_t *indices, uint32_t count, uint32_t channels, uint32_t pal, uint32_t pool,
                          uint8_t *out) {
    const uint8_t *gray = mega_palette_gray[pal];
    const uint8_t *rgb = mega_palette_rgb[pal];
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < channels; c++) {
            const uint8_t value = channels == 1 ? gray[indices[i]] : rgb[3u * indices[i] + c];
            uint8_t *to = out + i * channels + c;
            *to = pool && *to > value ? *to : value;
        }
    }
}

// The maximum of two frames in gray, a row at a time. A row equal to the one above in both frames is copied,
// and marked in `repeats`.
MEGA_FN void task_pool_gray(const uint8_t *a, const uint8_t *b, uint32_t rows, const uint8_t *gray, uint8_t *out,
                            uint8_t *repeats) {
    for (uint32_t y = 0; y < rows; y++, a += MEGA_WIDTH, b += MEGA_WIDTH, out += MEGA_WIDTH) {
        uint64_t change = y == 0, difference = 0;
        for (uint32_t x = 0; x < MEGA_WIDTH; x += 8) {
            uint64_t now[2], above[2];
            MEGA_COPY(&now[0], a + x, 8);
            MEGA_COPY(&now[1], b + x, 8);
            MEGA_COPY(&above[0], y != 0 ? a + x - MEGA_WIDTH : a + x, 8);
            MEGA_COPY(&above[1], y != 0 ? b + x - MEGA_WIDTH : b + x, 8);
            change |= (now[0] ^ above[0]) | (now[1] ^ above[1]);
            difference |= now[0] ^ now[1];
        }
        repeats[y] = change == 0;
        if (change == 0) {
            MEGA_COPY(out, out - MEGA_WIDTH, MEGA_WIDTH);
        } else if (difference == 0) {
            for (uint32_t x = 0; x < MEGA_WIDTH; x++) {
                out[x] = gray[a[x]];
            }
        } else {
            for (uint32_t x = 0; x < MEGA_WIDTH; x++) {
                const uint8_t first = gray[a[x]], second = gray[b[x]];
                out[x] = first > second ? first : second;
            }
        }
    }
}

MEGA_FN const uint8_t *task_picture(const mega_task_view *task, uint32_t frames_ago) {
    const mega_machine *machine = &task->stage->machine;
    return picture_look(machine, machine->video->current ^ frames_ago);
}

MEGA_FN uint32_t task_screen_pixels(const mega_task_view *task) {
    return MEGA_WIDTH * (uint32_t)task->resizer->source_height;
}

// Resizes the pooled screen into the next place of the stack.
MEGA_FN void task_push(mega_task_view *task) {
    const uint32_t size = task->resizer->height * task->resizer->width * task->resizer->channels;
    task->state->newest = (task->state->newest + 1u) % task->settings->stack;
    resize_run(task->resizer, task->pooled, task->state->repeats_known ? task->state->repeats : NULL,
               task->frames + size * task->state->newest);
}

// The stack as the learner gets it: oldest frame first.
MEGA_FN void task_observe(const mega_task_view *task, uint8_t *observation) {
    const uint32_t size = task->resizer->height * task->resizer->width * task->resizer->channels;
    const uint32_t older = task->settings->stack - 1u - task->state->newest;
    MEGA_COPY(observation, task->frames + size * (task->state->newest + 1u), size * older);
    MEGA_COPY(observation + size * older, task->frames, size * (task->state->newest + 1u));
}

// ---- reset ---------------------------------------------------------------------------------------------

// What follows a reset of the environment. `reset_draws` serve a game that ends during the no-ops; returns
// the number of resets made, so that the caller can prepare new ones.
MEGA_FN uint32_t task_needs_fire(const mega_task_view *task) {
    uint32_t fire = 0;
    for (uint32_t i = 0; i < task->action_count; i++) {
        fire |= task->actions[i] == 1;
    }
    return fire && task->settings->fire_reset;
}

// Number of no-ops after the press of FIRE; one draw.
MEGA_FN uint32_t task_draw_noops(mega_task_view *task) {
    const int32_t limit = task->settings->noop_max > 1 ? task->settings->noop_max : 1;
    const uint32_t drawn = mega_mt_below(&task->state->noop_random, (uint32_t)limit);
    const uint32_t fire = task_needs_fire(task);
    return drawn > fire ? drawn - fire : 0u;
}

// After the no-ops: the first observation shows the screen, with zeros before it.
MEGA_FN void task_begin_episode(mega_task_view *task) {
    const mega_resizer *r = task->resizer;
    task->state->repeats_known = 0;
    task_convert(task_picture(task, 0), task_screen_pixels(task), task->settings->channels,
                 task->stage->machine.cartridge->pal, 0, task->pooled);
    MEGA_FILL(task->frames, 0, task->settings->stack * r->height * r->width * r->channels);
    task_push(task);
    task->state->frames = 0;
    task->state->lives = task->stage->session->rules.lives;
}

// ---- step ----------------------------------------------------------------------------------------------

// Pools the last two frames of a step. `complete` is 0 when the step was left before its last frame was
// captured: then only the frame before it is new. The reference shows stale pictures in that case.
MEGA_FN void task_pool(mega_task_view *task, uint32_t complete, uint32_t earlier_kept) {
    const uint32_t channels = task->settings->channels, count = task_screen_pixels(task);
    const uint32_t pal = task->stage->machine.cartridge->pal;
    const uint32_t pooling = task->settings->maxpool && task->settings->frame_skip > 1;
    task->state->repeats_known = 0;
    if (!complete) {
        if (pooling) {
            const uint8_t *frame = earlier_kept ? task->earlier : task_picture(task, 1);
            task_convert(frame, count, channels, pal, 1, task->pooled);
        }
        return;
    }
    const uint8_t *last = task_picture(task, 0);
    if (!pooling) {
        task_convert(last, count, channels, pal, 0, task->pooled);
        return;
    }
    const uint8_t *frame = earlier_kept ? task->earlier : task_picture(task, 1);
    if (channels == 1) {
        task_pool_gray(frame, last, count / MEGA_WIDTH, mega_palette_gray[pal], task->pooled, task->state->repeats);
        task->state->repeats_known = 1;
        return;
    }
    task_convert(frame, count, channels, pal, 0, task->pooled);
    task_convert(last, count, channels, pal, 1, task->pooled);
}

MEGA_FN mega_task_outcome task_step(mega_task_view *task, uint32_t action, float strength) {
    mega_stage *stage = task->stage;
    mega_task_state *state = task->state;
    const mega_task_settings *settings = task->settings;
    uint32_t sum = 0, over = 0, lost = 0, left = settings->frame_skip, earlier_kept = 0, ended = 0;
    for (; left >= 1; left--) {
        stage->looked_at = left == 1 || (left == 2 && settings->maxpool);
        sum += (uint32_t)env_act(stage, action, strength);
        over = env_game_over(stage);
        state->frames++;
        lost = stage->session->rules.lives > 0 && stage->session->rules.lives < state->lives;
        ended = over || state->frames >= (uint32_t)settings->max_frames || (settings->episodic_life && lost);
        if (ended) {
            break;
        }
        if (left == 2 && stage->session->console.sync.unfinished) {
            // The next frame will be drawn into the same buffer.
            MEGA_COPY(task->earlier, task_picture(task, 0), task_screen_pixels(task));
            earlier_kept = 1;
        }
    }
    stage->looked_at = 0;
    if (left <= 1) {
        task_pool(task, left == 0, earlier_kept);
    }
    task_push(task);
    state->lives = stage->session->rules.lives;
    mega_task_outcome outcome;
    const int32_t reward = (int32_t)sum;
    outcome.reward = !settings->reward_clipping ? reward : reward > 1 ? 1 : reward < -1 ? -1 : reward;
    outcome.terminated = over || ((settings->episodic_life || settings->life_loss_info) && lost);
    outcome.truncated = !outcome.terminated && state->frames >= (uint32_t)settings->max_frames;
    outcome.episode_over = (uint8_t)ended;
    outcome.pad = 0;
    return outcome;
}

#endif
