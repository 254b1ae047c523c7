// replay_cuda.c - replay memories on a GPU: launches of the kernels of replay.cu, in the learner's stream.
//
// The kernels are compiled when a learner first wants a memory, so that those without one need not wait.
#include "replay_cuda.h"

#include "cuda_module.h"
#include "nn_text.h"

#include <stdlib.h>

// clang-format off
#define REPLAY_KERNELS(KERNEL) \
    KERNEL(replay_store) KERNEL(replay_publish) KERNEL(replay_draw) KERNEL(replay_divide) KERNEL(replay_frames) \
    KERNEL(replay_set_leaves) KERNEL(replay_refresh_batch) KERNEL(replay_rebuild)
// clang-format on

struct cuda_replay_kernels {
    CUmodule module;
#define REPLAY_DECLARE(name) CUfunction name;
    REPLAY_KERNELS(REPLAY_DECLARE)
#undef REPLAY_DECLARE
};

#define REPLAY_RUN(cuda, kernel, count, ...) \
    MEGA_TRY(cuda_compute_run(cuda, (cuda)->replay_kernels->kernel, count, CUDA_ARGUMENTS(__VA_ARGS__)))
#define REPLAY_RUN_BLOCKS(cuda, kernel, blocks, ...) \
    MEGA_TRY(                                        \
        cuda_compute_run_blocks(cuda, (cuda)->replay_kernels->kernel, blocks, CUDA_ARGUMENTS(__VA_ARGS__)))

static cuda_compute *cuda_of(mega_compute *compute) {
    return (cuda_compute *)compute;
}

// ---- opening ----

static mega_status load_kernels(cuda_compute *cuda, cuda_replay_kernels *kernels) {
    const mega_cuda_request request = {.program = "replay.cu", .text = mega_replay_text};
    MEGA_TRY(cuda_module_open(cuda->device, &request, &kernels->module));
#define REPLAY_LOAD(name) MEGA_TRY(cuda_module_kernel(cuda->device, kernels->module, #name, &kernels->name));
    REPLAY_KERNELS(REPLAY_LOAD)
#undef REPLAY_LOAD
    return MEGA_OK;
}

static int open_kernels(cuda_compute *cuda, mega_message *message) {
    cuda_replay_kernels *kernels = calloc(1, sizeof *kernels);
    if (kernels == NULL) {
        return mega_message_set(message, "there is no memory for the kernels of a replay memory");
    }
    if (cuda_message(load_kernels(cuda, kernels), message) < 0) {
        cuda_replay_close(cuda, kernels);
        return -1;
    }
    cuda->replay_kernels = kernels;
    return 0;
}

void cuda_replay_close(cuda_compute *cuda, cuda_replay_kernels *kernels) {
    if (kernels != NULL) {
        cuda_module_close(cuda->device, kernels->module);
        free(kernels);
    }
}

static mega_status measure(const cuda_compute *cuda, uint64_t *room) {
    size_t free_size = 0, total_size = 0;
    CUDA_TRY(cuda->driver, cuMemGetInfo, &free_size, &total_size);
    *room = free_size;
    return MEGA_OK;
}

static int cuda_prepare(mega_compute *compute, uint64_t *room, mega_message *message) {
    cuda_compute *cuda = cuda_of(compute);
    if (cuda->replay_kernels == NULL && open_kernels(cuda, message) < 0) {
        return -1;
    }
    return cuda_message(measure(cuda, room), message);
}

// ---- storing ----

static mega_status store(cuda_compute *cuda, mega_replay_view view, mega_replay_step step) {
    REPLAY_RUN_BLOCKS(cuda, replay_store, view.envs, &view, &step);
    return MEGA_OK;
}

static int cuda_store(mega_compute *compute, const mega_replay_view *view, const mega_replay_step *step,
                      mega_message *message) {
    return cuda_message(store(cuda_of(compute), *view, *step), message);
}

static mega_status publish(cuda_compute *cuda, mega_replay_view view, mega_replay_span left,
                           mega_replay_span came) {
    REPLAY_RUN_BLOCKS(cuda, replay_publish, 1, &view, &left, &came);
    return MEGA_OK;
}

static int cuda_publish(mega_compute *compute, const mega_replay_view *view, mega_replay_span left,
                        mega_replay_span came, mega_message *message) {
    return cuda_message(publish(cuda_of(compute), *view, left, came), message);
}

// ---- sampling ----

static mega_status sample(cuda_compute *cuda, mega_replay_view view, mega_replay_batch batch, uint64_t seed,
                          uint64_t index, float beta) {
    REPLAY_RUN(cuda, replay_draw, batch.count, &view, &batch, &seed, &index, &beta);
    if (view.tree.nodes != NULL) {
        REPLAY_RUN_BLOCKS(cuda, replay_divide, 1, &batch);
    }
    REPLAY_RUN_BLOCKS(cuda, replay_frames, replay_batch_frames(&view, &batch), &view, &batch);
    return MEGA_OK;
}

static int cuda_sample(mega_compute *compute, const mega_replay_view *view, const mega_replay_batch *batch,
                       uint64_t seed, uint64_t index, float beta, mega_message *message) {
    return cuda_message(sample(cuda_of(compute), *view, *batch, seed, index, beta), message);
}

// ---- priorities ----

static mega_status set_priorities(cuda_compute *cuda, mega_replay_view view, mega_replay_batch batch,
                                  const float *errors) {
    REPLAY_RUN(cuda, replay_set_leaves, batch.count, &view, &batch, &errors);
    REPLAY_RUN_BLOCKS(cuda, replay_refresh_batch, 1, &view, &batch);
    return MEGA_OK;
}

static int cuda_set_priorities(mega_compute *compute, const mega_replay_view *view,
                               const mega_replay_batch *batch, const float *errors, mega_message *message) {
    return cuda_message(set_priorities(cuda_of(compute), *view, *batch, errors), message);
}

static mega_status rebuild(cuda_compute *cuda, mega_replay_view view) {
    for (uint32_t level = 1; level < view.tree.levels; level++) {
        REPLAY_RUN(cuda, replay_rebuild, tree_count(&view.tree, level), &view, &level);
    }
    return MEGA_OK;
}

static int cuda_rebuild(mega_compute *compute, const mega_replay_view *view, mega_message *message) {
    return cuda_message(rebuild(cuda_of(compute), *view), message);
}

const mega_replay_ops mega_replay_cuda = {
    .prepare = cuda_prepare,
    .store = cuda_store,
    .publish = cuda_publish,
    .sample = cuda_sample,
    .set_priorities = cuda_set_priorities,
    .rebuild = cuda_rebuild,
};
