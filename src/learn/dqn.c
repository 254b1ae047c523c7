// dqn.c - deep Q-learning and what was added to it, each a switch of its own: Double, Dueling, Prioritised, n-step,
// Categorical, Noisy. All of them together are Rainbow (Hessel et al. 2018).
//
//     repeat
//         play `steps` steps of all environments: the best action of Q, or with probability epsilon any
//         store them
//         every `target_every` transitions:  theta- = theta
//         every `train_every` transitions, one update of `batch` samples of what is stored:
//             y = r_t + ... + discount^n Q(s_{t+n}, a*; theta-),  a* the best of theta- (Double: of theta)
//             (Q(s_t, a_t; theta) - y)^2, or the divergence of distributions (Categorical)
//
// With Concurrent Training (Fast DQN, algorithm 1) all that is played for `target_every` transitions is played by
// theta-, while another thread does the updates that belong to them, with samples of what was stored before:
//
//     repeat
//         theta- = theta
//         at the same time:  target_every / train_every updates;  target_every transitions by theta-, stored aside
//         what was stored aside can be drawn from
//
// Its Synchronized Execution is the vector: one pass for all environments. With as many groups as environments each has
// a pass of its own.
#include "dqn.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static uint32_t dqn_history(const mega_train_settings *settings) {
    (void)settings;
    return 0; // the replay memory has it
}

static uint32_t dqn_slots(const mega_train_settings *settings) {
    return (uint32_t)settings->steps + 1;
}

// ---- making ----

static void dqn_destroy(mega_learner *learner) {
    mega_compute *compute = learner->compute;
    dqn *own = learner->own;
    mega_pass_destroy(own->pass);
    mega_pass_destroy(own->next_pass);
    mega_pass_destroy(own->target_pass);
    mega_net_destroy(own->target);
    dqn_noise_destroy(learner);
    mega_replay_batch_destroy(compute, &own->batch);
    mega_replay_destroy(compute, &own->replay);
    compute->ops->release(compute, own->slab);
    free(own);
}

static int create_replay(mega_learner *learner, mega_message *message) {
    const mega_train_settings *s = learner->settings;
    dqn *own = learner->own;
    mega_replay_desc desc = {
        .envs = (uint32_t)s->envs,
        .stack = (uint32_t)s->stack,
        .n_step = (uint32_t)s->n_steps,
        .ahead = (uint32_t)(s->concurrent ? s->target_every / s->envs : s->steps),
        .frame_size = (size_t)(s->height * s->width),
        .discount = (float)s->discount,
        .is_prioritised = s->prioritised,
        .alpha = (float)s->priority_power,
        .frames_on_host = s->replay_on_host,
    };
    desc.slots = mega_replay_slots(&desc, (uint64_t)s->replay);
    uint64_t room = 0;
    if (mega_replay_create(learner->compute, &desc, &own->replay, message) < 0 ||
        (learner->acting != learner->compute && // it stores
         learner->acting->replay->prepare(learner->acting, &room, message) < 0)) {
        return -1;
    }
    return mega_replay_batch_create(learner->compute, &desc, (uint32_t)s->batch, &own->batch, message);
}

static int create_numbers(mega_learner *learner, mega_message *message) {
    dqn *own = learner->own;
    const size_t batch = own->batch.count;
    float *slab;
    if (learner->compute->ops->allocate(learner->compute,
                                        batch * (learner->q.actions + learner->q.atoms + 1) * sizeof *slab,
                                        &own->slab, message) < 0) {
        return -1;
    }
    slab = own->slab;
    own->q = slab;
    own->targets = own->q + batch * learner->q.actions;
    own->errors = own->targets + batch * learner->q.atoms;
    return 0;
}

static int dqn_create(mega_learner *learner, mega_message *message) {
    const mega_train_settings *s = learner->settings;
    mega_compute *compute = learner->compute;
    const uint32_t batch = (uint32_t)s->batch;
    dqn *own = learner->own = calloc(1, sizeof *own);
    if (own == NULL) {
        return mega_message_set(message, "there is no memory for the learner");
    }
    if (create_replay(learner, message) < 0 || create_numbers(learner, message) < 0 ||
        compute->ops->create_net(compute, &learner->net->network, &own->target, message) < 0 ||
        mega_pass_create(learner->net, batch, true, &own->pass, message) < 0 ||
        (s->double_q && mega_pass_create(learner->net, batch, false, &own->next_pass, message) < 0) ||
        mega_pass_create(own->target, batch, false, &own->target_pass, message) < 0) {
        return -1;
    }
    return s->noisy ? dqn_noise_create(learner, message) : 0;
}

// ---- updates ----

// theta- = theta, and whoever plays by it gets it.
static int copy_target(mega_learner *learner, mega_message *message) {
    const dqn *own = learner->own;
    mega_compute *compute = learner->compute;
    const size_t size = learner->net->network.parameter_count * sizeof(float);
    if (compute->ops->copy(compute, own->target->parameters, learner->net->parameters, size, message) < 0) {
        return -1;
    }
    mega_net_changed(own->target);
    if (learner->settings->noisy && dqn_noise_copy_target(learner, message) < 0) {
        return -1;
    }
    if (learner->actor == learner->net) {
        return 0;
    }
    if (compute->ops->copy(compute, learner->actor->parameters, learner->net->parameters, size, message) <
        0) {
        return -1;
    }
    mega_net_changed(learner->actor);
    return compute->ops->finish(compute, message); // before the other stream reads it
}

// The correction of priorities grows until the end of the run.
static float priority_weight(const mega_learner *learner) {
    const mega_train_settings *s = learner->settings;
    const double done = (double)learner->schedule_frames / (double)s->frames;
    return (float)(s->priority_weight + (1 - s->priority_weight) * (done < 1 ? done : 1));
}

// What the batch's samples are taught.
static int make_targets(mega_learner *learner, mega_message *message) {
    dqn *own = learner->own;
    mega_compute *compute = learner->compute;
    const mega_pass *chooser = own->next_pass != NULL ? own->next_pass : own->target_pass;
    const mega_q_lesson lesson = {.returns = own->batch.returns,
                                  .discounts = own->batch.discounts,
                                  .chooser = own->q,
                                  .targets = own->targets};
    if (mega_pass_forward(own->target_pass, own->batch.next_observations, NULL, message) < 0 ||
        (own->next_pass != NULL &&
         mega_pass_forward(own->next_pass, own->batch.next_observations, NULL, message) < 0) ||
        compute->q->values(compute, &learner->q, chooser, own->q, message) < 0) {
        return -1;
    }
    return compute->q->targets(compute, &learner->q, own->target_pass, &lesson, message);
}

static int descend(mega_learner *learner, mega_message *message) {
    const dqn *own = learner->own;
    if (learner->settings->noisy && dqn_noise_spread_gradients(learner, message) < 0) {
        return -1;
    }
    const int result = mega_learner_descend(learner, own->batch.count, message);
    mega_net_changed(learner->net);
    return result;
}

static int do_update(mega_learner *learner, mega_message *message) {
    const mega_train_settings *s = learner->settings;
    dqn *own = learner->own;
    mega_compute *compute = learner->compute;
    const mega_q_loss loss = {.actions = own->batch.actions,
                              .weights = own->batch.weights,
                              .targets = own->targets,
                              .clip = (float)s->error_clip,
                              .errors = own->errors};
    const uint64_t draw = // each rank draws for itself
        (learner->first_draw + learner->state.updates) * mega_share_ranks(learner->dist) +
        mega_share_rank(learner->dist);
    if ((s->noisy && dqn_noise_draw(learner, message) < 0) ||
        mega_replay_sample(compute, &own->replay, &own->batch, (uint64_t)s->seed, draw,
                           priority_weight(learner), message) < 0 ||
        make_targets(learner, message) < 0 ||
        mega_pass_forward(own->pass, own->batch.observations, NULL, message) < 0 ||
        compute->q->loss(compute, &learner->q, &loss, own->pass, message) < 0 ||
        mega_pass_backward(own->pass, message) < 0 || descend(learner, message) < 0) {
        return -1;
    }
    return mega_replay_set_priorities(compute, &own->replay, &own->batch, own->errors, message);
}

static int update(mega_learner *learner, mega_message *message) {
    if (mega_learner_begin_update(learner, message) < 0 || do_update(learner, message) < 0) {
        return -1;
    }
    return mega_learner_end_update(learner, message);
}

static int update_often(mega_learner *learner, uint64_t count, const atomic_bool *cancelled,
                        mega_message *message) {
    for (uint64_t i = 0; i < count && !(cancelled != NULL && atomic_load(cancelled)); i++) {
        if (update(learner, message) < 0) {
            return -1;
        }
    }
    return 0;
}

// ---- play ----

static uint64_t transitions(const mega_learner *learner) {
    return learner->state.steps * (uint64_t)learner->settings->envs;
}

// Plays and stores one round of steps.
static int play(mega_learner *learner, mega_message *message) {
    dqn *own = learner->own;
    const uint32_t steps = (uint32_t)learner->settings->steps;
    const mega_rollout *rollout = mega_sampler_rollout(learner->sampler);
    if (mega_learner_play(learner, steps, message) < 0) {
        return -1;
    }
    for (uint32_t age = steps; age > 0; age--) {
        const uint32_t slot = (rollout->slot + rollout->slots - age) % rollout->slots;
        if (mega_replay_store(learner->acting, &own->replay, rollout, slot, message) < 0) {
            return -1;
        }
    }
    return 0;
}

// One after the other: updates see what was just played.
static int iterate_in_turn(mega_learner *learner, mega_message *message) {
    const mega_train_settings *s = learner->settings;
    dqn *own = learner->own;
    const uint64_t before = transitions(learner), every = (uint64_t)s->target_every,
                   start = (uint64_t)s->learn_start;
    if ((s->noisy && dqn_noise_explore(learner, message) < 0) || play(learner, message) < 0 ||
        mega_replay_publish(learner->compute, &own->replay, message) < 0) {
        return -1;
    }
    const uint64_t after = transitions(learner);
    if (after / every != before / every && copy_target(learner, message) < 0) {
        return -1;
    }
    const uint64_t due = after > start ? (after - start) / (uint64_t)s->train_every : 0;
    const int result =
        due > learner->state.updates ? update_often(learner, due - learner->state.updates, NULL, message) : 0;
    return result == 0 && s->noisy ? dqn_noise_silence(learner, message) : result;
}

// ---- Concurrent Training ----

typedef struct trainer_job {
    mega_learner *learner;
    uint64_t updates;
    atomic_bool cancelled; // play has failed
    int result;
    mega_message message;
} trainer_job;

static void *train(void *context) {
    trainer_job *job = context;
    mega_compute *compute = job->learner->compute;
    job->result = compute->ops->enter(compute, &job->message);
    if (job->result == 0) {
        job->result = update_often(job->learner, job->updates, &job->cancelled, &job->message);
        if (job->result == 0) {
            job->result = compute->ops->finish(compute, &job->message);
        }
        compute->ops->leave(compute);
    }
    return NULL;
}

static int play_period(mega_learner *learner, uint64_t until, mega_message *message) {
    while (transitions(learner) < until) {
        if (play(learner, message) < 0) {
            return -1;
        }
    }
    return learner->acting->ops->finish(learner->acting, message);
}

static int iterate_at_once(mega_learner *learner, mega_message *message) {
    const mega_train_settings *s = learner->settings;
    dqn *own = learner->own;
    const uint64_t before = transitions(learner), period = (uint64_t)s->target_every;
    trainer_job job = {.learner = learner, .updates = period / (uint64_t)s->train_every};
    pthread_t thread;
    const bool trains = before >= (uint64_t)s->learn_start;
    if (copy_target(learner, message) < 0) {
        return -1;
    }
    if (trains && pthread_create(&thread, NULL, train, &job) != 0) {
        return mega_message_set(message, "no thread could be started to train in");
    }
    int result = play_period(learner, before + period, message);
    if (trains) {
        atomic_store(&job.cancelled, result < 0);
        (void)pthread_join(thread, NULL);
        if (result == 0 && job.result < 0) {
            result = mega_message_set(message, "%s", job.message.text);
        }
    }
    return result < 0 ? -1 : mega_replay_publish(learner->compute, &own->replay, message);
}

static int dqn_iterate(mega_learner *learner, mega_message *message) {
    return learner->settings->concurrent ? iterate_at_once(learner, message)
                                         : iterate_in_turn(learner, message);
}

// ---- beginnings ----

static int dqn_start(mega_learner *learner, mega_message *message) {
    if (learner->settings->noisy && dqn_noise_start(learner, message) < 0) {
        return -1;
    }
    return copy_target(learner, message);
}

static int dqn_follow(mega_learner *learner, mega_message *message) {
    return learner->settings->noisy ? dqn_noise_silence(learner, message) : 0;
}

static int keep_part(mega_learner *learner, const mega_part_mover *mover, const mega_replay_part *part,
                     mega_message *message) {
    const mega_replay *replay = &((dqn *)learner->own)->replay;
    const uint64_t filled = mega_replay_filled(replay);
    char name[32];
    (void)snprintf(name, sizeof name, "replay.%s", part->name);
    mega_part_rows rows = {.memory = part->memory, .size = part->step_size, .ring = filled, .count = filled};
    if (part->memory == replay->view.actions) {
        rows.is_sound = mega_part_are_actions;
        rows.limit = learner->net->network.actions;
    } else if (part->memory == replay->view.tree.nodes) {
        rows.is_sound = mega_part_are_weights;
    }
    return mega_part_move_rows(mover, name, &rows, message);
}

// The largest priority so far is each rank's own.
static int keep_max_priority(mega_learner *learner, const mega_part_mover *mover, mega_message *message) {
    const mega_replay *replay = &((dqn *)learner->own)->replay;
    mega_compute *compute = learner->compute;
    float *on_device = replay->view.max_priority, number = 0;
    bool is_own;
    if (!replay->desc.is_prioritised) {
        return 0;
    }
    if (compute->ops->download(compute, &number, on_device, sizeof number, message) < 0 ||
        mega_part_move_own(mover, "replay.max_priority", &number, sizeof number, &is_own, message) < 0) {
        return -1;
    }
    if (!mega_part_are_weights(&number, sizeof number, 0)) {
        return mega_message_set(message, "the checkpoint is damaged: its largest priority cannot be");
    }
    return compute->ops->upload(compute, on_device, &number, sizeof number, message);
}

static int keep_replay(mega_learner *learner, const mega_part_mover *mover, mega_message *message) {
    dqn *own = learner->own;
    mega_replay_part parts[MEGA_REPLAY_PARTS];
    if (mega_part_restores(mover)) {
        mega_replay_restore(&own->replay, learner->state.steps); // all that was played is stored
    }
    const uint32_t count = mega_replay_parts(&own->replay, parts);
    for (uint32_t i = 0; i < count; i++) {
        if (keep_part(learner, mover, &parts[i], message) < 0) {
            return -1;
        }
    }
    if (keep_max_priority(learner, mover, message) < 0) {
        return -1;
    }
    return mega_part_restores(mover) ? mega_replay_rebuild(learner->compute, &own->replay, message) : 0;
}

static int dqn_keep(mega_learner *learner, const mega_part_mover *mover, mega_message *message) {
    dqn *own = learner->own;
    if (mega_part_move_same(mover, "target", own->target->parameters,
                            own->target->network.parameter_count * sizeof(float), message) < 0 ||
        (learner->settings->noisy && dqn_noise_keep(learner, mover, message) < 0)) {
        return -1;
    }
    mega_net_changed(own->target);
    return mover->network_only ? 0 : keep_replay(learner, mover, message);
}

const mega_algorithm mega_algorithm_dqn = {
    .name = "dqn",
    .history = dqn_history,
    .slots = dqn_slots,
    .create = dqn_create,
    .destroy = dqn_destroy,
    .iterate = dqn_iterate,
    .start = dqn_start,
    .follow = dqn_follow,
    .keep = dqn_keep,
};
