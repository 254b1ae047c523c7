// vtrace.c - A2C with V-trace and several batches (CuLE, section 4 and figure 6; equations 3 to 9).
//
// The environments are split into `batches` parts. Every `steps_per_update` steps of all of them, one part's last
// `steps` steps become an update, each part in its turn. Most of what it learns from was then played by older policies,
// which V-trace weighs by how probable their actions are now.
//
//     repeat
//         play `steps_per_update` steps, keeping mu(a_t|s_t)
//         for the next part, if it has `steps` steps:
//             v_t by the recursion of equation 7 with the present network
//             one update:  - rho_t log pi(a_t|s_t) (r_t + discount v_{t+1} - V(s_t))
//                          + value_weight (v_t - V(s_t))^2 - entropy_weight H(s_t)
//
// batches 1 and steps_per_update = steps is A2C, but for the clipped weights, which are 1 there.
#include "learner.h"

#include <stdlib.h>

typedef struct vtrace {
    mega_lesson lesson;
    mega_pass *pass; // of a part's steps, and its present observations
} vtrace;

static uint32_t vtrace_history(const mega_train_settings *settings) {
    return (uint32_t)settings->steps;
}

static uint32_t vtrace_slots(const mega_train_settings *settings) {
    return (uint32_t)settings->steps + 1;
}

static void vtrace_destroy(mega_learner *learner) {
    vtrace *own = learner->own;
    if (own != NULL) {
        mega_pass_destroy(own->pass);
        mega_lesson_destroy(learner->compute, &own->lesson);
        free(own);
    }
}

static int vtrace_create(mega_learner *learner, mega_message *message) {
    const mega_train_settings *settings = learner->settings;
    const uint32_t steps = (uint32_t)settings->steps, part = (uint32_t)(settings->envs / settings->batches);
    vtrace *own = learner->own = calloc(1, sizeof *own);
    if (own == NULL) {
        return mega_message_set(message, "there is no memory for the learner");
    }
    if (mega_lesson_create(learner->compute, steps, part, &own->lesson, message) < 0) {
        return -1;
    }
    return mega_pass_create(learner->net, (steps + 1) * part, true, &own->pass, message);
}

static int learn_part(mega_learner *learner, uint32_t part, mega_message *message) {
    const mega_train_settings *settings = learner->settings;
    const mega_compute_ops *ops = learner->compute->ops;
    const mega_rollout *rollout = mega_sampler_rollout(learner->sampler);
    vtrace *own = learner->own;
    const uint32_t envs = own->lesson.envs, count = own->lesson.steps * envs;
    const mega_samples samples = {.count = count, .first = part * envs, .envs = envs};
    mega_loss loss = {.lesson = &own->lesson, .count = count, .weights = mega_learner_weights(learner)};
    if (mega_learner_weigh(learner, &samples, &loss, message) < 0 ||
        mega_learner_begin_update(learner, message) < 0 ||
        ops->gather(learner->compute, rollout, part * envs, &own->lesson, message) < 0 ||
        mega_pass_forward(own->pass, rollout->observations, own->lesson.rows, message) < 0 ||
        ops->v_trace(learner->compute, &own->lesson, own->pass, (float)settings->discount,
                     (float)settings->rho_max, (float)settings->c_max, message) < 0) {
        return -1;
    }
    return mega_learner_update(learner, &loss, own->pass, message) < 0
               ? -1
               : mega_learner_end_update(learner, message);
}

static int vtrace_iterate(mega_learner *learner, mega_message *message) {
    const mega_train_settings *settings = learner->settings;
    if (mega_learner_play(learner, (uint32_t)settings->steps_per_update, message) < 0 ||
        mega_sampler_pause(learner->sampler, message) < 0) {
        return -1;
    }
    if (learner->state.steps < (uint64_t)settings->steps) {
        return 0;
    }
    const uint64_t turn = learner->state.steps / (uint64_t)settings->steps_per_update;
    return learn_part(learner, (uint32_t)(turn % (uint64_t)settings->batches), message);
}

const mega_algorithm mega_algorithm_vtrace = {
    .name = "vtrace",
    .history = vtrace_history,
    .slots = vtrace_slots,
    .create = vtrace_create,
    .destroy = vtrace_destroy,
    .iterate = vtrace_iterate,
};
