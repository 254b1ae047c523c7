// test_policy.c - policies and losses: their gradients against differences of the losses in double precision.
#include "mega_policy.h"
#include "mega_test.h"

#include <math.h>
#include <string.h>

enum {
    ACTIONS = 6,
    DRAWS = 200000
};

static float uniform(uint32_t stream, uint32_t index) {
    return mega_philox_uniform(mega_philox_word(11, stream, index));
}

typedef struct sample {
    double logits[ACTIONS], value, advantage, target, old_log_p, old_value;
    uint32_t action;
} sample;

static const mega_loss_weights weights = {.value = 0.7f, .entropy = 0.03f, .clip = 0.2f, .value_clip = 0.3f};

static double log_softmax(const double *logits, uint32_t action) {
    double sum = 0;
    for (uint32_t a = 0; a < ACTIONS; a++) {
        sum += exp(logits[a]);
    }
    return logits[action] - log(sum);
}

static double entropy_of(const double *logits) {
    double entropy = 0;
    for (uint32_t a = 0; a < ACTIONS; a++) {
        const double log_p = log_softmax(logits, a);
        entropy -= exp(log_p) * log_p;
    }
    return entropy;
}

static double loss_a2c_of(const sample *s) {
    const double miss = s->target - s->value;
    return -s->advantage * log_softmax(s->logits, s->action) + (double)weights.value * miss * miss -
           (double)weights.entropy * entropy_of(s->logits);
}

static double loss_ppo_of(const sample *s) {
    const double ratio = exp(log_softmax(s->logits, s->action) - s->old_log_p), clip = (double)weights.clip;
    const double clipped = fmin(fmax(ratio, 1 - clip), 1 + clip), limit = (double)weights.value_clip;
    const double near = s->old_value + fmin(fmax(s->value - s->old_value, -limit), limit);
    const double square =
        fmax((s->value - s->target) * (s->value - s->target), (near - s->target) * (near - s->target));
    return -fmin(ratio * s->advantage, clipped * s->advantage) + (double)weights.value * square -
           (double)weights.entropy * entropy_of(s->logits);
}

static sample make_sample(uint32_t i) {
    sample s = {0};
    for (uint32_t a = 0; a < ACTIONS; a++) {
        s.logits[a] = 4 * (double)uniform(1, ACTIONS * i + a) - 2;
    }
    s.action = (uint32_t)((float)ACTIONS * uniform(2, i));
    s.value = 2 * (double)uniform(3, i) - 1;
    s.advantage = 4 * (double)uniform(4, i) - 2;
    s.target = 2 * (double)uniform(5, i) - 1;
    s.old_log_p = log_softmax(s.logits, s.action) + (double)uniform(6, i) - 0.5;
    s.old_value = s.value + (double)uniform(7, i) - 0.5;
    return s;
}

// Central differences of a loss with respect to one number of the sample.
static double slope(double (*loss)(const sample *), sample s, double *number, const sample *base) {
    const double step = 1e-5;
    const size_t offset = (size_t)((const char *)number - (const char *)base);
    double *moved = (double *)(void *)((char *)&s + offset);
    const double middle = *moved;
    *moved = middle + step;
    const double above = loss(&s);
    *moved = middle - step;
    return (above - loss(&s)) / (2 * step);
}

static int is_near(double a, double b) {
    return fabs(a - b) <= 2e-5 * (1 + fabs(b));
}

static uint32_t check_gradients(int is_ppo, uint32_t i) {
    sample s = make_sample(i);
    float logits[ACTIONS], logit_grads[ACTIONS], value_grad, stats[MEGA_STAT_COUNT];
    double (*const loss)(const sample *) = is_ppo ? loss_ppo_of : loss_a2c_of;
    for (uint32_t a = 0; a < ACTIONS; a++) {
        logits[a] = (float)s.logits[a];
    }
    if (is_ppo) {
        loss_ppo(logits, ACTIONS, s.action, (float)s.value, (float)s.advantage, (float)s.target,
                 (float)s.old_log_p, (float)s.old_value, &weights, 0.5f, logit_grads, &value_grad, stats);
    } else {
        loss_actor_critic(logits, ACTIONS, s.action, (float)s.value, (float)s.advantage, (float)s.target,
                          (float)s.old_log_p, &weights, 0.5f, logit_grads, &value_grad, stats);
    }
    for (uint32_t a = 0; a < ACTIONS; a++) {
        MEGA_CHECK(is_near((double)logit_grads[a], 0.5 * slope(loss, s, &s.logits[a], &s)));
    }
    MEGA_CHECK(is_near((double)value_grad, 0.5 * slope(loss, s, &s.value, &s)));
    const double total = (double)stats[MEGA_STAT_POLICY_LOSS] +
                         (double)weights.value * (double)stats[MEGA_STAT_VALUE_LOSS] -
                         (double)weights.entropy * (double)stats[MEGA_STAT_ENTROPY];
    MEGA_CHECK(is_near(total, loss(&s)));
    const double log_ratio = log_softmax(s.logits, s.action) - s.old_log_p;
    MEGA_CHECK(fabs((double)stats[MEGA_STAT_KL] - (exp(log_ratio) - 1 - log_ratio)) < 1e-5);
    return stats[MEGA_STAT_CLIPPED] > 0.0f;
}

static void test_gradients(void) {
    uint32_t clipped = 0;
    for (uint32_t i = 0; i < 300; i++) {
        (void)check_gradients(0, i);
        clipped += check_gradients(1, i);
    }
    MEGA_CHECK(clipped > 50 && clipped < 250); // both sides of the limits were there
}

// Actions are drawn as often as their probabilities say: chi-square, 5 degrees of freedom, 0.1 % limit.
static void test_draws(void) {
    const float logits[ACTIONS] = {0.0f, 1.0f, -1.0f, 0.5f, 2.0f, -3.0f};
    const double wide[ACTIONS] = {0.0, 1.0, -1.0, 0.5, 2.0, -3.0};
    const float log_sum = policy_log_sum(logits, ACTIONS);
    double chi = 0;
    uint32_t counts[ACTIONS] = {0};
    for (uint32_t i = 0; i < DRAWS; i++) {
        counts[policy_draw(logits, ACTIONS, log_sum,
                           mega_philox_uniform(draw_word(3, MEGA_DRAW_ACTIONS, i, 5)))]++;
    }
    for (uint32_t a = 0; a < ACTIONS; a++) {
        const double expected = DRAWS * exp(log_softmax(wide, a));
        chi += (counts[a] - expected) * (counts[a] - expected) / expected;
    }
    MEGA_CHECK(chi < 20.5);
    MEGA_CHECK(policy_best(logits, ACTIONS) == 4);
    MEGA_CHECK(policy_draw(logits, ACTIONS, log_sum, 0.99999994f) == ACTIONS - 1);
    MEGA_CHECK(policy_draw(logits, ACTIONS, log_sum, 0.0f) == 0);
}

// A value that moved less than the limit has its gradient, however the sums are rounded.
static void test_value_inside_limit(void) {
    const float logits[2] = {0.0f, 0.0f}, value = -0.088620685f, old_value = 0.00541856512f,
                target = -0.0887845978f;
    float grads[2], value_grad, stats[MEGA_STAT_COUNT];
    loss_ppo(logits, 2, 0, value, 0.0f, target, -0.7f, old_value, &weights, 1.0f, grads, &value_grad, stats);
    MEGA_CHECK(is_near((double)value_grad, 2 * (double)weights.value * ((double)value - (double)target)));
    MEGA_CHECK(value_grad > 0.0f);
}

// Logits of any size give finite numbers.
static void test_large_logits(void) {
    const float logits[3] = {1000.0f, -1000.0f, 999.0f};
    const float log_sum = policy_log_sum(logits, 3);
    float grads[3], value_grad, stats[MEGA_STAT_COUNT];
    MEGA_CHECK(is_near((double)log_sum, 1000 + log(1 + exp(-1.0))));
    loss_actor_critic(logits, 3, 2, 0.0f, 1.0f, 0.0f, -1.0f, &weights, 1.0f, grads, &value_grad, stats);
    for (uint32_t a = 0; a < 3; a++) {
        MEGA_CHECK(isfinite(grads[a]));
    }
    MEGA_CHECK(isfinite(stats[MEGA_STAT_ENTROPY]));
}

int main(void) {
    test_gradients();
    test_draws();
    test_large_logits();
    test_value_inside_limit();
    return mega_test_result();
}
