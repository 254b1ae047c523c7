// noise.h - a network with noisy layers: what is learned, and the noise that is in the net's parameters at present.
//
// Optimisers work on `learned` and `gradients`; the net's own slab holds what passes use. A learner draws noise and mixes
// it into the net before a forward pass, and makes the gradients of what is learned after the backward pass:
//
//     draw_noise(), mix_noise(), mega_pass_forward(), ..., mega_pass_backward(), spread_gradients(), optimise()
//
// These are calls of compute.h. The hidden layers of a dueling network are one tensor, and so share its inputs' noise.
#ifndef NOISE_H
#define NOISE_H
#include "compute.h"
#include "mega_noise.h"

struct mega_noise {
    mega_noise_plan plan;
    size_t
        count; // of what is learned: means, in the network's layout, and spreads of those from plan.first on
    float *learned;   // [count], on the device
    float *gradients; // [count]
    float *vectors;   // [plan.vector_count]: what was drawn, after f
    void *slab;       // holds them all
};

// Where the noisy tensors of a network are.
mega_noise_plan mega_noise_plan_of(const mega_network *network);
// All is zero at first: no noise, and nothing learned.
int mega_noise_create(mega_compute *compute, const mega_network *network, mega_noise **out,
                      mega_message *message);
// NULL is allowed.
void mega_noise_destroy(mega_compute *compute, mega_noise *noise);
static inline mega_slab mega_noise_slab(const mega_noise *noise) {
    return (mega_slab){noise->learned, noise->gradients, noise->count};
}

// First numbers in `learned`, on the host: means uniform in +-1/sqrt(fan in), spreads of `spread`/sqrt(fan in), where
// Fortunato et al. take 0.5.
void mega_noise_initialise(const mega_network *network, double spread, uint64_t seed, float *learned);

#endif
