// conv_cuda.c - see conv_cuda.h.
#include "conv_cuda.h"

#include "cuda_module.h"
#include "mega_conv_sizes.h"
#include "nn_text.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    CONV_CHANNELS = 64,      // of an output, at most
    CONV_CAPABILITY = 80,    // of GPUs that multiply bfloat16
    CONV_DEFINES = 13,       // of a shape
    CONV_PIXELS = 160 * 1024 // bytes of an observation, which is brought to shared memory
};

typedef struct conv_layer {
    // What the kernels see: the first layer's pixels are folded into cells.
    uint32_t in_channels, in_height, in_width;
    uint32_t channels, height, width;
    uint32_t kernel, stride, padding;
    uint32_t fold, pixels_height, pixels_width, pixel_padding, planes;
    uint64_t weights, biases; // places in the slab
    CUmodule module;
    mega_conv_sizes sizes;
    CUfunction pack, fold_pixels, forward, to_input, to_weights, add;
    CUdeviceptr forward_weights, back_weights;
} conv_layer;

struct cuda_convs {
    cuda_compute *cuda;
    uint32_t count;
    conv_layer layer[MEGA_NETWORK_CONVS];
    CUdeviceptr parts; // of gradients: what blocks leave
};

// ---- shapes ----

static bool is_width(uint32_t channels) {
    return channels == 16 || channels == 32 || channels == CONV_CHANNELS;
}

static bool suits(const mega_conv_layer *conv, bool is_first) {
    const uint32_t cell = conv->in_channels * conv->stride * conv->stride;
    return is_width(conv->channels) && conv->kernel % conv->stride == 0 &&
           (is_first ? conv->stride > 1 && cell % 16 == 0 &&
                           conv->in_channels * conv->in_height * conv->in_width <= CONV_PIXELS
                     : is_width(conv->in_channels));
}

bool cuda_convs_suit(const cuda_compute *cuda, const mega_network *network) {
    bool all = cuda->is_bf16 && cuda->device->capability >= CONV_CAPABILITY && network->conv_count > 0;
    for (uint32_t i = 0; i < network->conv_count; i++) {
        all = all && suits(&network->conv[i], i == 0);
    }
    return all;
}

static conv_layer shape_of(const mega_conv_layer *conv, bool is_first) {
    conv_layer layer = {
        .in_channels = conv->in_channels,
        .in_height = conv->in_height,
        .in_width = conv->in_width,
        .channels = conv->channels,
        .height = conv->out_height,
        .width = conv->out_width,
        .kernel = conv->kernel,
        .stride = conv->stride,
        .padding = conv->padding,
        .fold = 1,
    };
    if (is_first) {
        layer.fold = conv->stride;
        layer.planes = conv->in_channels;
        layer.pixels_height = conv->in_height;
        layer.pixels_width = conv->in_width;
        layer.pixel_padding = conv->padding;
        layer.kernel = conv->kernel / conv->stride;
        layer.in_channels = conv->in_channels * conv->stride * conv->stride;
        layer.in_height = conv->out_height + layer.kernel - 1;
        layer.in_width = conv->out_width + layer.kernel - 1;
        layer.stride = 1;
        layer.padding = 0;
    }
    return layer;
}

static uint32_t weight_row(const conv_layer *layer) {
    return layer->kernel * layer->kernel * layer->in_channels;
}

static uint64_t weight_count(const conv_layer *layer) {
    return (uint64_t)layer->channels * weight_row(layer);
}

static uint32_t pixels_shared(const conv_layer *layer) {
    return layer->planes * layer->pixels_height * layer->pixels_width;
}

// ---- opening ----

static mega_status open_kernel(cuda_compute *cuda, CUmodule module, const char *name, uint32_t shared,
                               CUfunction *out) {
    MEGA_TRY(cuda_module_kernel(cuda->device, module, name, out));
    CUDA_TRY(cuda->driver, cuFuncSetAttribute, *out, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
             (int)shared);
    return MEGA_OK;
}

static mega_status open_module(cuda_compute *cuda, conv_layer *layer) {
    const struct {
        const char *name;
        uint32_t number;
    } shape[CONV_DEFINES] = {
        {"CONV_IN_C", layer->in_channels},
        {"CONV_IN_H", layer->in_height},
        {"CONV_IN_W", layer->in_width},
        {"CONV_OUT_C", layer->channels},
        {"CONV_OUT_H", layer->height},
        {"CONV_OUT_W", layer->width},
        {"CONV_KERNEL", layer->kernel},
        {"CONV_STRIDE", layer->stride},
        {"CONV_PADDING", layer->padding},
        {"CONV_FOLD", layer->fold},
        {"CONV_PIXELS_H", layer->pixels_height},
        {"CONV_PIXELS_W", layer->pixels_width},
        {"CONV_PIXEL_PADDING", layer->pixel_padding},
    };
    char text[CONV_DEFINES][48];
    const char *defines[CONV_DEFINES];
    for (uint32_t i = 0; i < CONV_DEFINES; i++) {
        (void)snprintf(text[i], sizeof text[i], "%s=%uu", shape[i].name, shape[i].number);
        defines[i] = text[i];
    }
    const mega_cuda_request request = {
        .program = "conv.cu", .text = mega_conv_text, .defines = defines, .define_count = CONV_DEFINES};
    return cuda_module_open(cuda->device, &request, &layer->module);
}

static mega_status read_sizes(cuda_compute *cuda, conv_layer *layer) {
    CUdeviceptr address;
    size_t size = 0;
    CUDA_TRY(cuda->driver, cuModuleGetGlobal, &address, &size, layer->module, "conv_sizes");
    CUDA_TRY(cuda->driver, cuMemcpyDtoH, &layer->sizes, address, sizeof layer->sizes);
    return MEGA_OK;
}

static mega_status open_layer(cuda_compute *cuda, conv_layer *layer) {
    const mega_conv_sizes *sizes = &layer->sizes;
    const uint64_t size = weight_count(layer) * sizeof(uint16_t);
    MEGA_TRY(open_module(cuda, layer));
    MEGA_TRY(read_sizes(cuda, layer));
    MEGA_TRY(open_kernel(cuda, layer->module, "conv_pack", 0, &layer->pack));
    MEGA_TRY(open_kernel(cuda, layer->module, "conv_add", 0, &layer->add));
    MEGA_TRY(open_kernel(cuda, layer->module, "conv_forward", sizes->forward_shared, &layer->forward));
    MEGA_TRY(open_kernel(cuda, layer->module, "conv_to_weights", sizes->weights_shared, &layer->to_weights));
    MEGA_TRY(cuda_device_alloc(cuda->device, size, "learning", &layer->forward_weights));
    if (layer->fold > 1) {
        return open_kernel(cuda, layer->module, "conv_fold", pixels_shared(layer), &layer->fold_pixels);
    }
    MEGA_TRY(open_kernel(cuda, layer->module, "conv_to_input", sizes->back_shared, &layer->to_input));
    return cuda_device_alloc(cuda->device, size, "learning", &layer->back_weights);
}

static mega_status open_layers(cuda_convs *convs, const mega_network *network) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < convs->count; i++) {
        conv_layer *layer = &convs->layer[i];
        char name[24];
        *layer = shape_of(&network->conv[i], i == 0);
        (void)snprintf(name, sizeof name, "conv%u.weight", i + 1);
        layer->weights = mega_network_find(network, name)->first;
        (void)snprintf(name, sizeof name, "conv%u.bias", i + 1);
        layer->biases = mega_network_find(network, name)->first;
        MEGA_TRY(open_layer(convs->cuda, layer));
        const uint64_t parts = (uint64_t)layer->sizes.splits * layer->sizes.part;
        most = parts > most ? parts : most;
    }
    return cuda_device_alloc(convs->cuda->device, most * sizeof(float), "learning", &convs->parts);
}

mega_status cuda_convs_open(cuda_compute *cuda, const mega_network *network, cuda_convs **out) {
    cuda_convs *convs = calloc(1, sizeof *convs);
    *out = NULL;
    if (convs == NULL) {
        return mega_fail_memory(sizeof *convs);
    }
    convs->cuda = cuda;
    convs->count = network->conv_count;
    const mega_status status = open_layers(convs, network);
    if (status != MEGA_OK) {
        cuda_convs_close(convs);
        return status;
    }
    *out = convs;
    return MEGA_OK;
}

void cuda_convs_close(cuda_convs *convs) {
    if (convs == NULL) {
        return;
    }
    const mega_cuda_driver *driver = convs->cuda->driver;
    (void)driver->cuStreamSynchronize(convs->cuda->stream);
    (void)driver->cuMemFree(convs->parts); // 0 does nothing
    for (uint32_t i = 0; i < convs->count; i++) {
        (void)driver->cuMemFree(convs->layer[i].forward_weights);
        (void)driver->cuMemFree(convs->layer[i].back_weights);
        cuda_module_close(convs->cuda->device, convs->layer[i].module);
    }
    free(convs);
}

// ---- running ----

static mega_status run(const cuda_convs *convs, const conv_layer *layer, CUfunction kernel, uint64_t blocks,
                       uint32_t rows, uint32_t shared, const cuda_argument *arguments) {
    const cuda_launch launch = {.function = kernel,
                                .blocks = (uint32_t)blocks,
                                .rows = rows,
                                .threads = layer->sizes.threads,
                                .shared_size = shared};
    return cuda_bundles_launch(convs->cuda->bundles, &launch, arguments);
}
#define RUN(convs, layer, kernel, blocks, rows, shared, ...) \
    MEGA_TRY(run(convs, layer, (layer)->kernel, blocks, rows, shared, CUDA_ARGUMENTS(__VA_ARGS__)))

static uint64_t blocks_of(uint64_t count, uint32_t size) {
    return (count + size - 1) / size;
}

uint64_t cuda_convs_cells_size(const cuda_convs *convs, uint32_t batch) {
    const conv_layer *first = &convs->layer[0];
    return (uint64_t)batch * first->in_height * first->in_width * first->in_channels * sizeof(uint16_t);
}

mega_status cuda_convs_pack(cuda_convs *convs, const float *parameters) {
    for (uint32_t i = 0; i < convs->count; i++) {
        conv_layer *layer = &convs->layer[i];
        const float *weights = parameters + layer->weights;
        RUN(convs, layer, pack, blocks_of(weight_count(layer), layer->sizes.threads), 1, 0, &weights,
            &layer->forward_weights, &layer->back_weights);
    }
    return MEGA_OK;
}

mega_status cuda_convs_forward(cuda_convs *convs, const float *parameters, const cuda_conv_room *room,
                               const uint8_t *observations, const int32_t *rows, uint32_t batch) {
    CUdeviceptr input = room->cells;
    RUN(convs, &convs->layer[0], fold_pixels, batch, 1, pixels_shared(&convs->layer[0]), &observations, &rows,
        &input);
    for (uint32_t i = 0; i < convs->count; i++) {
        conv_layer *layer = &convs->layer[i];
        const float *biases = parameters + layer->biases;
        const uint64_t pixels = (uint64_t)batch * layer->height * layer->width;
        CUdeviceptr output = room->output[i];
        RUN(convs, layer, forward, blocks_of(pixels, layer->sizes.rows), 1, layer->sizes.forward_shared,
            &input, &layer->forward_weights, &biases, &batch, &output);
        input = output;
    }
    return MEGA_OK;
}

static mega_status to_weights(cuda_convs *convs, const conv_layer *layer, CUdeviceptr input,
                              CUdeviceptr output_grads, uint32_t batch, float *gradients) {
    const mega_conv_sizes *sizes = &layer->sizes;
    const uint64_t pixels = (uint64_t)batch * layer->height * layer->width;
    // As conv_share() of mega_conv.h.
    const uint64_t share = blocks_of(blocks_of(pixels, sizes->depth), sizes->splits) * sizes->depth;
    uint32_t splits = (uint32_t)blocks_of(pixels, (uint32_t)share);
    float *weight_grads = gradients + layer->weights, *bias_grads = gradients + layer->biases;
    RUN(convs, layer, to_weights, sizes->tiles, splits, sizes->weights_shared, &input, &output_grads, &batch,
        &convs->parts);
    RUN(convs, layer, add, blocks_of(sizes->part, sizes->threads), 1, 0, &convs->parts, &splits,
        &weight_grads, &bias_grads);
    return MEGA_OK;
}

mega_status cuda_convs_backward(cuda_convs *convs, const cuda_conv_room *room, uint32_t batch,
                                float *gradients) {
    for (uint32_t i = convs->count; i-- > 0;) {
        conv_layer *layer = &convs->layer[i];
        const mega_conv_sizes *sizes = &layer->sizes;
        CUdeviceptr input = i > 0 ? room->output[i - 1] : room->cells, output_grads = room->output_grads[i];
        MEGA_TRY(to_weights(convs, layer, input, output_grads, batch, gradients));
        if (i > 0) {
            CUdeviceptr input_grads = room->output_grads[i - 1];
            RUN(convs, layer, to_input, blocks_of((uint64_t)batch * sizes->back_pixels, sizes->rows),
                sizes->back_turns, sizes->back_shared, &output_grads, &layer->back_weights, &input, &batch,
                &input_grads);
        }
    }
    return MEGA_OK;
}
