// mega_noise.h - noisy layers: what is added to the parameters of fully connected layers for exploration. Shared source.
//
// Fortunato et al. 2017, factorised: a layer with `ins` inputs and `outs` outputs draws a vector of normal numbers for
// each, and with f(x) = sign(x) sqrt(|x|)
//
//     weight[o][i] = mean + spread * f(e_in[i]) * f(e_out[o])        bias[o] = mean + spread * f(e_out[o])
//
// Means and spreads are learned; they lie in one array: the means of all parameters in the network's layout, then the
// spreads of those that are noisy, which are all from the first fully connected layer on. A function does one number.
#ifndef MEGA_NOISE_H
#define MEGA_NOISE_H
#include "mega_policy.h"

#define MEGA_NOISE_NONE 0xFFFFFFFFFFFFFFFFu // the number of a draw without noise
#define MEGA_NOISE_LAYERS 3u                // the fully connected layer and both heads

typedef struct mega_noise_layer {
    uint64_t weight, bias;        // where these tensors are among the network's parameters
    uint32_t ins, outs;           //
    uint32_t in_noise, out_noise; // where its vectors begin among all vectors
} mega_noise_layer;

typedef struct mega_noise_plan {
    uint64_t means;        // parameters of the network
    uint64_t first;        // of them that is noisy
    uint32_t vector_count; // numbers of all vectors
    uint32_t layer_count;
    mega_noise_layer layer[MEGA_NOISE_LAYERS]; // in the order of the parameters
} mega_noise_plan;

// f(x)
MEGA_FN float noise_root(float number) {
    return number < 0.0f ? -MEGA_SQRT(-number) : MEGA_SQRT(number);
}

// A normal number (Box & Muller 1958); the logarithm of 0 cannot happen.
MEGA_FN float noise_normal(uint64_t seed, uint32_t place, uint64_t draw) {
    const mega_philox_block block = mega_philox_at(seed, (uint64_t)MEGA_DRAW_NOISE << 32 | place, draw);
    const float radius =
        MEGA_SQRT(-2.0f * MEGA_LOG((float)((block.word[0] >> 8) + 1u) * (1.0f / 16777216.0f)));
    return radius * MEGA_COS(6.28318531f * mega_philox_uniform(block.word[1]));
}

// Number `place` of all vectors, after f.
MEGA_FN float noise_vector(uint64_t seed, uint32_t place, uint64_t draw) {
    return draw == MEGA_NOISE_NONE ? 0.0f : noise_root(noise_normal(seed, place, draw));
}

// What the spread of parameter `i` is multiplied with; 0 between tensors and before the first that is noisy.
MEGA_FN float noise_factor(const mega_noise_plan *p, const float *vectors, uint64_t i) {
    for (uint32_t k = p->layer_count; k-- > 0;) {
        const mega_noise_layer *l = &p->layer[k];
        if (i >= l->bias) {
            return i - l->bias < l->outs ? vectors[l->out_noise + (i - l->bias)] : 0.0f;
        }
        if (i >= l->weight) {
            const uint64_t in = (i - l->weight) % l->ins, out = (i - l->weight) / l->ins;
            return out < l->outs ? vectors[l->in_noise + in] * vectors[l->out_noise + out] : 0.0f;
        }
    }
    return 0.0f;
}

// Parameter `i`.
MEGA_FN float noise_mix(const mega_noise_plan *p, const float *learned, const float *vectors, uint64_t i) {
    if (i < p->first) {
        return learned[i];
    }
    return learned[i] + learned[p->means + (i - p->first)] * noise_factor(p, vectors, i);
}

// From the gradient of parameter `i` to those of its mean and spread.
MEGA_FN void noise_gradient(const mega_noise_plan *p, const float *gradients, const float *vectors,
                            uint64_t i, float *learned_gradients) {
    learned_gradients[i] = gradients[i];
    if (i >= p->first) {
        learned_gradients[p->means + (i - p->first)] = gradients[i] * noise_factor(p, vectors, i);
    }
}

#endif
