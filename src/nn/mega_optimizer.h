// mega_optimizer.h - what optimisers do to one parameter. Shared source.
//
// g is the gradient, r the learning rate, p the parameter; m and v are running means of g and of its square, zero at
// first. All are functions of one element, so that an optimiser is one loop over the slabs:
//
//   Adam (Kingma & Ba 2015, algorithm 1; PyTorch's): t counts steps from 1.
//       m = a m + (1 - a) g           v = b v + (1 - b) g^2
//       p -= r (m / (1 - a^t)) / (sqrt(v / (1 - b^t)) + e)
//   RMSProp (Tieleman & Hinton 2012)
//       v = b v + (1 - b) g^2
//       p -= r g / sqrt(v + e)        e inside the root: Lasagne, TensorFlow (so OpenAI's baselines), Mnih et al. 2016
//       p -= r g / (sqrt(v) + e)      e outside: PyTorch
//   centred RMSProp (Graves 2013; Mnih et al. 2015)
//       m = b m + (1 - b) g           v = b v + (1 - b) g^2
//       p -= r g / sqrt(v - m^2 + e)  or outside as above. Rounding may leave v - m^2 below zero; that counts as zero.
//
// TensorFlow's RMSProp starts with v = 1, the others with 0; whoever wants that writes ones into the slab v.
#ifndef MEGA_OPTIMIZER_H
#define MEGA_OPTIMIZER_H
#include "mega_base.h"

enum {
    MEGA_OPTIMIZER_ADAM,
    MEGA_OPTIMIZER_RMSPROP,
    MEGA_OPTIMIZER_RMSPROP_CENTRED
};

// The numbers of one step, the same for all elements; mega_optimizer_factors (optimizer.h) computes them.
typedef struct mega_optimizer_step {
    uint32_t kind;
    uint32_t epsilon_inside; // of the root; RMSProp only
    float rate;              // Adam: r / (1 - a^t)
    float keep_mean;         // a (Adam), b (centred RMSProp)
    float take_mean;         // 1 - a, 1 - b
    float keep_square;       // b
    float take_square;       // 1 - b
    float root_scale;        // Adam: 1 / sqrt(1 - b^t)
    float epsilon;           // e
} mega_optimizer_step;

MEGA_FN float mega_running_mean(float keep, float mean, float take, float number) {
    return keep * mean + take * number;
}

// How far a parameter goes down.
MEGA_FN float mega_adam(const mega_optimizer_step *step, float gradient, float *mean, float *square) {
    *mean = mega_running_mean(step->keep_mean, *mean, step->take_mean, gradient);
    *square = mega_running_mean(step->keep_square, *square, step->take_square, gradient * gradient);
    return step->rate * (*mean / (MEGA_SQRT(*square) * step->root_scale + step->epsilon));
}

// Both kinds of RMSProp, after their running means: `spread` is v, or v - m^2.
MEGA_FN float mega_rmsprop_move(const mega_optimizer_step *step, float gradient, float spread) {
    const float root =
        step->epsilon_inside != 0u ? MEGA_SQRT(spread + step->epsilon) : MEGA_SQRT(spread) + step->epsilon;
    return step->rate * (gradient / root);
}

MEGA_FN float mega_rmsprop(const mega_optimizer_step *step, float gradient, float *square) {
    *square = mega_running_mean(step->keep_square, *square, step->take_square, gradient * gradient);
    return mega_rmsprop_move(step, gradient, *square);
}

MEGA_FN float mega_rmsprop_centred(const mega_optimizer_step *step, float gradient, float *mean,
                                   float *square) {
    *mean = mega_running_mean(step->keep_mean, *mean, step->take_mean, gradient);
    *square = mega_running_mean(step->keep_square, *square, step->take_square, gradient * gradient);
    const float variance = *square - *mean * *mean;
    return mega_rmsprop_move(step, gradient, variance > 0.0f ? variance : 0.0f);
}

#endif
