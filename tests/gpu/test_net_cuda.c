// test_net_cuda.c - on a machine with a GPU: networks there against the reference, in floats and in bfloat16; a
// learner's whole update against the CPU's; and runs that repeat. Skipped, with the reason, where there is no GPU.
#include "compute.h"
#include "mega_returns.h"
#include "noise.h"
#include "optimizer.h"
#include "trainer.h"

#include "mega_test.h"
#include "mega_test_files.h"

#include <math.h>
#include <stdlib.h>

// In bfloat16 a few units that are almost 0 fall on the other side of the rectifier, and take all of their gradient
// with them: the length of the difference is limited there, not its largest part.
static const float FLOAT_LIMIT = 2e-5f, TRAINER_LIMIT = 1e-3f;
static const float BF16_LIMIT = 0.03f, BF16_GRADIENT_LIMIT = 0.2f;

static float uniform(uint32_t stream, uint64_t index) {
    return mega_philox_uniform(mega_philox_word(31, stream, index)) - 0.5f;
}

static void fill(float *numbers, size_t count, uint32_t stream, float scale) {
    for (size_t i = 0; i < count; i++) {
        numbers[i] = scale * uniform(stream, i);
    }
}

// The largest difference, as a part of the largest number.
static float difference(const float *expected, const float *found, size_t count) {
    float most = 1e-12f, apart = 0.0f;
    for (size_t i = 0; i < count; i++) {
        most = fmaxf(most, fabsf(expected[i]));
        apart = isfinite(found[i]) ? fmaxf(apart, fabsf(expected[i] - found[i])) : INFINITY;
    }
    return apart / most;
}

// The length of the difference, as a part of the length.
static float distance(const float *expected, const float *found, size_t count) {
    double length = 1e-24, apart = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double off = (double)expected[i] - (double)found[i];
        length += (double)expected[i] * (double)expected[i];
        apart += isfinite(found[i]) ? off * off : (double)INFINITY;
    }
    return (float)sqrt(apart / length);
}

static void *bring(mega_compute *compute, const void *from, size_t size) {
    mega_message message;
    void *bytes = malloc(size);
    MEGA_CHECK_EQ(compute->ops->download(compute, bytes, from, size, &message), 0);
    return bytes;
}

// ---- networks ----

typedef struct example {
    mega_network network;
    uint32_t batch;
    uint8_t *observations;
    int32_t *rows;
    float *parameters, *logit_grads, *value_grads;
} example;

static size_t logits_size(const example *e) {
    return (size_t)e->batch * e->network.outputs * sizeof(float);
}

static size_t values_size(const example *e) {
    return (size_t)e->batch * e->network.value_outputs * sizeof(float);
}

static example fill_example(mega_network network, uint32_t batch) {
    example made = {.network = network, .batch = batch};
    const size_t size = mega_network_observation_size(&made.network);
    made.observations = malloc((batch + 2) * size);
    made.rows = malloc(batch * sizeof *made.rows);
    made.parameters = malloc(made.network.parameter_count * sizeof(float));
    made.logit_grads = malloc(logits_size(&made));
    made.value_grads = malloc(values_size(&made));
    for (size_t i = 0; i < (batch + 2) * size; i++) {
        made.observations[i] = (uint8_t)mega_philox_word(31, 1, i);
    }
    for (uint32_t i = 0; i < batch; i++) {
        made.rows[i] = (int32_t)((7 * i + 1) % (batch + 2));
    }
    mega_network_initialise(&made.network, MEGA_INIT_UNIFORM, 3, made.parameters);
    fill(made.logit_grads, logits_size(&made) / sizeof(float), 2, 1.0f);
    fill(made.value_grads, values_size(&made) / sizeof(float), 3, 1.0f);
    return made;
}

static example make_example(const char *text, uint32_t stack, uint32_t height, uint32_t width,
                            uint32_t actions, uint32_t batch) {
    mega_network network;
    mega_message message;
    MEGA_CHECK_EQ(mega_network_describe(text, stack, height, width, actions, &network, &message), 0);
    return fill_example(network, batch);
}

// A Q-network that sees 4 x 84 x 84 pixels.
static example make_q_example(const char *text, uint32_t actions, uint32_t atoms, bool is_dueling,
                              uint32_t batch) {
    mega_network network;
    mega_message message;
    MEGA_CHECK_EQ(mega_network_describe_q(text, 4, 84, 84, actions, atoms, is_dueling, &network, &message),
                  0);
    return fill_example(network, batch);
}

static void free_example(example *e) {
    free(e->observations);
    free(e->rows);
    free(e->parameters);
    free(e->logit_grads);
    free(e->value_grads);
}

typedef struct outcome {
    float *logits, *values, *gradients;
} outcome;

static outcome pass_through(mega_compute *compute, const example *e) {
    const mega_compute_ops *ops = compute->ops;
    const size_t parameters = e->network.parameter_count * sizeof(float);
    const size_t observations = (e->batch + 2) * mega_network_observation_size(&e->network);
    outcome out = {0};
    mega_net *net = NULL;
    mega_pass *pass = NULL;
    mega_message message = {""};
    void *there = NULL, *rows = NULL;
    MEGA_CHECK_EQ(ops->create_net(compute, &e->network, &net, &message), 0);
    MEGA_CHECK_EQ(mega_pass_create(net, e->batch, true, &pass, &message), 0);
    MEGA_CHECK_EQ(ops->allocate(compute, observations, &there, &message), 0);
    MEGA_CHECK_EQ(ops->allocate(compute, e->batch * sizeof(int32_t), &rows, &message), 0);
    ops->upload(compute, there, e->observations, observations, &message);
    ops->upload(compute, rows, e->rows, e->batch * sizeof(int32_t), &message);
    ops->upload(compute, net->parameters, e->parameters, parameters, &message);
    mega_net_changed(net);
    MEGA_CHECK_EQ(mega_pass_forward(pass, there, rows, &message), 0);
    ops->upload(compute, pass->logit_grads, e->logit_grads, logits_size(e), &message);
    if (values_size(e) > 0) {
        ops->upload(compute, pass->value_grads, e->value_grads, values_size(e), &message);
    }
    MEGA_CHECK_EQ(mega_pass_backward(pass, &message), 0);
    out.logits = bring(compute, pass->logits, logits_size(e));
    out.values = values_size(e) > 0 ? bring(compute, pass->values, values_size(e)) : NULL;
    out.gradients = bring(compute, net->gradients, parameters);
    if (message.text[0] != '\0') {
        fprintf(stderr, "%s\n", message.text);
    }
    mega_pass_destroy(pass);
    mega_net_destroy(net);
    ops->release(compute, there);
    ops->release(compute, rows);
    return out;
}

static void free_outcome(outcome *out) {
    free(out->logits);
    free(out->values);
    free(out->gradients);
}

typedef float measure(const float *expected, const float *found, size_t count);

static void compare_outcomes(const example *e, const outcome *expected, const outcome *found,
                             const char *name, measure *apart_of, float limit, float gradient_limit) {
    const float logits = apart_of(expected->logits, found->logits, logits_size(e) / sizeof(float));
    const float values = apart_of(expected->values, found->values, values_size(e) / sizeof(float));
    fprintf(stderr, "%s: logits %.1e, values %.1e", name, (double)logits, (double)values);
    MEGA_CHECK(logits < limit && values < limit);
    for (uint32_t i = 0; i < e->network.tensor_count; i++) {
        const mega_tensor *tensor = &e->network.tensor[i];
        const float apart =
            apart_of(expected->gradients + tensor->first, found->gradients + tensor->first, tensor->count);
        fprintf(stderr, ", %s %.1e", tensor->name, (double)apart);
        MEGA_CHECK(apart < gradient_limit);
    }
    fprintf(stderr, "\n");
}

static void test_network(mega_compute *cpu, mega_compute *gpu[2], example e) {
    outcome expected = pass_through(cpu, &e);
    for (int is_bf16 = 0; is_bf16 < 2; is_bf16++) {
        outcome found = pass_through(gpu[is_bf16], &e), again = pass_through(gpu[is_bf16], &e);
        compare_outcomes(&e, &expected, &found, is_bf16 ? "bf16" : "fp32", is_bf16 ? distance : difference,
                         is_bf16 ? BF16_LIMIT : FLOAT_LIMIT, is_bf16 ? BF16_GRADIENT_LIMIT : FLOAT_LIMIT);
        MEGA_CHECK_BYTES(found.gradients, again.gradients, e.network.parameter_count * sizeof(float));
        free_outcome(&found);
        free_outcome(&again);
    }
    free_outcome(&expected);
    free_example(&e);
}

// ---- noise ----

// What is drawn, the parameters with it, and the gradients of what is learned, one after the other.
static float *noise_through(mega_compute *compute, const example *e, uint64_t index, size_t *count) {
    const mega_compute_ops *ops = compute->ops;
    const size_t parameters = e->network.parameter_count;
    mega_net *net = NULL;
    mega_noise *noise = NULL;
    mega_message message = {""};
    MEGA_CHECK_EQ(ops->create_net(compute, &e->network, &net, &message), 0);
    MEGA_CHECK_EQ(mega_noise_create(compute, &e->network, &noise, &message), 0);
    const size_t vectors = noise->plan.vector_count, learned = noise->count;
    float *out = malloc((vectors + parameters + learned) * sizeof *out);
    mega_noise_initialise(&e->network, 0.5, 3, out);
    MEGA_CHECK_EQ(ops->upload(compute, noise->learned, out, learned * sizeof *out, &message), 0);
    MEGA_CHECK_EQ(ops->upload(compute, net->gradients, out, parameters * sizeof *out, &message), 0);
    MEGA_CHECK_EQ(ops->draw_noise(compute, noise, 7, index, &message), 0);
    MEGA_CHECK_EQ(ops->mix_noise(compute, noise, net, &message), 0);
    MEGA_CHECK_EQ(ops->spread_gradients(compute, noise, net, &message), 0);
    MEGA_CHECK_EQ(ops->download(compute, out, noise->vectors, vectors * sizeof *out, &message), 0);
    MEGA_CHECK_EQ(ops->download(compute, out + vectors, net->parameters, parameters * sizeof *out, &message),
                  0);
    MEGA_CHECK_EQ(
        ops->download(compute, out + vectors + parameters, noise->gradients, learned * sizeof *out, &message),
        0);
    mega_noise_destroy(compute, noise);
    mega_net_destroy(net);
    *count = vectors + parameters + learned;
    return out;
}

static void test_noise(mega_compute *cpu, mega_compute *gpu, example e) {
    static const uint64_t draws[] = {0, 12345678901, MEGA_NOISE_NONE};
    for (size_t i = 0; i < sizeof draws / sizeof draws[0]; i++) {
        size_t count = 0;
        float *expected = noise_through(cpu, &e, draws[i], &count),
              *found = noise_through(gpu, &e, draws[i], &count);
        const float apart = difference(expected, found, count);
        fprintf(stderr, "noise: %.1e apart\n", (double)apart);
        MEGA_CHECK(apart < FLOAT_LIMIT);
        free(expected);
        free(found);
    }
    free_example(&e);
}

// ---- trainers ----

static mega_train_settings settings_for(uint32_t algo, const char *device) {
    mega_train_settings settings;
    mega_train_defaults(algo, &settings);
    (void)snprintf(settings.device, sizeof settings.device, "%s", device);
    (void)snprintf(settings.network, sizeof settings.network, "conv 16x8/4, conv 32x4/2, fc 64");
    settings.height = settings.width = 44;
    settings.envs = 32;
    settings.steps = 8;
    settings.steps_per_update = 4;
    settings.batches = 2;
    settings.minibatches = 2;
    settings.epochs = 2;
    settings.precision = MEGA_PRECISION_FP32;
    settings.max_episode_frames = 120;
    return settings;
}

// The first update comes within two iterations, and most actions are at random.
static mega_train_settings q_settings(bool is_concurrent) {
    mega_train_settings s = settings_for(MEGA_ALGO_DQN, "cpu");
    s.batch = 32;
    s.replay = 4000;
    s.learn_start = 224;
    s.train_every = 32;
    s.target_every = 256;
    s.prioritised = is_concurrent;
    s.concurrent = is_concurrent;
    return s;
}

static mega_train_settings rainbow_settings(void) {
    mega_train_settings s = q_settings(false);
    s.double_q = s.dueling = s.prioritised = s.noisy = true;
    s.n_steps = 3;
    s.learn_start = 256;
    s.atoms = 21;
    s.optimizer = MEGA_OPTIMIZER_ADAM;
    return s;
}

static mega_trainer *start_trainer(const mega_train_settings *settings) {
    mega_rom *rom = NULL;
    mega_trainer *trainer = NULL;
    mega_message message = {""};
    MEGA_CHECK_EQ(mega_rom_builtin(&rom), MEGA_OK);
    if (mega_trainer_create(settings, rom, NULL, &trainer, &message) < 0 ||
        mega_trainer_start(trainer, &message) < 0) {
        fprintf(stderr, "%s\n", message.text);
        exit(1);
    }
    mega_rom_destroy(rom);
    return trainer;
}

static float *iterate(mega_trainer *trainer, uint32_t times) {
    mega_message message = {""};
    float *parameters = malloc(mega_trainer_network(trainer)->parameter_count * sizeof *parameters);
    for (uint32_t i = 0; i < times; i++) {
        MEGA_CHECK_EQ(mega_trainer_iterate(trainer, &message), 0);
    }
    MEGA_CHECK_EQ(mega_trainer_parameters(trainer, parameters, &message), 0);
    return parameters;
}

// The first updates are the same as the CPU's, but for rounding; a run repeats bit for bit, and after a checkpoint.
static void test_trainer(mega_train_settings on_cpu, const char *env_device) {
    const uint32_t algo = on_cpu.algo;
    mega_train_settings on_gpu = on_cpu;
    (void)snprintf(on_gpu.device, sizeof on_gpu.device, "cuda");
    (void)snprintf(on_gpu.env_device, sizeof on_gpu.env_device, "%s", env_device);
    mega_message message = {""};
    mega_trainer *cpu = start_trainer(&on_cpu), *gpu = start_trainer(&on_gpu),
                 *again = start_trainer(&on_gpu);
    const size_t count = mega_trainer_network(cpu)->parameter_count;
    float *expected = iterate(cpu, 2), *found = iterate(gpu, 2);
    const float apart = distance(expected, found, count);
    fprintf(stderr, "algorithm %u: parameters after two iterations %.1e apart\n", algo, (double)apart);
    MEGA_CHECK(apart < TRAINER_LIMIT);
    free(found);
    found = iterate(gpu, 8);
    float *repeated = iterate(again, 5);
    const char *path = mega_test_path("checkpoint");
    MEGA_CHECK_EQ(mega_trainer_save(again, path, &message), 0);
    mega_trainer *resumed = start_trainer(&on_gpu);
    MEGA_CHECK_EQ(mega_trainer_restore(resumed, path, &message), 0);
    free(repeated);
    repeated = iterate(again, 5);
    float *restored = iterate(resumed, 5);
    MEGA_CHECK_BYTES(found, repeated, count * sizeof *found);
    MEGA_CHECK_BYTES(found, restored, count * sizeof *found);
    mega_evaluation evaluation;
    MEGA_CHECK_EQ(mega_trainer_evaluate(gpu, 8, 1, &evaluation, &message), 0);
    MEGA_CHECK_EQ(evaluation.episodes, 8);
    free(expected);
    free(found);
    free(repeated);
    free(restored);
    mega_trainer_destroy(resumed); // the GPU's first: they have made it current, last first
    mega_trainer_destroy(again);
    mega_trainer_destroy(gpu);
    mega_trainer_destroy(cpu);
}

// Groups in streams of their own play the same, but for the rounding of products of other sizes.
static void test_groups(uint32_t algo) {
    mega_train_settings settings = settings_for(algo, "cuda");
    mega_trainer *one = start_trainer(&settings);
    float *expected = iterate(one, 3);
    settings.groups = 3;
    mega_trainer *three = start_trainer(&settings), *again = start_trainer(&settings);
    float *found = iterate(three, 3), *repeated = iterate(again, 3);
    const size_t count = mega_trainer_network(one)->parameter_count;
    const float apart = distance(expected, found, count);
    fprintf(stderr, "algorithm %u: parameters of three groups %.1e apart\n", algo, (double)apart);
    MEGA_CHECK(apart < TRAINER_LIMIT);
    MEGA_CHECK_BYTES(found, repeated, count * sizeof *found);
    free(expected);
    free(found);
    free(repeated);
    mega_trainer_destroy(again);
    mega_trainer_destroy(three);
    mega_trainer_destroy(one);
}

int main(void) {
    mega_compute *cpu = NULL, *gpu[2] = {NULL, NULL};
    mega_message message = {""};
    if (mega_compute_cuda(0, NULL, false, &gpu[0], &message) < 0) {
        fprintf(stderr, "skipped: %s\n", message.text);
        return 77;
    }
    MEGA_CHECK_EQ(mega_compute_cuda(0, NULL, true, &gpu[1], &message), 0);
    MEGA_CHECK_EQ(mega_compute_cpu(0, true, &cpu, &message), 0);
    test_network(cpu, gpu, make_example("nature", 4, 84, 84, 6, 24));
    test_network(cpu, gpu, make_example("a3c", 4, 84, 84, 18, 5));
    test_network(cpu, gpu, make_example("stooke", 4, 104, 80, 4, 9));
    test_network(cpu, gpu, make_example("conv 5x3/2+1, conv 12x4/2+2, fc 40", 3, 33, 29, 3, 17));
    test_network(cpu, gpu, make_q_example("nature", 6, 1, false, 8));
    test_network(cpu, gpu, make_q_example("nature", 4, 1, true, 8));
    test_network(cpu, gpu, make_q_example("nature", 18, 51, true, 4));
    test_network(cpu, gpu, make_q_example("conv 5x8/4, conv 12x4/2, fc 40", 3, 5, true, 17));
    test_noise(cpu, gpu[0], make_q_example("nature", 6, 51, true, 1));
    mega_compute_destroy(gpu[1]);
    mega_compute_destroy(gpu[0]);
    mega_compute_destroy(cpu);
    for (uint32_t algo = MEGA_ALGO_A2C; algo <= MEGA_ALGO_PPO; algo++) {
        test_trainer(settings_for(algo, "cpu"), "");
        test_groups(algo);
    }
    test_trainer(q_settings(false), "");
    test_trainer(q_settings(false), "cpu");
    test_trainer(q_settings(true), "");
    test_trainer(q_settings(true), "cpu");
    test_trainer(rainbow_settings(), "");
    mega_test_remove_files();
    return mega_test_result();
}
