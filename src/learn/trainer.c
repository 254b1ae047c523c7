// trainer.c - see trainer.h.
#include "noise.h"
#include "remote.h"
#include "trainer_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int mega_trainer_make_vector(const mega_trainer *trainer, uint32_t count, bool evaluates, mega_vector **out,
                             mega_message *message) {
    const mega_field_plan plan = {
        .settings = &trainer->own,
        .rom = trainer->rom,
        // Each rank's environments are its part of all, in order.
        .first = evaluates ? 0 : mega_share_rank(trainer->dist) * count,
        .count = count,
        .evaluates = evaluates,
    };
    return mega_field_make_vector(&plan, out, message);
}

// The environments that it trains with: those of samplers, if there are any.
static int create_field(mega_trainer *trainer, mega_message *message) {
    const mega_train_settings *settings = &trainer->own;
    const uint32_t count = (uint32_t)settings->envs;
    if (!mega_share_has_samplers(trainer->dist)) {
        return mega_trainer_make_vector(trainer, count, false, &trainer->field.vector, message);
    }
    const mega_remote_desc desc = {
        .dist = trainer->dist,
        .envs = count,
        .groups = (uint32_t)settings->groups,
        .stack = (uint32_t)settings->stack,
        .first = mega_share_rank(trainer->dist) * count,
    };
    return mega_remote_create(&desc, &trainer->field.remote, message);
}

static int copy_rom(mega_trainer *trainer, const mega_rom *rom, mega_message *message) {
    const mega_rom_info *info = mega_rom_get_info(rom);
    const mega_status status =
        mega_rom_from_memory(mega_rom_get_bytes(rom), info->size, info->name, &trainer->rom);
    return status == MEGA_OK ? 0 : mega_message_set(message, "%s", mega_last_error());
}

// The number in "cuda:1"; the vector has checked others.
static int32_t device_number(const char *device) {
    const char *colon = strchr(device, ':');
    return colon != NULL ? (int32_t)strtol(colon + 1, NULL, 10) : 0;
}

// Networks are where the environments are, or on a GPU beside environments of the CPU.
static int open_compute(const mega_trainer *trainer, mega_compute **out, mega_message *message) {
    const mega_train_settings *settings = &trainer->own;
    mega_vector_device_view view = {0};
    if (strcmp(settings->device, "cpu") == 0) {
        return mega_compute_cpu((uint32_t)settings->threads, settings->plain, out, message);
    }
    const bool is_beside = settings->env_device[0] != '\0';
    if (!is_beside && mega_vector_get_device_view(trainer->field.vector, &view) != MEGA_OK) {
        return mega_message_set(message, "%s", mega_last_error());
    }
    // Groups have streams of their own, in which they play, or reset environments, while the network is at work in its.
    const bool is_shared =
        !is_beside && settings->groups == 1 && !settings->concurrent && settings->resets == MEGA_RESETS_NOW;
    return mega_compute_cuda(is_beside ? device_number(settings->device) : view.device,
                             is_shared ? view.stream : NULL, settings->precision == MEGA_PRECISION_BF16, out,
                             message);
}

static int create_compute(mega_trainer *trainer, mega_message *message) {
    return open_compute(trainer, &trainer->learner.compute, message);
}

static int describe_network(const mega_train_settings *s, uint32_t actions, mega_network *network,
                            mega_message *message) {
    const uint32_t stack = (uint32_t)s->stack, height = (uint32_t)s->height, width = (uint32_t)s->width;
    if (s->algo == MEGA_ALGO_DQN) {
        return mega_network_describe_q(s->network, stack, height, width, actions, (uint32_t)s->atoms,
                                       s->dueling, network, message);
    }
    return mega_network_describe(s->network, stack, height, width, actions, network, message);
}

// Who plays while the network learns has a copy of it and, on a GPU, a stream.
static int create_actor(mega_trainer *trainer, const mega_network *network, mega_message *message) {
    const mega_train_settings *settings = &trainer->own;
    mega_learner *learner = &trainer->learner;
    learner->acting = learner->compute;
    learner->actor = learner->net;
    if (settings->algo != MEGA_ALGO_DQN || !settings->concurrent) {
        return 0;
    }
    learner->actor = NULL;
    if (learner->compute->stream != NULL && open_compute(trainer, &learner->acting, message) < 0) {
        return -1;
    }
    return learner->acting->ops->create_net(learner->acting, network, &learner->actor, message);
}

static int create_network(mega_trainer *trainer, mega_message *message) {
    const mega_train_settings *settings = &trainer->own;
    mega_learner *learner = &trainer->learner;
    mega_network network;
    const uint32_t actions = mega_field_actions(&trainer->field);
    if (describe_network(settings, actions, &network, message) < 0 || create_compute(trainer, message) < 0 ||
        learner->compute->ops->create_net(learner->compute, &network, &learner->net, message) < 0 ||
        create_actor(trainer, &network, message) < 0) {
        return -1;
    }
    if (settings->algo == MEGA_ALGO_DQN) {
        const mega_q_shape shape = {.actions = actions,
                                    .atoms = (uint32_t)settings->atoms,
                                    .is_dueling = settings->dueling,
                                    .v_min = (float)settings->v_min,
                                    .v_max = (float)settings->v_max};
        learner->q = shape;
    }
    const mega_optimizer_rule rule = {
        .kind = settings->optimizer,
        .mean_decay = settings->beta1,
        .square_decay = settings->optimizer == MEGA_OPTIMIZER_ADAM ? settings->beta2 : settings->decay,
        .epsilon = settings->epsilon,
        .epsilon_inside = settings->epsilon_inside,
    };
    // Noisy layers have spreads to be learned, besides the network's own numbers.
    const mega_noise_plan noise = mega_noise_plan_of(&network);
    const size_t count =
        (size_t)(settings->noisy && settings->algo == MEGA_ALGO_DQN ? 2 * noise.means - noise.first
                                                                    : noise.means);
    learner->learned = mega_net_slab(learner->net); // noisy layers set their own
    return learner->compute->ops->create_optimizer(learner->compute, &rule, count, &learner->optimizer,
                                                   message);
}

static int create_async(mega_learner *learner, mega_message *message) {
    const mega_async_desc desc = {
        .dist = learner->dist,
        .compute = learner->compute,
        .learned = learner->learned,
        .optimizer = learner->optimizer,
        .sync_every = (uint32_t)learner->settings->sync_every,
    };
    return mega_async_create(&desc, &learner->async, message);
}

static int create_reduce(mega_learner *learner, mega_message *message) {
    const mega_reduce_desc desc = {
        .dist = learner->dist,
        .compute = learner->compute,
        .how = learner->settings->reduce,
        .count = learner->learned.count,
    };
    return mega_reduce_create(&desc, &learner->reduce, message);
}

static int follow(mega_learner *learner, mega_message *message) {
    mega_net_changed(learner->net);
    return learner->algorithm->follow == NULL ? 0 : learner->algorithm->follow(learner, message);
}

int mega_trainer_join(mega_trainer *trainer, mega_message *message) {
    mega_learner *learner = &trainer->learner;
    const mega_learner_state state = learner->state;
    if (!mega_trainer_is_async(trainer)) {
        return create_reduce(learner, message);
    }
    const uint64_t steps = state.steps * (uint64_t)trainer->all->envs - learner->waited;
    const uint64_t frames = steps * (uint64_t)trainer->all->frame_skip;
    const mega_async_count count = {.frames = frames, .updates = state.updates, .samples = state.samples};
    learner->waited = 0;
    memset(&learner->state, 0, sizeof learner->state); // those are this process's from now on
    learner->first_draw = state.steps > state.updates ? state.steps : state.updates;
    if (create_async(learner, message) < 0 || mega_async_begin(learner->async, count, message) < 0) {
        return -1;
    }
    return follow(learner, message);
}

int mega_trainer_settle(mega_trainer *trainer, mega_message *message) {
    mega_learner *learner = &trainer->learner;
    if (learner->async == NULL) {
        return 0;
    }
    return mega_async_settle(learner->async, message) < 0 ? -1 : follow(learner, message);
}

int mega_trainer_ask_to_stop(mega_trainer *trainer, mega_message *message) {
    mega_async *async = trainer->learner.async;
    return async == NULL ? 0 : mega_async_ask_to_stop(async, message);
}

int mega_trainer_is_stopped(mega_trainer *trainer, bool *is_stopped, mega_message *message) {
    mega_async *async = trainer->learner.async;
    *is_stopped = false;
    return async == NULL ? 0 : mega_async_is_stopped(async, is_stopped, message);
}

static int create_learner(mega_trainer *trainer, mega_message *message) {
    const mega_train_settings *settings = &trainer->own;
    mega_learner *learner = &trainer->learner;
    learner->settings = settings;
    learner->dist = trainer->dist;
    learner->algorithm = mega_algorithm_find(settings->algo);
    if (create_network(trainer, message) < 0) {
        return -1;
    }
    const mega_sampler_desc sampler = {
        .compute = learner->acting,
        .net = learner->actor,
        .field = &trainer->field,
        .waits = settings->resets == MEGA_RESETS_PAUSE,
        .groups = (uint32_t)settings->groups,
        .first = mega_share_rank(trainer->dist) * (uint32_t)settings->envs,
        .slots = learner->algorithm->slots(settings),
        .seed = (uint64_t)settings->seed,
        .q = mega_learner_q(learner),
    };
    if (mega_sampler_create(&sampler, &learner->sampler, message) < 0) {
        return -1;
    }
    return learner->algorithm->create(learner, message);
}

int mega_trainer_create(const mega_train_settings *settings, const mega_rom *rom, mega_dist *dist,
                        mega_trainer **out, mega_message *message) {
    *out = NULL;
    mega_trainer *trainer = calloc(1, sizeof *trainer);
    if (trainer == NULL) {
        return mega_message_set(message, "there is no memory for a trainer");
    }
    trainer->all = settings;
    trainer->dist = dist;
    if (mega_share_of(settings, dist, &trainer->own, message) < 0 || copy_rom(trainer, rom, message) < 0 ||
        create_field(trainer, message) < 0 || create_learner(trainer, message) < 0) {
        mega_trainer_destroy(trainer);
        return -1;
    }
    *out = trainer;
    return 0;
}

void mega_trainer_destroy(mega_trainer *trainer) {
    if (trainer == NULL) {
        return;
    }
    mega_learner *learner = &trainer->learner;
    mega_evaluator_destroy(&trainer->evaluator);
    if (learner->algorithm != NULL && learner->own != NULL) {
        learner->algorithm->destroy(learner);
    }
    mega_async_destroy(learner->async);
    mega_reduce_destroy(learner->reduce);
    mega_sampler_destroy(learner->sampler);
    if (learner->optimizer != NULL) {
        learner->compute->ops->destroy_optimizer(learner->compute, learner->optimizer);
    }
    if (learner->actor != learner->net) {
        mega_net_destroy(learner->actor);
    }
    mega_net_destroy(learner->net);
    if (learner->acting != learner->compute) {
        mega_compute_destroy(learner->acting);
    }
    mega_compute_destroy(learner->compute);
    mega_field_destroy(&trainer->field);
    mega_rom_destroy(trainer->rom);
    free(trainer);
}

static void take_scores(mega_trainer *trainer) {
    mega_episode episodes[64];
    uint32_t count;
    while ((count = mega_field_drain_episodes(&trainer->field, episodes, 64)) > 0) {
        for (uint32_t i = 0; i < count; i++) {
            trainer->recent.scores[trainer->recent.episodes++ % MEGA_RECENT_SCORES] = episodes[i].score;
        }
    }
}

void mega_trainer_forget_scores(mega_trainer *trainer) {
    take_scores(trainer);
    memset(&trainer->recent, 0, sizeof trainer->recent);
}

int mega_trainer_start(mega_trainer *trainer, mega_message *message) {
    const mega_train_settings *settings = &trainer->own;
    mega_learner *learner = &trainer->learner;
    const mega_network *network = &learner->net->network;
    float *parameters = malloc(network->parameter_count * sizeof *parameters);
    if (parameters == NULL) {
        return mega_message_set(message, "there is no memory for %zu parameters", network->parameter_count);
    }
    mega_network_initialise(network, settings->init, (uint64_t)settings->seed, parameters);
    const int result = learner->compute->ops->upload(learner->compute, learner->net->parameters, parameters,
                                                     network->parameter_count * sizeof *parameters, message);
    free(parameters);
    mega_net_changed(learner->net);
    memset(&learner->state, 0, sizeof learner->state);
    learner->waited = 0;
    memset(&trainer->sums, 0, sizeof trainer->sums);
    if (result < 0 || mega_trainer_put_sums(trainer, message) < 0 ||
        (learner->algorithm->start != NULL && learner->algorithm->start(learner, message) < 0) ||
        mega_sampler_reset(learner->sampler, NULL, (uint32_t)settings->random_steps, message) < 0) {
        return -1;
    }
    mega_trainer_forget_scores(trainer); // those of random play do not count
    return 0;
}

// After a failure, too: what the environments were asked for is not left behind.
static int end_iteration(mega_trainer *trainer, int result, mega_message *message) {
    mega_message other;
    if (mega_sampler_resume(trainer->learner.sampler, result < 0 ? &other : message) < 0) {
        result = -1;
    }
    take_scores(trainer);
    return result;
}

int mega_trainer_iterate(mega_trainer *trainer, mega_message *message) {
    trainer->learner.schedule_frames = mega_learner_frames(&trainer->learner);
    const int result = trainer->learner.algorithm->iterate(&trainer->learner, message);
    return end_iteration(trainer, result, message);
}

int mega_trainer_play(mega_trainer *trainer, uint32_t steps, mega_message *message) {
    mega_learner *learner = &trainer->learner;
    const bool has_played = mega_learner_play(learner, steps, message) == 0;
    return end_iteration(trainer, has_played ? mega_sampler_pause(learner->sampler, message) : -1, message);
}

static mega_train_shared own_scores(const mega_trainer *trainer) {
    const mega_score_ring *recent = &trainer->recent;
    const uint64_t known = recent->episodes < MEGA_RECENT_SCORES ? recent->episodes : MEGA_RECENT_SCORES;
    mega_train_shared scores = {.episodes = (double)recent->episodes, .known = (double)known};
    for (uint64_t i = 0; i < known; i++) {
        scores.sum += (double)recent->scores[i];
    }
    return scores;
}

mega_train_count mega_trainer_count(const mega_trainer *trainer) {
    const mega_learner_state *state = &trainer->learner.state;
    const bool is_shared = mega_share_ranks(trainer->dist) > 1 && trainer->learner.async == NULL;
    const mega_train_shared scores = is_shared ? trainer->shared : own_scores(trainer);
    mega_train_count count = {
        .frames = mega_learner_frames(&trainer->learner),
        .steps = state->steps,
        .updates = state->updates,
        .samples = state->samples,
        .episodes = (uint64_t)scores.episodes,
        .score = scores.known > 0 ? scores.sum / scores.known : NAN,
    };
    if (trainer->learner.async != NULL) { // of all processes
        const mega_async_count all = mega_async_counted(trainer->learner.async);
        count.updates = all.updates;
        count.samples = all.samples;
    }
    return count;
}

int mega_trainer_take_sums(mega_trainer *trainer, mega_message *message) {
    mega_compute *compute = trainer->learner.compute;
    mega_train_sums *sums = &trainer->sums;
    if (compute->ops->read_stats(compute, sums->stats, &sums->gradient_norm, message) < 0) {
        return -1;
    }
    if (!isfinite(sums->gradient_norm)) {
        return mega_message_set(
            message,
            "the gradient is not finite any more, at %llu frames; a smaller learning_rate "
            "or max_gradient may help",
            (unsigned long long)mega_learner_frames(&trainer->learner));
    }
    return 0;
}

int mega_trainer_put_sums(mega_trainer *trainer, mega_message *message) {
    mega_compute *compute = trainer->learner.compute;
    return compute->ops->write_stats(compute, trainer->sums.stats, message);
}

// Adds up the sums and the scores of all ranks.
static int share_sums(mega_trainer *trainer, double sums[MEGA_STAT_COUNT], mega_message *message) {
    double numbers[MEGA_STAT_COUNT + 3];
    trainer->shared = own_scores(trainer);
    memcpy(numbers, trainer->sums.stats, sizeof trainer->sums.stats);
    memcpy(numbers + MEGA_STAT_COUNT, &trainer->shared, sizeof trainer->shared);
    if (mega_share_ranks(trainer->dist) > 1 && trainer->learner.async == NULL &&
        trainer->dist->ops->sum_doubles(trainer->dist, numbers, MEGA_STAT_COUNT + 3, message) < 0) {
        return -1;
    }
    memcpy(sums, numbers, sizeof trainer->sums.stats);
    memcpy(&trainer->shared, numbers + MEGA_STAT_COUNT, sizeof trainer->shared);
    return 0;
}

int mega_trainer_means(mega_trainer *trainer, mega_train_means *out, mega_message *message) {
    double sums[MEGA_STAT_COUNT];
    if (mega_trainer_take_sums(trainer, message) < 0 || share_sums(trainer, sums, message) < 0) {
        return -1;
    }
    const double samples = sums[MEGA_STAT_SAMPLES] > 0 ? sums[MEGA_STAT_SAMPLES] : NAN;
    const bool is_q = mega_learner_q(&trainer->learner) != NULL;
    const double policies = is_q ? NAN : samples;
    out->policy_loss = sums[MEGA_STAT_POLICY_LOSS] / policies;
    out->value_loss = sums[MEGA_STAT_VALUE_LOSS] / samples;
    out->entropy = sums[MEGA_STAT_ENTROPY] / policies;
    out->kl = sums[MEGA_STAT_KL] / policies;
    out->clipped = sums[MEGA_STAT_CLIPPED] / policies;
    out->q = sums[MEGA_STAT_Q] / (is_q ? samples : NAN);
    out->exploration = is_q ? mega_learner_exploration(&trainer->learner) : NAN;
    out->gradient_norm = trainer->sums.gradient_norm;
    out->learning_rate = mega_learner_rate(&trainer->learner);
    memset(trainer->sums.stats, 0, sizeof trainer->sums.stats);
    return mega_trainer_put_sums(trainer, message);
}

const mega_reduce *mega_trainer_reduce(const mega_trainer *trainer) {
    return trainer->learner.reduce;
}

const mega_network *mega_trainer_network(const mega_trainer *trainer) {
    return &trainer->learner.net->network;
}

int mega_trainer_parameters(mega_trainer *trainer, float *parameters, mega_message *message) {
    const mega_net *net = trainer->learner.net;
    mega_compute *compute = trainer->learner.compute;
    return compute->ops->download(compute, parameters, net->parameters,
                                  net->network.parameter_count * sizeof *parameters, message);
}
