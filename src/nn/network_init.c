// network_init.c - first parameters: mega_network_initialise of network.h.
#include "network.h"

#include "mega_philox.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Number `index` of a stream of normally distributed numbers (Box & Muller 1958): a block of four words makes two
// pairs of them.
static double normal_at(uint64_t seed, uint64_t stream, uint64_t index) {
    const mega_philox_block block = mega_philox_at(seed, stream, index >> 2);
    const uint32_t *pair = &block.word[index & 2u];
    const double radius = sqrt(-2.0 * log((pair[0] + 0.5) * 0x1p-32)); // the logarithm of 0 cannot happen
    const double angle = 2.0 * 3.14159265358979323846 * (pair[1] * 0x1p-32);
    return radius * ((index & 1u) != 0 ? sin(angle) : cos(angle));
}

// ---- orthogonal --------------------------------------------------------------------------------------

// The vectors of a matrix that become orthonormal: its rows, or its columns if it has more rows than columns.
typedef struct vectors {
    float *first;
    size_t count;       // of vectors
    size_t length;      // numbers of one
    size_t vector_step; // from a vector to the next
    size_t number_step; // within a vector
} vectors;

enum {
    LANES = 8
}; // partial sums, which compilers can keep in registers

static inline double dot_product(const float *left, const float *right, size_t length, size_t step) {
    const size_t whole = length - length % LANES;
    double sums[LANES] = {0}, sum = 0;
    for (size_t i = 0; i < whole; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            sums[lane] += (double)left[(i + lane) * step] * (double)right[(i + lane) * step];
        }
    }
    for (size_t i = whole; i < length; i++) {
        sum += (double)left[i * step] * (double)right[i * step];
    }
    for (size_t lane = 0; lane < LANES; lane++) {
        sum += sums[lane];
    }
    return sum;
}

static double dot(const vectors *set, size_t a, size_t b) {
    const float *left = set->first + a * set->vector_step, *right = set->first + b * set->vector_step;
    if (set->number_step == 1) { // a constant that compilers make vectors of
        return dot_product(left, right, set->length, 1);
    }
    return dot_product(left, right, set->length, set->number_step);
}

static inline void subtract(float *to, const float *what, float factor, size_t length, size_t step) {
    for (size_t i = 0; i < length; i++) {
        to[i * step] -= factor * what[i * step];
    }
}

static void subtract_part(const vectors *set, size_t from, size_t other, double part) {
    float *to = set->first + from * set->vector_step;
    const float *what = set->first + other * set->vector_step;
    if (set->number_step == 1) {
        subtract(to, what, (float)part, set->length, 1);
    } else {
        subtract(to, what, (float)part, set->length, set->number_step);
    }
}

static void scale(const vectors *set, size_t which, double factor) {
    float *vector = set->first + which * set->vector_step;
    for (size_t i = 0; i < set->length; i++) {
        vector[i * set->number_step] = (float)(vector[i * set->number_step] * factor);
    }
}

// Gram and Schmidt, each vector twice, because the first time leaves rounding errors. Lengths before scaling are
// positive, which is the sign that makes the result of normal draws uniform over all orthogonal matrices.
static void make_orthonormal(const vectors *set) {
    for (size_t i = 0; i < set->count; i++) {
        for (int time = 0; time < 2; time++) {
            for (size_t before = 0; before < i; before++) {
                subtract_part(set, i, before, dot(set, i, before));
            }
            scale(set, i, 1.0 / sqrt(dot(set, i, i)));
        }
    }
}

static void draw_orthogonal(const mega_tensor *tensor, double gain, uint64_t seed, uint64_t stream,
                            float *weights) {
    const size_t rows = tensor->shape[0], columns = tensor->count / rows;
    for (size_t i = 0; i < tensor->count; i++) {
        weights[i] = (float)normal_at(seed, stream, i);
    }
    const bool wide = rows <= columns;
    const vectors set = {.first = weights,
                         .count = wide ? rows : columns,
                         .length = wide ? columns : rows,
                         .vector_step = wide ? columns : 1,
                         .number_step = wide ? 1 : columns};
    make_orthonormal(&set);
    for (size_t i = 0; i < set.count; i++) {
        scale(&set, i, gain);
    }
}

// ---- uniform -----------------------------------------------------------------------------------------

static void draw_uniform(const mega_tensor *tensor, double bound, uint64_t seed, uint64_t stream,
                         float *numbers) {
    for (size_t i = 0; i < tensor->count; i++) {
        numbers[i] =
            (float)(bound * (2.0 * (double)mega_philox_uniform(mega_philox_word(seed, stream, i)) - 1.0));
    }
}

// ---- interface ---------------------------------------------------------------------------------------

static double gain_of(const mega_network *network, const mega_tensor *weight) {
    const mega_tensor *heads = mega_network_heads(network);
    if (weight < heads) {
        return sqrt(2.0);
    }
    return weight == heads && !network->is_q ? 0.01 : 1.0;
}

void mega_network_initialise(const mega_network *network, uint32_t kind, uint64_t seed, float *parameters) {
    memset(parameters, 0, network->parameter_count * sizeof *parameters);
    // A weight and its bias follow each other; a tensor's place is its stream.
    for (uint32_t i = 0; i < network->tensor_count; i += 2) {
        const mega_tensor *weight = &network->tensor[i], *bias = &network->tensor[i + 1];
        if (kind == MEGA_INIT_ORTHOGONAL) {
            draw_orthogonal(weight, gain_of(network, weight), seed, i, parameters + weight->first);
        } else {
            const double bound = 1.0 / sqrt((double)(weight->count / weight->shape[0]));
            draw_uniform(weight, bound, seed, i, parameters + weight->first);
            draw_uniform(bias, bound, seed, i + 1, parameters + bias->first);
        }
    }
}
