// rollout.c - memory of rollouts and lessons, each in one slab. See compute.h.
#include "compute.h"

#include <string.h>

// Hands out parts of a slab one after the other; without a slab it only counts.
typedef struct mega_carver {
    uint8_t *base;
    size_t used;
} mega_carver;

static void *carve(mega_carver *carver, size_t size) {
    void *part = carver->base == NULL ? NULL : carver->base + carver->used;
    carver->used += (size + 255) / 256 * 256; // so that a GPU reads any part in wide words
    return part;
}

static size_t carve_rollout(mega_rollout *rollout, uint8_t *base) {
    const size_t cells = (size_t)rollout->slots * rollout->envs;
    mega_carver carver = {base, 0};
    rollout->observations = carve(&carver, cells * rollout->observation_size);
    rollout->actions = carve(&carver, cells * sizeof *rollout->actions);
    rollout->rewards = carve(&carver, cells * sizeof *rollout->rewards);
    rollout->flags = carve(&carver, cells);
    rollout->log_probabilities = carve(&carver, cells * sizeof *rollout->log_probabilities);
    rollout->values = carve(&carver, cells * sizeof *rollout->values);
    rollout->over = carve(&carver, rollout->envs);
    return carver.used;
}

int mega_rollout_create(mega_compute *compute, uint32_t slots, uint32_t envs, size_t observation_size,
                        mega_rollout *rollout, mega_message *message) {
    memset(rollout, 0, sizeof *rollout);
    rollout->slots = slots;
    rollout->envs = envs;
    rollout->observation_size = observation_size;
    if (compute->ops->allocate(compute, carve_rollout(rollout, NULL), &rollout->slab, message) < 0) {
        return -1;
    }
    (void)carve_rollout(rollout, rollout->slab);
    return 0;
}

void mega_rollout_destroy(mega_compute *compute, mega_rollout *rollout) {
    if (rollout->slab != NULL) {
        compute->ops->release(compute, rollout->slab);
        memset(rollout, 0, sizeof *rollout);
    }
}

static size_t carve_lesson(mega_lesson *lesson, uint8_t *base) {
    const size_t cells = (size_t)lesson->steps * lesson->envs, more = cells + lesson->envs;
    mega_carver carver = {base, 0};
    lesson->rows = carve(&carver, more * sizeof *lesson->rows);
    lesson->actions = carve(&carver, cells * sizeof *lesson->actions);
    lesson->rewards = carve(&carver, cells * sizeof *lesson->rewards);
    lesson->flags = carve(&carver, cells);
    lesson->log_probabilities = carve(&carver, cells * sizeof *lesson->log_probabilities);
    lesson->values = carve(&carver, more * sizeof *lesson->values);
    lesson->ratios = carve(&carver, cells * sizeof *lesson->ratios);
    lesson->advantages = carve(&carver, cells * sizeof *lesson->advantages);
    lesson->targets = carve(&carver, cells * sizeof *lesson->targets);
    return carver.used;
}

int mega_lesson_create(mega_compute *compute, uint32_t steps, uint32_t envs, mega_lesson *lesson,
                       mega_message *message) {
    memset(lesson, 0, sizeof *lesson);
    lesson->steps = steps;
    lesson->envs = envs;
    if (compute->ops->allocate(compute, carve_lesson(lesson, NULL), &lesson->slab, message) < 0) {
        return -1;
    }
    (void)carve_lesson(lesson, lesson->slab);
    return 0;
}

void mega_lesson_destroy(mega_compute *compute, mega_lesson *lesson) {
    if (lesson->slab != NULL) {
        compute->ops->release(compute, lesson->slab);
        memset(lesson, 0, sizeof *lesson);
    }
}
