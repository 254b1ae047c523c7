// net_ref.c - the backend "ref": plain loops, one thread, no library. The other backends are compared with it.
//
// Every sum is one float. It starts with the bias (or with zero) and takes its terms in the order of the loops: in
// forward passes the inputs by channel, row and column; in backward passes the observations of the batch, then rows
// and columns of the output.
//
// B batch, C channels in, M channels out, H x W the input's size, Y x X the output's, K kernel.
#include "net.h"

#include "floats.h"

#include <stdlib.h>

enum {
    LAYERS = MEGA_NETWORK_CONVS + 1
}; // convolutions, and the fully connected layer

typedef struct ref_pass {
    mega_pass pass;
    bool has_forward; // activations are there for a backward pass
    float *input;     // [batch][stack][height][width]
    float *output
        [LAYERS]; // of each layer after its rectifier: [batch][channels][rows][columns], [batch][hidden_total]
    float *delta[LAYERS]; // the loss's gradients with respect to `output`; NULL unless it trains
} ref_pass;

// ---- convolution -------------------------------------------------------------------------------------

// Where the windows of the output's row (or column) begin in the input, and which part of the kernel is inside.
typedef struct window {
    uint32_t first; // kernel positions [first, end) lie inside the input
    uint32_t end;
    uint32_t start; // the input's position under kernel position `first`
} window;

static window window_at(const mega_conv_layer *conv, uint32_t position, uint32_t size) {
    const uint32_t corner = position * conv->stride; // in the padded input
    const uint32_t border = conv->padding + size;    // where padding begins again
    window window;
    window.first = corner < conv->padding ? conv->padding - corner : 0;
    window.end = corner + conv->kernel > border ? border - corner : conv->kernel;
    window.start = corner + window.first - conv->padding;
    return window;
}

// The sum over one window, or, backwards, what its output's gradient `delta` gives to weights and inputs.
static float window_sum(const mega_conv_layer *conv, window rows, window columns,
                        const float *in,      // [C][H][W]
                        const float *weights, // [C][K][K]
                        float sum) {
    for (uint32_t c = 0; c < conv->in_channels; c++) {
        for (uint32_t ky = rows.first, y = rows.start; ky < rows.end; ky++, y++) {
            const float *line = in + ((size_t)c * conv->in_height + y) * conv->in_width + columns.start;
            const float *weight = weights + (c * conv->kernel + ky) * conv->kernel;
            for (uint32_t kx = columns.first; kx < columns.end; kx++) {
                sum += line[kx - columns.first] * weight[kx];
            }
        }
    }
    return sum;
}

static void window_gradients(const mega_conv_layer *conv, window rows, window columns, float delta,
                             const float *in, const float *weights,
                             float *in_delta, // [C][H][W], or NULL
                             float *weight_gradients /* [C][K][K] */) {
    for (uint32_t c = 0; c < conv->in_channels; c++) {
        for (uint32_t ky = rows.first, y = rows.start; ky < rows.end; ky++, y++) {
            const size_t line = ((size_t)c * conv->in_height + y) * conv->in_width + columns.start;
            const size_t weight = (size_t)(c * conv->kernel + ky) * conv->kernel + columns.first;
            const size_t width = columns.end - columns.first;
            for (size_t i = 0; i < width; i++) {
                weight_gradients[weight + i] += delta * in[line + i];
            }
            for (size_t i = 0; in_delta != NULL && i < width; i++) {
                in_delta[line + i] += delta * weights[weight + i];
            }
        }
    }
}

static size_t window_count(const mega_conv_layer *conv) {
    return (size_t)conv->in_channels * conv->kernel * conv->kernel;
}

static void conv_forward(const mega_conv_layer *conv, uint32_t batch,
                         const float *in,      // [B][C][H][W]
                         const float *weights, // [M][C][K][K]
                         const float *biases,  // [M]
                         float *out /* [B][M][Y][X], rectified */) {
    const size_t in_count = (size_t)conv->in_channels * conv->in_height * conv->in_width;
    for (uint32_t b = 0; b < batch; b++) {
        for (uint32_t m = 0; m < conv->channels; m++) {
            for (uint32_t y = 0; y < conv->out_height; y++) {
                for (uint32_t x = 0; x < conv->out_width; x++) {
                    const float sum = window_sum(conv, window_at(conv, y, conv->in_height),
                                                 window_at(conv, x, conv->in_width), in + b * in_count,
                                                 weights + m * window_count(conv), biases[m]);
                    *out++ = sum > 0 ? sum : 0;
                }
            }
        }
    }
}

// Adds to the gradients, which are zero before.
static void conv_backward(const mega_conv_layer *conv, uint32_t batch,
                          const float *in,         // [B][C][H][W]
                          const float *weights,    // [M][C][K][K]
                          const float *out_delta,  // [B][M][Y][X], before the rectifier
                          float *in_delta,         // [B][C][H][W], or NULL
                          float *weight_gradients, // [M][C][K][K]
                          float *bias_gradients /* [M] */) {
    const size_t in_count = (size_t)conv->in_channels * conv->in_height * conv->in_width;
    for (uint32_t b = 0; b < batch; b++) {
        for (uint32_t m = 0; m < conv->channels; m++) {
            for (uint32_t y = 0; y < conv->out_height; y++) {
                for (uint32_t x = 0; x < conv->out_width; x++) {
                    const float delta = *out_delta++;
                    bias_gradients[m] += delta;
                    window_gradients(conv, window_at(conv, y, conv->in_height),
                                     window_at(conv, x, conv->in_width), delta, in + b * in_count,
                                     weights + m * window_count(conv),
                                     in_delta != NULL ? in_delta + b * in_count : NULL,
                                     weight_gradients + m * window_count(conv));
                }
            }
        }
    }
}

// ---- fully connected ---------------------------------------------------------------------------------

// A head reads the part of its input's rows that is its own.
typedef struct dense {
    uint32_t batch;
    size_t ins, outs;
    size_t pitch; // from a row of the input to the next
} dense;

static void dense_forward(dense d,
                          const float *in,      // [B][pitch]
                          const float *weights, // [outs][ins]
                          const float *biases,  // [outs]
                          float *out /* [B][outs] */) {
    for (uint32_t b = 0; b < d.batch; b++) {
        for (size_t m = 0; m < d.outs; m++) {
            float sum = biases[m];
            for (size_t i = 0; i < d.ins; i++) {
                sum += in[b * d.pitch + i] * weights[m * d.ins + i];
            }
            out[b * d.outs + m] = sum;
        }
    }
}

// Adds to the gradients and to in_delta, which are zero before, or hold another layer's share.
static void dense_backward(dense d,
                           const float *in,         // [B][pitch]
                           const float *weights,    // [outs][ins]
                           const float *out_delta,  // [B][outs]
                           float *in_delta,         // [B][pitch], or NULL
                           float *weight_gradients, // [outs][ins]
                           float *bias_gradients /* [outs] */) {
    for (uint32_t b = 0; b < d.batch; b++) {
        for (size_t m = 0; m < d.outs; m++) {
            const float delta = out_delta[b * d.outs + m];
            bias_gradients[m] += delta;
            for (size_t i = 0; i < d.ins; i++) {
                weight_gradients[m * d.ins + i] += delta * in[b * d.pitch + i];
            }
            for (size_t i = 0; in_delta != NULL && i < d.ins; i++) {
                in_delta[b * d.pitch + i] += delta * weights[m * d.ins + i];
            }
        }
    }
}

// ---- rectifier ---------------------------------------------------------------------------------------

static void rectify(float *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        numbers[i] = numbers[i] > 0 ? numbers[i] : 0;
    }
}

// From the gradients after a rectifier to those before it; at zero there is none.
static void rectify_backward(const float *out, float *delta, size_t count) {
    for (size_t i = 0; i < count; i++) {
        delta[i] = out[i] > 0 ? delta[i] : 0;
    }
}

// ---- passes ------------------------------------------------------------------------------------------

// Numbers per observation that layer `i` gives.
static size_t output_count(const mega_network *network, uint32_t i) {
    if (i == network->conv_count) {
        return network->hidden_total;
    }
    const mega_conv_layer *conv = &network->conv[i];
    return (size_t)conv->channels * conv->out_height * conv->out_width;
}

// Weight (0) or bias (1) of a layer in a slab. After the shared layers come the heads.
static float *tensor_of(const mega_network *network, float *slab, uint32_t layer, uint32_t which) {
    return slab + network->tensor[2 * layer + which].first;
}

static void read_observations(const ref_pass *own, const uint8_t *observations, const int32_t *rows) {
    const size_t size = mega_network_observation_size(&own->pass.net->network);
    float *input = own->input;
    for (uint32_t b = 0; b < own->pass.batch; b++) {
        const uint8_t *bytes = observations + (rows != NULL ? (size_t)rows[b] : b) * size;
        for (size_t i = 0; i < size; i++) {
            *input++ = (float)bytes[i] / 255.0f;
        }
    }
}

// A fully connected layer whose input `in` has rows of `pitch` numbers.
static void dense_layer_forward(const ref_pass *own, uint32_t layer, const float *in, size_t pitch,
                                float *out) {
    mega_net *net = own->pass.net;
    const mega_tensor *weight = &net->network.tensor[2 * layer];
    const dense d = {own->pass.batch, weight->shape[1], weight->shape[0], pitch};
    dense_forward(d, in, tensor_of(&net->network, net->parameters, layer, 0),
                  tensor_of(&net->network, net->parameters, layer, 1), out);
}

static int ref_forward(mega_pass *pass, const uint8_t *observations, const int32_t *rows,
                       mega_message *message) {
    (void)message;
    ref_pass *own = (ref_pass *)pass;
    const mega_network *network = &pass->net->network;
    float *parameters = pass->net->parameters;
    const uint32_t fc = network->conv_count, head = fc + 1, value = fc + 2, batch = pass->batch;
    const size_t hidden = network->hidden_total;
    read_observations(own, observations, rows);
    const float *in = own->input;
    for (uint32_t i = 0; i < fc; i++) {
        conv_forward(&network->conv[i], batch, in, tensor_of(network, parameters, i, 0),
                     tensor_of(network, parameters, i, 1), own->output[i]);
        in = own->output[i];
    }
    dense_layer_forward(own, fc, in, network->features, own->output[fc]);
    rectify(own->output[fc], batch * hidden);
    dense_layer_forward(own, head, own->output[fc], hidden, pass->logits);
    if (network->value_outputs > 0) {
        dense_layer_forward(own, value, own->output[fc] + mega_network_value_hidden(network), hidden,
                            pass->values);
    }
    own->has_forward = true;
    return 0;
}

// Gradients of a fully connected layer whose input is `in` with the gradients `in_delta`.
static void dense_layer_backward(const ref_pass *own, uint32_t layer, const float *in, size_t pitch,
                                 const float *delta, float *in_delta) {
    mega_net *net = own->pass.net;
    const mega_tensor *weight = &net->network.tensor[2 * layer];
    const dense d = {own->pass.batch, weight->shape[1], weight->shape[0], pitch};
    dense_backward(d, in, tensor_of(&net->network, net->parameters, layer, 0), delta, in_delta,
                   tensor_of(&net->network, net->gradients, layer, 0),
                   tensor_of(&net->network, net->gradients, layer, 1));
}

static void zero(float *numbers, size_t count) {
    memset(numbers, 0, count * sizeof *numbers);
}

static void heads_backward(const ref_pass *own) {
    const mega_network *network = &own->pass.net->network;
    const uint32_t fc = network->conv_count, head = fc + 1, value = fc + 2;
    const uint32_t first = mega_network_value_hidden(network);
    dense_layer_backward(own, head, own->output[fc], network->hidden_total, own->pass.logit_grads,
                         own->delta[fc]);
    if (network->value_outputs > 0) {
        dense_layer_backward(own, value, own->output[fc] + first, network->hidden_total,
                             own->pass.value_grads, own->delta[fc] + first);
    }
}

static int ref_backward(mega_pass *pass, mega_message *message) {
    ref_pass *own = (ref_pass *)pass;
    mega_net *net = pass->net;
    const mega_network *network = &net->network;
    const uint32_t fc = network->conv_count, batch = pass->batch;
    if (!pass->trains || !own->has_forward) {
        return mega_message_set(message, "a backward pass needs a forward pass that trains before it");
    }
    zero(net->gradients, network->parameter_count);
    for (uint32_t i = 0; i <= fc; i++) {
        zero(own->delta[i], batch * output_count(network, i));
    }
    heads_backward(own);
    rectify_backward(own->output[fc], own->delta[fc], (size_t)batch * network->hidden_total);
    dense_layer_backward(own, fc, fc > 0 ? own->output[fc - 1] : own->input, network->features,
                         own->delta[fc], fc > 0 ? own->delta[fc - 1] : NULL);
    for (uint32_t i = fc; i-- > 0;) {
        rectify_backward(own->output[i], own->delta[i], batch * output_count(network, i));
        conv_backward(&network->conv[i], batch, i > 0 ? own->output[i - 1] : own->input,
                      tensor_of(network, net->parameters, i, 0), own->delta[i],
                      i > 0 ? own->delta[i - 1] : NULL, tensor_of(network, net->gradients, i, 0),
                      tensor_of(network, net->gradients, i, 1));
    }
    return 0;
}

// ---- life --------------------------------------------------------------------------------------------

static void ref_pass_destroy(mega_pass *pass) {
    ref_pass *own = (ref_pass *)pass;
    for (uint32_t i = 0; i < LAYERS; i++) {
        free(own->output[i]);
        free(own->delta[i]);
    }
    free(own->input);
    free(pass->logits);
    free(pass->values);
    free(pass->logit_grads);
    free(pass->value_grads);
    free(own);
}

static bool allocate(float **where, size_t batch, size_t count) {
    *where = count <= SIZE_MAX / batch ? mega_floats(batch * count) : NULL;
    return *where != NULL;
}

static bool allocate_pass(ref_pass *own) {
    const mega_network *network = &own->pass.net->network;
    const size_t batch = own->pass.batch;
    bool fits = allocate(&own->input, batch, mega_network_observation_size(network)) &&
                allocate(&own->pass.logits, batch, network->outputs) &&
                allocate(&own->pass.values, batch, network->value_outputs);
    for (uint32_t i = 0; i <= network->conv_count && fits; i++) {
        fits = allocate(&own->output[i], batch, output_count(network, i)) &&
               (!own->pass.trains || allocate(&own->delta[i], batch, output_count(network, i)));
    }
    return fits && (!own->pass.trains || (allocate(&own->pass.logit_grads, batch, network->outputs) &&
                                          allocate(&own->pass.value_grads, batch, network->value_outputs)));
}

static int ref_pass_create(mega_net *net, uint32_t batch, bool trains, mega_pass **out,
                           mega_message *message) {
    *out = NULL;
    if (batch == 0) {
        return mega_message_set(message, "a pass needs at least one observation");
    }
    ref_pass *own = (ref_pass *)calloc(1, sizeof *own);
    if (own == NULL) {
        return mega_message_set(message, "not enough memory for a batch of %u observations", batch);
    }
    own->pass.net = net;
    own->pass.batch = batch;
    own->pass.trains = trains;
    if (!allocate_pass(own)) {
        ref_pass_destroy(&own->pass);
        return mega_message_set(message, "not enough memory for a batch of %u observations", batch);
    }
    *out = &own->pass;
    return 0;
}

static void ref_destroy(mega_net *net) {
    free(net->parameters);
    free(net->gradients);
    free(net);
}

static int ref_create(const mega_network *network, uint32_t threads, mega_net **out, mega_message *message) {
    (void)threads; // it has one
    *out = NULL;
    mega_net *net = (mega_net *)calloc(1, sizeof *net);
    if (net == NULL) {
        return mega_message_set(message, "not enough memory for a network");
    }
    net->backend = &mega_net_ref;
    net->network = *network;
    net->parameters = mega_floats(network->parameter_count);
    net->gradients = mega_floats(network->parameter_count);
    if (net->parameters == NULL || net->gradients == NULL) {
        ref_destroy(net);
        return mega_message_set(message, "not enough memory for a network of %zu numbers",
                                network->parameter_count);
    }
    *out = net;
    return 0;
}

static void ref_changed(mega_net *net) {
    (void)net; // it keeps nothing
}

const mega_net_backend mega_net_ref = {
    .name = "ref",
    .create = ref_create,
    .destroy = ref_destroy,
    .changed = ref_changed,
    .pass_create = ref_pass_create,
    .pass_destroy = ref_pass_destroy,
    .forward = ref_forward,
    .backward = ref_backward,
};
