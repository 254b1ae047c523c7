// compute_cpu.c - learners' work on the CPU. Networks take nearly all of its time, so the rest is plain loops.
#include "compute_cpu.h"

#include "compute_q.h"
#include "mega_lesson.h"
#include "mega_returns.h"
#include "replay.h"
#include "noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALIGNMENT = 64
};

static int cpu_allocate(mega_compute *compute, size_t size, void **out, mega_message *message) {
    (void)compute;
    *out = NULL;
    // From calloc, so that a large memory is there only when it is used; what it gave stands before what is given.
    uint8_t *whole = size <= SIZE_MAX - 2 * ALIGNMENT ? calloc(size + 2 * ALIGNMENT, 1) : NULL;
    if (whole == NULL) {
        return mega_message_set(message, "there is no memory for %zu MiB", size >> 20);
    }
    uint8_t *aligned = whole + (2 * ALIGNMENT - (uintptr_t)whole % ALIGNMENT);
    memcpy(aligned - sizeof whole, &whole, sizeof whole);
    *out = aligned;
    return 0;
}

static void cpu_release(mega_compute *compute, void *memory) {
    (void)compute;
    uint8_t *whole;
    if (memory != NULL) {
        memcpy(&whole, (uint8_t *)memory - sizeof whole, sizeof whole);
        free(whole);
    }
}

static int cpu_copy(mega_compute *compute, void *to, const void *from, size_t size, mega_message *message) {
    (void)compute;
    (void)message;
    memcpy(to, from, size);
    return 0;
}

static int cpu_create_net(mega_compute *compute, const mega_network *network, mega_net **out,
                          mega_message *message) {
    const cpu_compute *cpu = (const cpu_compute *)compute;
    return mega_net_create(cpu->nets, network, cpu->threads, out, message);
}

static int cpu_create_optimizer(mega_compute *compute, const mega_optimizer_rule *rule, size_t count,
                                mega_optimizer **out, mega_message *message) {
    (void)compute;
    return mega_optimizer_create(rule, count, out, message);
}

static void cpu_destroy_optimizer(mega_compute *compute, mega_optimizer *optimizer) {
    (void)compute;
    mega_optimizer_destroy(optimizer);
}

static int cpu_act(mega_compute *compute, const mega_act *act, mega_message *message) {
    (void)compute;
    (void)message;
    for (uint32_t i = 0; i < act->count; i++) {
        const float *logits = act->logits + (size_t)i * act->actions;
        const float log_sum = policy_log_sum(logits, act->actions);
        const mega_philox_block block = draw_block(act->seed, MEGA_DRAW_ACTIONS, act->first + i, act->step);
        const uint32_t wanted =
            act->greedy ? policy_best(logits, act->actions)
                        : policy_draw(logits, act->actions, log_sum, mega_philox_uniform(block.word[0]));
        const uint32_t action = policy_explore(wanted, act->actions, act->epsilon, block);
        act->chosen[i] = (int32_t)action;
        if (act->chosen_too != NULL) {
            act->chosen_too[i] = (int32_t)action;
        }
        if (act->log_probabilities != NULL) {
            act->log_probabilities[i] = logits[action] - log_sum;
        }
    }
    return 0;
}

static int cpu_note(mega_compute *compute, mega_rollout *rollout, uint32_t slot, uint32_t first,
                    uint32_t count, const mega_outcome *outcome, mega_message *message) {
    (void)compute;
    (void)message;
    const size_t start = (size_t)slot * rollout->envs + first;
    for (uint32_t i = 0; i < count; i++) {
        rollout->rewards[start + i] = (float)outcome->rewards[i];
        rollout->flags[start + i] =
            step_flags(outcome->terminations[i], outcome->truncations[i], rollout->over[first + i]);
        rollout->over[first + i] =
            step_is_over(outcome->episode_ends[i], rollout->over[first + i], rollout->waits);
    }
    return 0;
}

static int cpu_restart(mega_compute *compute, mega_rollout *rollout, uint32_t first, uint32_t count,
                       mega_message *message) {
    (void)compute;
    (void)message;
    uint8_t *flags = rollout->flags + mega_rollout_last(rollout);
    for (uint32_t i = first; i < first + count; i++) {
        flags[i] = rollout->over[i] ? step_flags_restarted(flags[i]) : flags[i];
        rollout->over[i] = 0;
    }
    return 0;
}

static int cpu_count(mega_compute *compute, const mega_rollout *rollout, const mega_samples *samples,
                     uint32_t *counted, mega_message *message) {
    (void)compute;
    (void)message;
    *counted = 0;
    for (uint32_t i = 0; i < samples->count; i++) {
        const uint64_t row = samples_row(samples, rollout->slots, rollout->envs, rollout->slot, i);
        *counted += rollout->flags[row] & MEGA_STEP_VOID ? 0 : 1;
    }
    return 0;
}

static int cpu_gather(mega_compute *compute, const mega_rollout *rollout, uint32_t first, mega_lesson *lesson,
                      mega_message *message) {
    (void)compute;
    (void)message;
    for (uint32_t t = 0; t <= lesson->steps; t++) {
        const uint32_t slot = (rollout->slot + rollout->slots - lesson->steps + t) % rollout->slots;
        const size_t from = (size_t)slot * rollout->envs + first, to = (size_t)t * lesson->envs,
                     n = lesson->envs;
        for (uint32_t i = 0; i < n; i++) {
            lesson->rows[to + i] = (int32_t)(from + i);
        }
        memcpy(lesson->values + to, rollout->values + from, n * sizeof *lesson->values);
        if (t < lesson->steps) {
            memcpy(lesson->actions + to, rollout->actions + from, n * sizeof *lesson->actions);
            memcpy(lesson->rewards + to, rollout->rewards + from, n * sizeof *lesson->rewards);
            memcpy(lesson->flags + to, rollout->flags + from, n);
            memcpy(lesson->log_probabilities + to, rollout->log_probabilities + from,
                   n * sizeof *lesson->log_probabilities);
        }
    }
    return 0;
}

static int cpu_shuffle(mega_compute *compute, const mega_rollout *rollout, uint32_t steps, uint64_t seed,
                       uint64_t index, int32_t *samples, int32_t *rows, mega_message *message) {
    (void)compute;
    (void)message;
    const mega_shuffle order =
        shuffle_make(steps * rollout->envs, seed, (uint64_t)MEGA_DRAW_SHUFFLE << 32, index);
    for (uint32_t i = 0; i < order.count; i++) {
        lesson_shuffle(&order, rollout->slots, rollout->envs, rollout->slot, steps, i, samples, rows);
    }
    return 0;
}

static int cpu_n_step(mega_compute *compute, mega_lesson *lesson, float discount, mega_message *message) {
    (void)compute;
    (void)message;
    for (uint32_t e = 0; e < lesson->envs; e++) {
        returns_n_step(lesson->rewards + e, lesson->flags + e, lesson->values + e, lesson->steps,
                       lesson->envs, discount, lesson->targets + e);
    }
    for (size_t i = 0; i < (size_t)lesson->steps * lesson->envs; i++) {
        lesson->advantages[i] = lesson->targets[i] - lesson->values[i];
    }
    return 0;
}

static int cpu_gae(mega_compute *compute, mega_lesson *lesson, float discount, float lambda,
                   mega_message *message) {
    (void)compute;
    (void)message;
    for (uint32_t e = 0; e < lesson->envs; e++) {
        returns_gae(lesson->rewards + e, lesson->flags + e, lesson->values + e, lesson->steps, lesson->envs,
                    discount, lambda, lesson->advantages + e, lesson->targets + e);
    }
    return 0;
}

static int cpu_v_trace(mega_compute *compute, mega_lesson *lesson, const mega_pass *pass, float discount,
                       float rho_max, float c_max, mega_message *message) {
    (void)compute;
    (void)message;
    const uint32_t actions = pass->net->network.actions;
    const size_t cells = (size_t)lesson->steps * lesson->envs;
    memcpy(lesson->values, pass->values, (cells + lesson->envs) * sizeof *lesson->values);
    for (size_t i = 0; i < cells; i++) {
        const float *logits = pass->logits + i * actions;
        const float log_p = logits[lesson->actions[i]] - policy_log_sum(logits, actions);
        lesson->ratios[i] = MEGA_EXP(log_p - lesson->log_probabilities[i]);
    }
    for (uint32_t e = 0; e < lesson->envs; e++) {
        returns_v_trace(lesson->rewards + e, lesson->flags + e, lesson->values + e, lesson->ratios + e,
                        lesson->steps, lesson->envs, discount, rho_max, c_max, lesson->advantages + e,
                        lesson->targets + e);
    }
    return 0;
}

// What advantages are normalised with: their mean, and one over their deviation, over the samples that count.
static void measure_advantages(const mega_loss *loss, float *mean, float *scale) {
    const mega_lesson *lesson = loss->lesson;
    double n = 0, sum = 0, squares = 0;
    for (uint32_t i = 0; i < loss->count; i++) {
        const size_t sample = loss->samples == NULL ? i : (size_t)loss->samples[i];
        if (!(lesson->flags[sample] & MEGA_STEP_VOID)) {
            const double a = (double)lesson->advantages[sample];
            n += 1;
            sum += a;
            squares += a * a;
        }
    }
    const double middle = n > 0 ? sum / n : 0, variance = n > 0 ? squares / n - middle * middle : 0;
    *mean = (float)middle;
    *scale = 1.0f / ((float)sqrt(variance > 0 ? variance : 0) + 1e-8f);
}

static void lose_sample(const mega_loss *loss, size_t sample, size_t i, float advantage, mega_pass *pass,
                        float stats[MEGA_STAT_COUNT]) {
    const mega_lesson *lesson = loss->lesson;
    const uint32_t actions = pass->net->network.actions, action = (uint32_t)lesson->actions[sample];
    const float *logits = pass->logits + i * actions;
    const float share = mega_loss_share(loss);
    if (loss->is_ppo) {
        loss_ppo(logits, actions, action, pass->values[i], advantage, lesson->targets[sample],
                 lesson->log_probabilities[sample], lesson->values[sample], &loss->weights, share,
                 pass->logit_grads + i * actions, &pass->value_grads[i], stats);
    } else {
        loss_actor_critic(logits, actions, action, pass->values[i], advantage, lesson->targets[sample],
                          lesson->log_probabilities[sample], &loss->weights, share,
                          pass->logit_grads + i * actions, &pass->value_grads[i], stats);
    }
}

static int cpu_loss(mega_compute *compute, const mega_loss *loss, mega_pass *pass, mega_message *message) {
    (void)message;
    cpu_compute *cpu = (cpu_compute *)compute;
    float mean = 0.0f, scale = 1.0f;
    if (loss->normalize) {
        measure_advantages(loss, &mean, &scale);
    }
    memset(pass->logit_grads, 0,
           (size_t)pass->batch * pass->net->network.actions * sizeof *pass->logit_grads);
    memset(pass->value_grads, 0, pass->batch * sizeof *pass->value_grads);
    for (uint32_t i = 0; i < loss->count; i++) {
        const size_t sample = loss->samples == NULL ? i : (size_t)loss->samples[i];
        if (!(loss->lesson->flags[sample] & MEGA_STEP_VOID)) {
            float stats[MEGA_STAT_COUNT];
            lose_sample(loss, sample, i, (loss->lesson->advantages[sample] - mean) * scale, pass, stats);
            cpu_add_stats(cpu, stats);
        }
    }
    return 0;
}

static int cpu_read_stats(mega_compute *compute, double stats[MEGA_STAT_COUNT], double *norm,
                          mega_message *message) {
    (void)message;
    cpu_compute *cpu = (cpu_compute *)compute;
    memcpy(stats, cpu->stats, sizeof cpu->stats);
    *norm = cpu->norm;
    return 0;
}

static int cpu_write_stats(mega_compute *compute, const double stats[MEGA_STAT_COUNT],
                           mega_message *message) {
    (void)message;
    cpu_compute *cpu = (cpu_compute *)compute;
    memcpy(cpu->stats, stats, sizeof cpu->stats);
    return 0;
}

static int cpu_clip(mega_compute *compute, const mega_slab *slab, double norm_max, mega_message *message) {
    (void)message;
    cpu_compute *cpu = (cpu_compute *)compute;
    const double norm = mega_optimizer_clip(slab->gradients, slab->count, norm_max);
    cpu->norm = isfinite(cpu->norm) ? norm : cpu->norm;
    cpu->may_descend = isfinite(norm);
    return 0;
}

static int cpu_descend(mega_compute *compute, const mega_slab *slab, mega_optimizer *optimizer, size_t first,
                       size_t count, double learning_rate, mega_message *message) {
    (void)message;
    if (((cpu_compute *)compute)->may_descend) {
        mega_optimizer_descend_part(optimizer, learning_rate, first, count, slab->gradients,
                                    slab->parameters);
    }
    return 0;
}

static int cpu_optimise(mega_compute *compute, const mega_slab *slab, mega_optimizer *optimizer,
                        double learning_rate, double norm_max, mega_message *message) {
    (void)cpu_clip(compute, slab, norm_max, message);
    optimizer->t += ((cpu_compute *)compute)->may_descend;
    return cpu_descend(compute, slab, optimizer, 0, slab->count, learning_rate, message);
}

static int cpu_draw_noise(mega_compute *compute, mega_noise *noise, uint64_t seed, uint64_t index,
                          mega_message *message) {
    (void)compute;
    (void)message;
    for (uint32_t i = 0; i < noise->plan.vector_count; i++) {
        noise->vectors[i] = noise_vector(seed, i, index);
    }
    return 0;
}

static int cpu_mix_noise(mega_compute *compute, const mega_noise *noise, mega_net *net,
                         mega_message *message) {
    (void)compute;
    (void)message;
    for (uint64_t i = 0; i < noise->plan.means; i++) {
        net->parameters[i] = noise_mix(&noise->plan, noise->learned, noise->vectors, i);
    }
    mega_net_changed(net);
    return 0;
}

static int cpu_spread_gradients(mega_compute *compute, mega_noise *noise, const mega_net *net,
                                mega_message *message) {
    (void)compute;
    (void)message;
    for (uint64_t i = 0; i < noise->plan.means; i++) {
        noise_gradient(&noise->plan, net->gradients, noise->vectors, i, noise->gradients);
    }
    return 0;
}

static int cpu_enter(mega_compute *compute, mega_message *message) {
    (void)compute;
    (void)message;
    return 0;
}

static void cpu_leave(mega_compute *compute) {
    (void)compute;
}

static void cpu_destroy(mega_compute *compute) {
    free(compute);
}

static const mega_compute_ops cpu_ops = {
    .allocate = cpu_allocate,
    .release = cpu_release,
    .allocate_host = cpu_allocate,
    .release_host = cpu_release,
    .upload = cpu_copy,
    .download = cpu_copy,
    .copy = cpu_copy,
    .create_net = cpu_create_net,
    .create_optimizer = cpu_create_optimizer,
    .destroy_optimizer = cpu_destroy_optimizer,
    .act = cpu_act,
    .note = cpu_note,
    .restart = cpu_restart,
    .count = cpu_count,
    .gather = cpu_gather,
    .shuffle = cpu_shuffle,
    .n_step = cpu_n_step,
    .gae = cpu_gae,
    .v_trace = cpu_v_trace,
    .loss = cpu_loss,
    .read_stats = cpu_read_stats,
    .write_stats = cpu_write_stats,
    .clip = cpu_clip,
    .descend = cpu_descend,
    .optimise = cpu_optimise,
    .enter = cpu_enter,
    .leave = cpu_leave,
    .finish = cpu_enter, // calls are done when they return
    .draw_noise = cpu_draw_noise,
    .mix_noise = cpu_mix_noise,
    .spread_gradients = cpu_spread_gradients,
    .destroy = cpu_destroy,
};

int mega_compute_cpu(uint32_t threads, bool plain, mega_compute **out, mega_message *message) {
    cpu_compute *cpu = calloc(1, sizeof *cpu);
    *out = NULL;
    if (cpu == NULL) {
        return mega_message_set(message, "there is no memory to learn with");
    }
    cpu->base.ops = &cpu_ops;
    cpu->base.q = &mega_q_ops_cpu;
    cpu->base.replay = &mega_replay_cpu;
    cpu->nets = plain ? &mega_net_ref : mega_net_cpu();
    cpu->threads = threads;
    *out = &cpu->base;
    return 0;
}
