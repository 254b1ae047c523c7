// optimizer.c - see optimizer.h.
#include "optimizer.h"

#include "floats.h"

#include <math.h>
#include <stdlib.h>

// ---- life --------------------------------------------------------------------------------------------

static bool is_decay(double decay) {
    return decay >= 0 && decay < 1;
}

static int check_rule(const mega_optimizer_rule *rule, mega_message *message) {
    if (rule->kind > MEGA_OPTIMIZER_RMSPROP_CENTRED) {
        return mega_message_set(message, "there is no optimiser number %u", rule->kind);
    }
    if (!is_decay(rule->square_decay) || (rule->kind == MEGA_OPTIMIZER_ADAM && !is_decay(rule->mean_decay))) {
        return mega_message_set(message, "an optimiser's decay must be at least 0 and below 1");
    }
    // Without it, a parameter whose gradients were all zero would become 0 / 0.
    if (!((float)rule->epsilon > 0) || isinf(rule->epsilon)) {
        return mega_message_set(message, "an optimiser's epsilon must be above 0");
    }
    return 0;
}

int mega_optimizer_create(const mega_optimizer_rule *rule, size_t count, mega_optimizer **out,
                          mega_message *message) {
    *out = NULL;
    if (check_rule(rule, message) != 0) {
        return -1;
    }
    mega_optimizer *optimizer = (mega_optimizer *)calloc(1, sizeof *optimizer);
    if (optimizer == NULL) {
        return mega_message_set(message, "not enough memory for an optimiser");
    }
    const bool has_means = rule->kind != MEGA_OPTIMIZER_RMSPROP;
    optimizer->rule = *rule;
    optimizer->count = count;
    optimizer->means = has_means ? mega_floats(count) : NULL;
    optimizer->squares = mega_floats(count);
    if ((has_means && optimizer->means == NULL) || optimizer->squares == NULL) {
        mega_optimizer_destroy(optimizer);
        return mega_message_set(message, "not enough memory for an optimiser of %zu numbers", count);
    }
    *out = optimizer;
    return 0;
}

void mega_optimizer_destroy(mega_optimizer *optimizer) {
    if (optimizer != NULL) {
        free(optimizer->means);
        free(optimizer->squares);
        free(optimizer);
    }
}

// ---- steps -------------------------------------------------------------------------------------------

mega_optimizer_step mega_optimizer_factors(const mega_optimizer_rule *rule, double rate, uint64_t t) {
    const bool is_adam = rule->kind == MEGA_OPTIMIZER_ADAM;
    const double mean_decay = is_adam ? rule->mean_decay : rule->square_decay;
    const mega_optimizer_step step = {
        .kind = rule->kind,
        .epsilon_inside = rule->epsilon_inside,
        .rate = (float)(is_adam ? rate / (1 - pow(mean_decay, (double)t)) : rate),
        .keep_mean = (float)mean_decay,
        .take_mean = (float)(1 - mean_decay),
        .keep_square = (float)rule->square_decay,
        .take_square = (float)(1 - rule->square_decay),
        .root_scale = (float)(is_adam ? 1 / sqrt(1 - pow(rule->square_decay, (double)t)) : 1),
        .epsilon = (float)rule->epsilon,
    };
    return step;
}

// One loop for each kind, because a loop without branches becomes vector instructions.
void mega_optimizer_descend_part(mega_optimizer *optimizer, double rate, size_t first, size_t count,
                                 const float *gradients, float *parameters) {
    const mega_optimizer_step step = mega_optimizer_factors(&optimizer->rule, rate, optimizer->t);
    float *restrict p = parameters + first, *restrict v = optimizer->squares + first;
    float *restrict m = optimizer->means == NULL ? NULL : optimizer->means + first;
    const float *restrict g = gradients + first;
    switch (step.kind) {
    case MEGA_OPTIMIZER_ADAM:
        for (size_t i = 0; i < count; i++) {
            p[i] -= mega_adam(&step, g[i], &m[i], &v[i]);
        }
        break;
    case MEGA_OPTIMIZER_RMSPROP:
        for (size_t i = 0; i < count; i++) {
            p[i] -= mega_rmsprop(&step, g[i], &v[i]);
        }
        break;
    default:
        for (size_t i = 0; i < count; i++) {
            p[i] -= mega_rmsprop_centred(&step, g[i], &m[i], &v[i]);
        }
        break;
    }
}

void mega_optimizer_descend(mega_optimizer *optimizer, double rate, const float *gradients,
                            float *parameters) {
    optimizer->t++;
    mega_optimizer_descend_part(optimizer, rate, 0, optimizer->count, gradients, parameters);
}

// ---- norm --------------------------------------------------------------------------------------------

enum {
    LANES = 8
}; // partial sums: number i belongs to lane i % 8; they are added in order at the end

static double norm_of(const float *numbers, size_t count) {
    const size_t whole = count - count % LANES;
    double sums[LANES] = {0}, sum = 0;
    for (size_t i = 0; i < whole; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            sums[lane] += (double)numbers[i + lane] * (double)numbers[i + lane];
        }
    }
    for (size_t i = whole; i < count; i++) {
        sums[i - whole] += (double)numbers[i] * (double)numbers[i];
    }
    for (size_t lane = 0; lane < LANES; lane++) {
        sum += sums[lane];
    }
    return sqrt(sum);
}

double mega_optimizer_clip(float *gradients, size_t count, double most) {
    const double norm = norm_of(gradients, count);
    if (isfinite(norm) && most > 0 && norm > most) {
        const float factor = (float)(most / norm);
        for (size_t i = 0; i < count; i++) {
            gradients[i] *= factor;
        }
    }
    return norm;
}

// ---- learning rate -----------------------------------------------------------------------------------

double mega_schedule_rate(uint32_t schedule, double first, uint64_t done, uint64_t total) {
    if (schedule == MEGA_SCHEDULE_CONSTANT) {
        return first;
    }
    return done < total ? first * ((double)(total - done) / (double)total) : 0;
}
