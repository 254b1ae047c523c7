// fake_kernels.c - the kernels of src/engine/cuda/kernels.cu for the fake driver: the same shared source, a
// lane or a block of one thread after the other, on the host's memory. Built with MEGA_AHEAD=1, as the GPU
// has it.
#include "fake_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "mega_look.h"
#include "mega_reset.h"
#include "mega_show.h"
#include "mega_starts.h"

const uint32_t fake_layout[8] = {
    sizeof(mega_batch),  sizeof(mega_course), sizeof(mega_cell),       sizeof(mega_tally),
    sizeof(mega_notice), sizeof(mega_video),  sizeof(mega_memo_entry), sizeof(mega_starts),
};

typedef void fake_kernel(const mega_batch *batch, void **parameters);

static void run_start_episodes(const mega_batch *batch, void **parameters) {
    mega_warp warp;
    (void)parameters;
    memset(&warp, 0, sizeof warp);
    for (uint32_t lane = 0; lane < batch->lanes; lane++) {
        roster_start(batch, &warp, lane);
    }
}

static void run_copy_starts(const mega_batch *batch, void **parameters) {
    int32_t choice;
    starts_copy(batch, (const mega_starts *)parameters[1], 0, 1, &choice, 0, 1);
}

static void run_step(const mega_batch *batch, void **parameters) {
    mega_warp warp;
    if (batch->starts) {
        run_start_episodes(batch, parameters);
        return;
    }
    memset(&warp, 0, sizeof warp);
    for (uint32_t lane = 0; lane < batch->lanes; lane++) {
        const int32_t env = batch->env_of_lane[lane];
        if (env >= 0 && !batch->cells[env].over) {
            batch_step(batch, &warp, (uint32_t)env, 1);
        }
    }
}

static void look_at_one(const mega_batch *batch, uint32_t env) {
    static _Alignas(16) mega_canvas canvas;
    look_at(batch, env, &canvas, 0, 1);
}

static void run_look(const mega_batch *batch, void **parameters) {
    (void)parameters;
    for (uint32_t i = 0; i < batch->count; i++) {
        look_at_one(batch, batch->first + i);
    }
}

// What is done for each environment of the batch, or of its roster.
#define FOR_EACH(name, call)                                       \
    static void name(const mega_batch *batch, void **parameters) { \
        (void)parameters;                                          \
        for (uint32_t i = 0; i < batch->count; i++) {              \
            const uint32_t env = batch->first + i;                 \
            call;                                                  \
        }                                                          \
    }
#define FOR_BEGUN(name, call)                                      \
    static void name(const mega_batch *batch, void **parameters) { \
        (void)parameters;                                          \
        for (uint32_t i = 0; i < *batch->roster.count; i++) {      \
            const uint32_t env = (uint32_t)batch->roster.queue[i]; \
            call;                                                  \
        }                                                          \
    }
FOR_EACH(run_take_actions, batch_take_action(batch, env, *(int32_t **)parameters[1]))
FOR_EACH(run_take_orders, batch_take_order(batch, env))
FOR_EACH(run_settle_steps, batch_settle_step(batch, env))
FOR_EACH(run_settle_orders, batch_settle_order(batch, env))
FOR_EACH(run_observe, show_observe(batch, env))
FOR_BEGUN(run_look_begun, look_at_one(batch, env))
FOR_BEGUN(run_keep_finals, block_keep_final(batch, env, 0, 1))
FOR_BEGUN(run_prepare_begun, block_prepare(batch, env, 0, 1))
FOR_BEGUN(run_settle_begun, batch_settle_start(batch, env))
FOR_BEGUN(run_observe_begun, show_observe(batch, env))
FOR_EACH(run_sample,
         (*(int32_t **)parameters[1])[env] = (int32_t)(batch_sample(env, *(uint32_t *)parameters[2],
                                                                    *(uint32_t *)parameters[3]) %
                                                       batch->index_count))

static void run_show(const mega_batch *batch, void **parameters) {
    show_picture(batch, *(uint32_t *)parameters[1], *(uint32_t *)parameters[2], *(uint8_t **)parameters[3], 0,
                 1);
}
static void run_replace(const mega_batch *batch, void **parameters) {
    show_replace(batch, *(uint32_t *)parameters[1], *(const uint8_t **)parameters[2], 0, 1);
}

static const struct {
    const char *name;
    fake_kernel *run;
} kernels[] = {
    {"mega_step", run_step},
    {"mega_look", run_look},
    {"mega_look_begun", run_look_begun},
    {"mega_start_episodes", run_start_episodes},
    {"mega_copy_starts", run_copy_starts},
    {"mega_keep_finals", run_keep_finals},
    {"mega_prepare_begun", run_prepare_begun},
    {"mega_take_actions", run_take_actions},
    {"mega_take_orders", run_take_orders},
    {"mega_settle_steps", run_settle_steps},
    {"mega_settle_orders", run_settle_orders},
    {"mega_settle_begun", run_settle_begun},
    {"mega_observe", run_observe},
    {"mega_observe_begun", run_observe_begun},
    {"mega_show", run_show},
    {"mega_replace", run_replace},
    {"mega_sample", run_sample},
};

const void *fake_kernel_find(const char *name) {
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (strcmp(kernels[i].name, name) == 0) {
            return &kernels[i];
        }
    }
    return NULL;
}

void fake_kernel_run(const void *kernel, void **parameters) {
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (kernel == &kernels[i]) {
            kernels[i].run(parameters[0], parameters);
        }
    }
}
