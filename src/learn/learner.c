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
    if (learner->async != NULL) {
        return mega_async_counted(learner->async).frames;
    }
    const uint64_t steps = learner->state.steps * (uint64_t)settings->envs * mega_share_ranks(learner->dist);
    return (steps - learner->waited) * (uint64_t)settings->frame_skip;
}

static bool waits(const mega_learner *learner) {
    return learner->settings->resets == MEGA_RESETS_PAUSE;
}

// A number of this process becomes that of all who learn together.
static int add_up(mega_learner *learner, uint32_t own, uint64_t *all, mega_message *message) {
    double sum = (double)own;
    if (mega_share_ranks(learner->dist) > 1 && learner->async == NULL &&
        learner->dist->ops->sum_doubles(learner->dist, &sum, 1, message) < 0) {
        return -1;
    }
    *all = (uint64_t)sum;
    return 0;
}

// Of the last `steps` steps, those in which an environment only waited.
static int count_waited(mega_learner *learner, uint32_t steps, uint64_t *waited, mega_message *message) {
    mega_compute *compute = learner->acting;
    const uint32_t envs = (uint32_t)learner->settings->envs;
    const mega_samples samples = {.count = steps * envs, .envs = envs};
    uint32_t played;
    *waited = 0;
    if (!waits(learner)) {
        return 0;
    }
    if (compute->ops->count(compute, mega_sampler_rollout(learner->sampler), &samples, &played, message) <
        0) {
        return -1;
    }
    return add_up(learner, samples.count - played, waited, message);
}

int mega_learner_weigh(mega_learner *learner, const mega_samples *samples, mega_loss *loss,
                       mega_message *message) {
    mega_compute *compute = learner->compute;
    uint32_t own;
    uint64_t all;
    if (!waits(learner)) {
        return 0;
    }
    if (compute->ops->count(compute, mega_sampler_rollout(learner->sampler), samples, &own, message) < 0 ||
        add_up(learner, own, &all, message) < 0) {
        return -1;
    }
    loss->counted = (uint32_t)all;
    // Gradients become the mean of all ranks'.
    const uint32_t ranks = learner->async == NULL ? mega_share_ranks(learner->dist) : 1;
    loss->share = (float)ranks / (float)(all > 0 ? all : 1);
    return 0;
}

double mega_learner_exploration(const mega_learner *learner) {
    const mega_train_settings *s = learner->settings;
    const uint64_t frames = mega_learner_frames(learner),
                   start =
                       (uint64_t)s->learn_start * (uint64_t)s->frame_skip * mega_share_ranks(learner->dist);
    if (frames < start) {
        return 1;
    }
    const double done = s->explore_frames > 0 ? (double)(frames - start) / (double)s->explore_frames : 1;
    return s->explore_first + (s->explore_last - s->explore_first) * (done < 1 ? done : 1);
}

// An asynchronous process tells the others what it has played, and may take what they have learned.
static int count_play(mega_learner *learner, uint32_t steps, bool is_last, mega_message *message) {
    const mega_train_settings *s = learner->settings;
    uint64_t waited;
    if (count_waited(learner, steps, &waited, message) < 0) {
        return -1;
    }
    learner->waited += waited;
    learner->state.steps += steps;
    if (learner->async == NULL) {
        return 0;
    }
    const uint64_t frames = ((uint64_t)steps * (uint64_t)s->envs - waited) * (uint64_t)s->frame_skip;
    if (mega_async_add(learner->async, frames, 0, message) < 0) {
        return -1;
    }
    if (is_last || learner->learned.parameters != learner->net->parameters ||
        learner->actor != learner->net) {
        return 0;
    }
    const int result = mega_async_pull(learner->async, message);
    mega_net_changed(learner->net);
    return result;
}

int mega_learner_play(mega_learner *learner, uint32_t steps, mega_message *message) {
    const bool is_q = mega_learner_q(learner) != NULL;
    const uint32_t pull = learner->async != NULL ? (uint32_t)learner->settings->pull_every : 0;
    for (uint32_t done = 0; done < steps;) {
        const uint32_t n = pull > 0 && pull < steps - done ? pull : steps - done;
        const float epsilon = is_q ? (float)mega_learner_exploration(learner) : 0.0f;
        done += n;
        if (mega_sampler_play(learner->sampler, n, is_q, epsilon, message) < 0 ||
            count_play(learner, n, done == steps, message) < 0) {
            return -1;
        }
    }
    return 0;
}

double mega_learner_rate(const mega_learner *learner) {
    const mega_train_settings *settings = learner->settings;
    double rate = settings->learning_rate;
    if (settings->scale_envs > 0) {
        const uint32_t ranks = learner->async != NULL ? 1 : mega_share_ranks(learner->dist); // of one update
        rate *= sqrt((double)settings->envs * ranks / (double)settings->scale_envs);
    }
    return mega_schedule_rate(settings->schedule, rate, learner->schedule_frames, (uint64_t)settings->frames);
}

static bool is_bundled(const mega_learner *learner) {
    return learner->compute->ops->begin_bundle != NULL && learner->async == NULL;
}

int mega_learner_begin_update(mega_learner *learner, mega_message *message) {
    mega_compute *compute = learner->compute;
    return is_bundled(learner) ? compute->ops->begin_bundle(compute, message) : 0;
}

static int run_bundle(mega_learner *learner, mega_message *message) {
    mega_compute *compute = learner->compute;
    return is_bundled(learner) ? compute->ops->run_bundle(compute, message) : 0;
}

int mega_learner_end_update(mega_learner *learner, mega_message *message) {
    if (run_bundle(learner, message) < 0) {
        return -1;
    }
    return learner->reduce == NULL ? 0 : mega_reduce_wait(learner->reduce, message);
}

// Each rank's gradients are of a mean over its own samples; all of them have equally many, or weigh them so that the mean
// of these means is that of all (mega_learner_weigh). Ranks talk between two bundles.
static int exchange_gradients(mega_learner *learner, mega_message *message) {
    if (learner->reduce == NULL) {
        return 0;
    }
    if (run_bundle(learner, message) < 0 ||
        mega_reduce_average(learner->reduce, learner->learned.gradients, message) < 0) {
        return -1;
    }
    return mega_learner_begin_update(learner, message);
}

int mega_learner_descend(mega_learner *learner, uint32_t samples, mega_message *message) {
    const double rate = mega_learner_rate(learner), norm_max = learner->settings->max_gradient;
    mega_compute *compute = learner->compute;
    learner->state.updates++;
    if (learner->async != NULL) {
        learner->state.samples += samples;
        return mega_async_descend(learner->async, rate, norm_max, message) < 0
                   ? -1
                   : mega_async_add(learner->async, 0, samples, message);
    }
    // All ranks have equally many, or what mega_learner_weigh() has counted of all of them.
    learner->state.samples += (uint64_t)samples * (waits(learner) ? 1 : mega_share_ranks(learner->dist));
    if (exchange_gradients(learner, message) < 0) {
        return -1;
    }
    return compute->ops->optimise(compute, &learner->learned, learner->optimizer, rate, norm_max, message);
}

int mega_learner_update(mega_learner *learner, const mega_loss *loss, mega_pass *pass,
                        mega_message *message) {
    mega_compute *compute = learner->compute;
    if (compute->ops->loss(compute, loss, pass, message) < 0 || mega_pass_backward(pass, message) < 0 ||
        mega_learner_descend(learner, loss->share > 0.0f ? loss->counted : loss->count, message) < 0) {
        return -1;
    }
    mega_net_changed(learner->net);
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
