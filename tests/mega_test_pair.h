// mega_test_pair.h - two vectors of the same environments, on the CPU and on a GPU, in step: every row that
// they report must be the same.
#ifndef MEGA_TEST_PAIR_H
#define MEGA_TEST_PAIR_H
#include <stdlib.h>
#include <time.h>

#include "mega_test.h"
#include "megacade.h"

typedef struct test_side {
    mega_vector *vector;
    mega_vector_out out;
    uint8_t *memory;
} test_side;

typedef struct test_pair {
    uint32_t count;
    size_t size; // of an observation
    test_side cpu, gpu;
    int32_t *actions;
    uint32_t steps, choices;
    double cpu_opened; // when
} test_pair;

static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline void side_open(test_side *side, uint32_t count, size_t size) {
    side->memory = (uint8_t *)calloc(count, 2 * size + 5 * 4 + 3);
    uint8_t *at = side->memory;
    int32_t **const numbers[] = {&side->out.rewards, &side->out.env_ids, &side->out.lives,
                                 &side->out.frame_numbers, &side->out.episode_frame_numbers};
    uint8_t **const flags[] = {&side->out.terminations, &side->out.truncations, &side->out.episode_ends};
    for (uint32_t i = 0; i < 5; i++, at += 4 * (size_t)count) {
        *numbers[i] = (int32_t *)(void *)at;
    }
    side->out.observations = at;
    side->out.final_observations = at + size * count;
    at += 2 * size * count;
    for (uint32_t i = 0; i < 3; i++, at += count) {
        *flags[i] = at;
    }
}

static uint8_t pair_cpu_translate = MEGA_TRANSLATE_OFF;

// On the CPU programs are interpreted, unless pair_cpu_translate says otherwise. Returns 0 if a vector could not be
// made.
static inline int pair_open(test_pair *pair, const mega_vector_desc *desc, const char *device) {
    mega_vector_desc on_cpu = *desc, on_gpu = *desc;
    memset(pair, 0, sizeof *pair);
    on_cpu.task.translate = pair_cpu_translate;
    on_gpu.device = device;
    pair->count = desc->count;
    const mega_status status = mega_vector_create(&on_cpu, &pair->cpu.vector);
    pair->cpu_opened = now();
    if (status != MEGA_OK || mega_vector_create(&on_gpu, &pair->gpu.vector) != MEGA_OK) {
        fprintf(stderr, "%s\n", mega_last_error());
        mega_vector_destroy(pair->cpu.vector);
        return 0;
    }
    pair->size = mega_vector_observation_size(pair->cpu.vector);
    MEGA_CHECK_EQ(mega_vector_observation_size(pair->gpu.vector), pair->size);
    (void)mega_vector_actions(pair->cpu.vector, &pair->choices);
    side_open(&pair->cpu, pair->count, pair->size);
    side_open(&pair->gpu, pair->count, pair->size);
    pair->actions = (int32_t *)calloc(pair->count, sizeof *pair->actions);
    return 1;
}

static inline void pair_close(test_pair *pair) {
    mega_vector_destroy(pair->cpu.vector);
    mega_vector_destroy(pair->gpu.vector);
    free(pair->cpu.memory);
    free(pair->gpu.memory);
    free(pair->actions);
}

// The number of rows that differ, of those from `from` on; says where the first one does.
static inline uint32_t pair_compare_rows(const test_pair *pair, uint32_t from, uint32_t until) {
    const mega_vector_out *a = &pair->cpu.out, *b = &pair->gpu.out;
    uint32_t differing = 0;
    for (uint32_t i = from; i < until; i++) {
        const size_t at = pair->size * i;
        const char *what = NULL;
        what = a->env_ids[i] != b->env_ids[i] ? "env_id" : what;
        what = a->rewards[i] != b->rewards[i] ? "reward" : what;
        what = a->terminations[i] != b->terminations[i] ? "termination" : what;
        what = a->truncations[i] != b->truncations[i] ? "truncation" : what;
        what = a->episode_ends[i] != b->episode_ends[i] ? "episode_end" : what;
        what = a->lives[i] != b->lives[i] ? "lives" : what;
        what = a->frame_numbers[i] != b->frame_numbers[i] ? "frame number" : what;
        what = a->episode_frame_numbers[i] != b->episode_frame_numbers[i] ? "episode frame number" : what;
        what = memcmp(a->observations + at, b->observations + at, pair->size) != 0 ? "observation" : what;
        what = a->episode_ends[i] &&
                       memcmp(a->final_observations + at, b->final_observations + at, pair->size) != 0
                   ? "final observation"
                   : what;
        if (what != NULL && differing++ == 0) {
            fprintf(stderr, "step %u, environment %u: another %s\n", pair->steps, i, what);
        }
    }
    return differing;
}

static inline uint32_t pair_compare(const test_pair *pair) {
    return pair_compare_rows(pair, 0, pair->count);
}

static inline uint32_t pair_reset(test_pair *pair, const uint8_t *mask, const int32_t *seeds) {
    MEGA_CHECK_EQ(mega_vector_reset(pair->cpu.vector, mask, seeds, &pair->cpu.out), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_reset(pair->gpu.vector, mask, seeds, &pair->gpu.out), MEGA_OK);
    return pair_compare(pair);
}

static inline void test_draw_actions(int32_t *actions, uint32_t count, uint32_t choices, uint32_t step) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t h = i * 0x9E3779B9u ^ step * 0x85EBCA6Bu;
        h = (h ^ h >> 15) * 0x7FEB352Du;
        h = (h ^ h >> 15) * 0x846CA68Bu;
        actions[i] = (int32_t)((h >> 8) % choices);
    }
}

static inline void pair_draw_actions(test_pair *pair) {
    pair->steps++;
    test_draw_actions(pair->actions, pair->count, pair->choices, pair->steps);
}

static inline uint32_t pair_step(test_pair *pair) {
    pair_draw_actions(pair);
    MEGA_CHECK_EQ(mega_vector_step(pair->cpu.vector, pair->actions, NULL, &pair->cpu.out), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_step(pair->gpu.vector, pair->actions, NULL, &pair->gpu.out), MEGA_OK);
    return pair_compare(pair);
}

// Saved states are the same bytes. Returns the number of environments whose states differ.
static inline uint32_t pair_compare_states(test_pair *pair) {
    const size_t size = mega_vector_state_size(pair->cpu.vector);
    uint8_t *bytes = (uint8_t *)malloc(2 * size);
    uint32_t differing = 0;
    MEGA_CHECK_EQ(mega_vector_state_size(pair->gpu.vector), size);
    for (int32_t i = 0; i < (int32_t)pair->count; i++) {
        MEGA_CHECK_EQ(mega_vector_save(pair->cpu.vector, &i, 1, bytes, size), MEGA_OK);
        MEGA_CHECK_EQ(mega_vector_save(pair->gpu.vector, &i, 1, bytes + size, size), MEGA_OK);
        size_t at = 0;
        while (at < size && bytes[at] == bytes[size + at]) {
            at++;
        }
        if (at < size && differing++ == 0) {
            fprintf(stderr, "step %u, environment %d: states differ from byte %zu of %zu on\n", pair->steps,
                    i, at, size);
        }
    }
    free(bytes);
    return differing;
}

#endif
