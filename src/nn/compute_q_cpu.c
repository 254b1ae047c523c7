// compute_q_cpu.c - Q-learners' work on the CPU: loops over mega_q.h. See compute_q.h.
#include "compute_cpu.h"
#include "compute_q.h"

// Row i of outputs that only a dueling network has.
static float *value_row(const mega_q_shape *shape, float *values, size_t i) {
    return shape->is_dueling ? values + i * shape->atoms : NULL;
}

static int cpu_values(mega_compute *compute, const mega_q_shape *shape, const mega_pass *pass, float *q,
                      mega_message *message) {
    (void)compute;
    (void)message;
    const size_t outputs = (size_t)shape->actions * shape->atoms;
    for (size_t i = 0; i < pass->batch; i++) {
        for (uint32_t a = 0; a < shape->actions; a++) {
            q[i * shape->actions + a] =
                q_value(shape, pass->logits + i * outputs, value_row(shape, pass->values, i), a);
        }
    }
    return 0;
}

static int cpu_targets(mega_compute *compute, const mega_q_shape *shape, const mega_pass *pass,
                       const mega_q_lesson *lesson, mega_message *message) {
    (void)compute;
    (void)message;
    const size_t outputs = (size_t)shape->actions * shape->atoms;
    for (size_t i = 0; i < pass->batch; i++) {
        const uint32_t action = policy_best(lesson->chooser + i * shape->actions, shape->actions);
        q_target(shape, pass->logits + i * outputs, value_row(shape, pass->values, i), action,
                 lesson->returns[i], lesson->discounts[i], lesson->targets + i * shape->atoms);
    }
    return 0;
}

static int cpu_loss(mega_compute *compute, const mega_q_shape *shape, const mega_q_loss *loss,
                    mega_pass *pass, mega_message *message) {
    (void)message;
    const size_t outputs = (size_t)shape->actions * shape->atoms, atoms = shape->atoms;
    const float share = 1.0f / (float)pass->batch;
    for (size_t i = 0; i < pass->batch; i++) {
        float stats[MEGA_STAT_COUNT];
        loss->errors[i] =
            q_loss(shape, pass->logits + i * outputs, value_row(shape, pass->values, i),
                   (uint32_t)loss->actions[i], loss->targets + i * atoms, loss->clip, loss->weights[i], share,
                   pass->logit_grads + i * outputs, value_row(shape, pass->value_grads, i), stats);
        cpu_add_stats((cpu_compute *)compute, stats);
    }
    return 0;
}

const mega_q_ops mega_q_ops_cpu = {.values = cpu_values, .targets = cpu_targets, .loss = cpu_loss};
