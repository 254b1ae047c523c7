// conv.cu - the kernels of one convolution (mega_conv.h), compiled for its shape.
#include "mega_conv.h"

#define KERNEL(blocks) extern "C" __global__ void __launch_bounds__(CONV_THREADS, blocks)
#define EACH(i, count)                                                                 \
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (count); \
         i += (uint64_t)gridDim.x * blockDim.x)

extern "C" __device__ const mega_conv_sizes conv_sizes = CONV_SIZES;

extern __shared__ __align__(128) uint8_t shared[];

KERNEL(1) conv_pack(const float *weights, uint16_t *forward, uint16_t *back) {
    EACH(i, CONV_WEIGHTS) { conv_pack_weight(weights, i, forward, back); }
}

#if CONV_FOLD > 1
// A block for each image, whose bytes it first brings together.
KERNEL(1) conv_fold(const uint8_t *observations, const int32_t *rows, uint16_t *cells) {
    const uint32_t size = CONV_PLANES * CONV_PIXELS_H * CONV_PIXELS_W;
    const uint32_t runs = CONV_IN_H * CONV_IN_W * CONV_IN_C / CONV_RUN, image = blockIdx.x;
    const uint8_t *pixels = observations + (uint64_t)(rows == NULL ? image : (uint32_t)rows[image]) * size;
    if (size % 16u == 0u) {
        for (uint32_t i = threadIdx.x; i < size / 16u; i += CONV_THREADS) {
            ((uint4 *)shared)[i] = ((const uint4 *)pixels)[i];
        }
    } else {
        for (uint32_t i = threadIdx.x; i < size; i += CONV_THREADS) {
            shared[i] = pixels[i];
        }
    }
    __syncthreads();
    for (uint32_t run = threadIdx.x; run < runs; run += CONV_THREADS) {
        conv_fold_run(shared, run, cells + (uint64_t)image * runs * CONV_RUN);
    }
}
#endif

KERNEL(3) conv_forward(const uint16_t *input, const uint16_t *weights, const float *biases, uint32_t images,
                       uint16_t *output) {
    conv_forward_block(input, weights, biases, images, shared, output);
}

#if CONV_FOLD == 1
KERNEL(3) conv_to_input(const uint16_t *output_grads, const uint16_t *back_weights, const uint16_t *input,
                        uint32_t images, uint16_t *input_grads) {
    conv_back_block(output_grads, back_weights, input, images, blockIdx.y, shared, input_grads);
}
#endif

KERNEL(2) conv_to_weights(const uint16_t *input, const uint16_t *output_grads, uint32_t images, float *parts) {
    conv_weights_block(input, output_grads, images, blockIdx.x, blockIdx.y, shared, parts);
}

KERNEL(1) conv_add(const float *parts, uint32_t splits, float *weight_grads, float *bias_grads) {
    EACH(i, CONV_PART) { conv_add_parts(parts, splits, i, weight_grads, bias_grads); }
}
