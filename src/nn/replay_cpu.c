// replay_cpu.c - replay memories on the CPU: plain loops over the shared source.
#include "replay.h"

#include <unistd.h>

// All of the machine's memory: what other programs hold may be given up, or swapped.
static int cpu_prepare(mega_compute *compute, uint64_t *room, mega_message *message) {
    (void)compute;
    (void)message;
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    *room = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
    return 0;
}

static int cpu_store(mega_compute *compute, const mega_replay_view *view, const mega_replay_step *step,
                     mega_message *message) {
    (void)compute;
    (void)message;
    for (uint32_t env = 0; env < view->envs; env++) {
        replay_store_frame(view, step, env, 0, 1);
        replay_store_cell(view, step, env);
    }
    return 0;
}

static int cpu_publish(mega_compute *compute, const mega_replay_view *view, mega_replay_span left,
                       mega_replay_span came, mega_message *message) {
    (void)compute;
    (void)message;
    replay_set_span(view, left, 0.0f, 0, 1);
    replay_set_span(view, came, *view->max_priority, 0, 1);
    for (uint32_t level = 1; level < view->tree.levels; level++) {
        replay_refresh_span(view, left, level, 0, 1);
        replay_refresh_span(view, came, level, 0, 1);
    }
    return 0;
}

static void divide_weights(const mega_replay_batch *batch) {
    float most = 0.0f;
    for (uint32_t i = 0; i < batch->count; i++) {
        most = batch->weights[i] > most ? batch->weights[i] : most;
    }
    for (uint32_t i = 0; i < batch->count && most > 0.0f; i++) {
        batch->weights[i] /= most;
    }
}

static int cpu_sample(mega_compute *compute, const mega_replay_view *view, const mega_replay_batch *batch,
                      uint64_t seed, uint64_t index, float beta, mega_message *message) {
    (void)compute;
    (void)message;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (view->tree.nodes == NULL) {
            replay_sample_uniform(view, batch, seed, index, i);
        } else {
            replay_sample_prioritised(view, batch, seed, index, beta, i);
        }
    }
    if (view->tree.nodes != NULL) {
        divide_weights(batch);
    }
    for (uint32_t frame = 0; frame < replay_batch_frames(view, batch); frame++) {
        replay_fill_frame(view, batch, frame, 0, 1);
    }
    return 0;
}

static int cpu_set_priorities(mega_compute *compute, const mega_replay_view *view,
                              const mega_replay_batch *batch, const float *errors, mega_message *message) {
    (void)compute;
    (void)message;
    for (uint32_t i = 0; i < batch->count; i++) {
        float priority;
        if (replay_new_priority(view, batch, errors, i, &priority)) {
            view->tree.nodes[batch->cells[i]] = priority;
            tree_refresh_path(&view->tree, (uint32_t)batch->cells[i]);
            *view->max_priority = priority > *view->max_priority ? priority : *view->max_priority;
        }
    }
    return 0;
}

static int cpu_rebuild(mega_compute *compute, const mega_replay_view *view, mega_message *message) {
    (void)compute;
    (void)message;
    for (uint32_t level = 1; level < view->tree.levels; level++) {
        tree_refresh_range(&view->tree, level, 0, view->tree.leaves, 0, 1);
    }
    return 0;
}

const mega_replay_ops mega_replay_cpu = {
    .prepare = cpu_prepare,
    .store = cpu_store,
    .publish = cpu_publish,
    .sample = cpu_sample,
    .set_priorities = cpu_set_priorities,
    .rebuild = cpu_rebuild,
};
