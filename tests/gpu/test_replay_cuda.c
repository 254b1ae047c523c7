// test_replay_cuda.c - on a machine with a GPU: a replay memory there against one on the CPU, with the same
// play: the same bytes in all that is not computed with exponentials. Skipped, with the reason, where there
// is no GPU.
#include "mega_test_replay.h"

#include <math.h>

typedef struct side {
    mega_compute *compute;
    test_play play;
    mega_replay replay;
    mega_replay_batch batch;
    float *errors; // on the device
} side;

static mega_message message;

static void open_side(side *s, const mega_replay_desc *desc, uint32_t steps, uint32_t batch) {
    s->play = test_play_make(s->compute, desc, steps);
    MEGA_CHECK_EQ(mega_replay_create(s->compute, desc, &s->replay, &message), 0);
    MEGA_CHECK_EQ(mega_replay_batch_create(s->compute, desc, batch, &s->batch, &message), 0);
    void *errors = NULL;
    MEGA_CHECK_EQ(s->compute->ops->allocate(s->compute, batch * sizeof *s->errors, &errors, &message), 0);
    s->errors = errors;
}

static void close_side(side *s) {
    s->compute->ops->release(s->compute, s->errors);
    mega_replay_batch_destroy(s->compute, &s->batch);
    mega_replay_destroy(s->compute, &s->replay);
    test_play_free(s->compute, &s->play);
}

static void *bring(mega_compute *compute, const void *from, size_t size) {
    void *bytes = malloc(size);
    MEGA_CHECK_EQ(compute->ops->download(compute, bytes, from, size, &message), 0);
    return bytes;
}

static void check_same(const side *cpu, const side *gpu, const void *ours, const void *theirs, size_t size,
                       const char *name) {
    void *a = bring(cpu->compute, ours, size), *b = bring(gpu->compute, theirs, size);
    mega_test_bytes(a, b, size, name, "the GPU's", __FILE__, __LINE__);
    free(a);
    free(b);
}

static void check_near(const side *cpu, const side *gpu, const float *ours, const float *theirs, size_t count,
                       const char *name) {
    float *a = bring(cpu->compute, ours, count * sizeof *a),
          *b = bring(gpu->compute, theirs, count * sizeof *b);
    uint32_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        wrong += !(fabsf(a[i] - b[i]) <= 1e-5f * fabsf(a[i]));
    }
    mega_test_check(wrong == 0, name, __FILE__, __LINE__);
    free(a);
    free(b);
}

static void check_batches(const side *cpu, const side *gpu) {
    const mega_replay_batch *a = &cpu->batch, *b = &gpu->batch;
    const size_t pixels = a->count * cpu->play.stack_size, numbers = a->count * sizeof(float);
    check_same(cpu, gpu, a->cells, b->cells, numbers, "cells");
    check_same(cpu, gpu, a->next_cells, b->next_cells, numbers, "next_cells");
    check_same(cpu, gpu, a->observations, b->observations, pixels, "observations");
    check_same(cpu, gpu, a->next_observations, b->next_observations, pixels, "next_observations");
    check_same(cpu, gpu, a->actions, b->actions, numbers, "actions");
    check_same(cpu, gpu, a->returns, b->returns, numbers, "returns");
    check_same(cpu, gpu, a->discounts, b->discounts, numbers, "discounts");
    check_near(cpu, gpu, a->weights, b->weights, a->count, "weights");
}

// Priorities are near; the CPU goes on with the GPU's. Its sums over them, rebuilt, are what the GPU has.
static void check_trees(side *cpu, const side *gpu) {
    const mega_sum_tree *a = &cpu->replay.view.tree, *b = &gpu->replay.view.tree;
    check_near(cpu, gpu, a->nodes, b->nodes, a->leaves, "priorities");
    check_near(cpu, gpu, cpu->replay.view.max_priority, gpu->replay.view.max_priority, 1, "max_priority");
    gpu->compute->ops->download(gpu->compute, a->nodes, b->nodes, a->leaves * sizeof(float), &message);
    gpu->compute->ops->download(gpu->compute, cpu->replay.view.max_priority, gpu->replay.view.max_priority,
                                sizeof(float), &message);
    MEGA_CHECK_EQ(mega_replay_rebuild(cpu->compute, &cpu->replay, &message), 0);
    check_same(cpu, gpu, a->nodes, b->nodes, tree_size(a) * sizeof(float), "sums");
}

static void step_both(side *both[2]) {
    for (uint32_t k = 0; k < 2; k++) {
        side *s = both[k];
        MEGA_CHECK_EQ(test_play_store(s->compute, &s->play, &s->replay, &message), 0);
        if (s->replay.stored - s->replay.published == s->replay.desc.ahead) {
            MEGA_CHECK_EQ(mega_replay_publish(s->compute, &s->replay, &message), 0);
        }
    }
}

// Draws a batch on both and gives its cells errors, a few of which are no numbers.
static void learn_both(side *both[2], uint64_t index) {
    const uint32_t count = both[0]->batch.count;
    float *errors = malloc(count * sizeof *errors);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t word = test_word(8, index * count + i);
        errors[i] = word % 13 == 0 ? NAN : 4.0f * mega_philox_uniform(word) - 2.0f;
    }
    for (uint32_t k = 0; k < 2; k++) {
        side *s = both[k];
        MEGA_CHECK_EQ(mega_replay_sample(s->compute, &s->replay, &s->batch, 5, index, 0.5f, &message), 0);
        s->compute->ops->upload(s->compute, s->errors, errors, count * sizeof *errors, &message);
        MEGA_CHECK_EQ(mega_replay_set_priorities(s->compute, &s->replay, &s->batch, s->errors, &message), 0);
    }
    free(errors);
    check_batches(both[0], both[1]);
}

static void check_arrays(const side *cpu, const side *gpu) {
    mega_replay_part a[MEGA_REPLAY_PARTS], b[MEGA_REPLAY_PARTS];
    const uint32_t count = mega_replay_parts(&cpu->replay, a);
    MEGA_CHECK_EQ(mega_replay_parts(&gpu->replay, b), count);
    for (uint32_t i = 0; i < count; i++) {
        check_same(cpu, gpu, a[i].memory, b[i].memory, mega_replay_filled(&cpu->replay) * a[i].step_size,
                   a[i].name);
    }
}

static void test_play_on_both(mega_compute *cpu, mega_compute *gpu, mega_replay_desc desc, uint32_t batch) {
    side ours = {.compute = cpu}, theirs = {.compute = gpu};
    side *both[2] = {&ours, &theirs};
    const uint32_t steps = 3 * desc.slots;
    open_side(&ours, &desc, steps, batch);
    open_side(&theirs, &desc, steps, batch);
    for (uint32_t step = 0; step < steps; step++) {
        step_both(both);
        if (mega_replay_steps(&ours.replay) > 0) {
            learn_both(both, step);
        }
        if (desc.is_prioritised) {
            check_trees(&ours, &theirs);
        }
    }
    MEGA_CHECK_EQ(mega_replay_rebuild(gpu, &theirs.replay, &message), 0);
    if (desc.is_prioritised) {
        check_trees(&ours, &theirs);
    }
    check_arrays(&ours, &theirs);
    close_side(&ours);
    close_side(&theirs);
}

// More than the GPU has is refused with a way out.
static void test_too_large(mega_compute *gpu) {
    mega_replay_desc desc = {.envs = 8, .stack = 4, .n_step = 3, .ahead = 4, .frame_size = 1 << 20};
    mega_replay replay;
    desc.slots = mega_replay_slots(&desc, 100000000);
    MEGA_CHECK_EQ(mega_replay_create(gpu, &desc, &replay, &message), -1);
    mega_test_check(strstr(message.text, "make `replay` at most") != NULL, message.text, __FILE__, __LINE__);
}

int main(void) {
    mega_compute *cpu = NULL, *gpu = NULL;
    if (mega_compute_cuda(0, NULL, false, &gpu, &message) < 0) {
        fprintf(stderr, "skipped: %s\n", message.text);
        return 77;
    }
    MEGA_CHECK_EQ(mega_compute_cpu(1, true, &cpu, &message), 0);
    mega_replay_desc desc = {
        .envs = 37, .slots = 20, .stack = 4, .n_step = 3, .ahead = 2, .frame_size = 84 * 84};
    desc.discount = 0.99f;
    desc.alpha = 0.5f;
    test_play_on_both(cpu, gpu, desc, 32);
    desc.is_prioritised = true;
    test_play_on_both(cpu, gpu, desc, 32);
    desc.frames_on_host = true;
    test_play_on_both(cpu, gpu, desc, 32);
    desc.frames_on_host = false;
    desc.frame_size = 7;
    desc.n_step = 5;
    test_play_on_both(cpu, gpu, desc, 700);
    desc.envs = 1500; // a tree of five levels
    desc.slots = 24;
    desc.ahead = 1;
    desc.stack = 1;
    test_play_on_both(cpu, gpu, desc, 1000);
    test_too_large(gpu);
    mega_compute_destroy(gpu);
    mega_compute_destroy(cpu);
    return mega_test_result();
}
