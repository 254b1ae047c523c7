// optimizer.h - optimisers on the CPU, and what is the same for all devices: learning rates and the numbers of a step.
#ifndef OPTIMIZER_H
#define OPTIMIZER_H
#include "mega_optimizer.h"
#include "message.h"

#include <stdbool.h>

// Which optimiser: MEGA_OPTIMIZER_* and the letters of mega_optimizer.h.
typedef struct mega_optimizer_rule {
    uint32_t kind;
    double mean_decay;   // a: Adam
    double square_decay; // b
    double epsilon;      // e; above 0
    bool epsilon_inside; // of the root: RMSProp
} mega_optimizer_rule;

typedef struct mega_optimizer {
    mega_optimizer_rule rule;
    size_t count;   // parameters
    uint64_t t;     // steps done
    float *means;   // m: [count], NULL for RMSProp that is not centred
    float *squares; // v: [count]
} mega_optimizer;

// The running means are zero. Fails on rules that make no sense and where memory is out.
int mega_optimizer_create(const mega_optimizer_rule *rule, size_t count, mega_optimizer **out,
                          mega_message *message);
// NULL is allowed.
void mega_optimizer_destroy(mega_optimizer *optimizer);
// One step down the gradients. Whoever keeps the parameters in a net calls mega_net_changed() after it.
void mega_optimizer_descend(mega_optimizer *optimizer, double rate, const float *gradients,
                            float *parameters);
// The part of a step that concerns the parameters first to first + count - 1; optimizer->t is already the step's number.
void mega_optimizer_descend_part(mega_optimizer *optimizer, double rate, size_t first, size_t count,
                                 const float *gradients, float *parameters);

// The numbers of step t (the first is 1).
mega_optimizer_step mega_optimizer_factors(const mega_optimizer_rule *rule, double rate, uint64_t t);

// Scales gradients with a norm above `most` down to it; returns the norm they had (Euclidean, of all numbers, summed
// in double precision in one order). If that is not finite, or if `most` is 0 or less, the gradients stay as they are.
double mega_optimizer_clip(float *gradients, size_t count, double most);

enum {
    MEGA_SCHEDULE_CONSTANT,
    MEGA_SCHEDULE_LINEAR // down to zero at `total`
};
// The learning rate after `done` of `total` (steps, frames, ...).
double mega_schedule_rate(uint32_t schedule, double first, uint64_t done, uint64_t total);

#endif
