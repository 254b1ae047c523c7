// compute_cuda.c - learners' work on a GPU: launches of the kernels of nn.cu, in one stream.
#include "compute_cuda.h"

#include "collective_cuda.h"
#include "compute_q.h"
#include "cuda_module.h"
#include "mega_lesson.h"
#include "nn_text.h"
#include "replay_cuda.h"
#include "noise.h"

#include <stdlib.h>
#include <string.h>

// Where results are, in doubles.
enum {
    RESULT_STATS = 0,
    RESULT_NORM = MEGA_STAT_COUNT,        // and the factor that the gradient is multiplied with
    RESULT_SPREAD = MEGA_STAT_COUNT + 2,  // two floats
    RESULT_COUNTED = MEGA_STAT_COUNT + 3, // see learn_count
    RESULT_COUNT = MEGA_STAT_COUNT + 4
};

static learn_lesson lesson_of(const mega_lesson *l) {
    const learn_lesson lesson = {l->rows,   l->actions, l->rewards,    l->flags,   l->log_probabilities,
                                 l->values, l->ratios,  l->advantages, l->targets, l->steps,
                                 l->envs};
    return lesson;
}

static CUdeviceptr address(const void *memory) {
    return (CUdeviceptr)(uintptr_t)memory;
}

static cuda_compute *cuda_of(mega_compute *compute) {
    return (cuda_compute *)compute;
}

// ---- kernels ----

mega_status cuda_compute_run_blocks(cuda_compute *cuda, CUfunction kernel, uint32_t blocks,
                                    const cuda_argument *arguments) {
    const cuda_launch launch = {.function = kernel, .blocks = blocks, .rows = 1, .threads = NN_BLOCK};
    return cuda_bundles_launch(cuda->bundles, &launch, arguments);
}

mega_status cuda_compute_run(cuda_compute *cuda, CUfunction kernel, uint64_t count,
                             const cuda_argument *arguments) {
    const uint64_t blocks = (count + NN_BLOCK - 1) / NN_BLOCK, most = (uint64_t)cuda->device->processors * 64;
    if (blocks == 0) {
        return MEGA_OK;
    }
    return cuda_compute_run_blocks(cuda, kernel, (uint32_t)(blocks < most ? blocks : most), arguments);
}

// ---- memory ----

static mega_status allocate(cuda_compute *cuda, size_t size, void **out) {
    CUdeviceptr memory = 0;
    *out = NULL;
    MEGA_TRY(cuda_device_alloc(cuda->device, size == 0 ? 256 : size, "learning", &memory));
    *out = (void *)(uintptr_t)memory;
    CUDA_TRY(cuda->driver, cuMemsetD8Async, memory, 0, size == 0 ? 256 : size, cuda->stream);
    return MEGA_OK;
}

static int cuda_allocate(mega_compute *compute, size_t size, void **out, mega_message *message) {
    return cuda_message(allocate(cuda_of(compute), size, out), message);
}

static void cuda_release(mega_compute *compute, void *memory) {
    cuda_compute *cuda = cuda_of(compute);
    if (memory != NULL) {
        (void)cuda->driver->cuStreamSynchronize(cuda->stream);
        (void)cuda->driver->cuMemFree(address(memory));
    }
}

// With unified addresses the host's address is the device's.
static mega_status allocate_host(cuda_compute *cuda, size_t size, void **out) {
    enum {
        PORTABLE = 1,
        MAPPED = 2
    };
    *out = NULL;
    CUDA_TRY(cuda->driver, cuMemHostAlloc, out, size == 0 ? 256 : size, PORTABLE | MAPPED);
    memset(*out, 0, size);
    return MEGA_OK;
}

static int cuda_allocate_host(mega_compute *compute, size_t size, void **out, mega_message *message) {
    return cuda_message(allocate_host(cuda_of(compute), size, out), message);
}

static void cuda_release_host(mega_compute *compute, void *memory) {
    cuda_compute *cuda = cuda_of(compute);
    if (memory != NULL) {
        (void)cuda->driver->cuStreamSynchronize(cuda->stream);
        (void)cuda->driver->cuMemFreeHost(memory);
    }
}

static mega_status upload(cuda_compute *cuda, void *to, const void *from, size_t size) {
    CUDA_TRY(cuda->driver, cuMemcpyHtoDAsync, address(to), from, size, cuda->stream);
    CUDA_TRY(cuda->driver, cuStreamSynchronize, cuda->stream); // the caller may change its bytes now
    return MEGA_OK;
}

static int cuda_upload(mega_compute *compute, void *to, const void *from, size_t size,
                       mega_message *message) {
    return cuda_message(upload(cuda_of(compute), to, from, size), message);
}

static mega_status download(cuda_compute *cuda, void *to, const void *from, size_t size) {
    CUDA_TRY(cuda->driver, cuMemcpyDtoHAsync, to, address(from), size, cuda->stream);
    CUDA_TRY(cuda->driver, cuStreamSynchronize, cuda->stream);
    return MEGA_OK;
}

static int cuda_download(mega_compute *compute, void *to, const void *from, size_t size,
                         mega_message *message) {
    return cuda_message(download(cuda_of(compute), to, from, size), message);
}

static mega_status copy(cuda_compute *cuda, void *to, const void *from, size_t size) {
    return cuda_bundles_copy(cuda->bundles, address(to), address(from), size);
}

static int cuda_copy(mega_compute *compute, void *to, const void *from, size_t size, mega_message *message) {
    return cuda_message(copy(cuda_of(compute), to, from, size), message);
}

static void cuda_destroy_optimizer(mega_compute *compute, mega_optimizer *optimizer) {
    cuda_release(compute, optimizer->means);
    cuda_release(compute, optimizer->squares);
    free(optimizer);
}

static int cuda_create_optimizer(mega_compute *compute, const mega_optimizer_rule *rule, size_t count,
                                 mega_optimizer **out, mega_message *message) {
    void *means = NULL, *squares = NULL;
    *out = NULL;
    mega_optimizer *optimizer = calloc(1, sizeof *optimizer);
    if (optimizer == NULL) {
        return mega_message_set(message, "there is no memory for an optimiser");
    }
    optimizer->rule = *rule;
    optimizer->count = count;
    if (cuda_allocate(compute, count * sizeof(float), &squares, message) < 0 ||
        (rule->kind != MEGA_OPTIMIZER_RMSPROP &&
         cuda_allocate(compute, count * sizeof(float), &means, message) < 0)) {
        cuda_release(compute, squares);
        free(optimizer);
        return -1;
    }
    optimizer->means = means;
    optimizer->squares = squares;
    *out = optimizer;
    return 0;
}

// ---- play ----

static mega_status act(cuda_compute *cuda, mega_act a) {
    uint32_t greedy = a.greedy;
    NN_RUN(cuda, learn_act, a.count, &a.logits, &a.count, &a.actions, &a.first, &a.seed, &a.step, &greedy,
           &a.epsilon, &a.chosen, &a.chosen_too, &a.log_probabilities);
    return MEGA_OK;
}

static int cuda_act(mega_compute *compute, const mega_act *a, mega_message *message) {
    return cuda_message(act(cuda_of(compute), *a), message);
}

static mega_status note(cuda_compute *cuda, mega_rollout *rollout, uint32_t slot, uint32_t first,
                        uint32_t count, mega_outcome outcome) {
    const size_t cell = (size_t)slot * rollout->envs + first;
    float *rewards = rollout->rewards + cell;
    uint8_t *flags = rollout->flags + cell, *over = rollout->over + first;
    uint32_t waits = rollout->waits;
    NN_RUN(cuda, learn_note, count, &outcome.rewards, &outcome.terminations, &outcome.truncations,
           &outcome.episode_ends, &count, &waits, &rewards, &flags, &over);
    return MEGA_OK;
}

static int cuda_note(mega_compute *compute, mega_rollout *rollout, uint32_t slot, uint32_t first,
                     uint32_t count, const mega_outcome *outcome, mega_message *message) {
    return cuda_message(note(cuda_of(compute), rollout, slot, first, count, *outcome), message);
}

static mega_status restart(cuda_compute *cuda, mega_rollout *rollout, uint32_t first, uint32_t count) {
    uint8_t *flags = rollout->flags + mega_rollout_last(rollout) + first, *over = rollout->over + first;
    NN_RUN(cuda, learn_restart, count, &count, &flags, &over);
    return MEGA_OK;
}

static int cuda_restart(mega_compute *compute, mega_rollout *rollout, uint32_t first, uint32_t count,
                        mega_message *message) {
    return cuda_message(restart(cuda_of(compute), rollout, first, count), message);
}

// ---- lessons ----

static learn_ring ring_of(const mega_rollout *r) {
    const learn_ring ring = {r->actions, r->rewards, r->flags, r->log_probabilities,
                             r->values,  r->slots,   r->envs,  r->slot};
    return ring;
}

static mega_status count_samples(cuda_compute *cuda, const mega_rollout *rollout, mega_samples samples,
                                 uint32_t *counted) {
    learn_ring ring = ring_of(rollout);
    CUdeviceptr place = cuda->results + RESULT_COUNTED * sizeof(double);
    double number;
    NN_RUN_BLOCKS(cuda, learn_count, 1, &ring, &samples, &place);
    MEGA_TRY(download(cuda, &number, (const void *)(uintptr_t)place, sizeof number));
    *counted = (uint32_t)number;
    return MEGA_OK;
}

static int cuda_count(mega_compute *compute, const mega_rollout *rollout, const mega_samples *samples,
                      uint32_t *counted, mega_message *message) {
    return cuda_message(count_samples(cuda_of(compute), rollout, *samples, counted), message);
}

static mega_status gather(cuda_compute *cuda, const mega_rollout *r, uint32_t first,
                          const mega_lesson *lesson) {
    learn_ring ring = ring_of(r);
    learn_lesson l = lesson_of(lesson);
    NN_RUN(cuda, learn_gather, (uint64_t)(l.steps + 1) * l.envs, &ring, &first, &l);
    return MEGA_OK;
}

static int cuda_gather(mega_compute *compute, const mega_rollout *rollout, uint32_t first,
                       mega_lesson *lesson, mega_message *message) {
    return cuda_message(gather(cuda_of(compute), rollout, first, lesson), message);
}

static mega_status shuffle(cuda_compute *cuda, const mega_rollout *rollout, uint32_t steps, uint64_t seed,
                           uint64_t index, int32_t *samples, int32_t *rows) {
    uint32_t slots = rollout->slots, envs = rollout->envs, slot = rollout->slot;
    mega_shuffle order = shuffle_make(steps * envs, seed, (uint64_t)MEGA_DRAW_SHUFFLE << 32, index);
    NN_RUN(cuda, learn_shuffle, order.count, &order, &slots, &envs, &slot, &steps, &samples, &rows);
    return MEGA_OK;
}

static int cuda_shuffle(mega_compute *compute, const mega_rollout *rollout, uint32_t steps, uint64_t seed,
                        uint64_t index, int32_t *samples, int32_t *rows, mega_message *message) {
    return cuda_message(shuffle(cuda_of(compute), rollout, steps, seed, index, samples, rows), message);
}

static mega_status n_step(cuda_compute *cuda, learn_lesson l, float discount) {
    NN_RUN(cuda, learn_n_step, l.envs, &l, &discount);
    return MEGA_OK;
}

static int cuda_n_step(mega_compute *compute, mega_lesson *lesson, float discount, mega_message *message) {
    return cuda_message(n_step(cuda_of(compute), lesson_of(lesson), discount), message);
}

static mega_status gae(cuda_compute *cuda, learn_lesson l, float discount, float lambda) {
    NN_RUN(cuda, learn_gae, l.envs, &l, &discount, &lambda);
    return MEGA_OK;
}

static int cuda_gae(mega_compute *compute, mega_lesson *lesson, float discount, float lambda,
                    mega_message *message) {
    return cuda_message(gae(cuda_of(compute), lesson_of(lesson), discount, lambda), message);
}

static mega_status v_trace(cuda_compute *cuda, learn_lesson l, const mega_pass *pass, float discount,
                           float rho_max, float c_max) {
    const float *logits = pass->logits;
    uint32_t actions = pass->net->network.actions;
    const uint64_t samples = (uint64_t)l.steps * l.envs;
    MEGA_TRY(copy(cuda, l.values, pass->values, (samples + l.envs) * sizeof *l.values));
    NN_RUN(cuda, learn_ratios, samples, &l, &logits, &actions);
    NN_RUN(cuda, learn_v_trace, l.envs, &l, &discount, &rho_max, &c_max);
    return MEGA_OK;
}

static int cuda_v_trace(mega_compute *compute, mega_lesson *lesson, const mega_pass *pass, float discount,
                        float rho_max, float c_max, mega_message *message) {
    return cuda_message(v_trace(cuda_of(compute), lesson_of(lesson), pass, discount, rho_max, c_max),
                        message);
}

// ---- learning ----

static CUdeviceptr result_at(const cuda_compute *cuda, uint32_t which) {
    return cuda->results + which * sizeof(double);
}

mega_status cuda_compute_add_stats(cuda_compute *cuda, uint32_t blocks) {
    CUdeviceptr stats = result_at(cuda, RESULT_STATS);
    NN_RUN_BLOCKS(cuda, learn_add_stats, 1, &cuda->partials, &blocks, &stats);
    return MEGA_OK;
}

static mega_status lose(cuda_compute *cuda, mega_loss loss, mega_pass *pass) {
    learn_lesson l = lesson_of(loss.lesson);
    uint32_t is_ppo = loss.is_ppo, actions = pass->net->network.actions, batch = pass->batch;
    const float *logits = pass->logits, *values = pass->values;
    float *logit_grads = pass->logit_grads, *value_grads = pass->value_grads;
    CUdeviceptr spread = loss.normalize ? result_at(cuda, RESULT_SPREAD) : 0;
    const uint32_t blocks = cuda_stat_blocks(batch);
    float share = mega_loss_share(&loss);
    if (loss.normalize) {
        NN_RUN_BLOCKS(cuda, learn_spread, 1, &l, &loss.samples, &loss.count, &spread);
    }
    NN_RUN_BLOCKS(cuda, learn_loss, blocks, &l, &is_ppo, &loss.samples, &loss.count, &batch, &loss.weights,
                  &share, &spread, &logits, &values, &actions, &logit_grads, &value_grads, &cuda->partials);
    return cuda_compute_add_stats(cuda, blocks);
}

static int cuda_loss(mega_compute *compute, const mega_loss *loss, mega_pass *pass, mega_message *message) {
    return cuda_message(lose(cuda_of(compute), *loss, pass), message);
}

static mega_status read_stats(cuda_compute *cuda, double stats[MEGA_STAT_COUNT], double *norm) {
    double results[RESULT_COUNT];
    MEGA_TRY(download(cuda, results, (const void *)(uintptr_t)cuda->results, sizeof results));
    memcpy(stats, results + RESULT_STATS, MEGA_STAT_COUNT * sizeof(double));
    *norm = results[RESULT_NORM];
    return MEGA_OK;
}

static int cuda_read_stats(mega_compute *compute, double stats[MEGA_STAT_COUNT], double *norm,
                           mega_message *message) {
    return cuda_message(read_stats(cuda_of(compute), stats, norm), message);
}

static int cuda_write_stats(mega_compute *compute, const double stats[MEGA_STAT_COUNT],
                            mega_message *message) {
    cuda_compute *cuda = cuda_of(compute);
    return cuda_upload(compute, (void *)(uintptr_t)result_at(cuda, RESULT_STATS), stats,
                       MEGA_STAT_COUNT * sizeof(double), message);
}

static mega_status clip(cuda_compute *cuda, mega_slab slab, double most) {
    uint64_t count = slab.count;
    uint32_t blocks = NN_SUM_BLOCKS;
    CUdeviceptr norm = result_at(cuda, RESULT_NORM);
    NN_RUN_BLOCKS(cuda, learn_squares, blocks, &slab.gradients, &count, &cuda->partials);
    NN_RUN_BLOCKS(cuda, learn_norm, 1, &cuda->partials, &blocks, &most, &norm);
    return MEGA_OK;
}

static int cuda_clip(mega_compute *compute, const mega_slab *slab, double norm_max, mega_message *message) {
    return cuda_message(clip(cuda_of(compute), *slab, norm_max), message);
}

static mega_status descend(cuda_compute *cuda, mega_slab slab, const mega_optimizer *optimizer, size_t first,
                           uint64_t count, double rate) {
    CUdeviceptr norm = result_at(cuda, RESULT_NORM);
    mega_optimizer_step step = mega_optimizer_factors(&optimizer->rule, rate, optimizer->t);
    float *gradients = slab.gradients + first, *parameters = slab.parameters + first;
    float *squares = optimizer->squares + first;
    float *means = optimizer->means == NULL ? NULL : optimizer->means + first;
    NN_RUN(cuda, learn_descend, count, &step, &norm, &gradients, &count, &means, &squares, &parameters);
    return MEGA_OK;
}

static int cuda_descend(mega_compute *compute, const mega_slab *slab, mega_optimizer *optimizer, size_t first,
                        size_t count, double learning_rate, mega_message *message) {
    return cuda_message(descend(cuda_of(compute), *slab, optimizer, first, count, learning_rate), message);
}

static int cuda_optimise(mega_compute *compute, const mega_slab *slab, mega_optimizer *optimizer,
                         double learning_rate, double norm_max, mega_message *message) {
    if (cuda_clip(compute, slab, norm_max, message) < 0) {
        return -1;
    }
    optimizer->t++;
    return cuda_descend(compute, slab, optimizer, 0, slab->count, learning_rate, message);
}

// ---- noise ----

static mega_status draw_noise(cuda_compute *cuda, mega_noise *noise, uint64_t seed, uint64_t index) {
    uint32_t count = noise->plan.vector_count;
    NN_RUN(cuda, learn_draw_noise, count, &seed, &index, &count, &noise->vectors);
    return MEGA_OK;
}

static int cuda_draw_noise(mega_compute *compute, mega_noise *noise, uint64_t seed, uint64_t index,
                           mega_message *message) {
    return cuda_message(draw_noise(cuda_of(compute), noise, seed, index), message);
}

static mega_status mix_noise(cuda_compute *cuda, mega_noise noise, mega_net *net) {
    NN_RUN(cuda, learn_mix_noise, noise.plan.means, &noise.plan, &noise.learned, &noise.vectors,
           &net->parameters);
    mega_net_changed(net);
    return MEGA_OK;
}

static int cuda_mix_noise(mega_compute *compute, const mega_noise *noise, mega_net *net,
                          mega_message *message) {
    return cuda_message(mix_noise(cuda_of(compute), *noise, net), message);
}

static mega_status spread_gradients(cuda_compute *cuda, mega_noise *noise, const float *gradients) {
    NN_RUN(cuda, learn_spread_gradients, noise->plan.means, &noise->plan, &gradients, &noise->vectors,
           &noise->gradients);
    return MEGA_OK;
}

static int cuda_spread_gradients(mega_compute *compute, mega_noise *noise, const mega_net *net,
                                 mega_message *message) {
    return cuda_message(spread_gradients(cuda_of(compute), noise, net->gradients), message);
}

// ---- bundles ----

static int cuda_begin_bundle(mega_compute *compute, mega_message *message) {
    cuda_compute *cuda = cuda_of(compute);
    (void)message;
    cuda_bundles_begin(cuda->bundles);
    return 0;
}

static int cuda_run_bundle(mega_compute *compute, mega_message *message) {
    cuda_compute *cuda = cuda_of(compute);
    return cuda_message(cuda_bundles_run(cuda->bundles), message);
}

// ---- threads ----

static int cuda_enter(mega_compute *compute, mega_message *message) {
    return cuda_message(cuda_device_enter(cuda_of(compute)->device), message);
}

static void cuda_leave(mega_compute *compute) {
    cuda_device_leave(cuda_of(compute)->device);
}

static mega_status finish(cuda_compute *cuda) {
    CUDA_TRY(cuda->driver, cuStreamSynchronize, cuda->stream);
    return MEGA_OK;
}

static int cuda_finish(mega_compute *compute, mega_message *message) {
    return cuda_message(finish(cuda_of(compute)), message);
}

// ---- opening ----

static void cuda_destroy(mega_compute *compute) {
    cuda_compute *cuda = cuda_of(compute);
    if (cuda->device != NULL) {
        if (cuda->stream != NULL) {
            (void)cuda->driver->cuStreamSynchronize(cuda->stream);
        }
        cuda_bundles_close(cuda->bundles);
        products_close(cuda->products);
        if (cuda->partials != 0) {
            (void)cuda->driver->cuMemFree(cuda->partials);
        }
        if (cuda->results != 0) {
            (void)cuda->driver->cuMemFree(cuda->results);
        }
        if (cuda->owns_stream && cuda->stream != NULL) {
            (void)cuda->driver->cuStreamDestroy(cuda->stream);
        }
        if (cuda->is_current) {
            cuda_device_leave(cuda->device);
        }
        cuda_replay_close(cuda, cuda->replay_kernels);
        cuda_module_close(cuda->device, cuda->module);
        cuda_device_close(cuda->device);
    }
    free(cuda);
}

static const mega_compute_ops cuda_ops = {
    .allocate = cuda_allocate,
    .release = cuda_release,
    .allocate_host = cuda_allocate_host,
    .release_host = cuda_release_host,
    .upload = cuda_upload,
    .download = cuda_download,
    .copy = cuda_copy,
    .create_net = cuda_net_create,
    .create_optimizer = cuda_create_optimizer,
    .destroy_optimizer = cuda_destroy_optimizer,
    .act = cuda_act,
    .note = cuda_note,
    .restart = cuda_restart,
    .count = cuda_count,
    .gather = cuda_gather,
    .shuffle = cuda_shuffle,
    .n_step = cuda_n_step,
    .gae = cuda_gae,
    .v_trace = cuda_v_trace,
    .loss = cuda_loss,
    .read_stats = cuda_read_stats,
    .write_stats = cuda_write_stats,
    .clip = cuda_clip,
    .descend = cuda_descend,
    .optimise = cuda_optimise,
    .begin_bundle = cuda_begin_bundle,
    .run_bundle = cuda_run_bundle,
    .enter = cuda_enter,
    .leave = cuda_leave,
    .finish = cuda_finish,
    .draw_noise = cuda_draw_noise,
    .mix_noise = cuda_mix_noise,
    .spread_gradients = cuda_spread_gradients,
    .destroy = cuda_destroy,
};

static mega_status open_kernels(cuda_compute *cuda) {
    const char *const defines[] = {cuda->is_bf16 ? "MEGA_BF16=1" : "MEGA_BF16=0"};
    const mega_cuda_request request = {
        .program = "nn.cu",
        .text = mega_nn_text,
        .defines = defines,
        .define_count = 1,
    };
    MEGA_TRY(cuda_module_open(cuda->device, &request, &cuda->module));
#define NN_LOAD(name) MEGA_TRY(cuda_module_kernel(cuda->device, cuda->module, #name, &cuda->name));
    NN_KERNELS(NN_LOAD)
#undef NN_LOAD
    return MEGA_OK;
}

static mega_status open_compute(cuda_compute *cuda, int32_t device, void *stream) {
    MEGA_TRY(cuda_device_open(device, &cuda->device));
    cuda->driver = cuda->device->driver;
    MEGA_TRY(cuda_device_enter(cuda->device));
    cuda->is_current = true;
    cuda->stream = stream;
    if (stream == NULL) {
        CUDA_TRY(cuda->driver, cuStreamCreate, &cuda->stream, CU_STREAM_NON_BLOCKING);
        cuda->owns_stream = true;
    }
    cuda->base.stream = cuda->stream;
    MEGA_TRY(open_kernels(cuda));
    MEGA_TRY(products_open(cuda->device, cuda->stream, &cuda->products));
    MEGA_TRY(cuda_bundles_open(cuda->driver, cuda->stream, cuda->products, &cuda->bundles));
    MEGA_TRY(cuda_device_alloc(cuda->device, NN_PARTIALS * sizeof(float), "sums", &cuda->partials));
    MEGA_TRY(cuda_device_alloc(cuda->device, RESULT_COUNT * sizeof(double), "sums", &cuda->results));
    CUDA_TRY(cuda->driver, cuMemsetD8Async, cuda->results, 0, RESULT_COUNT * sizeof(double), cuda->stream);
    return MEGA_OK;
}

int mega_compute_cuda(int32_t device, void *stream, bool is_bf16, mega_compute **out, mega_message *message) {
    cuda_compute *cuda = calloc(1, sizeof *cuda);
    *out = NULL;
    if (cuda == NULL) {
        return mega_message_set(message, "there is no memory to learn with");
    }
    cuda->base.ops = &cuda_ops;
    cuda->base.q = &mega_q_ops_cuda;
    cuda->base.replay = &mega_replay_cuda;
    cuda->base.collective = &mega_collective_cuda;
    cuda->is_bf16 = is_bf16;
    const int result = cuda_message(open_compute(cuda, device, stream), message);
    if (result < 0) {
        cuda_destroy(&cuda->base);
        return -1;
    }
    *out = &cuda->base;
    return 0;
}
