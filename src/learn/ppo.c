// ppo.c - proximal policy optimisation (Schulman et al. 2017), with clipping.
//
//     repeat
//         play `steps` steps with the policy
//         A_t by generalised advantage estimation, R_t = A_t + V(s_t)
//         for each of `epochs`, for each of `minibatches` of samples in random order, one update:
//             ratio = pi(a_t|s_t) / pi_old(a_t|s_t)
//             - min(ratio A_t, clip(ratio, 1 - clip, 1 + clip) A_t)
//             + value_weight (R_t - V(s_t))^2 - entropy_weight H(s_t)
#include "learner.h"

#include <stdlib.h>

typedef struct ppo {
    mega_lesson lesson;
    mega_pass *pass;  // of a minibatch
    uint32_t samples; // of the lesson
    int32_t *order;   // [samples], in random order
    int32_t *rows;    // [samples]: where the observations of these are
} ppo;

static uint32_t ppo_history(const mega_train_settings *settings) {
    (void)settings;
    return 0;
}

static uint32_t ppo_slots(const mega_train_settings *settings) {
    return (uint32_t)settings->steps + 1;
}

static void ppo_destroy(mega_learner *learner) {
    ppo *own = learner->own;
    if (own != NULL) {
        mega_pass_destroy(own->pass);
        mega_lesson_destroy(learner->compute, &own->lesson);
        learner->compute->ops->release(learner->compute, own->order);
        learner->compute->ops->release(learner->compute, own->rows);
        free(own);
    }
}

static int allocate_indices(mega_learner *learner, int32_t **out, mega_message *message) {
    const ppo *own = learner->own;
    void *memory = NULL;
    const int result =
        learner->compute->ops->allocate(learner->compute, own->samples * sizeof **out, &memory, message);
    *out = memory;
    return result;
}

static int ppo_create(mega_learner *learner, mega_message *message) {
    const mega_train_settings *settings = learner->settings;
    const uint32_t steps = (uint32_t)settings->steps, envs = (uint32_t)settings->envs;
    ppo *own = learner->own = calloc(1, sizeof *own);
    if (own == NULL) {
        return mega_message_set(message, "there is no memory for the learner");
    }
    own->samples = steps * envs;
    if (allocate_indices(learner, &own->order, message) < 0 ||
        allocate_indices(learner, &own->rows, message) < 0 ||
        mega_lesson_create(learner->compute, steps, envs, &own->lesson, message) < 0) {
        return -1;
    }
    return mega_pass_create(learner->net, own->samples / (uint32_t)settings->minibatches, true, &own->pass,
                            message);
}

// Another order for each epoch of each lesson.
static int shuffle(mega_learner *learner, uint32_t epoch, mega_message *message) {
    ppo *own = learner->own;
    return learner->compute->ops->shuffle(learner->compute, mega_sampler_rollout(learner->sampler),
                                          own->lesson.steps, (uint64_t)learner->settings->seed,
                                          learner->state.steps << 10 | epoch, own->order, own->rows, message);
}

static int learn_minibatch(mega_learner *learner, uint32_t first, mega_message *message) {
    const mega_train_settings *settings = learner->settings;
    ppo *own = learner->own;
    const mega_samples samples = {.rows = own->rows + first, .count = own->pass->batch};
    mega_loss loss = {
        .is_ppo = true,
        .lesson = &own->lesson,
        .samples = own->order + first,
        .count = own->pass->batch,
        .weights = mega_learner_weights(learner),
        .normalize = settings->normalize,
    };
    if (mega_learner_weigh(learner, &samples, &loss, message) < 0 ||
        mega_learner_begin_update(learner, message) < 0 ||
        mega_pass_forward(own->pass, mega_sampler_rollout(learner->sampler)->observations, own->rows + first,
                          message) < 0 ||
        mega_learner_update(learner, &loss, own->pass, message) < 0) {
        return -1;
    }
    return mega_learner_end_update(learner, message);
}

static int ppo_iterate(mega_learner *learner, mega_message *message) {
    const mega_train_settings *settings = learner->settings;
    const mega_compute_ops *ops = learner->compute->ops;
    ppo *own = learner->own;
    if (mega_learner_play(learner, (uint32_t)settings->steps, message) < 0 ||
        mega_sampler_look(learner->sampler, message) < 0 ||
        mega_sampler_pause(learner->sampler, message) < 0 ||
        ops->gather(learner->compute, mega_sampler_rollout(learner->sampler), 0, &own->lesson, message) < 0 ||
        ops->gae(learner->compute, &own->lesson, (float)settings->discount, (float)settings->lambda,
                 message) < 0) {
        return -1;
    }
    for (uint32_t epoch = 0; epoch < (uint32_t)settings->epochs; epoch++) {
        if (shuffle(learner, epoch, message) < 0) {
            return -1;
        }
        for (uint32_t first = 0; first < own->samples; first += own->pass->batch) {
            if (learn_minibatch(learner, first, message) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

const mega_algorithm mega_algorithm_ppo = {
    .name = "ppo",
    .history = ppo_history,
    .slots = ppo_slots,
    .create = ppo_create,
    .destroy = ppo_destroy,
    .iterate = ppo_iterate,
};
