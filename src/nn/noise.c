// noise.c - see noise.h.
#include "noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PART_ALIGNMENT = 64 // numbers: 256 bytes, so that a GPU reads any part in wide words
};

mega_noise_plan mega_noise_plan_of(const mega_network *network) {
    const uint32_t fc = 2 * network->conv_count; // tensors come in pairs
    mega_noise_plan plan = {.means = network->parameter_count, .first = network->tensor[fc].first};
    for (uint32_t i = fc; i < network->tensor_count; i += 2) {
        const mega_tensor *weight = &network->tensor[i], *bias = &network->tensor[i + 1];
        const mega_noise_layer layer = {.weight = weight->first,
                                        .bias = bias->first,
                                        .ins = weight->shape[1],
                                        .outs = weight->shape[0],
                                        .in_noise = plan.vector_count,
                                        .out_noise = plan.vector_count + weight->shape[1]};
        plan.layer[plan.layer_count++] = layer;
        plan.vector_count += layer.ins + layer.outs;
    }
    return plan;
}

static size_t padded(size_t count) {
    return (count + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT;
}

int mega_noise_create(mega_compute *compute, const mega_network *network, mega_noise **out,
                      mega_message *message) {
    *out = NULL;
    mega_noise *noise = calloc(1, sizeof *noise);
    if (noise == NULL) {
        return mega_message_set(message, "there is no memory for a network's noise");
    }
    noise->plan = mega_noise_plan_of(network);
    noise->count = (size_t)(2 * noise->plan.means - noise->plan.first);
    const size_t part = padded(noise->count);
    if (compute->ops->allocate(compute, (2 * part + noise->plan.vector_count) * sizeof(float), &noise->slab,
                               message) < 0) {
        free(noise);
        return -1;
    }
    noise->learned = noise->slab;
    noise->gradients = noise->learned + part;
    noise->vectors = noise->gradients + part;
    *out = noise;
    return 0;
}

void mega_noise_destroy(mega_compute *compute, mega_noise *noise) {
    if (noise != NULL) {
        compute->ops->release(compute, noise->slab);
        free(noise);
    }
}

void mega_noise_initialise(const mega_network *network, double spread, uint64_t seed, float *learned) {
    const mega_noise_plan plan = mega_noise_plan_of(network);
    float *spreads = learned + plan.means;
    mega_network_initialise(network, MEGA_INIT_UNIFORM, seed, learned);
    memset(spreads, 0, (size_t)(plan.means - plan.first) * sizeof *spreads);
    for (uint32_t k = 0; k < plan.layer_count; k++) {
        const mega_noise_layer *layer = &plan.layer[k];
        const float first = (float)(spread / sqrt((double)layer->ins));
        for (size_t i = 0; i < (size_t)layer->ins * layer->outs; i++) {
            spreads[layer->weight - plan.first + i] = first;
        }
        for (size_t i = 0; i < layer->outs; i++) {
            spreads[layer->bias - plan.first + i] = first;
        }
    }
}
