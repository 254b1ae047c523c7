// nn.cu - the GPU's part of networks and learners that are not products of matrices: loops over the shared source.
//
// Sums over many numbers are made in two steps, by blocks and then over blocks, always in the same order, so that a run
// repeats bit for bit. Compiled with MEGA_BF16 0 or 1.
#include "mega_lesson.h"
#include "mega_lowering.h"
#include "mega_noise.h"
#include "mega_optimizer.h"
#include "mega_policy.h"
#include "mega_q.h"
#include "mega_returns.h"

#define KERNEL extern "C" __global__ void
// An argument that is looked into by index, and stays where it is.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define LOOKED_INTO const
#else
#define LOOKED_INTO const __grid_constant__
#endif
#define EACH(i, count)                                                                 \
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (count); \
         i += (uint64_t)gridDim.x * blockDim.x)

// ---- convolutions ----

KERNEL nn_lower_bytes(mega_lowering l, const uint8_t *observations, const int32_t *rows, uint32_t images,
                      mega_number *matrix) {
    EACH(i, lower_bytes_count(&l, images)) { lower_bytes(&l, observations, rows, i, matrix); }
}

KERNEL nn_lower(mega_lowering l, const mega_number *input, uint32_t images, mega_number *matrix) {
    EACH(i, lower_count(&l, images)) { lower(&l, input, i, matrix); }
}

KERNEL nn_raise(mega_lowering l, const mega_number *matrix, const mega_number *input, uint32_t images,
                mega_number *gradient) {
    EACH(i, raise_count(&l, images)) { raise_element(&l, matrix, input, i, gradient); }
}

// Gradients pass where the rectifier was open.
KERNEL nn_mask(const mega_number *output, uint64_t count, mega_number *gradient) {
    EACH(i, count) {
        if (!(number_to(output[i]) > 0.0f)) {
            gradient[i] = number_from(0.0f);
        }
    }
}

// ---- parameters ----

KERNEL nn_pack(LOOKED_INTO mega_packings all, const float *slab, mega_number *packed) {
    EACH(i, packings_count(&all)) {
        uint64_t from, to;
        packings_find(&all, i, &from, &to);
        packed[to] = number_from(slab[from]);
    }
}

KERNEL nn_unpack(LOOKED_INTO mega_packings all, const float *packed, float *slab) {
    EACH(i, packings_count(&all)) {
        uint64_t to, from;
        packings_find(&all, i, &to, &from);
        slab[to] = packed[from];
    }
}

// ---- heads ----

KERNEL nn_split_heads(mega_heads h, const float *matrix, const float *bias, const float *value_bias, uint32_t batch,
                      float *logits, float *values) {
    EACH(i, heads_split_count(&h, batch)) { heads_split(&h, matrix, bias, value_bias, i, logits, values); }
}

KERNEL nn_join_heads(mega_heads h, const float *logit_grads, const float *value_grads, uint32_t batch,
                     mega_number *matrix) {
    EACH(i, (uint64_t)batch * h.width) { matrix[i] = number_from(heads_join(&h, logit_grads, value_grads, i)); }
}

// ---- sums ----

#define BLOCK 256u

// Block b adds up rows b, b + blocks, ... of a matrix, column by column. Columns go round the threads; where there are
// fewer than threads, several threads share a column.
KERNEL nn_sum_columns(const mega_number *matrix, uint64_t rows, uint32_t columns, float *partial) {
    __shared__ float shared[BLOCK];
    const uint32_t sharers = columns < BLOCK ? BLOCK / columns : 1u;
    for (uint32_t first = 0; first < columns; first += BLOCK) {
        const uint32_t column = first + (columns < BLOCK ? threadIdx.x % columns : threadIdx.x);
        const uint32_t sharer = columns < BLOCK ? threadIdx.x / columns : 0u;
        float sum = 0.0f;
        if (column < columns && sharer < sharers) {
            for (uint64_t row = (uint64_t)blockIdx.x * sharers + sharer; row < rows; row += (uint64_t)gridDim.x * sharers) {
                sum += number_to(matrix[row * columns + column]);
            }
        }
        shared[threadIdx.x] = sum;
        __syncthreads();
        if (sharer == 0u && column < columns) {
            for (uint32_t i = 1; i < sharers; i++) {
                sum += shared[i * columns + threadIdx.x];
            }
            partial[(uint64_t)blockIdx.x * columns + column] = sum;
        }
        __syncthreads();
    }
}

KERNEL nn_sum_partials(const float *partial, uint32_t count, uint32_t columns, float *sums) {
    EACH(i, columns) {
        float sum = 0.0f;
        for (uint32_t k = 0; k < count; k++) {
            sum += partial[(uint64_t)k * columns + i];
        }
        sums[i] = sum;
    }
}

// Adds up the numbers of a block's threads; all threads get the sum.
static __device__ double block_sum(double number) {
    __shared__ double shared[BLOCK];
    __syncthreads();
    shared[threadIdx.x] = number;
    for (uint32_t half = BLOCK / 2u; half > 0; half /= 2u) {
        __syncthreads();
        if (threadIdx.x < half) {
            shared[threadIdx.x] += shared[threadIdx.x + half];
        }
    }
    __syncthreads();
    return shared[0];
}

// ---- play ----

KERNEL learn_act(const float *logits, uint32_t count, uint32_t actions, uint32_t first, uint64_t seed, uint64_t step,
                 uint32_t greedy, float epsilon, int32_t *chosen, int32_t *chosen_too, float *log_probabilities) {
    EACH(i, count) {
        const float *row = logits + i * actions;
        const float log_sum = policy_log_sum(row, actions);
        const mega_philox_block block = draw_block(seed, MEGA_DRAW_ACTIONS, first + (uint32_t)i, step);
        const uint32_t wanted = greedy ? policy_best(row, actions)
                                       : policy_draw(row, actions, log_sum, mega_philox_uniform(block.word[0]));
        const uint32_t action = policy_explore(wanted, actions, epsilon, block);
        chosen[i] = (int32_t)action;
        if (chosen_too != NULL) {
            chosen_too[i] = (int32_t)action;
        }
        if (log_probabilities != NULL) {
            log_probabilities[i] = row[action] - log_sum;
        }
    }
}

KERNEL learn_note(const int32_t *rewards, const uint8_t *terminations, const uint8_t *truncations,
                  const uint8_t *episode_ends, uint32_t count, uint32_t waits, float *noted_rewards, uint8_t *flags,
                  uint8_t *over) {
    EACH(i, count) {
        noted_rewards[i] = (float)rewards[i];
        flags[i] = step_flags(terminations[i], truncations[i], over[i]);
        over[i] = step_is_over(episode_ends[i], over[i], waits);
    }
}

KERNEL learn_restart(uint32_t count, uint8_t *flags, uint8_t *over) {
    EACH(i, count) {
        flags[i] = over[i] ? step_flags_restarted(flags[i]) : flags[i];
        over[i] = 0;
    }
}

// ---- lessons ----

KERNEL learn_gather(learn_ring ring, uint32_t first, learn_lesson lesson) {
    EACH(i, (uint64_t)(lesson.steps + 1u) * lesson.envs) {
        const uint32_t t = (uint32_t)(i / lesson.envs), env = first + (uint32_t)(i % lesson.envs);
        const uint32_t slot = (ring.slot + ring.slots - lesson.steps + t) % ring.slots;
        const uint64_t from = (uint64_t)slot * ring.envs + env;
        lesson.rows[i] = (int32_t)from;
        lesson.values[i] = ring.values[from];
        if (t < lesson.steps) {
            lesson.actions[i] = ring.actions[from];
            lesson.rewards[i] = ring.rewards[from];
            lesson.flags[i] = ring.flags[from];
            lesson.log_probabilities[i] = ring.log_probabilities[from];
        }
    }
}

KERNEL learn_shuffle(mega_shuffle shuffle, uint32_t slots, uint32_t envs, uint32_t slot, uint32_t steps,
                     int32_t *samples, int32_t *rows) {
    EACH(i, shuffle.count) { lesson_shuffle(&shuffle, slots, envs, slot, steps, (uint32_t)i, samples, rows); }
}

KERNEL learn_n_step(learn_lesson l, float discount) {
    EACH(e, l.envs) {
        returns_n_step(l.rewards + e, l.flags + e, l.values + e, l.steps, l.envs, discount, l.targets + e);
        for (uint32_t t = 0; t < l.steps; t++) {
            const uint64_t i = (uint64_t)t * l.envs + e;
            l.advantages[i] = l.targets[i] - l.values[i];
        }
    }
}

KERNEL learn_gae(learn_lesson l, float discount, float lambda) {
    EACH(e, l.envs) {
        returns_gae(l.rewards + e, l.flags + e, l.values + e, l.steps, l.envs, discount, lambda, l.advantages + e,
                    l.targets + e);
    }
}

KERNEL learn_ratios(learn_lesson l, const float *logits, uint32_t actions) {
    EACH(i, (uint64_t)l.steps * l.envs) {
        const float *row = logits + i * actions;
        const float log_p = row[l.actions[i]] - policy_log_sum(row, actions);
        l.ratios[i] = MEGA_EXP(log_p - l.log_probabilities[i]);
    }
}

KERNEL learn_v_trace(learn_lesson l, float discount, float rho_max, float c_max) {
    EACH(e, l.envs) {
        returns_v_trace(l.rewards + e, l.flags + e, l.values + e, l.ratios + e, l.steps, l.envs, discount, rho_max,
                        c_max, l.advantages + e, l.targets + e);
    }
}

// One block: how many samples are not void.
KERNEL learn_count(learn_ring ring, mega_samples samples, double *counted) {
    double n = 0;
    for (uint32_t i = threadIdx.x; i < samples.count; i += BLOCK) {
        n += ring.flags[samples_row(&samples, ring.slots, ring.envs, ring.slot, i)] & MEGA_STEP_VOID ? 0 : 1;
    }
    n = block_sum(n);
    if (threadIdx.x == 0) {
        counted[0] = n;
    }
}

// One block: mean and deviation of advantages that count, as {mean, 1 / (deviation + 1e-8)} for learn_loss.
KERNEL learn_spread(learn_lesson l, const int32_t *samples, uint32_t count, float *spread) {
    double n = 0, sum = 0, squares = 0;
    for (uint32_t i = threadIdx.x; i < count; i += BLOCK) {
        const uint64_t sample = samples == NULL ? i : (uint64_t)samples[i];
        if (!(l.flags[sample] & MEGA_STEP_VOID)) {
            const double a = (double)l.advantages[sample];
            n += 1;
            sum += a;
            squares += a * a;
        }
    }
    n = block_sum(n);
    sum = block_sum(sum);
    squares = block_sum(squares);
    if (threadIdx.x == 0) {
        const double middle = n > 0 ? sum / n : 0, variance = n > 0 ? squares / n - middle * middle : 0;
        spread[0] = (float)middle;
        spread[1] = 1.0f / ((float)sqrt(variance > 0 ? variance : 0) + 1e-8f);
    }
}

// A block's sums of statistics, for learn_add_stats.
static __device__ void leave_stats(const double *sums, double *partial) {
    for (uint32_t k = 0; k < MEGA_STAT_COUNT; k++) {
        const double sum = block_sum(sums[k]);
        if (threadIdx.x == 0) {
            partial[(uint64_t)blockIdx.x * MEGA_STAT_COUNT + k] = sum;
        }
    }
}

// Each block leaves its sums of statistics in `partial`. `spread` may be NULL.
KERNEL learn_loss(learn_lesson l, uint32_t is_ppo, const int32_t *samples, uint32_t count, uint32_t batch,
                  mega_loss_weights weights, float share, const float *spread, const float *logits, const float *values,
                  uint32_t actions, float *logit_grads, float *value_grads, double *partial) {
    double sums[MEGA_STAT_COUNT] = {0, 0, 0, 0, 0, 0, 0};
    const float mean = spread == NULL ? 0.0f : spread[0];
    const float scale = spread == NULL ? 1.0f : spread[1];
    EACH(i, batch) {
        const uint64_t sample = samples == NULL || i >= count ? i : (uint64_t)samples[i];
        float *grads = logit_grads + i * actions;
        if (i >= count || (l.flags[sample] & MEGA_STEP_VOID)) {
            for (uint32_t a = 0; a < actions; a++) {
                grads[a] = 0.0f;
            }
            value_grads[i] = 0.0f;
            continue;
        }
        float stats[MEGA_STAT_COUNT];
        const float advantage = (l.advantages[sample] - mean) * scale;
        if (is_ppo) {
            loss_ppo(logits + i * actions, actions, (uint32_t)l.actions[sample], values[i], advantage,
                     l.targets[sample], l.log_probabilities[sample], l.values[sample], &weights, share, grads,
                     value_grads + i, stats);
        } else {
            loss_actor_critic(logits + i * actions, actions, (uint32_t)l.actions[sample], values[i], advantage,
                              l.targets[sample], l.log_probabilities[sample], &weights, share, grads, value_grads + i,
                              stats);
        }
        for (uint32_t k = 0; k < MEGA_STAT_COUNT; k++) {
            sums[k] += (double)stats[k];
        }
    }
    leave_stats(sums, partial);
}

// One block: adds what the blocks of learn_loss left to the sums since they were last read.
KERNEL learn_add_stats(const double *partial, uint32_t blocks, double *stats) {
    if (threadIdx.x < MEGA_STAT_COUNT) {
        for (uint32_t b = 0; b < blocks; b++) {
            stats[threadIdx.x] += partial[(uint64_t)b * MEGA_STAT_COUNT + threadIdx.x];
        }
    }
}

// ---- Q-learners ----

KERNEL learn_q_values(mega_q_shape shape, const float *logits, const float *values, uint32_t batch, float *q) {
    EACH(i, (uint64_t)batch * shape.actions) {
        const uint64_t row = i / shape.actions;
        q[i] = q_value(&shape, logits + row * shape.actions * shape.atoms, values + row * shape.atoms,
                       (uint32_t)(i % shape.actions));
    }
}

KERNEL learn_q_targets(mega_q_shape shape, const float *logits, const float *values, uint32_t batch,
                       const float *chooser, const float *returns, const float *discounts, float *targets) {
    EACH(i, batch) {
        const uint32_t action = policy_best(chooser + i * shape.actions, shape.actions);
        q_target(&shape, logits + i * shape.actions * shape.atoms, values + i * shape.atoms, action, returns[i],
                 discounts[i], targets + i * shape.atoms);
    }
}

// Each block leaves its sums of statistics in `partial`.
KERNEL learn_q_loss(mega_q_shape shape, const int32_t *actions, const float *weights, const float *targets, float clip,
                    uint32_t batch, const float *logits, const float *values, float *logit_grads, float *value_grads,
                    float *errors, double *partial) {
    double sums[MEGA_STAT_COUNT] = {0, 0, 0, 0, 0, 0, 0};
    EACH(i, batch) {
        const uint64_t row = i * shape.actions * shape.atoms, atoms = i * shape.atoms;
        float stats[MEGA_STAT_COUNT];
        errors[i] = q_loss(&shape, logits + row, values + atoms, (uint32_t)actions[i], targets + atoms, clip,
                           weights[i], 1.0f / (float)batch, logit_grads + row, value_grads + atoms, stats);
        for (uint32_t k = 0; k < MEGA_STAT_COUNT; k++) {
            sums[k] += (double)stats[k];
        }
    }
    leave_stats(sums, partial);
}

// ---- optimisers ----

KERNEL learn_squares(const float *gradients, uint64_t count, double *partial) {
    double sum = 0;
    EACH(i, count) { sum += (double)gradients[i] * (double)gradients[i]; }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
    }
}

// One block: norm[0] is the gradient's, norm[1] what it is multiplied with: 0 where it is not finite, and then norm[0]
// stays what it was, for the host to see.
KERNEL learn_norm(const double *partial, uint32_t blocks, double most, double *norm) {
    double sum = 0;
    for (uint32_t b = threadIdx.x; b < blocks; b += BLOCK) {
        sum += partial[b];
    }
    sum = sqrt(block_sum(sum));
    if (threadIdx.x == 0) {
        const uint32_t was_finite = norm[0] - norm[0] == 0, is_finite = sum - sum == 0;
        norm[0] = was_finite ? sum : norm[0];
        norm[1] = !is_finite ? 0 : most > 0 && sum > most ? most / sum : 1;
    }
}

KERNEL learn_descend(mega_optimizer_step step, const double *norm, const float *gradients, uint64_t count, float *means,
                     float *squares, float *parameters) {
    const float scale = (float)norm[1];
    if (scale == 0.0f) {
        return;
    }
    EACH(i, count) {
        const float gradient = scale == 1.0f ? gradients[i] : gradients[i] * scale;
        const float move = step.kind == MEGA_OPTIMIZER_ADAM      ? mega_adam(&step, gradient, means + i, squares + i)
                           : step.kind == MEGA_OPTIMIZER_RMSPROP ? mega_rmsprop(&step, gradient, squares + i)
                                                                 : mega_rmsprop_centred(&step, gradient, means + i,
                                                                                        squares + i);
        parameters[i] -= move;
    }
}

// ---- noise ----

KERNEL learn_draw_noise(uint64_t seed, uint64_t index, uint32_t count, float *vectors) {
    EACH(i, count) { vectors[i] = noise_vector(seed, (uint32_t)i, index); }
}

KERNEL learn_mix_noise(mega_noise_plan plan, const float *learned, const float *vectors, float *parameters) {
    EACH(i, plan.means) { parameters[i] = noise_mix(&plan, learned, vectors, i); }
}

KERNEL learn_spread_gradients(mega_noise_plan plan, const float *gradients, const float *vectors,
                              float *learned_gradients) {
    EACH(i, plan.means) { noise_gradient(&plan, gradients, vectors, i, learned_gradients); }
}
