// learner.c - see learner.h.
#include "learner.h"

#include <math.h>

const mega_algorithm *mega_algorithm_find(uint32_t algo) {
    static const mega_algorithm *const algorithms[] = {&mega_algorithm_a2c, &mega_algorithm_vtrace,
                                                       &mega_algorithm_ppo, &mega_algorithm_dqn};
    return algorithms[algo];
}

uint64_t mega_learner_frames(const mega_learner *learner) {
    const mega_train_settings *settings = learner->settings;
    return learner->state.steps * (uint64_t)settings->envs * (uint64_t)settings->frame_skip;
}

double mega_learner_exploration(const mega_learner *learner) {
    const mega_train_settings *s = learner->settings;
    const uint64_t frames = mega_learner_frames(learner),
                   start = (uint64_t)s->learn_start * (uint64_t)s->frame_skip;
    if (frames < start) {
        return 1;
    }
    const double done = s->explore_frames > 0 ? (double)(frames - start) / (double)s->explore_frames : 1;
    return s->explore_first + (s->explore_last - s->explore_first) * (done < 1 ? done : 1);
}

int mega_learner_play(mega_learner *learner, uint32_t steps, mega_message *message) {
    const bool is_q = mega_learner_q(learner) != NULL;
    const float epsilon = is_q ? (float)mega_learner_exploration(learner) : 0.0f;
    if (mega_sampler_play(learner->sampler, steps, is_q, epsilon, message) < 0) {
        return -1;
    }
    learner->state.steps += steps;
    return 0;
}

double mega_learner_rate(const mega_learner *learner) {
    const mega_train_settings *settings = learner->settings;
    double rate = settings->learning_rate;
    if (settings->scale_envs > 0) {
        rate *= sqrt((double)settings->envs / (double)settings->scale_envs);
    }
    return mega_schedule_rate(settings->schedule, rate, learner->schedule_frames, (uint64_t)settings->frames);
}

int mega_learner_descend(mega_learner *learner, const mega_slab *slab, mega_message *message) {
    mega_compute *compute = learner->compute;
    return compute->ops->optimise(compute, slab, learner->optimizer, mega_learner_rate(learner),
                                  learner->settings->max_gradient, message);
}

int mega_learner_update(mega_learner *learner, const mega_loss *loss, mega_pass *pass,
                        mega_message *message) {
    mega_compute *compute = learner->compute;
    const mega_slab slab = mega_net_slab(learner->net);
    if (compute->ops->loss(compute, loss, pass, message) < 0 || mega_pass_backward(pass, message) < 0 ||
        mega_learner_descend(learner, &slab, message) < 0) {
        return -1;
    }
    mega_net_changed(learner->net);
    learner->state.updates++;
    learner->state.samples += loss->count;
    return 0;
}

mega_loss_weights mega_learner_weights(const mega_learner *learner) {
    const mega_train_settings *settings = learner->settings;
    const mega_loss_weights weights = {
        .value = (float)settings->value_weight,
        .entropy = (float)settings->entropy_weight,
        .clip = (float)settings->clip,
        .value_clip = (float)settings->value_clip,
    };
    return weights;
}
