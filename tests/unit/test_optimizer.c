// test_optimizer.c - optimisers take the steps of their formulas; norms are clipped; rates go down.
// tests/unit/test_torch.c compares with PyTorch.
#include "optimizer.h"

#include "mega_philox.h"

#include <math.h>
#include <stdlib.h>

#include "mega_test.h"

enum {
    COUNT = 37,
    STEPS = 25
}; // not a multiple of anything

static const double RATE = 0.01;

// ---- formulas in double precision --------------------------------------------------------------------

typedef struct element {
    double p, m, v;
} element;

static void adam(const mega_optimizer_rule *rule, element *e, double g, int t) {
    e->m = rule->mean_decay * e->m + (1 - rule->mean_decay) * g;
    e->v = rule->square_decay * e->v + (1 - rule->square_decay) * g * g;
    const double mean = e->m / (1 - pow(rule->mean_decay, t)),
                 square = e->v / (1 - pow(rule->square_decay, t));
    e->p -= RATE * mean / (sqrt(square) + rule->epsilon);
}

static void rmsprop(const mega_optimizer_rule *rule, element *e, double g, int t) {
    (void)t;
    e->m = rule->square_decay * e->m + (1 - rule->square_decay) * g;
    e->v = rule->square_decay * e->v + (1 - rule->square_decay) * g * g;
    const double spread = rule->kind == MEGA_OPTIMIZER_RMSPROP ? e->v : e->v - e->m * e->m;
    e->p -= RATE * g / (rule->epsilon_inside ? sqrt(spread + rule->epsilon) : sqrt(spread) + rule->epsilon);
}

// Gradients of all sizes, some of them zero.
static float gradient_at(uint64_t t, uint64_t i) {
    const float size = ldexpf(1.0f, (int)(i % 21) - 14);
    return i % 7 == 6 ? 0.0f : size * (mega_philox_uniform(mega_philox_word(9, t, i)) - 0.4f);
}

static void check_rule(mega_optimizer_rule rule,
                       void (*formula)(const mega_optimizer_rule *, element *, double, int)) {
    element truth[COUNT];
    float parameters[COUNT], gradients[COUNT];
    mega_optimizer *optimizer;
    mega_message message = {""};
    MEGA_CHECK_EQ(mega_optimizer_create(&rule, COUNT, &optimizer, &message), 0);
    for (uint64_t i = 0; i < COUNT; i++) {
        parameters[i] = mega_philox_uniform(mega_philox_word(8, 0, i)) - 0.5f;
        truth[i] = (element){(double)parameters[i], 0, 0};
    }
    for (int t = 1; t <= STEPS; t++) {
        for (uint64_t i = 0; i < COUNT; i++) {
            gradients[i] = gradient_at((uint64_t)t, i);
            formula(&rule, &truth[i], (double)gradients[i], t);
        }
        mega_optimizer_descend(optimizer, RATE, gradients, parameters);
    }
    MEGA_CHECK_EQ(optimizer->t, STEPS);
    for (uint64_t i = 0; i < COUNT; i++) {
        const double first = (double)(mega_philox_uniform(mega_philox_word(8, 0, i)) - 0.5f);
        MEGA_CHECK(fabs((double)parameters[i] - truth[i].p) < 2e-6);
        MEGA_CHECK((gradients[i] == 0.0f) == ((double)parameters[i] == first));
    }
    mega_optimizer_destroy(optimizer);
}

static void test_formulas(void) {
    check_rule((mega_optimizer_rule){MEGA_OPTIMIZER_ADAM, 0.9, 0.999, 1e-5, false}, adam);
    check_rule((mega_optimizer_rule){MEGA_OPTIMIZER_ADAM, 0.5, 0.9, 1e-3, false}, adam);
    check_rule((mega_optimizer_rule){MEGA_OPTIMIZER_RMSPROP, 0, 0.99, 1e-5, true}, rmsprop);
    check_rule((mega_optimizer_rule){MEGA_OPTIMIZER_RMSPROP, 0, 0.99, 1e-5, false}, rmsprop);
    check_rule((mega_optimizer_rule){MEGA_OPTIMIZER_RMSPROP, 0, 0.99, 0.1, true}, rmsprop);
    check_rule((mega_optimizer_rule){MEGA_OPTIMIZER_RMSPROP_CENTRED, 0, 0.95, 0.01, true}, rmsprop);
    check_rule((mega_optimizer_rule){MEGA_OPTIMIZER_RMSPROP_CENTRED, 0, 0.95, 1e-3, false}, rmsprop);
}

// Equal gradients have no variance; rounding must not make roots of negative numbers of it.
static void test_no_variance(void) {
    const mega_optimizer_rule rule = {MEGA_OPTIMIZER_RMSPROP_CENTRED, 0, 0.5, 1e-3, false};
    float parameter[1] = {0}, gradient[1] = {0.3f};
    mega_optimizer *optimizer;
    MEGA_CHECK_EQ(mega_optimizer_create(&rule, 1, &optimizer, NULL), 0);
    for (int t = 0; t < 200; t++) {
        mega_optimizer_descend(optimizer, 1e-6, gradient, parameter);
        MEGA_CHECK(isfinite(parameter[0]));
    }
    MEGA_CHECK(fabs((double)(optimizer->squares[0] - optimizer->means[0] * optimizer->means[0])) < 1e-7);
    mega_optimizer_destroy(optimizer);
}

static void refuse(mega_optimizer_rule rule, const char *reason) {
    mega_message message = {""};
    mega_optimizer *optimizer = (mega_optimizer *)&rule;
    MEGA_CHECK_EQ(mega_optimizer_create(&rule, COUNT, &optimizer, &message), -1);
    MEGA_CHECK(optimizer == NULL && strstr(message.text, reason) != NULL);
}

static void test_refusals(void) {
    refuse((mega_optimizer_rule){17, 0.9, 0.9, 1e-5, false}, "no optimiser number 17");
    refuse((mega_optimizer_rule){MEGA_OPTIMIZER_ADAM, 1.0, 0.9, 1e-5, false}, "decay");
    refuse((mega_optimizer_rule){MEGA_OPTIMIZER_ADAM, 0.9, -0.1, 1e-5, false}, "decay");
    refuse((mega_optimizer_rule){MEGA_OPTIMIZER_ADAM, 0.9, 0.9, 0, false}, "epsilon");
    refuse((mega_optimizer_rule){MEGA_OPTIMIZER_RMSPROP, 0, 0.9, (double)NAN, false}, "epsilon");
    refuse((mega_optimizer_rule){MEGA_OPTIMIZER_RMSPROP, 0, 0.9, 1e-60, false}, "epsilon"); // 0 as a float
    mega_optimizer_destroy(NULL);
}

// ---- norms and rates ---------------------------------------------------------------------------------

static void test_clip(void) {
    float gradients[20] = {0};
    gradients[1] = 3, gradients[18] = -4;
    MEGA_CHECK(mega_optimizer_clip(gradients, 20, 0) == 5.0);
    MEGA_CHECK(mega_optimizer_clip(gradients, 20, 5) == 5.0);
    MEGA_CHECK(gradients[1] == 3.0f && gradients[18] == -4.0f);
    MEGA_CHECK(mega_optimizer_clip(gradients, 20, 0.5) == 5.0);
    MEGA_CHECK(fabs((double)gradients[1] - 0.3) < 1e-7 && fabs((double)gradients[18] + 0.4) < 1e-7);
    MEGA_CHECK(fabs(mega_optimizer_clip(gradients, 20, 0.5) - 0.5) < 1e-7);
    MEGA_CHECK(fabs(mega_optimizer_clip(gradients, 20, 0.45) - 0.5) < 1e-7); // a little too long is too long
    MEGA_CHECK(fabs(mega_optimizer_clip(gradients, 20, 0.45) - 0.45) < 1e-7);
    gradients[7] = 1e30f; // its square is no float
    MEGA_CHECK(fabs(mega_optimizer_clip(gradients, 20, 1) / 1e30 - 1) < 1e-6);
    MEGA_CHECK(fabs((double)gradients[7] - 1) < 1e-6);
    for (int i = 0; i < 2; i++) {
        gradients[3] = 2.0f;
        gradients[17] = i == 0 ? NAN : -INFINITY;
        const double norm = mega_optimizer_clip(gradients, 20, 0.5);
        MEGA_CHECK(i == 0 ? isnan(norm) : isinf(norm) && norm > 0);
        MEGA_CHECK(gradients[3] == 2.0f);
    }
}

static void test_schedules(void) {
    MEGA_CHECK(mega_schedule_rate(MEGA_SCHEDULE_CONSTANT, 0.25, 70, 100) == 0.25);
    MEGA_CHECK(mega_schedule_rate(MEGA_SCHEDULE_LINEAR, 0.25, 0, 100) == 0.25);
    MEGA_CHECK(mega_schedule_rate(MEGA_SCHEDULE_LINEAR, 0.25, 50, 100) == 0.125);
    MEGA_CHECK(mega_schedule_rate(MEGA_SCHEDULE_LINEAR, 0.25, 100, 100) == 0);
    MEGA_CHECK(mega_schedule_rate(MEGA_SCHEDULE_LINEAR, 0.25, 101, 100) == 0);
    MEGA_CHECK(mega_schedule_rate(MEGA_SCHEDULE_LINEAR, 0.25, 0, 0) == 0);
}

int main(void) {
    test_formulas();
    test_no_variance();
    test_refusals();
    test_clip();
    test_schedules();
    return mega_test_result();
}
