// mega_policy.h - policies over actions given by logits, and the losses of actor-critic methods. Shared source.
//
// A function does one sample. Losses leave their gradients with respect to the sample's logits and value, multiplied
// by `share`, which is 1 / size of the batch for the mean over it, and 0 for a sample that does not count.
#ifndef MEGA_POLICY_H
#define MEGA_POLICY_H
#include "mega_philox.h"

// What random numbers are for; each has a stream of numbers per environment (or whatever else is counted).
enum {
    MEGA_DRAW_ACTIONS = 16, // smaller ones are for the parameters of networks
    MEGA_DRAW_STARTS,
    MEGA_DRAW_SHUFFLE,
    MEGA_DRAW_EVALUATION,
    MEGA_DRAW_REPLAY,
    MEGA_DRAW_NOISE
};
MEGA_FN mega_philox_block draw_block(uint64_t seed, uint32_t purpose, uint32_t env, uint64_t step) {
    return mega_philox_at(seed, (uint64_t)purpose << 32 | env, step);
}
MEGA_FN uint32_t draw_word(uint64_t seed, uint32_t purpose, uint32_t env, uint64_t step) {
    return draw_block(seed, purpose, env, step).word[0];
}

MEGA_FN float policy_limit(float number, float low, float high) {
    return number < low ? low : number > high ? high : number;
}

// log of the sum of exponentials
MEGA_FN float policy_log_sum(const float *logits, uint32_t actions) {
    float most = logits[0];
    for (uint32_t a = 1; a < actions; a++) {
        most = logits[a] > most ? logits[a] : most;
    }
    float sum = 0.0f;
    for (uint32_t a = 0; a < actions; a++) {
        sum += MEGA_EXP(logits[a] - most);
    }
    return most + MEGA_LOG(sum);
}

// The action at which the sum of probabilities passes `uniform`, a number in [0, 1).
MEGA_FN uint32_t policy_draw(const float *logits, uint32_t actions, float log_sum, float uniform) {
    float sum = 0.0f;
    for (uint32_t a = 0; a + 1 < actions; a++) {
        sum += MEGA_EXP(logits[a] - log_sum);
        if (uniform < sum) {
            return a;
        }
    }
    return actions - 1;
}

// With probability `epsilon` any action instead of `action`; `block` are random numbers.
MEGA_FN uint32_t policy_explore(uint32_t action, uint32_t actions, float epsilon, mega_philox_block block) {
    return mega_philox_uniform(block.word[1]) < epsilon ? mega_philox_below(block.word[2], actions) : action;
}

// The most probable action; the first of several.
MEGA_FN uint32_t policy_best(const float *logits, uint32_t actions) {
    uint32_t best = 0;
    for (uint32_t a = 1; a < actions; a++) {
        best = logits[a] > logits[best] ? a : best;
    }
    return best;
}

MEGA_FN float policy_entropy(const float *logits, uint32_t actions, float log_sum) {
    float entropy = 0.0f;
    for (uint32_t a = 0; a < actions; a++) {
        const float log_p = logits[a] - log_sum;
        entropy -= MEGA_EXP(log_p) * log_p;
    }
    return entropy;
}

// Gradients of -(push * log pi(action)) - entropy_weight * H, where `push` is a constant.
MEGA_FN void policy_gradient(const float *logits, uint32_t actions, float log_sum, uint32_t action,
                             float push, float entropy, float entropy_weight, float share,
                             float *logit_grads) {
    for (uint32_t a = 0; a < actions; a++) {
        const float log_p = logits[a] - log_sum, p = MEGA_EXP(log_p);
        const float chosen = a == action ? 1.0f : 0.0f;
        logit_grads[a] = share * (push * (p - chosen) + entropy_weight * p * (log_p + entropy));
    }
}

typedef struct mega_loss_weights {
    float value;      // of the mean of (target - V)^2
    float entropy;    // of the mean entropy
    float clip;       // PPO: the ratio of probabilities counts between 1 - clip and 1 + clip
    float value_clip; // PPO: V may move so far from what it was; 0: as far as it likes
} mega_loss_weights;

enum { // what losses report, summed over samples that count
    MEGA_STAT_SAMPLES,
    MEGA_STAT_POLICY_LOSS,
    MEGA_STAT_VALUE_LOSS,
    MEGA_STAT_ENTROPY,
    MEGA_STAT_KL,      // of the old policy from the new: (ratio - 1) - log ratio, which is never negative
    MEGA_STAT_CLIPPED, // samples whose ratio was outside of the limits
    MEGA_STAT_Q,       // of the action that was taken: Q-learners
    MEGA_STAT_COUNT
};

// A2C and V-trace: -(advantage * log pi) + value * (target - V)^2 - entropy * H. The advantage and the target are
// constants.
MEGA_FN void loss_actor_critic(const float *logits, uint32_t actions, uint32_t action, float value,
                               float advantage, float target, float old_log_p,
                               const mega_loss_weights *weights, float share, float *logit_grads,
                               float *value_grad, float stats[MEGA_STAT_COUNT]) {
    const float log_sum = policy_log_sum(logits, actions);
    const float entropy = policy_entropy(logits, actions, log_sum);
    const float log_p = logits[action] - log_sum, log_ratio = log_p - old_log_p, miss = value - target;
    policy_gradient(logits, actions, log_sum, action, advantage, entropy, weights->entropy, share,
                    logit_grads);
    *value_grad = share * 2.0f * weights->value * miss;
    stats[MEGA_STAT_SAMPLES] = 1.0f;
    stats[MEGA_STAT_POLICY_LOSS] = -advantage * log_p;
    stats[MEGA_STAT_VALUE_LOSS] = miss * miss;
    stats[MEGA_STAT_ENTROPY] = entropy;
    stats[MEGA_STAT_KL] = MEGA_EXP(log_ratio) - 1.0f - log_ratio;
    stats[MEGA_STAT_CLIPPED] = 0.0f;
    stats[MEGA_STAT_Q] = 0.0f;
}

// PPO (Schulman et al. 2017): -min(ratio * A, clip(ratio, 1 - clip, 1 + clip) * A), and the value likewise if
// value_clip is not 0: the larger of the two squares.
MEGA_FN void loss_ppo(const float *logits, uint32_t actions, uint32_t action, float value, float advantage,
                      float target, float old_log_p, float old_value, const mega_loss_weights *weights,
                      float share, float *logit_grads, float *value_grad, float stats[MEGA_STAT_COUNT]) {
    const float log_sum = policy_log_sum(logits, actions);
    const float entropy = policy_entropy(logits, actions, log_sum);
    const float log_ratio = logits[action] - log_sum - old_log_p, ratio = MEGA_EXP(log_ratio);
    const float low = 1.0f - weights->clip, high = 1.0f + weights->clip;
    const float clipped = policy_limit(ratio, low, high);
    const uint32_t is_flat =
        clipped * advantage < ratio * advantage; // the minimum does not depend on the ratio
    policy_gradient(logits, actions, log_sum, action, is_flat ? 0.0f : ratio * advantage, entropy,
                    weights->entropy, share, logit_grads);
    float miss = value - target, slope = 1.0f;
    if (weights->value_clip > 0.0f) {
        const float moved = value - old_value;
        const float near = policy_limit(moved, -weights->value_clip, weights->value_clip);
        const float near_miss = old_value + near - target;
        if (near != moved && near_miss * near_miss > miss * miss) { // rounding alone is no reason
            miss = near_miss;
            slope = 0.0f; // near is constant there
        }
    }
    *value_grad = share * 2.0f * weights->value * miss * slope;
    stats[MEGA_STAT_SAMPLES] = 1.0f;
    stats[MEGA_STAT_POLICY_LOSS] = -(is_flat ? clipped : ratio) * advantage;
    stats[MEGA_STAT_VALUE_LOSS] = miss * miss;
    stats[MEGA_STAT_ENTROPY] = entropy;
    stats[MEGA_STAT_KL] = ratio - 1.0f - log_ratio;
    stats[MEGA_STAT_CLIPPED] = ratio < low || ratio > high ? 1.0f : 0.0f;
    stats[MEGA_STAT_Q] = 0.0f;
}

#endif
