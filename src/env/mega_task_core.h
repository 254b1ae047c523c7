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
    uint32_t channels;  // 1 gray, 3 RGB, 0 nothing is observed
    uint8_t maxpool, fire_reset, reward_clipping, episodic_life, life_loss_info;
    uint8_t envpool; // episodes start, are seen and end as in EnvPool; maxpool is set
    uint8_t pad[2];
} mega_task_settings;

// What a task remembers beside its environment.
typedef struct mega_task_state {
    mega_mt19937 noop_random;
    int32_t lives;                      // at the end of the last step
    uint32_t frames;                    // of this episode
    uint32_t continued;                 // EnvPool: the episode goes on with the game of the one before
    uint8_t repeats[MEGA_PICTURE_ROWS]; // 1 where a row of the pooled gray screen equals the one above
} mega_task_state;

typedef struct mega_task_view {
    mega_stage *stage;
    mega_task_state *state;
    const mega_task_settings *settings;
    const mega_resizer *resizer;
    const uint8_t *actions; // the action set
    uint32_t action_count;
    uint8_t *pooled;  // the last pooled screen, full size: channels * 160 * height
    uint8_t *earlier; // the frame before, when the console could not keep it
    uint8_t *frames;  // the observation: stack * height * width * channels, oldest frame first
} mega_task_view;

typedef struct mega_task_outcome {
    int32_t reward;
    int32_t score; // the reward before clipping
    uint8_t terminated, truncated, episode_over, pad;
} mega_task_outcome;

// ---- pictures ------------------------------------------------------------------------------------------

// Converts palette indices to RGB; keeps the maximum with what `out` holds when `pool` is set.
MEGA_FN void task_convert_rgb(const uint8_t *indices, uint32_t count, uint32_t pal, uint32_t pool,
                              uint8_t *out) {
    const uint8_t *rgb = mega_palette_rgb[pal];
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            const uint8_t value = rgb[3u * indices[i] + c];
            uint8_t *to = out + 3u * i + c;
            *to = pool && *to > value ? *to : value;
        }
    }
}

// The same for gray.
MEGA_FN void task_convert_gray(const uint8_t *indices, uint32_t count, const uint8_t *shades, uint32_t pool,
                               uint8_t *out) {
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t value = shades[indices[i]];
        out[i] = pool && out[i] > value ? out[i] : value;
    }
}

// One row of the maximum of two gray frames. Returns whether it differs from `above`. Rows may be the same memory, but
// do not overlap otherwise.
MEGA_INLINE uint32_t task_pool_row(const uint8_t *first, const uint8_t *second, const uint8_t *above,
                                   uint8_t *to) {
#if MEGA_VECTORS
    typedef char bytes __attribute__((vector_size(32)));
    typedef long long quads __attribute__((vector_size(32)));
    bytes change = {0};
    for (uint32_t x = 0; x < MEGA_WIDTH; x += 32) {
        bytes a, b, c;
        MEGA_COPY(&a, first + x, sizeof(a));
        MEGA_COPY(&b, second + x, sizeof(b));
        MEGA_COPY(&c, above + x, sizeof(c));
        a = __builtin_ia32_pmaxub256(a, b);
        change |= a ^ c;
        MEGA_COPY(to + x, &a, sizeof(a));
    }
    return !__builtin_ia32_ptestz256((quads)change, (quads)change);
#else
    uint8_t change = 0;
    for (uint32_t x = 0; x < MEGA_WIDTH; x++) {
        const uint8_t most = first[x] > second[x] ? first[x] : second[x];
        to[x] = most;
    }
    for (uint32_t x = 0; x < MEGA_WIDTH; x++) {
        change |= (uint8_t)(to[x] ^ above[x]);
    }
    return change != 0;
#endif
}

// The maximum of two gray frames, a row at a time. Rows equal to the one above are marked in `repeats`.
// `out` may be one of the frames.
MEGA_FN void task_pool_gray(const uint8_t *a, const uint8_t *b, uint32_t rows, uint8_t *out,
                            uint8_t *repeats) {
    for (uint32_t y = 0; y < rows; y++) {
        const uint32_t at = MEGA_WIDTH * y;
        uint8_t *to = out + at;
        repeats[y] = !task_pool_row(a + at, b + at, y != 0 ? to - MEGA_WIDTH : to, to) && y != 0;
    }
}

// The frame shown last (0) or the one before it (1): gray, or palette indices for RGB and where there are no shades.
MEGA_FN const uint8_t *task_picture(const mega_task_view *task, uint32_t frames_ago) {
    const mega_machine *machine = &task->stage->machine;
    const uint32_t picture = machine->video->current ^ frames_ago;
#if !MEGA_AHEAD
    if (task->settings->channels == 1) {
        return picture_look_shaded(machine, picture);
    }
#endif
    return picture_look(machine, picture);
}

MEGA_FN uint32_t task_screen_pixels(const mega_task_view *task) {
    return MEGA_WIDTH * (uint32_t)task->resizer->source_height;
}

// Marks the rows of a pooled gray screen that came from elsewhere.
MEGA_FN void task_mark_repeats(mega_task_view *task) {
    if (task->settings->channels == 1) {
        task_pool_gray(task->pooled, task->pooled, task_screen_pixels(task) / MEGA_WIDTH, task->pooled,
                       task->state->repeats);
    }
}

// Converts a frame into the pooled screen, or pools it with what that holds.
MEGA_FN void task_convert(mega_task_view *task, const uint8_t *indices, uint32_t pool) {
    const mega_machine *machine = &task->stage->machine;
    const uint32_t count = task_screen_pixels(task);
    if (task->settings->channels == 1) {
        task_convert_gray(indices, count, machine->shades, pool, task->pooled);
    } else {
        task_convert_rgb(indices, count, machine->cartridge->pal, pool, task->pooled);
    }
}

// Sets the pooled screen to the maximum of two frames, or of one frame and what it holds (first == NULL), or
// to one frame (second == NULL).
MEGA_FN void task_pool(mega_task_view *task, const uint8_t *first, const uint8_t *second) {
#if !MEGA_AHEAD
    if (task->settings->channels == 1) {
        task_pool_gray(first != NULL ? first : task->pooled, second != NULL ? second : first,
                       task_screen_pixels(task) / MEGA_WIDTH, task->pooled, task->state->repeats);
        return;
    }
#endif
    if (first != NULL) {
        task_convert(task, first, 0);
    }
    if (second != NULL) {
        task_convert(task, second, 1);
    }
    task_mark_repeats(task);
}

MEGA_FN uint32_t task_frame_size(const mega_task_view *task) {
    return task->resizer->height * task->resizer->width * task->resizer->channels;
}

// Moves the stack down by one frame and resizes the pooled screen into the last place.
MEGA_FN void task_push(mega_task_view *task) {
    const uint32_t size = task_frame_size(task);
    uint8_t *frame = task->frames;
    for (uint32_t i = 1; i < task->settings->stack; i++) {
        MEGA_COPY(frame, frame + size, size);
        frame += size;
    }
    resize_run(task->resizer, task->pooled, task->state->repeats, frame);
}

// ---- reset ---------------------------------------------------------------------------------------------

// FIRE is pressed after a reset where the action set has it.
MEGA_FN uint32_t task_needs_fire(const mega_task_view *task) {
    uint32_t fire = 0;
    for (uint32_t i = 0; i < task->action_count; i++) {
        fire |= task->actions[i] == 1;
    }
    return fire && task->settings->fire_reset;
}

// Number of no-ops beside the press of FIRE; one draw.
MEGA_FN uint32_t task_draw_noops(mega_task_view *task) {
    const int32_t limit = task->settings->noop_max > 1 ? task->settings->noop_max : 1;
    const uint32_t drawn = mega_mt_below(&task->state->noop_random, (uint32_t)limit);
    const uint32_t fire = task_needs_fire(task);
    if (task->settings->envpool) {
        return drawn + 1u - fire;
    }
    return drawn > fire ? drawn - fire : 0u;
}

// Whether an episode that starts by itself goes on with the game, as EnvPool's do when only a life was lost.
MEGA_FN uint32_t task_goes_on(const mega_task_view *task) {
    const mega_task_settings *settings = task->settings;
    return settings->envpool && settings->episodic_life && !env_game_over(task->stage) &&
           task->state->frames < (uint32_t)settings->max_frames;
}

// The counters of an episode that begins.
MEGA_FN void task_begin_counting(mega_task_view *task) {
    task->state->frames = task->state->continued ? task->state->frames : 0;
    task->state->lives = task->stage->session->rules.lives;
}

// After the no-ops: the first observation shows the screen, with zeros before it; EnvPool repeats the screen.
MEGA_FN void task_begin_episode(mega_task_view *task) {
    const uint32_t continued = task->state->continued, size = task_frame_size(task);
    if (task->settings->channels != 0) {
        task_pool(task, task_picture(task, 0), NULL);
        if (!continued) {
            MEGA_FILL(task->frames, 0, task->settings->stack * size);
        }
        task_push(task);
        for (uint32_t i = 1; task->settings->envpool && !continued && i < task->settings->stack; i++) {
            MEGA_COPY(task->frames + (i - 1) * size, task->frames + (task->settings->stack - 1) * size, size);
        }
    }
    task_begin_counting(task);
}

// ---- step ----------------------------------------------------------------------------------------------

// How the frame with `left` frames to go, itself included, is run.
MEGA_FN uint32_t task_run_mode(const mega_task_settings *settings, uint32_t left) {
    const uint32_t seen = settings->channels != 0 && (left == 1 || (left == 2 && settings->maxpool));
    return !seen ? MEGA_RUN_FAST : settings->channels == 1 ? MEGA_RUN_SHADED : MEGA_RUN_DRAWN;
}

// Makes the observation of a step that was left when `left` frames were not finished. A step left before its
// last frame was captured shows stale pictures, as in the reference. `earlier` is the frame before the last
// where the console could not keep it, else NULL.
MEGA_FN void task_capture(mega_task_view *task, uint32_t left, const uint8_t *earlier) {
    const uint32_t pooling = task->settings->maxpool && task->settings->frame_skip > 1;
    if (left <= 1 && pooling && earlier == NULL) {
        earlier = task_picture(task, 1);
    }
    if (left == 0) {
        task_pool(task, task_picture(task, 0), pooling ? earlier : NULL);
    } else if (left == 1 && pooling) {
        task_pool(task, NULL, earlier);
    } else if (left == 2 && task->settings->envpool) {
        task_pool(task, task_picture(task, 0), NULL); // it also captures the last frame of a game
    }
    task_push(task);
}

// A step as it goes: what is known between its frames.
typedef struct mega_task_progress {
    uint32_t sum;          // of rewards
    uint32_t left;         // frames not finished
    uint32_t frames_after; // of the episode, if none of the step's are left out
    uint8_t over, lost, ended;
    uint8_t stopped; // 1: the frames that are left are not played
    uint8_t kept;    // 1: the frame before the last is in task->earlier
    uint8_t pad[3];
} mega_task_progress;

MEGA_FN void task_begin_step(const mega_task_view *task, mega_task_progress *step) {
    step->sum = 0;
    step->left = task->settings->frame_skip;
    step->frames_after = task->state->frames + task->settings->frame_skip;
    step->over = step->lost = step->ended = step->stopped = step->kept = 0;
    step->pad[0] = step->pad[1] = step->pad[2] = 0;
}

MEGA_FN uint32_t task_is_playing(const mega_task_progress *step) {
    return step->left != 0 && !step->stopped;
}

// After a frame of the step, whose act was worth `reward`.
MEGA_FN void task_end_frame(mega_task_view *task, mega_task_progress *step, int32_t reward) {
    const mega_stage *stage = task->stage;
    const mega_task_settings *settings = task->settings;
    mega_task_state *state = task->state;
    const int32_t lives = stage->session->rules.lives;
    step->sum += (uint32_t)reward;
    step->over = (uint8_t)env_game_over(stage);
    state->frames++;
    step->lost = lives > 0 && lives < state->lives;
    step->ended = step->over || state->frames >= (uint32_t)settings->max_frames ||
                  (settings->episodic_life && step->lost);
    step->stopped = settings->envpool ? step->over : step->ended;
    if (step->stopped) {
        return;
    }
    if (step->left == 2 && settings->channels != 0 && stage->session->console.sync.unfinished) {
        // The next frame will be drawn into the same buffer.
        MEGA_COPY(task->earlier, task_picture(task, 0), task_screen_pixels(task));
        step->kept = 1;
    }
    step->left--;
}

// How many frames are missing from what the step shows.
MEGA_FN uint32_t task_unseen_frames(const mega_task_settings *settings, const mega_task_progress *step) {
    return settings->envpool && step->left == 1 ? 0u : step->left;
}

// What the step comes to.
MEGA_FN mega_task_outcome task_end_step(mega_task_view *task, mega_task_progress *step) {
    const mega_task_settings *settings = task->settings;
    const int32_t reward = (int32_t)step->sum;
    mega_task_outcome outcome;
    task->state->lives = task->stage->session->rules.lives;
    outcome.score = reward;
    outcome.reward = !settings->reward_clipping ? reward : reward > 1 ? 1 : reward < -1 ? -1 : reward;
    outcome.terminated = step->over || ((settings->episodic_life || settings->life_loss_info) && step->lost);
    outcome.truncated = !outcome.terminated && task->state->frames >= (uint32_t)settings->max_frames;
    if (settings->envpool && step->frames_after >= (uint32_t)settings->max_frames) {
        // It counts steps, and the limit goes first.
        outcome.terminated = 0;
        outcome.truncated = 1;
        task->state->frames = step->frames_after;
        step->ended = 1;
    }
    outcome.episode_over = step->ended;
    outcome.pad = 0;
    return outcome;
}

MEGA_FN mega_task_outcome task_step(mega_task_view *task, uint32_t action, float strength) {
    mega_stage *stage = task->stage;
    mega_task_progress step;
    task_begin_step(task, &step);
    while (task_is_playing(&step)) {
        stage->how = task_run_mode(task->settings, step.left);
        task_end_frame(task, &step, env_act(stage, action, strength));
    }
    stage->how = MEGA_RUN_FAST;
    if (task->settings->channels != 0) {
        task_capture(task, task_unseen_frames(task->settings, &step), step.kept ? task->earlier : NULL);
    }
    return task_end_step(task, &step);
}

#endif
