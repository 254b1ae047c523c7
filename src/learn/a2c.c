// a2c.c - advantage actor-critic, the synchronous A3C (Mnih et al. 2016; equations 1 and 2 of CuLE).
//
//     repeat
//         play `steps` steps with the policy
//         R_t = r_t + discount r_{t+1} + ... + discount^k V(s_{t+k}), as far as was played
//         one update:  - log pi(a_t|s_t) (R_t - V(s_t)) + value_weight (R_t - V(s_t))^2 - entropy_weight H(s_t)
#include "learner.h"

#include <stdlib.h>

typedef struct a2c {
    mega_lesson lesson;
    mega_pass *pass; // of all steps of all environments
} a2c;

static uint32_t a2c_history(const mega_train_settings *settings) {
    (void)settings;
    return 0; // what was played is learned at once
}

static uint32_t a2c_slots(const mega_train_settings *settings) {
    return (uint32_t)settings->steps + 1;
}

static void a2c_destroy(mega_learner *learner) {
    a2c *own = learner->own;
    if (own != NULL) {
        mega_pass_destroy(own->pass);
        mega_lesson_destroy(learner->compute, &own->lesson);
        free(own);
    }
}

static int a2c_create(mega_learner *learner, mega_message *message) {
    const uint32_t steps = (uint32_t)learner->settings->steps, envs = (uint32_t)learner->settings->envs;
    a2c *own = learner->own = calloc(1, sizeof *own);
    if (own == NULL) {
        return mega_message_set(message, "there is no memory for the learner");
    }
    if (mega_lesson_create(learner->compute, steps, envs, &own->lesson, message) < 0) {
        return -1;
    }
    return mega_pass_create(learner->net, steps * envs, true, &own->pass, message);
}

static int a2c_iterate(mega_learner *learner, mega_message *message) {
    const mega_train_settings *settings = learner->settings;
    const mega_compute_ops *ops = learner->compute->ops;
    const mega_rollout *rollout = mega_sampler_rollout(learner->sampler);
    a2c *own = learner->own;
    if (mega_learner_play(learner, (uint32_t)settings->steps, message) < 0 ||
        mega_sampler_look(learner->sampler, message) < 0 ||
        mega_sampler_pause(learner->sampler, message) < 0) {
        return -1;
    }
    const mega_samples samples = {.count = own->pass->batch, .envs = own->lesson.envs};
    mega_loss loss = {
        .lesson = &own->lesson,
        .count = own->pass->batch,
        .weights = mega_learner_weights(learner),
    };
    if (mega_learner_weigh(learner, &samples, &loss, message) < 0 ||
        mega_learner_begin_update(learner, message) < 0 ||
        ops->gather(learner->compute, rollout, 0, &own->lesson, message) < 0 ||
        ops->n_step(learner->compute, &own->lesson, (float)settings->discount, message) < 0 ||
        mega_pass_forward(own->pass, rollout->observations, own->lesson.rows, message) < 0) {
        return -1;
    }
    return mega_learner_update(learner, &loss, own->pass, message) < 0
               ? -1
               : mega_learner_end_update(learner, message);
}

const mega_algorithm mega_algorithm_a2c = {
    .name = "a2c",
    .history = a2c_history,
    .slots = a2c_slots,
    .create = a2c_create,
    .destroy = a2c_destroy,
    .iterate = a2c_iterate,
};
