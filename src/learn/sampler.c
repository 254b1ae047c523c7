// sampler.c - see sampler.h.
//
// Environments on a GPU leave their results in its memory, where the network reads them; nothing is copied to the host,
// and nothing waits for the GPU. Environments on the CPU leave them in the host's memory; if the network is on a GPU, they
// are sent there, and actions come back.
#include "sampler.h"

#include <stdlib.h>
#include <string.h>

typedef struct sampler_group {
    uint32_t first;
    uint32_t count;
    mega_pass *pass;
    float *q;     // [count][actions], if the network gives them
    bool playing; // sent, and not received
} sampler_group;

struct mega_sampler {
    mega_sampler_desc desc;
    mega_rollout rollout;
    uint64_t steps;
    uint32_t envs;
    uint32_t actions;
    sampler_group *group; // [desc.groups]
    bool is_on_gpu;
    bool pauses;                  // between pause and resume
    mega_vector_device_view view; // there
    // What environments on the CPU return: [envs].
    int32_t *rewards;
    uint8_t *terminations;
    uint8_t *truncations;
    uint8_t *episode_ends;
    int32_t *chosen;
    // The network is on a GPU, the environments are not: where these results are on their way, and where they arrive.
    bool is_staged;
    uint8_t *observations; // [envs][observation_size], in the host's memory
    mega_outcome arrived;  // [envs], on the GPU
    void *arrivals;        // holds them all
};

// ---- making ----

static int create_q(mega_sampler *sampler, sampler_group *group, mega_message *message) {
    mega_compute *compute = sampler->desc.compute;
    void *memory = NULL;
    const int result = compute->ops->allocate(
        compute, (size_t)group->count * sampler->actions * sizeof *group->q, &memory, message);
    group->q = memory;
    return result;
}

static int create_groups(mega_sampler *sampler, mega_message *message) {
    for (uint32_t g = 0; g < sampler->desc.groups; g++) {
        sampler_group *group = &sampler->group[g];
        group->count = mega_field_group(sampler->desc.field, g, &group->first);
        if (mega_pass_create(sampler->desc.net, group->count, false, &group->pass, message) < 0 ||
            (sampler->desc.q != NULL && create_q(sampler, group, message) < 0)) {
            return -1;
        }
    }
    return 0;
}

static int create_arrays(mega_sampler *sampler, mega_message *message) {
    sampler->group = calloc(sampler->desc.groups, sizeof *sampler->group);
    sampler->rewards = calloc(sampler->envs, sizeof *sampler->rewards);
    sampler->terminations = calloc(sampler->envs, 1);
    sampler->truncations = calloc(sampler->envs, 1);
    sampler->episode_ends = calloc(sampler->envs, 1);
    sampler->chosen = calloc(sampler->envs, sizeof *sampler->chosen);
    if (sampler->group == NULL || sampler->rewards == NULL || sampler->terminations == NULL ||
        sampler->truncations == NULL || sampler->episode_ends == NULL || sampler->chosen == NULL) {
        return mega_message_set(message, "there is no memory for a sampler of %u environments",
                                sampler->envs);
    }
    return 0;
}

static int create_staging(mega_sampler *sampler, mega_message *message) {
    mega_compute *compute = sampler->desc.compute;
    const size_t envs = sampler->envs;
    sampler->is_staged = !sampler->is_on_gpu && compute->stream != NULL;
    if (!sampler->is_staged) {
        return 0;
    }
    sampler->observations = malloc(envs * mega_field_observation_size(sampler->desc.field));
    if (sampler->observations == NULL) {
        return mega_message_set(message, "there is no memory for the observations of %u environments",
                                sampler->envs);
    }
    if (compute->ops->allocate(compute, envs * (sizeof(int32_t) + 3), &sampler->arrivals, message) < 0) {
        return -1;
    }
    uint8_t *bytes = (uint8_t *)sampler->arrivals + envs * sizeof(int32_t);
    const mega_outcome arrived = {sampler->arrivals, bytes, bytes + envs, bytes + 2 * envs};
    sampler->arrived = arrived;
    return 0;
}

int mega_sampler_create(const mega_sampler_desc *desc, mega_sampler **out, mega_message *message) {
    *out = NULL;
    mega_sampler *sampler = calloc(1, sizeof *sampler);
    if (sampler == NULL) {
        return mega_message_set(message, "there is no memory for a sampler");
    }
    sampler->desc = *desc;
    sampler->envs = mega_field_count(desc->field);
    sampler->actions = desc->net->network.actions;
    sampler->is_on_gpu = desc->field->vector != NULL &&
                         mega_vector_get_device_view(desc->field->vector, &sampler->view) == MEGA_OK;
    if (create_arrays(sampler, message) < 0 || create_staging(sampler, message) < 0 ||
        mega_rollout_create(desc->compute, desc->slots, sampler->envs,
                            mega_field_observation_size(desc->field), &sampler->rollout, message) < 0 ||
        create_groups(sampler, message) < 0) {
        mega_sampler_destroy(sampler);
        return -1;
    }
    sampler->rollout.waits = desc->waits;
    *out = sampler;
    return 0;
}

void mega_sampler_destroy(mega_sampler *sampler) {
    if (sampler == NULL) {
        return;
    }
    for (uint32_t g = 0; sampler->group != NULL && g < sampler->desc.groups; g++) {
        mega_pass_destroy(sampler->group[g].pass);
        sampler->desc.compute->ops->release(sampler->desc.compute, sampler->group[g].q);
    }
    mega_rollout_destroy(sampler->desc.compute, &sampler->rollout);
    sampler->desc.compute->ops->release(sampler->desc.compute, sampler->arrivals);
    free(sampler->observations);
    free(sampler->group);
    free(sampler->rewards);
    free(sampler->terminations);
    free(sampler->truncations);
    free(sampler->episode_ends);
    free(sampler->chosen);
    free(sampler);
}

mega_rollout *mega_sampler_rollout(mega_sampler *sampler) {
    return &sampler->rollout;
}
void mega_sampler_set_steps(mega_sampler *sampler, uint64_t steps) {
    sampler->steps = steps;
}

// ---- results ----

// Where the results of the environments from `first` on go; observations into a slot of the rollout.
static mega_vector_out results_from(mega_sampler *sampler, uint32_t first, uint32_t slot) {
    mega_vector_out out = {0};
    out.observations = sampler->is_staged ? sampler->observations + first * sampler->rollout.observation_size
                                          : mega_rollout_observations(&sampler->rollout, slot, first);
    out.rewards = sampler->rewards + first;
    out.terminations = sampler->terminations + first;
    out.truncations = sampler->truncations + first;
    out.episode_ends = sampler->episode_ends + first;
    return out;
}

// Sends the observations of a group that came to the host to where the network is.
static int send_observations(mega_sampler *sampler, uint32_t first, uint32_t count, uint32_t slot,
                             mega_message *message) {
    mega_compute *compute = sampler->desc.compute;
    const size_t size = sampler->rollout.observation_size;
    return !sampler->is_staged
               ? 0
               : compute->ops->upload(compute, mega_rollout_observations(&sampler->rollout, slot, first),
                                      sampler->observations + first * size, count * size, message);
}

// And what else their step gave; *outcome is then there.
static int send_outcome(mega_sampler *sampler, uint32_t first, uint32_t count, mega_outcome *outcome,
                        mega_message *message) {
    mega_compute *compute = sampler->desc.compute;
    if (!sampler->is_staged) {
        return 0;
    }
    const mega_outcome here = *outcome;
    const mega_outcome there = {sampler->arrived.rewards + first, sampler->arrived.terminations + first,
                                sampler->arrived.truncations + first, sampler->arrived.episode_ends + first};
    *outcome = there;
    if (compute->ops->upload(compute, (void *)(uintptr_t)there.rewards, here.rewards,
                             count * sizeof *here.rewards, message) < 0 ||
        compute->ops->upload(compute, (void *)(uintptr_t)there.terminations, here.terminations, count,
                             message) < 0 ||
        compute->ops->upload(compute, (void *)(uintptr_t)there.truncations, here.truncations, count,
                             message) < 0) {
        return -1;
    }
    return compute->ops->upload(compute, (void *)(uintptr_t)there.episode_ends, here.episode_ends, count,
                                message);
}

// On a GPU: what the learner does next begins after what a group was asked for.
static int follow_group(mega_sampler *sampler, uint32_t g, mega_message *message) {
    void *const stream = sampler->desc.compute->stream;
    if (stream == sampler->view.stream) {
        return 0; // there is one group, and it plays in the learner's stream
    }
    return mega_vector_result(mega_vector_group_make_stream_wait(sampler->desc.field->vector, g, stream),
                              message);
}

// Copies a GPU's observations of a group into a slot.
static int take_observations(mega_sampler *sampler, uint32_t g, uint32_t slot, mega_message *message) {
    mega_compute *compute = sampler->desc.compute;
    const sampler_group *group = &sampler->group[g];
    const size_t size = sampler->rollout.observation_size;
    if (follow_group(sampler, g, message) < 0) {
        return -1;
    }
    return compute->ops->copy(compute, mega_rollout_observations(&sampler->rollout, slot, group->first),
                              sampler->view.observations + group->first * size, group->count * size, message);
}

// ---- starts ----

enum {
    START_WAVES = 16
};

static uint32_t draw_below(const mega_sampler *sampler, uint32_t env, uint32_t index, uint32_t count) {
    return mega_philox_below(
        draw_word(sampler->desc.seed, MEGA_DRAW_STARTS, sampler->desc.first + env, index), count);
}

// Before there is anything to learn, nobody waits.
static int restart_at_once(mega_sampler *sampler, mega_message *message) {
    mega_vector *vector = sampler->desc.field->vector;
    for (uint32_t g = 0; g < sampler->desc.groups; g++) {
        mega_vector_out out = results_from(sampler, sampler->group[g].first, sampler->rollout.slot);
        if (sampler->is_on_gpu) {
            out.observations = NULL;
        }
        if (mega_vector_result(mega_vector_group_restart(vector, g), message) < 0 ||
            mega_vector_result(mega_vector_group_recv(vector, g, -1, &out), message) < 0) {
            return -1;
        }
    }
    return 0;
}

static int play_random_step(mega_sampler *sampler, uint32_t step, mega_message *message) {
    mega_vector_out out = results_from(sampler, 0, sampler->rollout.slot);
    if (sampler->is_on_gpu) {
        out.observations = NULL; // they stay there
    }
    for (uint32_t e = 0; e < sampler->envs; e++) {
        sampler->chosen[e] = (int32_t)draw_below(sampler, e, 1 + step, sampler->actions);
    }
    if (mega_field_step(sampler->desc.field, sampler->chosen, &out, message) < 0) {
        return -1;
    }
    return sampler->desc.waits ? restart_at_once(sampler, message) : 0;
}

// Random actions for all; environments of wave w are started anew after the w-th part of the steps.
static int play_random_steps(mega_sampler *sampler, uint32_t random_steps, uint8_t *mask,
                             mega_message *message) {
    const uint32_t waves = random_steps < START_WAVES ? random_steps : START_WAVES;
    for (uint32_t step = 0; step < random_steps; step++) {
        const uint32_t wave = step * waves / random_steps;
        if (step == 0 || wave != (step - 1) * waves / random_steps) {
            for (uint32_t e = 0; e < sampler->envs; e++) {
                mask[e] = draw_below(sampler, e, 0, waves) == wave;
            }
            if (mega_field_reset(sampler->desc.field, mask, NULL, NULL, message) < 0) {
                return -1;
            }
        }
        if (play_random_step(sampler, step, message) < 0) {
            return -1;
        }
    }
    mega_compute *compute = sampler->desc.compute;
    return compute->ops->upload(compute, sampler->rollout.over, sampler->episode_ends, sampler->envs,
                                message);
}

static int start_randomly(mega_sampler *sampler, uint32_t random_steps, mega_message *message) {
    uint8_t *mask = malloc(sampler->envs);
    if (mask == NULL) {
        return mega_message_set(message, "there is no memory to start %u environments", sampler->envs);
    }
    const int result = play_random_steps(sampler, random_steps, mask, message);
    free(mask);
    return result;
}

int mega_sampler_reset(mega_sampler *sampler, const int32_t *seeds, uint32_t random_steps,
                       mega_message *message) {
    mega_compute *compute = sampler->desc.compute;
    sampler->steps = 0;
    sampler->rollout.slot = 0;
    for (uint32_t g = 0; g < sampler->desc.groups; g++) {
        sampler->group[g].playing = false;
    }
    sampler->pauses = false;
    memset(sampler->episode_ends, 0, sampler->envs);
    mega_vector_out out = {0};
    if (!sampler->is_on_gpu) {
        out.observations = results_from(sampler, 0, 0).observations;
    }
    if (mega_field_reset(sampler->desc.field, NULL, seeds, &out, message) < 0 ||
        compute->ops->upload(compute, sampler->rollout.over, sampler->episode_ends, sampler->envs, message) <
            0 ||
        (random_steps > 0 && start_randomly(sampler, random_steps, message) < 0)) {
        return -1;
    }
    for (uint32_t g = 0; sampler->is_on_gpu && g < sampler->desc.groups; g++) {
        if (take_observations(sampler, g, 0, message) < 0) {
            return -1;
        }
    }
    return send_observations(sampler, 0, sampler->envs, 0, message);
}

// ---- play ----

static size_t first_cell(const mega_rollout *rollout, const sampler_group *group, uint32_t slot) {
    return (size_t)slot * rollout->envs + group->first;
}

// Sends a group's observations of a slot through the network.
static int group_look(mega_sampler *sampler, uint32_t g, uint32_t slot, mega_message *message) {
    const sampler_group *group = &sampler->group[g];
    const mega_rollout *rollout = &sampler->rollout;
    mega_compute *compute = sampler->desc.compute;
    const uint8_t *observations = mega_rollout_observations(rollout, slot, group->first);
    if (mega_pass_forward(group->pass, observations, NULL, message) < 0) {
        return -1;
    }
    if (sampler->desc.q != NULL) {
        return compute->q->values(compute, sampler->desc.q, group->pass, group->q, message);
    }
    return compute->ops->copy(compute, rollout->values + first_cell(rollout, group, slot),
                              group->pass->values, group->count * sizeof *rollout->values, message);
}

// Has a group on a GPU play the actions that are there; failures show when somebody waits.
static int group_step(mega_sampler *sampler, uint32_t g, mega_message *message) {
    void *const stream = sampler->desc.compute->stream;
    return mega_vector_result(
        stream == sampler->view.stream
            ? mega_vector_step_device(sampler->desc.field->vector, MEGA_STEP_NO_WAIT, NULL)
            : mega_vector_group_step_device(sampler->desc.field->vector, g, stream),
        message);
}

// Chooses a group's actions and has them played.
static int group_send(mega_sampler *sampler, uint32_t g, uint32_t slot, bool greedy, float epsilon,
                      mega_message *message) {
    sampler_group *group = &sampler->group[g];
    mega_rollout *rollout = &sampler->rollout;
    const size_t cell = first_cell(rollout, group, slot);
    const mega_act act = {
        .logits = sampler->desc.q != NULL ? group->q : group->pass->logits,
        .count = group->count,
        .actions = sampler->actions,
        .first = sampler->desc.first + group->first,
        .seed = sampler->desc.seed,
        .step = sampler->steps,
        .greedy = greedy,
        .epsilon = epsilon,
        .chosen = rollout->actions + cell,
        .chosen_too = sampler->is_on_gpu ? sampler->view.actions + group->first : NULL,
        .log_probabilities = rollout->log_probabilities + cell,
    };
    if (sampler->desc.compute->ops->act(sampler->desc.compute, &act, message) < 0) {
        return -1;
    }
    group->playing = true;
    if (sampler->is_on_gpu) {
        return group_step(sampler, g, message);
    }
    const int32_t *actions = rollout->actions + cell;
    if (sampler->is_staged) {
        int32_t *chosen = sampler->chosen + group->first;
        if (sampler->desc.compute->ops->download(sampler->desc.compute, chosen, actions,
                                                 group->count * sizeof *chosen, message) < 0) {
            return -1;
        }
        actions = chosen;
    }
    return mega_field_group_send(sampler->desc.field, g, actions, message);
}

// Takes what a group has played: the results of the slot's step, and observations for the next slot.
static int group_receive(mega_sampler *sampler, uint32_t g, uint32_t slot, mega_message *message) {
    sampler_group *group = &sampler->group[g];
    mega_rollout *rollout = &sampler->rollout;
    const uint32_t next = (slot + 1) % rollout->slots;
    if (!group->playing) {
        return 0;
    }
    group->playing = false;
    const mega_vector_out out = results_from(sampler, group->first, next);
    mega_outcome outcome = {out.rewards, out.terminations, out.truncations, out.episode_ends};
    if (sampler->is_on_gpu) {
        const mega_outcome there = {
            sampler->view.rewards + group->first, sampler->view.terminations + group->first,
            sampler->view.truncations + group->first, sampler->view.episode_ends + group->first};
        outcome = there;
        if (take_observations(sampler, g, next, message) < 0) {
            return -1;
        }
    } else if (mega_field_group_recv(sampler->desc.field, g, &out, message) < 0 ||
               send_observations(sampler, group->first, group->count, next, message) < 0 ||
               send_outcome(sampler, group->first, group->count, &outcome, message) < 0) {
        return -1;
    }
    mega_compute *compute = sampler->desc.compute;
    return compute->ops->note(compute, rollout, slot, group->first, group->count, &outcome, message);
}

static int receive_all(mega_sampler *sampler, uint32_t slot, mega_message *message) {
    for (uint32_t g = 0; g < sampler->desc.groups; g++) {
        if (group_receive(sampler, g, slot, message) < 0) {
            return -1;
        }
    }
    return 0;
}

int mega_sampler_play(mega_sampler *sampler, uint32_t steps, bool greedy, float epsilon,
                      mega_message *message) {
    mega_rollout *rollout = &sampler->rollout;
    uint32_t last = rollout->slot;
    for (uint32_t step = 0; step < steps; step++) {
        // While this group's observations are looked at, the environments of the others play.
        for (uint32_t g = 0; g < sampler->desc.groups; g++) {
            if (group_receive(sampler, g, last, message) < 0 ||
                group_look(sampler, g, rollout->slot, message) < 0 ||
                group_send(sampler, g, rollout->slot, greedy, epsilon, message) < 0) {
                return -1;
            }
        }
        last = rollout->slot;
        rollout->slot = (rollout->slot + 1) % rollout->slots;
        sampler->steps++;
    }
    if (receive_all(sampler, last, message) < 0) {
        return -1;
    }
    return sampler->is_on_gpu ? mega_vector_result(mega_vector_finish(sampler->desc.field->vector), message)
                              : 0;
}

int mega_sampler_look(mega_sampler *sampler, mega_message *message) {
    for (uint32_t g = 0; g < sampler->desc.groups; g++) {
        if (group_look(sampler, g, sampler->rollout.slot, message) < 0) {
            return -1;
        }
    }
    return 0;
}

// ---- pauses ----

int mega_sampler_pause(mega_sampler *sampler, mega_message *message) {
    mega_vector *vector = sampler->desc.field->vector;
    if (!sampler->desc.waits) {
        return 0;
    }
    sampler->pauses = true;
    for (uint32_t g = 0; g < sampler->desc.groups; g++) {
        const mega_status status =
            sampler->is_on_gpu ? mega_vector_group_restart_device(vector, g, sampler->desc.compute->stream)
                               : mega_vector_group_restart(vector, g);
        if (mega_vector_result(status, message) < 0) {
            return -1;
        }
    }
    return 0;
}

// Takes what a group shows now.
static int group_resume(mega_sampler *sampler, uint32_t g, mega_message *message) {
    const sampler_group *group = &sampler->group[g];
    mega_rollout *rollout = &sampler->rollout;
    mega_compute *compute = sampler->desc.compute;
    if (sampler->is_on_gpu) {
        if (take_observations(sampler, g, rollout->slot, message) < 0) {
            return -1;
        }
    } else {
        const mega_vector_out out = results_from(sampler, group->first, rollout->slot);
        if (mega_vector_result(mega_vector_group_recv(sampler->desc.field->vector, g, -1, &out), message) <
                0 ||
            send_observations(sampler, group->first, group->count, rollout->slot, message) < 0) {
            return -1;
        }
    }
    return compute->ops->restart(compute, rollout, group->first, group->count, message);
}

int mega_sampler_resume(mega_sampler *sampler, mega_message *message) {
    if (!sampler->pauses) {
        return 0;
    }
    sampler->pauses = false;
    for (uint32_t g = 0; g < sampler->desc.groups; g++) {
        if (group_resume(sampler, g, message) < 0) {
            return -1;
        }
    }
    return 0;
}
