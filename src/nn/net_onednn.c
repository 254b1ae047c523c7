// net_onednn.c - the backend "onednn": networks on CPUs with oneDNN (https://github.com/oneapi-src/oneDNN).
//
// The library chooses the formats of weights and activations, which are not PyTorch's. Every pass keeps the weights in
// the formats of its batch size and copies them from the slab when they have changed. Both heads are one layer here,
// which reads all hidden units; weights of those that a head does not read are zero, and their gradients are left out.
// The same inputs give the same bits with the same number of threads.
#include "net.h"

#ifdef MEGA_HAS_ONEDNN
#include "floats.h"
#include "onednn_input.h"
#include "onednn_parts.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum {
    LAYERS = MEGA_NETWORK_CONVS + 2
}; // convolutions, the fully connected layer, both heads as one

typedef struct onednn_net {
    mega_net net;
    const mega_onednn *library;
    uint32_t threads;
    uint64_t version; // of the parameters
} onednn_net;

// A layer of a pass. Memories of one pass are shared where their formats are equal.
typedef struct onednn_layer {
    mega_onednn_layer shape;
    // In PyTorch's format: in the slabs, but for the first layer if it is folded and for both heads together.
    dnnl_memory_t plain_weights, plain_bias;
    dnnl_memory_t weight_gradients, bias_gradients;
    dnnl_memory_t in;    // the output of the layer before, in this one's format
    dnnl_memory_t out;   // after the rectifier
    dnnl_memory_t delta; // the loss's gradients with respect to `out`, in its format
    mega_onednn_step load_in, load_weights, forward;
    // Each loads what it reads in other formats, and stores what others read.
    mega_onednn_step load_data_weights, load_data_delta, backward_data, store_data;
    mega_onednn_step load_weights_in, load_weights_delta, backward_weights, store_weights;
} onednn_layer;

typedef struct onednn_pass {
    mega_pass pass;
    mega_onednn_kit kit;
    uint32_t layer_count;
    onednn_layer layer[LAYERS];
    mega_onednn_input fold;    // how observations become the input
    dnnl_memory_t input;       // [batch], then as `fold` says
    uint64_t forward_version;  // of the parameters in forward's formats
    uint64_t backward_version; // and in backward's
    bool has_forward;
} onednn_pass;

static onednn_net *net_of(const mega_pass *pass) {
    return (onednn_net *)pass->net;
}

// Comes before all work of the library. OpenMP keeps the number of threads for each thread that calls it.
//
// No signal's handler may run meanwhile, here or in OpenMP's threads, which inherit what is blocked when they are made:
// products of matrices in oneDNN move the stack pointer into a block of the heap, and a handler's frame would be
// written over what lies before that block.
static void begin_work(const onednn_net *net, sigset_t *before) {
    sigset_t all;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, before);
    if (net->library->omp_set_num_threads != NULL) {
        net->library->omp_set_num_threads((int)net->threads);
    }
}

static void end_work(const sigset_t *before) {
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

// ---- loops of its own --------------------------------------------------------------------------------

// Part `part` of `count` things in `parts`.
static size_t part_start(size_t count, uint32_t part, uint32_t parts) {
    return count / parts * part + (part < count % parts ? part : count % parts);
}

typedef struct observation_job {
    const mega_onednn_input *input;
    const uint8_t *observations;
    const int32_t *rows;
    size_t batch, size; // bytes of an observation
    float *numbers;
} observation_job;

static void read_observations(void *data, uint32_t part, uint32_t parts) {
    const observation_job *job = (const observation_job *)data;
    const mega_onednn_input *input = job->input;
    const size_t count = (size_t)input->channels * input->rows * input->columns;
    const size_t end = part_start(job->batch, part + 1, parts);
    for (size_t b = part_start(job->batch, part, parts); b < end; b++) {
        const size_t row = job->rows != NULL ? (size_t)job->rows[b] : b;
        mega_onednn_input_read(input, job->observations + row * job->size, job->numbers + b * count);
    }
}

typedef struct rectifier_job {
    const float *out;
    float *delta;
    size_t count;
} rectifier_job;

// From the gradients after a rectifier to those before it. Both are in the same format, so that any order will do.
static void rectify_backward(void *data, uint32_t part, uint32_t parts) {
    const rectifier_job *job = (const rectifier_job *)data;
    const float *restrict out = job->out;
    float *restrict delta = job->delta;
    const size_t end = part_start(job->count, part + 1, parts);
    for (size_t i = part_start(job->count, part, parts); i < end; i++) {
        delta[i] = out[i] > 0 ? delta[i] : 0;
    }
}

// ---- both heads together -----------------------------------------------------------------------------

static float *numbers_of(const onednn_pass *own, dnnl_memory_t memory) {
    size_t count;
    return mega_onednn_numbers(&own->kit, memory, &count);
}

static onednn_layer *heads_of(onednn_pass *own) {
    return &own->layer[own->layer_count - 1];
}

static void copy(float *to, const float *from, size_t count) {
    memcpy(to, from, count * sizeof *to);
}

// Where a head is in the layer of both: the row of its first output, and the column of the first unit that it reads.
typedef struct head_place {
    const mega_tensor *weight, *bias;
    size_t row, column;
} head_place;

// Returns how many heads there are.
static uint32_t find_heads(const mega_network *network, head_place places[2]) {
    const mega_tensor *head = mega_network_heads(network);
    places[0] = (head_place){&head[0], &head[1], 0, 0};
    if (network->value_outputs == 0) {
        return 1;
    }
    places[1] = (head_place){&head[2], &head[3], network->outputs, mega_network_value_hidden(network)};
    return 2;
}

static void join_heads(onednn_pass *own) {
    const mega_network *network = &own->pass.net->network;
    const float *parameters = own->pass.net->parameters;
    float *weights = numbers_of(own, heads_of(own)->plain_weights);
    float *bias = numbers_of(own, heads_of(own)->plain_bias);
    head_place places[2];
    const uint32_t count = find_heads(network, places);
    if (network->streams > 1) { // else all of it is copied
        const size_t rows = (size_t)network->outputs + network->value_outputs;
        memset(weights, 0, rows * network->hidden_total * sizeof *weights);
    }
    for (uint32_t i = 0; i < count; i++) {
        const head_place *place = &places[i];
        for (size_t m = 0; m < place->bias->count; m++) {
            copy(weights + (place->row + m) * network->hidden_total + place->column,
                 parameters + place->weight->first + m * network->hidden, network->hidden);
        }
        copy(bias + place->row, parameters + place->bias->first, place->bias->count);
    }
}

static void part_heads(onednn_pass *own) {
    const mega_network *network = &own->pass.net->network;
    float *gradients = own->pass.net->gradients;
    const float *weights = numbers_of(own, heads_of(own)->weight_gradients);
    const float *bias = numbers_of(own, heads_of(own)->bias_gradients);
    head_place places[2];
    const uint32_t count = find_heads(network, places);
    for (uint32_t i = 0; i < count; i++) {
        const head_place *place = &places[i];
        for (size_t m = 0; m < place->bias->count; m++) {
            copy(gradients + place->weight->first + m * network->hidden,
                 weights + (place->row + m) * network->hidden_total + place->column, network->hidden);
        }
        copy(gradients + place->bias->first, bias + place->row, place->bias->count);
    }
}

static void part_outputs(onednn_pass *own) {
    const size_t outputs = own->pass.net->network.outputs, values = own->pass.net->network.value_outputs;
    const float *out = numbers_of(own, heads_of(own)->out);
    for (size_t b = 0; b < own->pass.batch; b++) {
        const float *row = out + b * (outputs + values);
        copy(own->pass.logits + b * outputs, row, outputs);
        copy(own->pass.values + b * values, row + outputs, values);
    }
}

static void join_deltas(onednn_pass *own) {
    const size_t outputs = own->pass.net->network.outputs, values = own->pass.net->network.value_outputs;
    float *delta = numbers_of(own, heads_of(own)->delta);
    for (size_t b = 0; b < own->pass.batch; b++) {
        float *row = delta + b * (outputs + values);
        copy(row, own->pass.logit_grads + b * outputs, outputs);
        copy(row + outputs, own->pass.value_grads + b * values, values);
    }
}

// ---- passes ------------------------------------------------------------------------------------------

// The parameters that are not in the slab as layers want them.
static void gather_parameters(onednn_pass *own) {
    const mega_net *net = own->pass.net;
    if (own->fold.fold > 1) {
        mega_onednn_input_fold(&net->network.conv[0], own->fold.fold,
                               net->parameters + net->network.tensor[0].first,
                               numbers_of(own, own->layer[0].plain_weights));
    }
    join_heads(own);
}

static void scatter_gradients(onednn_pass *own) {
    const mega_net *net = own->pass.net;
    if (own->fold.fold > 1) {
        mega_onednn_input_unfold(&net->network.conv[0], own->fold.fold,
                                 numbers_of(own, own->layer[0].weight_gradients),
                                 net->gradients + net->network.tensor[0].first);
    }
    part_heads(own);
}

static void load_weights(onednn_pass *own) {
    const uint64_t version = net_of(&own->pass)->version;
    if (own->forward_version != version) {
        gather_parameters(own);
        for (uint32_t i = 0; i < own->layer_count; i++) {
            mega_onednn_run(&own->kit, &own->layer[i].load_weights);
        }
        own->forward_version = version;
    }
}

static void load_backward_weights(onednn_pass *own) {
    const uint64_t version = net_of(&own->pass)->version;
    load_weights(own); // gathers
    if (own->backward_version != version) {
        for (uint32_t i = 1; i < own->layer_count; i++) {
            mega_onednn_run(&own->kit, &own->layer[i].load_data_weights);
        }
        own->backward_version = version;
    }
}

static int onednn_forward(mega_pass *pass, const uint8_t *observations, const int32_t *rows,
                          mega_message *message) {
    onednn_pass *own = (onednn_pass *)pass;
    const onednn_net *net = net_of(pass);
    observation_job job = {.input = &own->fold,
                           .observations = observations,
                           .rows = rows,
                           .batch = pass->batch,
                           .size = mega_network_observation_size(&pass->net->network),
                           .numbers = numbers_of(own, own->input)};
    sigset_t signals;
    begin_work(net, &signals);
    load_weights(own);
    mega_onednn_parallel(net->library, net->threads, read_observations, &job);
    for (uint32_t i = 0; i < own->layer_count; i++) {
        mega_onednn_run(&own->kit, &own->layer[i].load_in);
        mega_onednn_run(&own->kit, &own->layer[i].forward);
    }
    (void)net->library->dnnl_stream_wait(own->kit.stream);
    end_work(&signals);
    part_outputs(own);
    own->has_forward = true;
    return mega_onednn_kit_check(&own->kit, message);
}

static void layer_backward(onednn_pass *own, const onednn_layer *layer) {
    const onednn_net *net = net_of(&own->pass);
    if (layer->shape.rectified) {
        rectifier_job job = {.out = numbers_of(own, layer->out)};
        job.delta = mega_onednn_numbers(&own->kit, layer->delta, &job.count);
        mega_onednn_parallel(net->library, net->threads, rectify_backward, &job);
    }
    const mega_onednn_step *const steps[] = {
        &layer->load_weights_in, &layer->load_weights_delta, &layer->backward_weights, &layer->store_weights,
        &layer->load_data_delta, &layer->backward_data,      &layer->store_data};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        mega_onednn_run(&own->kit, steps[i]);
    }
}

static int onednn_backward(mega_pass *pass, mega_message *message) {
    onednn_pass *own = (onednn_pass *)pass;
    const onednn_net *net = net_of(pass);
    if (!pass->trains || !own->has_forward) {
        return mega_message_set(message, "a backward pass needs a forward pass that trains before it");
    }
    sigset_t signals;
    begin_work(net, &signals);
    load_backward_weights(own);
    join_deltas(own);
    for (uint32_t i = own->layer_count; i-- > 0;) {
        layer_backward(own, &own->layer[i]);
    }
    (void)net->library->dnnl_stream_wait(own->kit.stream);
    end_work(&signals);
    scatter_gradients(own);
    return mega_onednn_kit_check(&own->kit, message);
}

// ---- layers ------------------------------------------------------------------------------------------

static void set_dims(dnnl_dim_t *dims, size_t a, size_t b, size_t c, size_t d) {
    dims[0] = (dnnl_dim_t)a;
    dims[1] = (dnnl_dim_t)b;
    dims[2] = (dnnl_dim_t)c;
    dims[3] = (dnnl_dim_t)d;
}

static mega_onednn_layer conv_shape(const mega_conv_layer *conv, uint32_t batch) {
    mega_onednn_layer shape = {.is_conv = true, .rectified = true, .rank = 4, .out_rank = 4};
    set_dims(shape.in, batch, conv->in_channels, conv->in_height, conv->in_width);
    set_dims(shape.weights, conv->channels, conv->in_channels, conv->kernel, conv->kernel);
    set_dims(shape.out, batch, conv->channels, conv->out_height, conv->out_width);
    shape.stride = (dnnl_dim_t)conv->stride;
    shape.padding = (dnnl_dim_t)conv->padding;
    return shape;
}

static void fold_shape(mega_onednn_layer *shape, const mega_onednn_input *fold) {
    set_dims(shape->in, (size_t)shape->in[0], fold->channels, fold->rows, fold->columns);
    const size_t kernel = (size_t)shape->weights[2] / fold->fold;
    set_dims(shape->weights, (size_t)shape->weights[0], fold->channels, kernel, kernel);
    shape->stride = 1;
}

// The fully connected layer sees a picture, so that it can take it in whatever format it has.
static mega_onednn_layer fc_shape(const mega_network *network, uint32_t batch) {
    mega_onednn_layer shape = {.rectified = true, .rank = 4, .out_rank = 2};
    if (network->conv_count > 0) {
        const mega_conv_layer *last = &network->conv[network->conv_count - 1];
        set_dims(shape.in, batch, last->channels, last->out_height, last->out_width);
    } else {
        set_dims(shape.in, batch, network->stack, network->height, network->width);
    }
    memcpy(shape.weights, shape.in, sizeof shape.weights);
    shape.weights[0] = (dnnl_dim_t)network->hidden_total;
    set_dims(shape.out, batch, network->hidden_total, 0, 0);
    return shape;
}

static mega_onednn_layer heads_shape(const mega_network *network, uint32_t batch) {
    mega_onednn_layer shape = {.rank = 2, .out_rank = 2};
    const size_t outputs = (size_t)network->outputs + network->value_outputs;
    set_dims(shape.in, batch, network->hidden_total, 0, 0);
    set_dims(shape.weights, outputs, network->hidden_total, 0, 0);
    set_dims(shape.out, batch, outputs, 0, 0);
    return shape;
}

static bool is_in_slab(const onednn_pass *own, uint32_t index) {
    return index + 1 < own->layer_count && (index > 0 || own->fold.fold == 1);
}

// Where the parameters of layer `index` lie in a slab. Biases of a folded layer are where they were.
static void place_parameters(onednn_pass *own, uint32_t index, float *slab, dnnl_memory_t *weights,
                             dnnl_memory_t *bias) {
    const mega_onednn_layer *shape = &own->layer[index].shape;
    const mega_tensor *tensor = &own->pass.net->network.tensor[2 * index];
    const bool is_head = index + 1 == own->layer_count;
    *weights = mega_onednn_plain(&own->kit, shape->rank, shape->weights,
                                 is_in_slab(own, index) ? slab + tensor[0].first : NULL);
    *bias = mega_onednn_plain(&own->kit, 1, shape->weights, is_head ? NULL : slab + tensor[1].first);
}

// Fully connected layers multiply matrices, which may lie either way. The library's choice is faster, but copying large
// weights there and their gradients back takes longer than that gains, unless many passes share a copy.
static mega_onednn_format weights_format(const onednn_pass *own, const onednn_layer *layer) {
    const bool is_chosen = layer->shape.is_conv || !own->pass.trains;
    return is_chosen ? NULL : mega_onednn_format_of(&own->kit, layer->plain_weights);
}

// The input in the format of the first layer, if observations can be written like that, else in PyTorch's.
static dnnl_memory_t make_input(onednn_pass *own, mega_onednn_format wanted) {
    const uint32_t channels = own->fold.channels;
    const struct {
        dnnl_format_tag_t tag;
        uint32_t block;
    } formats[] = {{dnnl_aBcd16b, 16}, {dnnl_aBcd8b, 8}, {dnnl_acdb, channels}};
    const mega_onednn_layer *shape = &own->layer[0].shape;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (mega_onednn_input_can_block(&own->fold, formats[i].block) &&
            mega_onednn_has_tag(&own->kit, wanted, shape->rank, shape->in, formats[i].tag)) {
            own->fold.block = formats[i].block;
            return mega_onednn_memory(&own->kit, wanted);
        }
    }
    return mega_onednn_plain(&own->kit, shape->rank, shape->in, NULL);
}

// Returns a description that backward needs.
static dnnl_primitive_desc_t build_forward(onednn_pass *own, uint32_t index) {
    mega_onednn_kit *kit = &own->kit;
    onednn_layer *layer = &own->layer[index];
    if (index + 1 == own->layer_count) { // others read it
        layer->out = mega_onednn_plain(kit, layer->shape.out_rank, layer->shape.out, NULL);
    }
    const mega_onednn_formats formats = {.weights = weights_format(own, layer),
                                         .out = mega_onednn_format_of(kit, layer->out)};
    const dnnl_primitive_desc_t pd = mega_onednn_forward(kit, &layer->shape, formats);
    const mega_onednn_format in = mega_onednn_query(kit, pd, dnnl_query_src_md);
    if (layer->out == NULL) {
        layer->out = mega_onednn_memory(kit, mega_onednn_query(kit, pd, dnnl_query_dst_md));
    }
    if (index == 0) {
        own->input = make_input(own, in);
    }
    const dnnl_memory_t before = index > 0 ? own->layer[index - 1].out : own->input;
    const dnnl_memory_t weights =
        mega_onednn_in_format(kit, layer->plain_weights, mega_onednn_query(kit, pd, dnnl_query_weights_md));
    layer->in = mega_onednn_in_format(kit, before, in);
    layer->load_in = mega_onednn_reorder(kit, before, layer->in);
    layer->load_weights = mega_onednn_reorder(kit, layer->plain_weights, weights);
    layer->forward = mega_onednn_step_of(kit, pd);
    mega_onednn_argument(&layer->forward, DNNL_ARG_SRC, layer->in);
    mega_onednn_argument(&layer->forward, DNNL_ARG_WEIGHTS, weights);
    mega_onednn_argument(&layer->forward, DNNL_ARG_BIAS, layer->plain_bias);
    mega_onednn_argument(&layer->forward, DNNL_ARG_DST, layer->out);
    return pd;
}

static void build_backward_weights(onednn_pass *own, onednn_layer *layer, dnnl_primitive_desc_t forward) {
    mega_onednn_kit *kit = &own->kit;
    const mega_onednn_formats formats = {.weights = weights_format(own, layer)};
    const dnnl_primitive_desc_t pd = mega_onednn_backward_weights(kit, &layer->shape, forward, formats);
    const dnnl_memory_t in =
        mega_onednn_in_format(kit, layer->in, mega_onednn_query(kit, pd, dnnl_query_src_md));
    const dnnl_memory_t delta =
        mega_onednn_in_format(kit, layer->delta, mega_onednn_query(kit, pd, dnnl_query_diff_dst_md));
    const dnnl_memory_t gradients = mega_onednn_in_format(
        kit, layer->weight_gradients, mega_onednn_query(kit, pd, dnnl_query_diff_weights_md));
    layer->load_weights_in = mega_onednn_reorder(kit, layer->in, in);
    layer->load_weights_delta = mega_onednn_reorder(kit, layer->delta, delta);
    layer->store_weights = mega_onednn_reorder(kit, gradients, layer->weight_gradients);
    layer->backward_weights = mega_onednn_step_of(kit, pd);
    mega_onednn_argument(&layer->backward_weights, DNNL_ARG_SRC, in);
    mega_onednn_argument(&layer->backward_weights, DNNL_ARG_DIFF_DST, delta);
    mega_onednn_argument(&layer->backward_weights, DNNL_ARG_DIFF_WEIGHTS, gradients);
    mega_onednn_argument(&layer->backward_weights, DNNL_ARG_DIFF_BIAS, layer->bias_gradients);
}

// `before` is the delta of the layer before.
static void build_backward_data(onednn_pass *own, onednn_layer *layer, dnnl_primitive_desc_t forward,
                                dnnl_memory_t before) {
    mega_onednn_kit *kit = &own->kit;
    const mega_onednn_formats formats = {.weights = weights_format(own, layer)};
    const dnnl_primitive_desc_t pd = mega_onednn_backward_data(kit, &layer->shape, forward, formats);
    const dnnl_memory_t weights =
        mega_onednn_in_format(kit, layer->plain_weights, mega_onednn_query(kit, pd, dnnl_query_weights_md));
    const dnnl_memory_t delta =
        mega_onednn_in_format(kit, layer->delta, mega_onednn_query(kit, pd, dnnl_query_diff_dst_md));
    const dnnl_memory_t result =
        mega_onednn_in_format(kit, before, mega_onednn_query(kit, pd, dnnl_query_diff_src_md));
    layer->load_data_weights = mega_onednn_reorder(kit, layer->plain_weights, weights);
    layer->load_data_delta = mega_onednn_reorder(kit, layer->delta, delta);
    layer->store_data = mega_onednn_reorder(kit, result, before);
    layer->backward_data = mega_onednn_step_of(kit, pd);
    mega_onednn_argument(&layer->backward_data, DNNL_ARG_DIFF_DST, delta);
    mega_onednn_argument(&layer->backward_data, DNNL_ARG_WEIGHTS, weights);
    mega_onednn_argument(&layer->backward_data, DNNL_ARG_DIFF_SRC, result);
}

static void build_layer(onednn_pass *own, uint32_t index) {
    onednn_layer *layer = &own->layer[index];
    mega_net *net = own->pass.net;
    place_parameters(own, index, net->parameters, &layer->plain_weights, &layer->plain_bias);
    const dnnl_primitive_desc_t forward = build_forward(own, index);
    if (own->pass.trains) {
        place_parameters(own, index, net->gradients, &layer->weight_gradients, &layer->bias_gradients);
        layer->delta = mega_onednn_memory(&own->kit, mega_onednn_format_of(&own->kit, layer->out));
        build_backward_weights(own, layer, forward);
    }
    if (own->pass.trains && index > 0) {
        build_backward_data(own, layer, forward, own->layer[index - 1].delta);
    }
}

static void build_layers(onednn_pass *own) {
    const mega_network *network = &own->pass.net->network;
    const uint32_t batch = own->pass.batch, convs = network->conv_count;
    own->fold = mega_onednn_input_of(network);
    for (uint32_t i = 0; i < convs; i++) {
        own->layer[i].shape = conv_shape(&network->conv[i], batch);
    }
    own->layer[convs].shape = fc_shape(network, batch);
    own->layer[convs + 1].shape = heads_shape(network, batch);
    own->layer_count = convs + 2;
    if (own->fold.fold > 1) {
        fold_shape(&own->layer[0].shape, &own->fold);
    }
    for (uint32_t i = 0; i < own->layer_count; i++) {
        build_layer(own, i);
    }
}

// ---- life --------------------------------------------------------------------------------------------

static void onednn_pass_destroy(mega_pass *pass) {
    onednn_pass *own = (onednn_pass *)pass;
    mega_onednn_kit_close(&own->kit);
    free(pass->logits);
    free(pass->values);
    free(pass->logit_grads);
    free(pass->value_grads);
    free(own);
}

static int build_pass(onednn_pass *own, mega_message *message) {
    mega_pass *pass = &own->pass;
    const mega_network *network = &pass->net->network;
    const size_t logits = (size_t)pass->batch * network->outputs,
                 values = (size_t)pass->batch * network->value_outputs;
    pass->logits = mega_floats(logits);
    pass->values = mega_floats(values);
    pass->logit_grads = pass->trains ? mega_floats(logits) : NULL;
    pass->value_grads = pass->trains ? mega_floats(values) : NULL;
    if (pass->logits == NULL || pass->values == NULL ||
        (pass->trains && (pass->logit_grads == NULL || pass->value_grads == NULL))) {
        return mega_message_set(message, "not enough memory for a batch of %u observations", pass->batch);
    }
    if (mega_onednn_kit_open(&own->kit, message) != 0) {
        return -1;
    }
    sigset_t signals;
    begin_work(net_of(pass), &signals); // primitives are made for so many threads
    build_layers(own);
    end_work(&signals);
    return mega_onednn_kit_check(&own->kit, message);
}

static int onednn_pass_create(mega_net *net, uint32_t batch, bool trains, mega_pass **out,
                              mega_message *message) {
    *out = NULL;
    if (batch == 0) {
        return mega_message_set(message, "a pass needs at least one observation");
    }
    onednn_pass *own = (onednn_pass *)calloc(1, sizeof *own);
    if (own == NULL) {
        return mega_message_set(message, "not enough memory for a batch of %u observations", batch);
    }
    own->pass.net = net;
    own->pass.batch = batch;
    own->pass.trains = trains;
    if (build_pass(own, message) != 0) {
        onednn_pass_destroy(&own->pass);
        return -1;
    }
    *out = &own->pass;
    return 0;
}

static void onednn_destroy(mega_net *net) {
    free(net->parameters);
    free(net->gradients);
    free(net);
}

static void onednn_changed(mega_net *net) {
    ((onednn_net *)net)->version++;
}

static int onednn_create(const mega_network *network, uint32_t threads, mega_net **out,
                         mega_message *message) {
    const mega_onednn *library;
    *out = NULL;
    if (mega_onednn_open(&library, message) != 0) {
        return -1;
    }
    onednn_net *own = (onednn_net *)calloc(1, sizeof *own);
    if (own == NULL) {
        return mega_message_set(message, "not enough memory for a network");
    }
    own->net.backend = &mega_net_onednn;
    own->net.network = *network;
    own->net.parameters = mega_floats(network->parameter_count);
    own->net.gradients = mega_floats(network->parameter_count);
    own->library = library;
    own->threads = threads;
    own->version = 1; // passes begin with 0
    if (threads == 0) {
        own->threads = library->omp_get_num_procs != NULL ? (uint32_t)library->omp_get_num_procs() : 1;
    }
    if (own->net.parameters == NULL || own->net.gradients == NULL) {
        onednn_destroy(&own->net);
        return mega_message_set(message, "not enough memory for a network of %zu numbers",
                                network->parameter_count);
    }
    *out = &own->net;
    return 0;
}

const mega_net_backend mega_net_onednn = {
    .name = "onednn",
    .create = onednn_create,
    .destroy = onednn_destroy,
    .changed = onednn_changed,
    .pass_create = onednn_pass_create,
    .pass_destroy = onednn_pass_destroy,
    .forward = onednn_forward,
    .backward = onednn_backward,
};

const mega_net_backend *mega_net_cpu(void) {
    const mega_onednn *library;
    return mega_onednn_open(&library, NULL) == 0 ? &mega_net_onednn : &mega_net_ref;
}

#else

static int onednn_create(const mega_network *network, uint32_t threads, mega_net **out,
                         mega_message *message) {
    (void)network;
    (void)threads;
    *out = NULL;
    return mega_message_set(message, "this build has no oneDNN; the backend 'ref' works without it");
}

const mega_net_backend mega_net_onednn = {.name = "onednn", .create = onednn_create};

const mega_net_backend *mega_net_cpu(void) {
    return &mega_net_ref;
}

#endif
