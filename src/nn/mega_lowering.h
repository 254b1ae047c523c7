// mega_lowering.h - convolutions as products of matrices: what goes in is spread out, what comes back is gathered.
// Shared source; a function does one element, so a kernel is a loop over them.
//
// Activations are [image][row][column][channel], channels last. A convolution reads its input as a matrix with a row for
// each output pixel and in it all that the pixel sees:
//
//     first layer   [image][row][column][channel][ky][kx]   from the planes of an observation, in PyTorch's order
//     others        [image][row][column][ky][kx][channel]
//
// times the weights, [out][the same]. Elements have 8 channels where their number allows, else 1.
#ifndef MEGA_LOWERING_H
#define MEGA_LOWERING_H
#include "mega_number.h"

typedef struct mega_lowering {
    uint32_t in_channels, in_height, in_width;
    uint32_t out_height, out_width;
    uint32_t kernel, stride, padding;
    uint32_t run; // channels of an element: MEGA_RUN or 1
} mega_lowering;

MEGA_FN uint32_t lowering_row_size(const mega_lowering *l) {
    return l->kernel * l->kernel * l->in_channels;
}

// ---- observations ----

// Elements: [image][row][column][channel][ky]; each is a run of `kernel` pixels.
MEGA_FN uint64_t lower_bytes_count(const mega_lowering *l, uint32_t images) {
    return (uint64_t)images * l->out_height * l->out_width * l->in_channels * l->kernel;
}

MEGA_FN void lower_bytes(const mega_lowering *l, const uint8_t *observations, const int32_t *rows,
                         uint64_t element, mega_number *matrix) {
    const uint32_t runs = l->in_channels * l->kernel, pixels = l->out_height * l->out_width;
    const uint64_t pixel = element / runs;
    const uint32_t run = (uint32_t)(element % runs), channel = run / l->kernel, ky = run % l->kernel;
    const uint32_t image = (uint32_t)(pixel / pixels), place = (uint32_t)(pixel % pixels);
    const int32_t y = (int32_t)(place / l->out_width * l->stride + ky) - (int32_t)l->padding;
    const int32_t x = (int32_t)(place % l->out_width * l->stride) - (int32_t)l->padding;
    const uint64_t plane = (uint64_t)l->in_height * l->in_width;
    const uint64_t row = rows == NULL ? image : (uint64_t)(uint32_t)rows[image];
    const uint8_t *from =
        observations + (row * l->in_channels + channel) * plane + (int64_t)y * (int32_t)l->in_width;
    mega_number *to = matrix + element * l->kernel;
    for (uint32_t kx = 0; kx < l->kernel; kx++) {
        const int32_t at = x + (int32_t)kx;
        const uint32_t inside = y >= 0 && y < (int32_t)l->in_height && at >= 0 && at < (int32_t)l->in_width;
        to[kx] = number_from(inside ? (float)from[at] * (1.0f / 255.0f) : 0.0f);
    }
}

// ---- activations ----

// Elements: [image][row][column][ky][kx][channel / run].
MEGA_FN uint64_t lower_count(const mega_lowering *l, uint32_t images) {
    return (uint64_t)images * l->out_height * l->out_width * lowering_row_size(l) / l->run;
}

MEGA_FN void lower(const mega_lowering *l, const mega_number *input, uint64_t element, mega_number *matrix) {
    const uint32_t runs = l->in_channels / l->run, pixels = l->out_height * l->out_width;
    const uint32_t channel = (uint32_t)(element % runs) * l->run;
    uint64_t rest = element / runs;
    const uint32_t kx = (uint32_t)(rest % l->kernel);
    rest /= l->kernel;
    const uint32_t ky = (uint32_t)(rest % l->kernel);
    rest /= l->kernel;
    const uint32_t image = (uint32_t)(rest / pixels), place = (uint32_t)(rest % pixels);
    const int32_t y = (int32_t)(place / l->out_width * l->stride + ky) - (int32_t)l->padding;
    const int32_t x = (int32_t)(place % l->out_width * l->stride + kx) - (int32_t)l->padding;
    mega_number *to = matrix + element * l->run;
    if (y < 0 || y >= (int32_t)l->in_height || x < 0 || x >= (int32_t)l->in_width) {
        for (uint32_t i = 0; i < l->run; i++) {
            to[i] = number_from(0.0f);
        }
        return;
    }
    const mega_number *from =
        input +
        (((uint64_t)image * l->in_height + (uint32_t)y) * l->in_width + (uint32_t)x) * l->in_channels +
        channel;
    if (l->run == MEGA_RUN && MEGA_BF16) {
        MEGA_COPY16(to, from);
        return;
    }
    for (uint32_t i = 0; i < l->run; i++) {
        to[i] = from[i];
    }
}

// Back: elements [image][in row][in column][channel / run]. The gradients of all that saw an input are added up, and
// pass where the rectifier before it was open. `input` is what the rectifier gave.
MEGA_FN uint64_t raise_count(const mega_lowering *l, uint32_t images) {
    return (uint64_t)images * l->in_height * l->in_width * l->in_channels / l->run;
}

MEGA_FN void raise_element(const mega_lowering *l, const mega_number *matrix, const mega_number *input,
                           uint64_t element, mega_number *gradient) {
    const uint32_t runs = l->in_channels / l->run;
    const uint32_t channel = (uint32_t)(element % runs) * l->run;
    uint64_t rest = element / runs;
    const uint32_t x = (uint32_t)(rest % l->in_width) + l->padding;
    rest /= l->in_width;
    const uint32_t y = (uint32_t)(rest % l->in_height) + l->padding, image = (uint32_t)(rest / l->in_height);
    float sum[MEGA_RUN] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    for (uint32_t ky = y % l->stride; ky < l->kernel && ky <= y; ky += l->stride) {
        const uint32_t out_y = (y - ky) / l->stride;
        for (uint32_t kx = x % l->stride; kx < l->kernel && kx <= x; kx += l->stride) {
            const uint32_t out_x = (x - kx) / l->stride;
            if (out_y < l->out_height && out_x < l->out_width) {
                const uint64_t pixel = ((uint64_t)image * l->out_height + out_y) * l->out_width + out_x;
                const mega_number *from =
                    matrix + ((pixel * l->kernel + ky) * l->kernel + kx) * l->in_channels + channel;
                for (uint32_t i = 0; i < l->run; i++) {
                    sum[i] += number_to(from[i]);
                }
            }
        }
    }
    for (uint32_t i = 0; i < l->run; i++) {
        const uint64_t at = element * l->run + i;
        gradient[at] = number_from(number_to(input[at]) > 0.0f ? sum[i] : 0.0f);
    }
}

// ---- parameters ----

// A tensor as products of matrices want it: [out][places][channels] of PyTorch's [out][channels][places]. For the first
// layer and for heads, channels is 1. Heads are parts of the rows of one matrix.
typedef struct mega_packing {
    uint64_t slab;   // where the tensor is among the parameters,
    uint64_t packed; // and among those that are packed
    uint32_t outs, channels, places;
    uint32_t pitch; // from one out to the next among those that are packed: channels * places or more
} mega_packing;

MEGA_FN uint64_t packing_count(const mega_packing *p) {
    return (uint64_t)p->outs * p->channels * p->places;
}

// Where element `i` of the tensor is among those that are packed.
MEGA_FN uint64_t packing_target(const mega_packing *p, uint64_t i) {
    const uint64_t row = (uint64_t)p->channels * p->places;
    return p->packed + i / row * p->pitch + i % row;
}

// Where element `i` of the packed tensor is in PyTorch's.
MEGA_FN uint64_t packing_source(const mega_packing *p, uint64_t i) {
    const uint64_t channel = i % p->channels, place = i / p->channels % p->places,
                   out = i / p->channels / p->places;
    return (out * p->channels + channel) * p->places + place;
}

// All tensors that are packed, so that one kernel goes through them: element `i` of them together is in the first whose
// end is beyond it.
#define MEGA_PACKINGS_MAX 16
typedef struct mega_packings {
    uint64_t end[MEGA_PACKINGS_MAX]; // elements up to and with this tensor
    mega_packing packing[MEGA_PACKINGS_MAX];
    uint32_t count;
    uint32_t pad;
} mega_packings;

MEGA_FN uint64_t packings_count(const mega_packings *all) {
    return all->count > 0 ? all->end[all->count - 1] : 0;
}

MEGA_FN void packings_add(mega_packings *all, mega_packing packing) {
    all->end[all->count] = packings_count(all) + packing_count(&packing);
    all->packing[all->count] = packing;
    all->count++;
}

// Where element `i` is among the parameters, and among those that are packed.
MEGA_FN void packings_find(const mega_packings *all, uint64_t i, uint64_t *slab, uint64_t *packed) {
    uint32_t k = 0;
    while (i >= all->end[k]) {
        k++;
    }
    const mega_packing *p = &all->packing[k];
    const uint64_t own = k > 0 ? i - all->end[k - 1] : i;
    *slab = p->slab + packing_source(p, own);
    *packed = packing_target(p, own);
}

// ---- heads ----

// Both heads' outputs are the columns of one matrix: the first head's, the value's, and what fills its rows up.
typedef struct mega_heads {
    uint32_t outputs, values, width;
} mega_heads;

MEGA_FN uint64_t heads_split_count(const mega_heads *h, uint32_t batch) {
    return (uint64_t)batch * (h->outputs + h->values);
}

MEGA_FN void heads_split(const mega_heads *h, const float *matrix, const float *bias, const float *value_bias,
                         uint64_t element, float *logits, float *values) {
    const uint32_t both = h->outputs + h->values, column = (uint32_t)(element % both);
    const uint64_t row = element / both;
    const float number = matrix[row * h->width + column];
    if (column < h->outputs) {
        logits[row * h->outputs + column] = number + bias[column];
    } else {
        values[row * h->values + column - h->outputs] = number + value_bias[column - h->outputs];
    }
}

// Element `element` of the matrix of their gradients.
MEGA_FN float heads_join(const mega_heads *h, const float *logit_grads, const float *value_grads,
                         uint64_t element) {
    const uint64_t row = element / h->width;
    const uint32_t column = (uint32_t)(element % h->width);
    if (column < h->outputs) {
        return logit_grads[row * h->outputs + column];
    }
    return column < h->outputs + h->values ? value_grads[row * h->values + column - h->outputs] : 0.0f;
}

#endif
