// test_q.c - Q-learners: values, targets and losses of mega_q.h against formulas in double precision: projections by
// equation 7 of Bellemare et al. 2017, gradients against differences.
#include "mega_q.h"
#include "mega_test.h"

#include <math.h>
#include <string.h>

enum {
    ACTIONS = 5,
    ATOMS_MAX = 51,
    CASES = 60
};

typedef struct sample {
    double logits[ACTIONS * ATOMS_MAX], values[ATOMS_MAX], target[ATOMS_MAX], reward, discount;
    uint32_t action;
} sample;

static double uniform(uint32_t stream, uint32_t index) {
    return (double)mega_philox_uniform(mega_philox_word(23, stream, index));
}

static sample make_sample(const mega_q_shape *shape, uint32_t i) {
    sample s = {0};
    for (uint32_t k = 0; k < shape->actions * shape->atoms; k++) {
        s.logits[k] = 3 * uniform(1, i << 10 | k) - 1.5;
    }
    double sum = 0;
    for (uint32_t z = 0; z < shape->atoms; z++) {
        s.values[z] = 3 * uniform(2, i << 10 | z) - 1.5;
        s.target[z] = uniform(3, i << 10 | z);
        sum += s.target[z];
    }
    for (uint32_t z = 0; z < shape->atoms && shape->atoms > 1; z++) {
        s.target[z] /= sum; // a distribution
    }
    s.action = (uint32_t)(ACTIONS * uniform(4, i));
    s.reward = 30 * uniform(5, i) - 15; // often outside of the support
    s.discount = i % 3 == 0 ? 0 : uniform(6, i);
    return s;
}

// ---- in double precision ----

static double logit_of(const mega_q_shape *shape, const sample *s, uint32_t action, uint32_t atom) {
    double sum = 0;
    for (uint32_t a = 0; a < shape->actions; a++) {
        sum += s->logits[a * shape->atoms + atom];
    }
    return s->logits[action * shape->atoms + atom] +
           (shape->is_dueling ? s->values[atom] - sum / shape->actions : 0);
}

static double probability_of(const mega_q_shape *shape, const sample *s, uint32_t action, uint32_t atom) {
    double sum = 0;
    for (uint32_t z = 0; z < shape->atoms; z++) {
        sum += exp(logit_of(shape, s, action, z));
    }
    return exp(logit_of(shape, s, action, atom)) / sum;
}

static double atom_of(const mega_q_shape *shape, uint32_t z) {
    return (double)shape->v_min + z * ((double)shape->v_max - (double)shape->v_min) / (shape->atoms - 1);
}

static double value_of(const mega_q_shape *shape, const sample *s, uint32_t action) {
    double mean = 0;
    if (shape->atoms == 1) {
        return logit_of(shape, s, action, 0);
    }
    for (uint32_t z = 0; z < shape->atoms; z++) {
        mean += probability_of(shape, s, action, z) * atom_of(shape, z);
    }
    return mean;
}

// (Phi T Z)_i = sum_j [1 - |clip(r + discount z_j) - z_i| / step] limited to 0 .. 1, times p_j
static double projected(const mega_q_shape *shape, const sample *s, uint32_t i) {
    const double step = atom_of(shape, 1) - atom_of(shape, 0);
    double sum = 0;
    for (uint32_t j = 0; j < shape->atoms; j++) {
        const double lands = fmin(fmax(s->reward + s->discount * atom_of(shape, j), (double)shape->v_min),
                                  (double)shape->v_max);
        const double share = 1 - fabs(lands - atom_of(shape, i)) / step;
        sum += fmin(fmax(share, 0), 1) * probability_of(shape, s, s->action, j);
    }
    return sum;
}

static double loss_of(const mega_q_shape *shape, const sample *s, double clip) {
    if (shape->atoms == 1) {
        const double miss = fabs(value_of(shape, s, s->action) - s->target[0]);
        return clip > 0 && miss > clip ? clip * (miss - clip / 2) : miss * miss / 2;
    }
    double sum = 0;
    for (uint32_t z = 0; z < shape->atoms; z++) {
        sum += s->target[z] * (log(s->target[z]) - log(probability_of(shape, s, s->action, z)));
    }
    return sum;
}

static double slope(const mega_q_shape *shape, sample *s, double *number, double clip) {
    const double step = 1e-5, middle = *number;
    *number = middle + step;
    const double above = loss_of(shape, s, clip);
    *number = middle - step;
    const double below = loss_of(shape, s, clip);
    *number = middle;
    return (above - below) / (2 * step);
}

// ---- checks ----

typedef struct outputs {
    float logits[ACTIONS * ATOMS_MAX], values[ATOMS_MAX], target[ATOMS_MAX];
} outputs;

static outputs outputs_of(const sample *s) {
    outputs o;
    for (uint32_t k = 0; k < ACTIONS * ATOMS_MAX; k++) {
        o.logits[k] = (float)s->logits[k];
    }
    for (uint32_t z = 0; z < ATOMS_MAX; z++) {
        o.values[z] = (float)s->values[z];
        o.target[z] = (float)s->target[z];
    }
    return o;
}

static int is_near(double a, double b) {
    return fabs(a - b) <= 3e-5 * (1 + fabs(b));
}

static void check_values_and_targets(const mega_q_shape *shape, const sample *s) {
    const outputs o = outputs_of(s);
    float target[ATOMS_MAX];
    for (uint32_t a = 0; a < shape->actions; a++) {
        MEGA_CHECK(is_near((double)q_value(shape, o.logits, o.values, a), value_of(shape, s, a)));
    }
    q_target(shape, o.logits, o.values, s->action, (float)s->reward, (float)s->discount, target);
    if (shape->atoms == 1) {
        MEGA_CHECK(is_near((double)target[0], s->reward + s->discount * value_of(shape, s, s->action)));
        return;
    }
    double sum = 0;
    for (uint32_t z = 0; z < shape->atoms; z++) {
        MEGA_CHECK(is_near((double)target[z], projected(shape, s, z)));
        sum += (double)target[z];
    }
    MEGA_CHECK(is_near(sum, 1));
}

static void check_loss(const mega_q_shape *shape, sample *s, double clip) {
    const double share = 0.125, weight = 0.6;
    const outputs o = outputs_of(s);
    float logit_grads[ACTIONS * ATOMS_MAX], value_grads[ATOMS_MAX], stats[MEGA_STAT_COUNT];
    const float error = q_loss(shape, o.logits, o.values, s->action, o.target, (float)clip, (float)weight,
                               (float)share, logit_grads, value_grads, stats);
    const double scale = share * weight, loss = loss_of(shape, s, clip);
    for (uint32_t k = 0; k < shape->actions * shape->atoms; k++) {
        MEGA_CHECK(is_near((double)logit_grads[k], scale * slope(shape, s, &s->logits[k], clip)));
    }
    for (uint32_t z = 0; z < shape->atoms && shape->is_dueling; z++) {
        MEGA_CHECK(is_near((double)value_grads[z], scale * slope(shape, s, &s->values[z], clip)));
    }
    MEGA_CHECK(is_near((double)stats[MEGA_STAT_VALUE_LOSS], loss));
    MEGA_CHECK(is_near((double)stats[MEGA_STAT_Q], value_of(shape, s, s->action)));
    MEGA_CHECK(stats[MEGA_STAT_SAMPLES] == 1.0f && stats[MEGA_STAT_ENTROPY] == 0.0f);
    MEGA_CHECK(
        is_near((double)error, shape->atoms > 1 ? loss : value_of(shape, s, s->action) - s->target[0]));
}

static void check_shape(uint32_t atoms, uint32_t is_dueling) {
    const mega_q_shape shape = {
        .actions = ACTIONS, .atoms = atoms, .is_dueling = is_dueling, .v_min = -10, .v_max = 10};
    for (uint32_t i = 0; i < CASES; i++) {
        sample s = make_sample(&shape, i);
        check_values_and_targets(&shape, &s);
        check_loss(&shape, &s, i % 2 == 0 ? 1 : 0);
    }
}

// What lands on an atom stays on it, also on the last one.
static void check_projection_at_atoms(void) {
    const mega_q_shape shape = {.actions = 1, .atoms = 3, .v_min = -1, .v_max = 1};
    const float sure[3] = {-100, 100, -100}; // of 0
    float target[3];
    q_target(&shape, sure, NULL, 0, 1.0f, 0.9f, target);
    MEGA_CHECK(target[0] == 0.0f && target[1] == 0.0f && target[2] == 1.0f);
    q_target(&shape, sure, NULL, 0, -1.0f, 0.9f, target);
    MEGA_CHECK(target[0] == 1.0f && target[1] == 0.0f && target[2] == 0.0f);
    q_target(&shape, sure, NULL, 0, 0.25f, 0.9f, target);
    MEGA_CHECK(target[0] == 0.0f && target[1] == 0.75f && target[2] == 0.25f);
}

static void check_exploration(void) {
    uint32_t counts[4] = {0}, draws = 100000;
    for (uint32_t i = 0; i < draws; i++) {
        counts[policy_explore(2, 4, 0.2f, draw_block(5, MEGA_DRAW_ACTIONS, 7, i))]++;
    }
    for (uint32_t a = 0; a < 4; a++) { // a fifth is spread over all four; five deviations
        MEGA_CHECK(fabs(counts[a] - draws * (a == 2 ? 0.85 : 0.05)) < 5 * sqrt(draws * 0.13));
    }
    for (uint32_t i = 0; i < 1000; i++) {
        MEGA_CHECK(policy_explore(3, 4, 0.0f, draw_block(5, MEGA_DRAW_ACTIONS, 7, i)) == 3);
    }
}

int main(void) {
    check_shape(1, 0);
    check_shape(1, 1);
    check_shape(51, 0);
    check_shape(51, 1);
    check_shape(2, 1);
    check_projection_at_atoms();
    check_exploration();
    return mega_test_result();
}
