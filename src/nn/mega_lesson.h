// mega_lesson.h - rollouts and lessons (compute.h) as kernels get them. Shared source.
#ifndef MEGA_LESSON_H
#define MEGA_LESSON_H
#include "mega_shuffle.h"

typedef struct learn_ring { // of a rollout
    const int32_t *actions;
    const float *rewards;
    const uint8_t *flags;
    const float *log_probabilities;
    const float *values;
    uint32_t slots, envs, slot;
} learn_ring;

typedef struct learn_lesson {
    int32_t *rows, *actions;
    float *rewards;
    uint8_t *flags;
    float *log_probabilities, *values, *ratios, *advantages, *targets;
    uint32_t steps, envs;
} learn_lesson;

// Samples of a ring: those of `rows`, or (NULL) the last steps of some of its environments.
typedef struct mega_samples {
    const int32_t *rows; // [count]: slot * envs of the ring + env
    uint32_t count;
    uint32_t first, envs; // without rows: count / envs steps of so many environments, from this one on
} mega_samples;

// Where sample i is.
MEGA_FN uint64_t samples_row(const mega_samples *samples, uint32_t slots, uint32_t envs, uint32_t slot,
                             uint32_t i) {
    if (samples->rows != NULL) {
        return (uint64_t)samples->rows[i];
    }
    const uint32_t steps = samples->count / samples->envs, t = i / samples->envs;
    return (uint64_t)((slot + slots - steps + t) % slots) * envs + samples->first + i % samples->envs;
}

// Sample `place` of the random order of a ring's last `steps` steps.
MEGA_FN void lesson_shuffle(const mega_shuffle *shuffle, uint32_t slots, uint32_t envs, uint32_t slot,
                            uint32_t steps, uint32_t place, int32_t *samples, int32_t *rows) {
    const uint32_t sample = shuffle_at(shuffle, place), step = sample / envs, env = sample % envs;
    samples[place] = (int32_t)sample;
    rows[place] = (int32_t)((slot + slots - steps + step) % slots * envs + env);
}

#endif
