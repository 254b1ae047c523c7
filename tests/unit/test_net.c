// test_net.c - passes through networks: the reference against finite differences, oneDNN against the reference.
#include "net.h"

#include "mega_philox.h"

#include <math.h>
#include <stdlib.h>

#include "mega_test.h"

static double uniform(uint64_t stream, uint64_t index) { // in [-1, 1)
    return 2 * (double)mega_philox_uniform(mega_philox_word(42, stream, index)) - 1;
}

enum {
    OUTPUTS_MAX = 256 // of both heads
};

// Which heads a network has.
typedef struct heads {
    bool is_q, is_dueling;
    uint32_t atoms;
} heads;
static const heads ACTOR_CRITIC = {false, false, 1}, PLAIN_Q = {true, false, 1}, DUELING = {true, true, 1},
                   RAINBOW = {true, true, 51}, CATEGORICAL = {true, false, 5};

// ---- a network in double precision -------------------------------------------------------------------

// Written from the definition: outside the input there are zeros, and the gradient comes from the difference of two
// losses. Its precision is that of doubles, so that small steps do.
typedef struct truth {
    const mega_network *network;
    double *parameters;
    const double *a, *b; // the loss is sum(logits * a) + sum(values * b)
    double *in, *out;    // room for the largest layer
} truth;

static double pixel(const mega_conv_layer *conv, const double *in, uint32_t c, int64_t y, int64_t x) {
    if (y < 0 || x < 0 || y >= conv->in_height || x >= conv->in_width) {
        return 0;
    }
    return in[((int64_t)c * conv->in_height + y) * conv->in_width + x];
}

static double conv_at(const mega_conv_layer *conv, const double *in, const double *weights, uint32_t y,
                      uint32_t x) {
    double sum = 0;
    for (uint32_t c = 0; c < conv->in_channels; c++) {
        for (uint32_t ky = 0; ky < conv->kernel; ky++) {
            for (uint32_t kx = 0; kx < conv->kernel; kx++) {
                sum += *weights++ * pixel(conv, in, c, (int64_t)y * conv->stride + ky - conv->padding,
                                          (int64_t)x * conv->stride + kx - conv->padding);
            }
        }
    }
    return sum;
}

static double *tensor(const truth *truth, const char *layer, const char *kind) {
    char name[24];
    (void)snprintf(name, sizeof name, "%s.%s", layer, kind);
    return truth->parameters + mega_network_find(truth->network, name)->first;
}

static void swap(truth *truth) {
    double *const in = truth->in;
    truth->in = truth->out;
    truth->out = in;
}

static void truth_conv(truth *truth, uint32_t which) {
    const mega_conv_layer *conv = &truth->network->conv[which];
    const char name[] = {'c', 'o', 'n', 'v', (char)('1' + which), '\0'};
    const double *weights = tensor(truth, name, "weight"), *biases = tensor(truth, name, "bias");
    double *out = truth->out;
    for (uint32_t m = 0; m < conv->channels; m++) {
        for (uint32_t y = 0; y < conv->out_height; y++) {
            for (uint32_t x = 0; x < conv->out_width; x++) {
                const size_t window = (size_t)conv->in_channels * conv->kernel * conv->kernel;
                *out++ = fmax(0, biases[m] + conv_at(conv, truth->in, weights + m * window, y, x));
            }
        }
    }
    swap(truth);
}

static void truth_dense(truth *truth, const char *name, size_t first, size_t ins, size_t outs) {
    const double *weights = tensor(truth, name, "weight"), *biases = tensor(truth, name, "bias");
    for (size_t m = 0; m < outs; m++) {
        truth->out[m] = biases[m];
        for (size_t i = 0; i < ins; i++) {
            truth->out[m] += weights[m * ins + i] * truth->in[first + i];
        }
    }
}

// Logits into `outputs`, then the values.
static void truth_forward(truth *truth, const uint8_t *bytes, double *outputs) {
    const mega_network *network = truth->network;
    for (size_t i = 0; i < mega_network_observation_size(network); i++) {
        truth->in[i] = bytes[i] / 255.0;
    }
    for (uint32_t i = 0; i < network->conv_count; i++) {
        truth_conv(truth, i);
    }
    truth_dense(truth, "fc", 0, network->features, network->hidden_total);
    for (size_t i = 0; i < network->hidden_total; i++) {
        truth->out[i] = fmax(0, truth->out[i]);
    }
    swap(truth);
    truth_dense(truth,
                !network->is_q               ? "policy"
                : network->value_outputs > 0 ? "advantage"
                                             : "q",
                0, network->hidden, network->outputs);
    memcpy(outputs, truth->out, network->outputs * sizeof *outputs);
    if (network->value_outputs > 0) { // dueling networks have hidden units of its own
        truth_dense(truth, "value", network->is_q ? network->hidden : 0, network->hidden,
                    network->value_outputs);
        memcpy(outputs + network->outputs, truth->out, network->value_outputs * sizeof *outputs);
    }
}

static double truth_loss(truth *truth, const uint8_t *observations, uint32_t batch) {
    const mega_network *network = truth->network;
    double loss = 0, outputs[OUTPUTS_MAX];
    for (uint32_t b = 0; b < batch; b++) {
        truth_forward(truth, observations + b * mega_network_observation_size(network), outputs);
        for (uint32_t i = 0; i < network->outputs; i++) {
            loss += outputs[i] * truth->a[b * network->outputs + i];
        }
        for (uint32_t i = 0; i < network->value_outputs; i++) {
            loss += outputs[network->outputs + i] * truth->b[b * network->value_outputs + i];
        }
    }
    return loss;
}

// ---- a case ------------------------------------------------------------------------------------------

// A network, observations, parameters and the gradients of a loss, all drawn.
typedef struct scene {
    mega_network network;
    uint32_t batch;
    uint8_t *observations; // [2 * batch]: rows choose among them
    int32_t *rows;         // [batch]
    float *parameters;
    double *a, *b; // gradients of the loss with respect to logits and values; floats in double clothes
} scene;

static double *draw_doubles(uint64_t stream, size_t count) {
    double *numbers = (double *)calloc(count + 1, sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (double)(float)uniform(stream, i);
    }
    return numbers;
}

static int scene_create(scene *scene, heads heads, const char *text, uint32_t stack, uint32_t height,
                        uint32_t width, uint32_t actions, uint32_t batch) {
    mega_message message = {""};
    memset(scene, 0, sizeof *scene);
    const int result =
        heads.is_q ? mega_network_describe_q(text, stack, height, width, actions, heads.atoms,
                                             heads.is_dueling, &scene->network, &message)
                   : mega_network_describe(text, stack, height, width, actions, &scene->network, &message);
    if (result != 0) {
        MEGA_FAIL("a network cannot be described");
        fprintf(stderr, "%s\n", message.text);
        return -1;
    }
    const size_t size = mega_network_observation_size(&scene->network);
    scene->batch = batch;
    scene->observations = (uint8_t *)malloc(2 * batch * size);
    scene->rows = (int32_t *)malloc(batch * sizeof *scene->rows);
    scene->parameters = (float *)malloc(scene->network.parameter_count * sizeof *scene->parameters);
    scene->a = draw_doubles(3, (size_t)batch * scene->network.outputs);
    scene->b = draw_doubles(4, (size_t)batch * scene->network.value_outputs);
    mega_network_initialise(&scene->network, MEGA_INIT_UNIFORM, 5, scene->parameters);
    for (size_t i = 0; i < scene->network.parameter_count; i++) {
        scene->parameters[i] *= 2; // or signals get lost on their way through many layers
    }
    for (size_t i = 0; i < 2 * batch * size; i++) {
        scene->observations[i] = (uint8_t)mega_philox_word(42, 1, i);
    }
    for (uint32_t i = 0; i < batch; i++) {
        scene->rows[i] = (int32_t)mega_philox_below(mega_philox_word(42, 2, i), 2 * batch);
    }
    return 0;
}

// A unit whose input is almost zero may be on after one order of summation and off after another, and gradients then
// differ by more than rounding. So backends are compared on numbers that need no rounding until late: pixels are 0 or 1,
// and parameters few multiples of 1/32.
static void draw_round_parameters(const mega_network *network, uint64_t seed, float *parameters) {
    for (uint32_t i = 0; i < network->tensor_count; i++) {
        const mega_tensor *tensor = &network->tensor[i];
        for (size_t k = 0; k < tensor->count; k++) {
            const uint32_t number = mega_philox_below(mega_philox_word(seed, i, k), 7);
            parameters[tensor->first + k] = ((float)number - 3) / 32;
        }
    }
}

static void make_round(scene *scene) {
    const size_t size = mega_network_observation_size(&scene->network);
    draw_round_parameters(&scene->network, 6, scene->parameters);
    for (size_t i = 0; i < 2 * scene->batch * size; i++) {
        scene->observations[i] = scene->observations[i] < 128 ? 0 : 255;
    }
}

static void scene_destroy(scene *scene) {
    free(scene->observations);
    free(scene->rows);
    free(scene->parameters);
    free(scene->a);
    free(scene->b);
}

static mega_pass *make_pass(const mega_net_backend *backend, const scene *scene, uint32_t threads) {
    mega_message message = {""};
    mega_net *net = NULL;
    mega_pass *pass = NULL;
    if (mega_net_create(backend, &scene->network, threads, &net, &message) != 0 ||
        mega_pass_create(net, scene->batch, true, &pass, &message) != 0) {
        MEGA_FAIL("a pass cannot be made");
        fprintf(stderr, "%s\n", message.text);
        exit(mega_test_result());
    }
    memcpy(net->parameters, scene->parameters, scene->network.parameter_count * sizeof(float));
    mega_net_changed(net);
    return pass;
}

static void drop_pass(mega_pass *pass) {
    mega_net *const net = pass->net;
    mega_pass_destroy(pass);
    mega_net_destroy(net);
}

static void both_ways(mega_pass *pass, const scene *scene, const int32_t *rows) {
    mega_message message = {""};
    MEGA_CHECK_EQ(mega_pass_forward(pass, scene->observations, rows, &message), 0);
    for (size_t i = 0; i < (size_t)scene->batch * scene->network.value_outputs; i++) {
        pass->value_grads[i] = (float)scene->b[i];
    }
    for (size_t i = 0; i < (size_t)scene->batch * scene->network.outputs; i++) {
        pass->logit_grads[i] = (float)scene->a[i];
    }
    MEGA_CHECK_EQ(mega_pass_backward(pass, &message), 0);
}

// ---- the reference against differences ---------------------------------------------------------------

static double *doubles(size_t count) {
    return (double *)calloc(count, sizeof(double));
}

static size_t largest_layer(const mega_network *network) {
    size_t largest = mega_network_observation_size(network) + network->hidden_total + OUTPUTS_MAX;
    for (uint32_t i = 0; i < network->conv_count; i++) {
        const mega_conv_layer *conv = &network->conv[i];
        const size_t count = (size_t)conv->channels * conv->out_height * conv->out_width;
        largest = count > largest ? count : largest;
    }
    return largest;
}

static void check_outputs(truth *truth, const scene *scene, const mega_pass *pass) {
    const uint32_t logits = scene->network.outputs, values = scene->network.value_outputs;
    double outputs[OUTPUTS_MAX];
    for (uint32_t b = 0; b < scene->batch; b++) {
        truth_forward(truth, scene->observations + b * mega_network_observation_size(&scene->network),
                      outputs);
        for (uint32_t i = 0; i < logits; i++) {
            MEGA_CHECK(fabs(outputs[i] - (double)pass->logits[b * logits + i]) < 2e-6);
        }
        for (uint32_t i = 0; i < values; i++) {
            MEGA_CHECK(fabs(outputs[logits + i] - (double)pass->values[b * values + i]) < 2e-6);
        }
    }
}

static void check_differences(truth *truth, const scene *scene, const float *gradients) {
    const double step = 1e-6;
    for (uint32_t t = 0; t < scene->network.tensor_count; t++) {
        const mega_tensor *tensor = &scene->network.tensor[t];
        double worst = 0, largest = 0;
        for (size_t i = tensor->first; i < tensor->first + tensor->count; i++) {
            const double before = truth->parameters[i];
            truth->parameters[i] = before + step;
            const double above = truth_loss(truth, scene->observations, scene->batch);
            truth->parameters[i] = before - step;
            const double below = truth_loss(truth, scene->observations, scene->batch);
            truth->parameters[i] = before;
            const double difference = (above - below) / (2 * step);
            worst = fmax(worst, fabs(difference - (double)gradients[i]));
            largest = fmax(largest, fabs(difference));
        }
        MEGA_CHECK(largest > 1e-3); // nothing is dead, so that there is something to see
        MEGA_CHECK(worst < 2e-6 * (1 + largest));
        if (!(worst < 2e-6 * (1 + largest)) || largest < 1e-3) {
            fprintf(stderr, "%s is off by %g of %g\n", tensor->name, worst, largest);
        }
    }
}

static void check_reference(heads heads, const char *text, uint32_t stack, uint32_t height, uint32_t width,
                            uint32_t actions, uint32_t batch) {
    scene scene;
    if (scene_create(&scene, heads, text, stack, height, width, actions, batch) != 0) {
        return;
    }
    mega_pass *pass = make_pass(&mega_net_ref, &scene, 1);
    const size_t room = largest_layer(&scene.network);
    truth truth = {&scene.network, doubles(scene.network.parameter_count), scene.a, scene.b, doubles(room),
                   doubles(room)};
    for (size_t i = 0; i < scene.network.parameter_count; i++) {
        truth.parameters[i] = (double)scene.parameters[i];
    }
    both_ways(pass, &scene, NULL);
    check_outputs(&truth, &scene, pass);
    check_differences(&truth, &scene, pass->net->gradients);
    both_ways(pass, &scene, NULL); // once more: gradients do not pile up
    check_differences(&truth, &scene, pass->net->gradients);
    free(truth.parameters);
    free(truth.in);
    free(truth.out);
    drop_pass(pass);
    scene_destroy(&scene);
}

// ---- rows --------------------------------------------------------------------------------------------

// A pass with rows is one over the observations that they name.
static void check_rows(const mega_net_backend *backend) {
    scene scene;
    if (scene_create(&scene, ACTOR_CRITIC, "conv 4x3/2, fc 9", 2, 9, 8, 3, 6) != 0) {
        return;
    }
    const size_t size = mega_network_observation_size(&scene.network);
    mega_pass *with = make_pass(backend, &scene, 1), *without = make_pass(backend, &scene, 1);
    both_ways(with, &scene, scene.rows);
    uint8_t *gathered = (uint8_t *)malloc(scene.batch * size);
    for (uint32_t i = 0; i < scene.batch; i++) {
        memcpy(gathered + i * size, scene.observations + (size_t)scene.rows[i] * size, size);
    }
    memcpy(scene.observations, gathered, scene.batch * size);
    both_ways(without, &scene, NULL);
    MEGA_CHECK_BYTES(with->logits, without->logits, scene.batch * scene.network.actions * sizeof(float));
    MEGA_CHECK_BYTES(with->values, without->values, scene.batch * sizeof(float));
    MEGA_CHECK_BYTES(with->net->gradients, without->net->gradients,
                     scene.network.parameter_count * sizeof(float));
    free(gathered);
    drop_pass(with);
    drop_pass(without);
    scene_destroy(&scene);
}

static void check_misuse(const mega_net_backend *backend) {
    scene scene;
    mega_message message = {""};
    mega_pass *other = NULL;
    if (scene_create(&scene, PLAIN_Q, "fc 3", 1, 2, 2, 2, 2) != 0) {
        return;
    }
    mega_pass *pass = make_pass(backend, &scene, 1);
    MEGA_CHECK_EQ(mega_pass_backward(pass, &message), -1);
    MEGA_CHECK(strstr(message.text, "forward pass") != NULL);
    MEGA_CHECK_EQ(mega_pass_create(pass->net, 0, false, &other, &message), -1);
    MEGA_CHECK(other == NULL);
    MEGA_CHECK_EQ(mega_pass_create(pass->net, 2, false, &other, &message), 0);
    MEGA_CHECK(other->logit_grads == NULL && other->value_grads == NULL);
    MEGA_CHECK_EQ(mega_pass_forward(other, scene.observations, NULL, &message), 0);
    MEGA_CHECK_EQ(mega_pass_backward(other, &message), -1);
    mega_pass_destroy(other);
    mega_pass_destroy(NULL);
    mega_net_destroy(NULL);
    drop_pass(pass);
    scene_destroy(&scene);
}

// ---- oneDNN against the reference --------------------------------------------------------------------

// Outputs are sums of numbers of this size; of few outputs, all may happen to be smaller.
static const double OUTPUT = 0.1;

// The largest difference, as a part of the largest number, or of `least`.
static double difference(const float *a, const float *b, size_t count, double least) {
    double worst = 0, largest = least;
    for (size_t i = 0; i < count; i++) {
        worst = fmax(worst, isfinite(a[i]) ? fabs((double)a[i] - (double)b[i]) : INFINITY);
        largest = fmax(largest, fabs((double)b[i]));
    }
    return worst / largest;
}

static void check_close(const float *a, const float *b, size_t count, double least, const char *what,
                        const char *network) {
    const double off = difference(a, b, count, least);
    MEGA_CHECK(off < 1e-5);
    if (!(off < 1e-5)) {
        fprintf(stderr, "%s of '%s' are off by %g\n", what, network, off);
    }
}

static void check_equal_passes(const mega_pass *a, const mega_pass *b, const char *text) {
    const mega_network *network = &a->net->network;
    check_close(a->logits, b->logits, (size_t)a->batch * network->outputs, OUTPUT, "logits", text);
    check_close(a->values, b->values, (size_t)a->batch * network->value_outputs, OUTPUT, "values", text);
    for (uint32_t i = 0; i < network->tensor_count; i++) {
        const mega_tensor *tensor = &network->tensor[i];
        const size_t end = i + 1 < network->tensor_count ? tensor[1].first : network->parameter_count;
        check_close(a->net->gradients + tensor->first, b->net->gradients + tensor->first, tensor->count,
                    1e-30, tensor->name, text);
        for (size_t k = tensor->first + tensor->count; k < end; k++) {
            MEGA_CHECK(a->net->gradients[k] == 0.0f); // between tensors
        }
    }
}

static void compare(heads heads, const char *text, uint32_t stack, uint32_t height, uint32_t width,
                    uint32_t actions, uint32_t batch, uint32_t threads) {
    scene scene;
    if (scene_create(&scene, heads, text, stack, height, width, actions, batch) != 0) {
        return;
    }
    make_round(&scene);
    mega_pass *pass = make_pass(&mega_net_onednn, &scene, threads),
              *ref = make_pass(&mega_net_ref, &scene, 1);
    const size_t size = scene.network.parameter_count * sizeof(float);
    float *gradients = (float *)malloc(size);
    both_ways(pass, &scene, scene.rows);
    both_ways(ref, &scene, scene.rows);
    check_equal_passes(pass, ref, text);
    memcpy(gradients, pass->net->gradients, size);
    both_ways(pass, &scene, scene.rows);
    MEGA_CHECK_BYTES(pass->net->gradients, gradients, size); // the same bits again
    // Other parameters are seen once their writer says so.
    draw_round_parameters(&scene.network, 7, pass->net->parameters);
    draw_round_parameters(&scene.network, 7, ref->net->parameters);
    mega_net_changed(pass->net);
    mega_net_changed(ref->net);
    both_ways(pass, &scene, NULL);
    both_ways(ref, &scene, NULL);
    check_equal_passes(pass, ref, text);
    free(gradients);
    drop_pass(pass);
    drop_pass(ref);
    scene_destroy(&scene);
}

// Passes of one net, of several batch sizes, one that does not train among them.
static void compare_passes(void) {
    scene scene;
    mega_message message = {""};
    if (scene_create(&scene, ACTOR_CRITIC, "small", 4, 42, 42, 4, 8) != 0) {
        return;
    }
    make_round(&scene);
    mega_pass *pass = make_pass(&mega_net_onednn, &scene, 2), *ref = make_pass(&mega_net_ref, &scene, 1);
    mega_pass *few = NULL;
    MEGA_CHECK_EQ(mega_pass_create(pass->net, 3, false, &few, &message), 0);
    for (int i = 0; i < 3; i++) {
        both_ways(pass, &scene, scene.rows);
        both_ways(ref, &scene, scene.rows);
        check_equal_passes(pass, ref, "small");
        MEGA_CHECK_EQ(mega_pass_forward(few, scene.observations, scene.rows, &message), 0);
        check_close(few->logits, ref->logits, 3 * 4, OUTPUT, "logits of few", "small");
        check_close(few->values, ref->values, 3, OUTPUT, "values of few", "small");
        draw_round_parameters(&scene.network, 8 + (uint64_t)i, pass->net->parameters);
        draw_round_parameters(&scene.network, 8 + (uint64_t)i, ref->net->parameters);
        mega_net_changed(pass->net);
    }
    mega_pass_destroy(few);
    drop_pass(pass);
    drop_pass(ref);
    scene_destroy(&scene);
}

static int has_onednn(void) {
    mega_network network;
    mega_message message = {""};
    mega_net *net = NULL;
    MEGA_CHECK_EQ(mega_network_describe("fc 3", 1, 2, 2, 2, &network, NULL), 0);
    if (mega_net_create(&mega_net_onednn, &network, 1, &net, &message) != 0) {
        MEGA_CHECK(net == NULL && strstr(message.text, "oneDNN") != NULL);
        MEGA_CHECK(mega_net_cpu() == &mega_net_ref);
        fprintf(stderr, "not compared: %s\n", message.text);
        return 0;
    }
    mega_net_destroy(net);
    MEGA_CHECK(mega_net_cpu() == &mega_net_onednn);
    return 1;
}

static void test_onednn(void) {
    static const uint32_t batches[] = {1, 3, 32};
    for (size_t i = 0; i < 3; i++) {
        const uint32_t threads = 1 + (uint32_t)i % 2;
        compare(ACTOR_CRITIC, "nature", 4, 84, 84, 18, batches[i], threads);
        compare(ACTOR_CRITIC, "a3c", 4, 84, 84, 6, batches[i], threads);
        compare(ACTOR_CRITIC, "stooke", 4, 104, 80, 4, batches[i], threads);
        compare(ACTOR_CRITIC, "small", 4, 42, 42, 3, batches[i], threads);
    }
    // Channels that fill no block; strides that do not fit; padding; a first layer of all kinds; none.
    compare(ACTOR_CRITIC, "conv 3x3/2+1, conv 5x2/1, fc 7", 2, 9, 6, 5, 5, 2);
    compare(ACTOR_CRITIC, "conv 7x6/2, conv 9x3/2, fc 33", 3, 31, 27, 17, 4, 0);
    compare(ACTOR_CRITIC, "conv 16x6/3, conv 20x3/1+1, fc 40", 4, 32, 22, 2, 4, 1);
    compare(ACTOR_CRITIC, "conv 16x6/3, fc 16", 16, 24, 21, 2, 2,
            1); // squares of 9 pixels do not fill blocks of 16
    compare(ACTOR_CRITIC, "conv 16x3/1, fc 16", 16, 12, 12, 2, 4, 1);
    compare(ACTOR_CRITIC, "conv 1x1/1, fc 1", 1, 3, 3, 1, 2, 1);
    compare(ACTOR_CRITIC, "conv 8x4/2, conv 8x3/1, conv 8x3/1+1, conv 8x2/2, fc 20", 1, 21, 20, 3, 6, 2);
    compare(ACTOR_CRITIC, "fc 24", 2, 7, 5, 3, 6, 1);
    compare(PLAIN_Q, "nature", 4, 84, 84, 6, 3, 1);
    compare(DUELING, "small", 4, 42, 42, 4, 5, 2);
    compare(DUELING, "conv 7x6/2, conv 9x3/2, fc 33", 3, 31, 27, 17, 4, 1);
    compare(RAINBOW, "a3c", 4, 84, 84, 3, 4, 2);
    compare(RAINBOW, "fc 24", 2, 7, 5, 3, 6, 1);
    compare(CATEGORICAL, "conv 5x2/1, fc 7", 2, 9, 6, 5, 5, 2);
    compare_passes();
    check_rows(&mega_net_onednn);
    check_misuse(&mega_net_onednn);
}

int main(void) {
    check_reference(ACTOR_CRITIC, "conv 3x3/1, fc 6", 2, 6, 5, 4, 3);
    check_reference(ACTOR_CRITIC, "conv 3x3/2+1, conv 4x2/1, fc 7", 2, 9, 6, 5,
                    3); // padding; a row and a column to spare
    check_reference(ACTOR_CRITIC, "conv 2x4/3+2, conv 3x3/2+2, fc 5", 1, 7, 10, 1, 2);
    check_reference(ACTOR_CRITIC, "conv 2x5/1+2, fc 5", 1, 1, 2, 3, 4); // kernels larger than the picture
    check_reference(ACTOR_CRITIC, "conv 3x2/1, conv 3x2/1+1, conv 3x2/1, conv 3x2/1, fc 4", 1, 6, 5, 2, 2);
    check_reference(ACTOR_CRITIC, "fc 5", 2, 3, 3, 2, 3);
    check_reference(PLAIN_Q, "conv 3x3/1, fc 6", 2, 6, 5, 4, 3);
    check_reference(CATEGORICAL, "conv 3x3/2, fc 6", 1, 6, 5, 3, 3);
    check_reference(DUELING, "conv 3x3/1, fc 6", 2, 6, 5, 4, 3);
    check_reference(DUELING, "fc 5", 2, 3, 3, 1, 3);
    check_reference(RAINBOW, "conv 2x3/1, fc 5", 1, 5, 5, 3, 3);
    check_rows(&mega_net_ref);
    check_misuse(&mega_net_ref);
    if (has_onednn()) {
        test_onednn();
    }
    return mega_test_result();
}
