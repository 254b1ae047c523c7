// test_returns.c - returns, advantages and V-trace against their definitions, written as sums in double precision.
#include "mega_returns.h"
#include "mega_philox.h"
#include "mega_test.h"

#include <math.h>

enum {
    STEPS = 23,
    PAUSE = 3, // steps between two
    ENVS = 37,
    CELLS = STEPS * ENVS
};

typedef struct trajectories {
    float rewards[CELLS], values[CELLS + ENVS], ratios[CELLS];
    uint8_t flags[CELLS];
} trajectories;

static float uniform(uint32_t stream, uint32_t index) {
    return mega_philox_uniform(mega_philox_word(7, stream, index));
}

// Random play: some steps are terminal, some cut; a void step follows an end unless it was only a lost life. Of every other
// environment resets are in the learner's pauses: more void steps follow, and a step that was cut just before is one, too.
static trajectories make_trajectories(void) {
    trajectories made;
    uint8_t over[ENVS] = {0};
    for (uint32_t i = 0; i < CELLS; i++) {
        const uint32_t e = i % ENVS, waits = e % 2;
        if (waits && over[e] && i / ENVS % PAUSE == 0) {
            made.flags[i - ENVS] = step_flags_restarted(made.flags[i - ENVS]);
            over[e] = 0;
        }
        const uint32_t was_over = over[e], lost = uniform(4, i) < 0.1f, is_cut = uniform(5, i) < 0.1f;
        made.rewards[i] = was_over ? 0.0f : floorf(5.0f * uniform(2, i)) - 2.0f;
        made.ratios[i] = expf(2.0f * uniform(3, i) - 1.0f);
        made.flags[i] = step_flags(lost, is_cut, was_over);
        over[e] = step_is_over(!was_over && (lost || is_cut) && uniform(1, i) < 0.7f, was_over, waits);
    }
    for (uint32_t i = 0; i < CELLS + ENVS; i++) {
        made.values[i] = 4.0f * uniform(6, i) - 2.0f;
    }
    return made;
}

// The value of what follows step i, which is where its trajectory ends or goes on.
static double following_value(const trajectories *t, uint32_t i) {
    return t->flags[i] & MEGA_STEP_TERMINAL ? 0.0 : (double)t->values[i + ENVS];
}

// A void step has no reward to go on with, but what it shows has a value.
static int goes_on(const trajectories *t, uint32_t i) {
    return i + ENVS < CELLS && !(t->flags[i] & MEGA_STEP_CUT) && !(t->flags[i + ENVS] & MEGA_STEP_VOID);
}

static int is_near(double a, double b) {
    return fabs(a - b) <= 1e-5 * (1 + fabs(b));
}

static double n_step_by_sum(const trajectories *t, uint32_t i, double discount) {
    double sum = 0, factor = 1;
    for (;; i += ENVS) {
        sum += factor * (double)t->rewards[i];
        factor *= discount;
        if (!goes_on(t, i)) {
            return sum + factor * following_value(t, i);
        }
    }
}

static void test_n_step(void) {
    const trajectories t = make_trajectories();
    float targets[CELLS];
    for (uint32_t e = 0; e < ENVS; e++) {
        returns_n_step(t.rewards + e, t.flags + e, t.values + e, STEPS, ENVS, 0.9f, targets + e);
    }
    for (uint32_t i = 0; i < CELLS; i++) {
        if (!(t.flags[i] & MEGA_STEP_VOID)) {
            MEGA_CHECK(is_near((double)targets[i], n_step_by_sum(&t, i, (double)0.9f)));
        }
    }
}

static double gae_by_sum(const trajectories *t, uint32_t i, double discount, double lambda) {
    double sum = 0, factor = 1;
    for (;; i += ENVS) {
        sum += factor * ((double)t->rewards[i] + discount * following_value(t, i) - (double)t->values[i]);
        factor *= discount * lambda;
        if (!goes_on(t, i)) {
            return sum;
        }
    }
}

static void test_gae(void) {
    const trajectories t = make_trajectories();
    float advantages[CELLS], targets[CELLS];
    for (uint32_t e = 0; e < ENVS; e++) {
        returns_gae(t.rewards + e, t.flags + e, t.values + e, STEPS, ENVS, 0.9f, 0.8f, advantages + e,
                    targets + e);
    }
    for (uint32_t i = 0; i < CELLS; i++) {
        const double expected =
            t.flags[i] & MEGA_STEP_VOID ? 0 : gae_by_sum(&t, i, (double)0.9f, (double)0.8f);
        MEGA_CHECK(is_near((double)advantages[i], expected));
        MEGA_CHECK(is_near((double)targets[i], expected + (double)t.values[i]));
    }
}

// Equation 3: V(s) and the weighted sum of differences.
static double v_trace_by_sum(const trajectories *t, uint32_t i, double discount, double rho_max,
                             double c_max) {
    double sum = (double)t->values[i], factor = 1;
    for (;; i += ENVS) {
        const double rho = fmin(rho_max, (double)t->ratios[i]), c = fmin(c_max, (double)t->ratios[i]);
        sum +=
            factor * rho * ((double)t->rewards[i] + discount * following_value(t, i) - (double)t->values[i]);
        factor *= discount * c;
        if (!goes_on(t, i)) {
            return sum;
        }
    }
}

static void test_v_trace(void) {
    const trajectories t = make_trajectories();
    const double discount = (double)0.9f, rho_max = 1.5, c_max = 1;
    float advantages[CELLS], targets[CELLS];
    for (uint32_t e = 0; e < ENVS; e++) {
        returns_v_trace(t.rewards + e, t.flags + e, t.values + e, t.ratios + e, STEPS, ENVS, 0.9f, 1.5f, 1.0f,
                        advantages + e, targets + e);
    }
    for (uint32_t i = 0; i < CELLS; i++) {
        if (t.flags[i] & MEGA_STEP_VOID) {
            MEGA_CHECK(advantages[i] == 0.0f);
            continue;
        }
        MEGA_CHECK(is_near((double)targets[i], v_trace_by_sum(&t, i, discount, rho_max, c_max)));
        const double next =
            goes_on(&t, i) ? v_trace_by_sum(&t, i + ENVS, discount, rho_max, c_max) : following_value(&t, i);
        const double rho = fmin(rho_max, (double)t.ratios[i]); // equation 9
        MEGA_CHECK(is_near((double)advantages[i],
                           rho * ((double)t.rewards[i] + discount * next - (double)t.values[i])));
    }
}

// On policy and without limits in reach, V-trace is the n-step return.
static void test_v_trace_on_policy(void) {
    trajectories t = make_trajectories();
    float advantages[CELLS], targets[CELLS], returns[CELLS];
    for (uint32_t i = 0; i < CELLS; i++) {
        t.ratios[i] = 1.0f;
    }
    for (uint32_t e = 0; e < ENVS; e++) {
        returns_v_trace(t.rewards + e, t.flags + e, t.values + e, t.ratios + e, STEPS, ENVS, 0.9f, 1.0f, 1.0f,
                        advantages + e, targets + e);
        returns_n_step(t.rewards + e, t.flags + e, t.values + e, STEPS, ENVS, 0.9f, returns + e);
    }
    for (uint32_t i = 0; i < CELLS; i++) {
        MEGA_CHECK(is_near((double)targets[i], (double)returns[i]));
    }
}

static void test_flags(void) {
    MEGA_CHECK(step_flags(0, 0, 0) == 0);
    MEGA_CHECK(step_flags(1, 0, 0) == (MEGA_STEP_TERMINAL | MEGA_STEP_CUT));
    MEGA_CHECK(step_flags(0, 1, 0) == MEGA_STEP_CUT);
    MEGA_CHECK(step_flags(1, 1, 1) == (MEGA_STEP_VOID | MEGA_STEP_CUT));
    // The reset is the next step, or waits.
    MEGA_CHECK(step_is_over(1, 0, 0) == 1 && step_is_over(0, 1, 0) == 0 && step_is_over(0, 0, 0) == 0);
    MEGA_CHECK(step_is_over(1, 0, 1) == 1 && step_is_over(0, 1, 1) == 1 && step_is_over(0, 0, 1) == 0);
    // The value of what comes after a cut is gone; an end needs none.
    MEGA_CHECK(step_flags_restarted(MEGA_STEP_CUT) == (MEGA_STEP_CUT | MEGA_STEP_VOID));
    MEGA_CHECK(step_flags_restarted(MEGA_STEP_CUT | MEGA_STEP_TERMINAL) ==
               (MEGA_STEP_CUT | MEGA_STEP_TERMINAL));
    MEGA_CHECK(step_flags_restarted(MEGA_STEP_CUT | MEGA_STEP_VOID) == (MEGA_STEP_CUT | MEGA_STEP_VOID));
    MEGA_CHECK(step_flags_restarted(0) == 0);
}

// What a void step holds changes nothing: neither its reward nor the value of its observation, but for the first after a
// cut, whose observation is the last one of the episode.
static void test_void_steps(void) {
    const trajectories t = make_trajectories();
    trajectories other = t;
    float a[3][CELLS], b[3][CELLS], advantages[CELLS];
    uint32_t voids = 0, in_a_row = 0, unplayed = 0;
    for (uint32_t i = 0; i < CELLS; i++) {
        if (!(t.flags[i] & MEGA_STEP_VOID)) {
            continue;
        }
        const uint32_t before = i >= ENVS ? t.flags[i - ENVS] : 0;
        voids++;
        in_a_row += (before & MEGA_STEP_VOID) != 0;
        unplayed += i >= ENVS && before == 0; // a step before it goes on with its value
        other.rewards[i] = 1000.0f;
        other.ratios[i] = 77.0f;
        other.values[i] = before & (MEGA_STEP_VOID | MEGA_STEP_TERMINAL) ? -500.0f : t.values[i];
    }
    MEGA_CHECK(voids > 20 && in_a_row > 10 && unplayed > 1);
    for (uint32_t e = 0; e < ENVS; e++) {
        const trajectories *const both[] = {&t, &other};
        float(*const results[])[CELLS] = {a, b};
        for (uint32_t k = 0; k < 2; k++) {
            const trajectories *x = both[k];
            returns_n_step(x->rewards + e, x->flags + e, x->values + e, STEPS, ENVS, 0.9f, results[k][0] + e);
            returns_gae(x->rewards + e, x->flags + e, x->values + e, STEPS, ENVS, 0.9f, 0.8f,
                        results[k][1] + e, advantages + e);
            returns_v_trace(x->rewards + e, x->flags + e, x->values + e, x->ratios + e, STEPS, ENVS, 0.9f,
                            1.5f, 1.0f, advantages + e, results[k][2] + e);
        }
    }
    for (uint32_t i = 0; i < CELLS; i++) {
        for (uint32_t k = 0; k < 3 && !(t.flags[i] & MEGA_STEP_VOID); k++) {
            MEGA_CHECK(a[k][i] == b[k][i]);
        }
    }
}

int main(void) {
    test_flags();
    test_void_steps();
    test_n_step();
    test_gae();
    test_v_trace();
    test_v_trace_on_policy();
    return mega_test_result();
}
