// mega_lesson.h - rollouts and lessons (compute.h) as kernels get them. Shared source.
#ifndef MEGA_LESSON_H
#define MEGA_LESSON_H
#include "mega_base.h"

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

#endif
