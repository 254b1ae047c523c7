// mega_q.h - what Q-learners do with a sample: values of actions, targets, losses. Shared source.
//
// A Q-network gives `actions` x `atoms` logits and, if it is dueling, `atoms` values. With one atom a logit is a
// number Q(s, a). With more, those of an action make a distribution over a support of returns (Bellemare et al. 2017):
// atom z stands for v_min + z (v_max - v_min) / (atoms - 1), and Q(s, a) is the mean. A dueling network (Wang et al.
// 2016) has advantages for logits; what counts is V + A - mean of A over actions, atom by atom.
#ifndef MEGA_Q_H
#define MEGA_Q_H
#include "mega_policy.h"

typedef struct mega_q_shape {
    uint32_t actions;
    uint32_t atoms;
    uint32_t is_dueling;
    float v_min, v_max; // of the support, if there are several atoms
} mega_q_shape;

MEGA_FN float q_step(const mega_q_shape *shape) {
    return (shape->v_max - shape->v_min) / (float)(shape->atoms - 1u);
}

MEGA_FN float q_support(const mega_q_shape *shape, uint32_t atom) {
    return shape->v_min + (float)atom * q_step(shape);
}

// What dueling adds to all actions' logits of an atom; 0 without it.
MEGA_FN float q_offset(const mega_q_shape *shape, const float *logits, const float *values, uint32_t atom) {
    if (!shape->is_dueling) {
        return 0.0f;
    }
    float sum = 0.0f;
    for (uint32_t a = 0; a < shape->actions; a++) {
        sum += logits[a * shape->atoms + atom];
    }
    return values[atom] - sum / (float)shape->actions;
}

MEGA_FN float q_logit(const mega_q_shape *shape, const float *logits, const float *values, uint32_t action,
                      uint32_t atom) {
    return logits[action * shape->atoms + atom] + q_offset(shape, logits, values, atom);
}

// log of the sum of exponentials over an action's atoms
MEGA_FN float q_log_sum(const mega_q_shape *shape, const float *logits, const float *values,
                        uint32_t action) {
    float most = q_logit(shape, logits, values, action, 0), sum = 0.0f;
    for (uint32_t z = 1; z < shape->atoms; z++) {
        const float logit = q_logit(shape, logits, values, action, z);
        most = logit > most ? logit : most;
    }
    for (uint32_t z = 0; z < shape->atoms; z++) {
        sum += MEGA_EXP(q_logit(shape, logits, values, action, z) - most);
    }
    return most + MEGA_LOG(sum);
}

// Q(s, action)
MEGA_FN float q_value(const mega_q_shape *shape, const float *logits, const float *values, uint32_t action) {
    if (shape->atoms == 1u) {
        return q_logit(shape, logits, values, action, 0);
    }
    const float log_sum = q_log_sum(shape, logits, values, action);
    float mean = 0.0f;
    for (uint32_t z = 0; z < shape->atoms; z++) {
        mean += MEGA_EXP(q_logit(shape, logits, values, action, z) - log_sum) * q_support(shape, z);
    }
    return mean;
}

// What a sample is taught: R + discount * Q(s', action) by the target network, whose outputs at s' these are; or
// (several atoms) its distribution, contracted by `discount`, shifted by R and projected onto the support: each
// atom's probability is shared by the two atoms next to where it lands. `discount` is 0 after the end of an episode.
MEGA_FN void q_target(const mega_q_shape *shape, const float *logits, const float *values, uint32_t action,
                      float reward, float discount, float *target) {
    if (shape->atoms == 1u) {
        target[0] = reward + discount * q_value(shape, logits, values, action);
        return;
    }
    const float log_sum = q_log_sum(shape, logits, values, action), step = q_step(shape);
    const float last = (float)(shape->atoms - 1u);
    for (uint32_t z = 0; z < shape->atoms; z++) {
        target[z] = 0.0f;
    }
    for (uint32_t z = 0; z < shape->atoms; z++) {
        const float p = MEGA_EXP(q_logit(shape, logits, values, action, z) - log_sum);
        const float lands = reward + discount * q_support(shape, z);
        const float place = policy_limit((lands - shape->v_min) / step, 0.0f, last);
        const uint32_t below = place < last ? (uint32_t)place : shape->atoms - 2u;
        const float above = place - (float)below; // the share of the atom above
        target[below] += p * (1.0f - above);
        target[below + 1u] += p * above;
    }
}

// A gradient of the (dueling) logit of an action's atom, on its way to the network's outputs.
MEGA_FN void q_send_back(const mega_q_shape *shape, uint32_t action, uint32_t atom, float gradient,
                         float *logit_grads, float *value_grads) {
    const float shared = shape->is_dueling ? gradient / (float)shape->actions : 0.0f;
    for (uint32_t a = 0; a < shape->actions; a++) {
        logit_grads[a * shape->atoms + atom] = (a == action ? gradient : 0.0f) - shared;
    }
    if (shape->is_dueling) {
        value_grads[atom] = gradient;
    }
}

// One number: (Q - target)^2 / 2; where the error is above `clip` (0: nowhere) the loss goes on with the slope it has
// there (Huber; Mnih et al. 2015 clip the error at 1). Returns the error.
MEGA_FN float loss_q(const mega_q_shape *shape, const float *logits, const float *values, uint32_t action,
                     float target, float clip, float share, float *logit_grads, float *value_grads,
                     float stats[MEGA_STAT_COUNT]) {
    const float q = q_value(shape, logits, values, action), miss = q - target;
    const float slope = clip > 0.0f ? policy_limit(miss, -clip, clip) : miss;
    q_send_back(shape, action, 0, share * slope, logit_grads, value_grads);
    stats[MEGA_STAT_VALUE_LOSS] = slope * (miss - 0.5f * slope);
    stats[MEGA_STAT_Q] = q;
    return miss;
}

// Several atoms: the divergence of the action's distribution from the target's, sum m log(m / p), whose gradient is
// p - m. Returns it: it is never negative but for rounding.
MEGA_FN float loss_categorical(const mega_q_shape *shape, const float *logits, const float *values,
                               uint32_t action, const float *target, float share, float *logit_grads,
                               float *value_grads, float stats[MEGA_STAT_COUNT]) {
    const float log_sum = q_log_sum(shape, logits, values, action);
    float divergence = 0.0f, mean = 0.0f;
    for (uint32_t z = 0; z < shape->atoms; z++) {
        const float log_p = q_logit(shape, logits, values, action, z) - log_sum, p = MEGA_EXP(log_p);
        const float m = target[z];
        q_send_back(shape, action, z, share * (p - m), logit_grads, value_grads);
        divergence += m > 0.0f ? m * (MEGA_LOG(m) - log_p) : 0.0f;
        mean += p * q_support(shape, z);
    }
    stats[MEGA_STAT_VALUE_LOSS] = divergence;
    stats[MEGA_STAT_Q] = mean;
    return divergence;
}

// The loss of a sample of weight `weight`; returns what its priority is made of.
MEGA_FN float q_loss(const mega_q_shape *shape, const float *logits, const float *values, uint32_t action,
                     const float *target, float clip, float weight, float share, float *logit_grads,
                     float *value_grads, float stats[MEGA_STAT_COUNT]) {
    for (uint32_t k = 0; k < MEGA_STAT_COUNT; k++) {
        stats[k] = 0.0f;
    }
    stats[MEGA_STAT_SAMPLES] = 1.0f;
    if (shape->atoms == 1u) {
        return loss_q(shape, logits, values, action, target[0], clip, share * weight, logit_grads,
                      value_grads, stats);
    }
    return loss_categorical(shape, logits, values, action, target, share * weight, logit_grads, value_grads,
                            stats);
}

#endif
