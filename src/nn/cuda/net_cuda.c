// net_cuda.c - networks on a GPU. Convolutions have kernels of their own (conv_cuda.h), or else are products of matrices
// (mega_lowering.h) as all the rest is; cuBLASLt multiplies them.
//
// Parameters and gradients are floats in PyTorch's shapes. Products take a copy of the weights in their own shape and
// numbers, which is made when it is first needed after a change, and give gradients in the same shape as floats, which
// are put back at the end.
#include "compute_cuda.h"
#include "conv_cuda.h"
#include "mega_lowering.h"

#include <stdlib.h>
#include <string.h>

MEGA_STATIC_ASSERT(MEGA_NETWORK_TENSORS <= MEGA_PACKINGS_MAX, "all tensors of a network can be packed");

typedef struct cuda_net {
    mega_net base;
    cuda_compute *cuda;
    cuda_convs *convs; // NULL: convolutions are products of matrices
    bool is_stale;     // packed is not that of the parameters
    mega_heads heads;  // their width is a multiple of 8
    mega_packings packings;
    size_t packed_count;
    uint64_t weight[MEGA_NETWORK_CONVS + 2]; // where each layer's are in packed: convolutions, fc, heads
    uint64_t bias[MEGA_NETWORK_CONVS + 2];
    CUdeviceptr packed;    // numbers
    CUdeviceptr gradients; // floats
} cuda_net;

// A layer as three products: forward, back to the weights, back to the input.
typedef struct cuda_layer {
    mega_product_plan *forward, *to_weights, *to_input;
} cuda_layer;

typedef struct cuda_pass {
    mega_pass base;
    CUdeviceptr slab;
    mega_lowering lowering[MEGA_NETWORK_CONVS];
    cuda_layer layer[MEGA_NETWORK_CONVS + 2]; // convolutions, fc, heads
    cuda_conv_room room;
    CUdeviceptr matrix[MEGA_NETWORK_CONVS]; // lowered inputs
    CUdeviceptr hidden;
    CUdeviceptr heads; // floats
    CUdeviceptr hidden_grads;
    CUdeviceptr head_grads;
    CUdeviceptr matrix_grads; // of one layer at a time
} cuda_pass;

static cuda_net *net_of(mega_net *net) {
    return (cuda_net *)net;
}
static cuda_pass *pass_of(mega_pass *pass) {
    return (cuda_pass *)pass;
}

static CUdeviceptr packed_at(const cuda_net *net, uint64_t place) {
    return net->packed + place * cuda_number_size(net->cuda);
}

static CUdeviceptr gradient_at(const cuda_net *net, uint64_t place) {
    return net->gradients + place * sizeof(float);
}

// ---- parameters ----

// Adds a tensor to what is packed. Its rows come one after the other.
static void add_packing(cuda_net *net, const mega_tensor *tensor, uint32_t channels, uint64_t at) {
    const uint32_t outs = tensor->shape[0], row = (uint32_t)(tensor->count / outs);
    const mega_packing packing = {tensor->first, at, outs, channels, row / channels, row};
    packings_add(&net->packings, packing);
}

// A head's weights are parts of rows as long as the hidden layers together; the rest of these rows is and stays zero.
static void add_head_packing(cuda_net *net, const mega_tensor *tensor, uint64_t at) {
    const mega_packing packing = {
        tensor->first, at, tensor->shape[0], 1, tensor->shape[1], net->base.network.hidden_total};
    packings_add(&net->packings, packing);
}

static uint64_t reserve(cuda_net *net, uint64_t count) {
    const uint64_t at = net->packed_count;
    net->packed_count += (count + 127) / 128 * 128; // 256 bytes of bfloat16, which cuBLASLt counts on
    return at;
}

static void plan_convs(cuda_net *net) {
    const mega_network *network = &net->base.network;
    for (uint32_t i = 0; i < network->conv_count && net->convs == NULL; i++) {
        const mega_tensor *tensor = &network->tensor[2 * i];
        net->weight[i] = reserve(net, tensor[0].count);
        net->bias[i] = reserve(net, tensor[1].count);
        // The first layer's rows are in PyTorch's order, the others' have channels last.
        add_packing(net, &tensor[0], i == 0 ? 1 : network->conv[i].in_channels, net->weight[i]);
        add_packing(net, &tensor[1], 1, net->bias[i]);
    }
}

static void plan_heads(cuda_net *net) {
    const mega_network *network = &net->base.network;
    const mega_tensor *head = mega_network_heads(network);
    const uint32_t index = network->conv_count + 1, hidden = network->hidden_total;
    net->weight[index] = reserve(net, (uint64_t)net->heads.width * hidden);
    net->bias[index] = reserve(net, net->heads.width);
    add_head_packing(net, &head[0], net->weight[index]);
    add_packing(net, &head[1], 1, net->bias[index]);
    if (network->value_outputs > 0) {
        add_head_packing(net, &head[2],
                         net->weight[index] + (uint64_t)network->outputs * hidden +
                             mega_network_value_hidden(network));
        add_packing(net, &head[3], 1, net->bias[index] + network->outputs);
    }
}

static void plan_packing(cuda_net *net) {
    const mega_network *network = &net->base.network;
    const uint32_t convs = network->conv_count;
    const mega_tensor *fc = &network->tensor[2 * convs];
    plan_convs(net);
    net->weight[convs] = reserve(net, fc[0].count);
    net->bias[convs] = reserve(net, fc[1].count);
    add_packing(net, &fc[0], convs > 0 ? network->conv[convs - 1].channels : 1, net->weight[convs]);
    add_packing(net, &fc[1], 1, net->bias[convs]);
    plan_heads(net);
}

static mega_status pack(cuda_net *net) {
    if (!net->is_stale) {
        return MEGA_OK;
    }
    NN_RUN(net->cuda, nn_pack, packings_count(&net->packings), &net->packings, &net->base.parameters,
           &net->packed);
    if (net->convs != NULL) {
        MEGA_TRY(cuda_convs_pack(net->convs, net->base.parameters));
    }
    net->is_stale = false;
    return MEGA_OK;
}

static mega_status unpack(cuda_net *net) {
    NN_RUN(net->cuda, nn_unpack, packings_count(&net->packings), &net->packings, &net->gradients,
           &net->base.gradients);
    return MEGA_OK;
}

// ---- nets ----

static void cuda_net_destroy(mega_net *base) {
    cuda_net *net = net_of(base);
    mega_compute *compute = &net->cuda->base;
    cuda_convs_close(net->convs);
    compute->ops->release(compute, base->parameters);
    compute->ops->release(compute, base->gradients);
    compute->ops->release(compute, (void *)(uintptr_t)net->packed);
    compute->ops->release(compute, (void *)(uintptr_t)net->gradients);
    free(net);
}

static void cuda_net_changed(mega_net *net) {
    net_of(net)->is_stale = true;
}

// ---- passes ----

static void cuda_pass_destroy(mega_pass *base) {
    cuda_pass *pass = pass_of(base);
    cuda_compute *cuda = net_of(base->net)->cuda;
    for (uint32_t i = 0; i < MEGA_NETWORK_CONVS + 2; i++) {
        product_plan_destroy(cuda->products, pass->layer[i].forward);
        product_plan_destroy(cuda->products, pass->layer[i].to_weights);
        product_plan_destroy(cuda->products, pass->layer[i].to_input);
    }
    cuda->base.ops->release(&cuda->base, (void *)(uintptr_t)pass->slab);
    free(pass);
}

// Hands out parts of the slab; without a slab it only counts.
static CUdeviceptr carve(CUdeviceptr slab, uint64_t *used, uint64_t size) {
    const CUdeviceptr part = slab + *used;
    *used += (size + 255) / 256 * 256;
    return part;
}

// What comes after the convolutions.
static void carve_heads(cuda_pass *pass, CUdeviceptr slab, uint64_t *used) {
    const cuda_net *net = net_of(pass->base.net);
    const mega_network *network = &net->base.network;
    const uint64_t number = cuda_number_size(net->cuda), batch = pass->base.batch;
    const uint64_t logits = batch * network->outputs * sizeof(float),
                   values = batch * network->value_outputs * sizeof(float);
    pass->base.logits = (float *)(uintptr_t)carve(slab, used, logits);
    pass->base.values = (float *)(uintptr_t)carve(slab, used, values);
    pass->hidden = carve(slab, used, batch * network->hidden_total * number);
    pass->heads = carve(slab, used, batch * net->heads.width * sizeof(float));
    if (pass->base.trains) {
        pass->hidden_grads = carve(slab, used, batch * network->hidden_total * number);
        pass->head_grads = carve(slab, used, batch * net->heads.width * number);
        pass->base.logit_grads = (float *)(uintptr_t)carve(slab, used, logits);
        pass->base.value_grads = (float *)(uintptr_t)carve(slab, used, values);
    }
}

static uint64_t carve_pass(cuda_pass *pass, CUdeviceptr slab) {
    const cuda_net *net = net_of(pass->base.net);
    const mega_network *network = &net->base.network;
    const uint64_t number = cuda_number_size(net->cuda), batch = pass->base.batch;
    cuda_conv_room *room = &pass->room;
    uint64_t used = 0, most = 0;
    for (uint32_t i = 0; i < network->conv_count; i++) {
        const mega_conv_layer *conv = &network->conv[i];
        const uint64_t pixels = batch * conv->out_height * conv->out_width;
        const uint64_t cells = pixels * conv->kernel * conv->kernel * conv->in_channels;
        room->output[i] = carve(slab, &used, pixels * conv->channels * number);
        if (pass->base.trains) {
            room->output_grads[i] = carve(slab, &used, pixels * conv->channels * number);
        }
        if (net->convs == NULL) {
            pass->matrix[i] = carve(slab, &used, cells * number);
            most = i > 0 && cells > most ? cells : most;
        }
    }
    if (net->convs != NULL) {
        room->cells = carve(slab, &used, cuda_convs_cells_size(net->convs, pass->base.batch));
    }
    pass->matrix_grads = carve(slab, &used, pass->base.trains ? most * number : 0);
    carve_heads(pass, slab, &used);
    return used;
}

// rows x inner times inner x columns, forward; the gradients' products follow from it.
static mega_status plan_layer(cuda_pass *pass, uint32_t index, uint64_t rows, uint64_t columns,
                              uint64_t inner, bool is_heads, bool has_input) {
    const cuda_net *net = net_of(pass->base.net);
    mega_products *products = net->cuda->products;
    const bool is_bf16 = net->cuda->is_bf16;
    const mega_product forward = {
        .rows = rows,
        .columns = columns,
        .inner = inner,
        .b_transposed = true,
        .is_bf16 = is_bf16,
        .c_is_float = is_heads,
        .epilogue = is_heads ? MEGA_PRODUCT_PLAIN : MEGA_PRODUCT_BIAS_RELU,
        .bias = packed_at(net, net->bias[index]),
    };
    MEGA_TRY(product_plan_create(products, &forward, &pass->layer[index].forward));
    if (!pass->base.trains) {
        return MEGA_OK;
    }
    const mega_product to_weights = {.rows = columns,
                                     .columns = inner,
                                     .inner = rows,
                                     .a_transposed = true,
                                     .is_bf16 = is_bf16,
                                     .c_is_float = true};
    MEGA_TRY(product_plan_create(products, &to_weights, &pass->layer[index].to_weights));
    const mega_product to_input = {.rows = rows, .columns = inner, .inner = columns, .is_bf16 = is_bf16};
    return has_input ? product_plan_create(products, &to_input, &pass->layer[index].to_input) : MEGA_OK;
}

static mega_status plan_layers(cuda_pass *pass) {
    const cuda_net *net = net_of(pass->base.net);
    const mega_network *network = &net->base.network;
    const uint32_t convs = network->conv_count, batch = pass->base.batch;
    for (uint32_t i = 0; i < convs && net->convs == NULL; i++) {
        const mega_conv_layer *conv = &network->conv[i];
        const mega_lowering lowering = {
            conv->in_channels, conv->in_height, conv->in_width,
            conv->out_height,  conv->out_width, conv->kernel,
            conv->stride,      conv->padding,   conv->in_channels % MEGA_RUN == 0 ? MEGA_RUN : 1};
        pass->lowering[i] = lowering;
        MEGA_TRY(plan_layer(pass, i, (uint64_t)batch * conv->out_height * conv->out_width, conv->channels,
                            lowering_row_size(&lowering), false, i > 0));
    }
    MEGA_TRY(plan_layer(pass, convs, batch, network->hidden_total, network->features, false, true));
    return plan_layer(pass, convs + 1, batch, net->heads.width, network->hidden_total, true, true);
}

static int cuda_pass_create(mega_net *base, uint32_t batch, bool trains, mega_pass **out,
                            mega_message *message) {
    cuda_compute *cuda = net_of(base)->cuda;
    cuda_pass *pass = calloc(1, sizeof *pass);
    void *slab = NULL;
    *out = NULL;
    if (pass == NULL) {
        return mega_message_set(message, "there is no memory for a pass");
    }
    pass->base.net = base;
    pass->base.batch = batch;
    pass->base.trains = trains;
    if (cuda->base.ops->allocate(&cuda->base, carve_pass(pass, 0), &slab, message) < 0) {
        free(pass);
        return -1;
    }
    pass->slab = (CUdeviceptr)(uintptr_t)slab;
    (void)carve_pass(pass, pass->slab);
    if (cuda_message(plan_layers(pass), message) < 0) {
        cuda_pass_destroy(&pass->base);
        return -1;
    }
    *out = &pass->base;
    return 0;
}

// ---- forward ----

static mega_status forward_convs(cuda_pass *pass, const uint8_t *observations, const int32_t *rows) {
    const cuda_net *net = net_of(pass->base.net);
    cuda_compute *cuda = net->cuda;
    uint32_t batch = pass->base.batch;
    if (net->convs != NULL) {
        return cuda_convs_forward(net->convs, net->base.parameters, &pass->room, observations, rows, batch);
    }
    for (uint32_t i = 0; i < net->base.network.conv_count; i++) {
        mega_lowering *l = &pass->lowering[i];
        if (i == 0) {
            NN_RUN(cuda, nn_lower_bytes, lower_bytes_count(l, batch), l, &observations, &rows, &batch,
                   &pass->matrix[0]);
        } else {
            NN_RUN(cuda, nn_lower, lower_count(l, batch), l, &pass->room.output[i - 1], &batch,
                   &pass->matrix[i]);
        }
        MEGA_TRY(cuda_bundles_multiply(cuda->bundles, pass->layer[i].forward, pass->matrix[i],
                                       packed_at(net, net->weight[i]), pass->room.output[i]));
    }
    return MEGA_OK;
}

static mega_status forward(cuda_pass *pass, const uint8_t *observations, const int32_t *rows) {
    cuda_net *net = net_of(pass->base.net);
    cuda_compute *cuda = net->cuda;
    const mega_network *network = &net->base.network;
    const uint32_t convs = network->conv_count;
    const mega_tensor *head = mega_network_heads(network);
    uint32_t batch = pass->base.batch;
    MEGA_TRY(pack(net));
    MEGA_TRY(forward_convs(pass, observations, rows));
    MEGA_TRY(cuda_bundles_multiply(cuda->bundles, pass->layer[convs].forward, pass->room.output[convs - 1],
                                   packed_at(net, net->weight[convs]), pass->hidden));
    MEGA_TRY(cuda_bundles_multiply(cuda->bundles, pass->layer[convs + 1].forward, pass->hidden,
                                   packed_at(net, net->weight[convs + 1]), pass->heads));
    const float *bias = net->base.parameters + head[1].first;
    const float *value_bias = network->value_outputs > 0 ? net->base.parameters + head[3].first : NULL;
    NN_RUN(cuda, nn_split_heads, heads_split_count(&net->heads, batch), &net->heads, &pass->heads, &bias,
           &value_bias, &batch, &pass->base.logits, &pass->base.values);
    return MEGA_OK;
}

static int cuda_pass_forward(mega_pass *pass, const uint8_t *observations, const int32_t *rows,
                             mega_message *message) {
    return cuda_message(forward(pass_of(pass), observations, rows), message);
}

// ---- backward ----

// The gradients of a layer's weights and biases, from those of its output, [rows][columns].
static mega_status layer_to_weights(cuda_pass *pass, uint32_t index, CUdeviceptr grads, CUdeviceptr input,
                                    uint64_t rows, uint32_t columns) {
    const cuda_net *net = net_of(pass->base.net);
    cuda_compute *cuda = net->cuda;
    CUdeviceptr sums = gradient_at(net, net->bias[index]);
    const uint32_t room = columns < NN_PARTIALS ? NN_PARTIALS / columns : 1;
    // What the blocks leave is added up one after the other, so there are not many.
    uint32_t blocks = rows < NN_COLUMN_BLOCKS ? (uint32_t)rows : NN_COLUMN_BLOCKS;
    blocks = blocks < room ? blocks : room;
    MEGA_TRY(cuda_bundles_multiply(cuda->bundles, pass->layer[index].to_weights, grads, input,
                                   gradient_at(net, net->weight[index])));
    NN_RUN_BLOCKS(cuda, nn_sum_columns, blocks, &grads, &rows, &columns, &cuda->partials);
    NN_RUN(cuda, nn_sum_partials, columns, &cuda->partials, &blocks, &columns, &sums);
    return MEGA_OK;
}

static mega_status backward_convs(cuda_pass *pass) {
    const cuda_net *net = net_of(pass->base.net);
    cuda_compute *cuda = net->cuda;
    const mega_network *network = &net->base.network;
    uint32_t batch = pass->base.batch;
    if (net->convs != NULL) {
        return cuda_convs_backward(net->convs, &pass->room, batch, net->base.gradients);
    }
    for (uint32_t i = network->conv_count; i-- > 0;) {
        const mega_conv_layer *conv = &network->conv[i];
        mega_lowering *l = &pass->lowering[i];
        const uint64_t pixels = (uint64_t)batch * conv->out_height * conv->out_width;
        MEGA_TRY(
            layer_to_weights(pass, i, pass->room.output_grads[i], pass->matrix[i], pixels, conv->channels));
        if (i > 0) {
            MEGA_TRY(cuda_bundles_multiply(cuda->bundles, pass->layer[i].to_input, pass->room.output_grads[i],
                                           packed_at(net, net->weight[i]), pass->matrix_grads));
            NN_RUN(cuda, nn_raise, raise_count(l, batch), l, &pass->matrix_grads, &pass->room.output[i - 1],
                   &batch, &pass->room.output_grads[i - 1]);
        }
    }
    return MEGA_OK;
}

static mega_status backward(cuda_pass *pass) {
    cuda_net *net = net_of(pass->base.net);
    cuda_compute *cuda = net->cuda;
    const mega_network *network = &net->base.network;
    const uint32_t convs = network->conv_count;
    uint32_t batch = pass->base.batch;
    uint64_t hidden_count = (uint64_t)batch * network->hidden_total,
             feature_count = (uint64_t)batch * network->features;
    NN_RUN(cuda, nn_join_heads, (uint64_t)batch * net->heads.width, &net->heads, &pass->base.logit_grads,
           &pass->base.value_grads, &batch, &pass->head_grads);
    MEGA_TRY(layer_to_weights(pass, convs + 1, pass->head_grads, pass->hidden, batch, net->heads.width));
    MEGA_TRY(cuda_bundles_multiply(cuda->bundles, pass->layer[convs + 1].to_input, pass->head_grads,
                                   packed_at(net, net->weight[convs + 1]), pass->hidden_grads));
    NN_RUN(cuda, nn_mask, hidden_count, &pass->hidden, &hidden_count, &pass->hidden_grads);
    MEGA_TRY(layer_to_weights(pass, convs, pass->hidden_grads, pass->room.output[convs - 1], batch,
                              network->hidden_total));
    MEGA_TRY(cuda_bundles_multiply(cuda->bundles, pass->layer[convs].to_input, pass->hidden_grads,
                                   packed_at(net, net->weight[convs]), pass->room.output_grads[convs - 1]));
    NN_RUN(cuda, nn_mask, feature_count, &pass->room.output[convs - 1], &feature_count,
           &pass->room.output_grads[convs - 1]);
    MEGA_TRY(backward_convs(pass));
    return unpack(net);
}

static int cuda_pass_backward(mega_pass *pass, mega_message *message) {
    return cuda_message(backward(pass_of(pass)), message);
}

// ---- the backend ----

static const mega_net_backend mega_net_cuda = {
    .name = "cuda",
    .destroy = cuda_net_destroy,
    .changed = cuda_net_changed,
    .pass_create = cuda_pass_create,
    .pass_destroy = cuda_pass_destroy,
    .forward = cuda_pass_forward,
    .backward = cuda_pass_backward,
};

static int allocate_slabs(cuda_net *net, mega_message *message) {
    mega_compute *compute = &net->cuda->base;
    const size_t size = net->base.network.parameter_count * sizeof(float);
    void *parameters = NULL, *gradients = NULL, *packed = NULL, *packed_gradients = NULL;
    const bool done =
        compute->ops->allocate(compute, size, &parameters, message) == 0 &&
        compute->ops->allocate(compute, size, &gradients, message) == 0 &&
        compute->ops->allocate(compute, net->packed_count * cuda_number_size(net->cuda), &packed, message) ==
            0 &&
        compute->ops->allocate(compute, net->packed_count * sizeof(float), &packed_gradients, message) == 0;
    net->base.parameters = parameters;
    net->base.gradients = gradients;
    net->packed = (CUdeviceptr)(uintptr_t)packed;
    net->gradients = (CUdeviceptr)(uintptr_t)packed_gradients;
    return done ? 0 : -1;
}

int cuda_net_create(mega_compute *compute, const mega_network *network, mega_net **out,
                    mega_message *message) {
    *out = NULL;
    const uint32_t outputs = network->outputs + network->value_outputs;
    if (network->conv_count == 0 || network->hidden_total > NN_PARTIALS - 8 || outputs > NN_PARTIALS - 8) {
        return mega_message_set(
            message, "on a GPU a network needs a convolution, and at most %d hidden units and outputs",
            NN_PARTIALS - 8);
    }
    cuda_net *net = calloc(1, sizeof *net);
    if (net == NULL) {
        return mega_message_set(message, "there is no memory for a network");
    }
    net->base.backend = &mega_net_cuda;
    net->base.network = *network;
    net->cuda = (cuda_compute *)compute;
    net->is_stale = true;
    net->heads = (mega_heads){network->outputs, network->value_outputs, (outputs + 7) / 8 * 8};
    if (cuda_convs_suit(net->cuda, network) &&
        cuda_message(cuda_convs_open(net->cuda, network, &net->convs), message) < 0) {
        cuda_net_destroy(&net->base);
        return -1;
    }
    plan_packing(net);
    if (allocate_slabs(net, message) < 0) {
        cuda_net_destroy(&net->base);
        return -1;
    }
    *out = &net->base;
    return 0;
}
