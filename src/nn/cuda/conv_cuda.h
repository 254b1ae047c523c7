// conv_cuda.h - the convolutions of a network in bfloat16 on a GPU's matrix units: kernels that are compiled for their
// shapes (conv.cu). Layers of other shapes, floats and older GPUs take products of large matrices (net_cuda.c).
#ifndef CONV_CUDA_H
#define CONV_CUDA_H
#include "compute_cuda.h"

typedef struct cuda_convs cuda_convs;

// What a pass has. Gradients are NULL in one that does not train.
typedef struct cuda_conv_room {
    CUdeviceptr cells; // the observations, folded
    CUdeviceptr output[MEGA_NETWORK_CONVS];
    CUdeviceptr output_grads[MEGA_NETWORK_CONVS];
} cuda_conv_room;

// Whether there are kernels for all convolutions of a network.
bool cuda_convs_suit(const cuda_compute *cuda, const mega_network *network);
// Compiles them, or takes them from the cache.
mega_status cuda_convs_open(cuda_compute *cuda, const mega_network *network, cuda_convs **out);
// NULL is allowed.
void cuda_convs_close(cuda_convs *convs);

// Bytes of cuda_conv_room.cells for so many observations.
uint64_t cuda_convs_cells_size(const cuda_convs *convs, uint32_t batch);
// Takes the weights that the kernels want from the slab of parameters.
mega_status cuda_convs_pack(cuda_convs *convs, const float *parameters);
mega_status cuda_convs_forward(cuda_convs *convs, const float *parameters, const cuda_conv_room *room,
                               const uint8_t *observations, const int32_t *rows, uint32_t batch);
// From the last layer's output_grads, which are those before its rectifier, to the slab of gradients.
mega_status cuda_convs_backward(cuda_convs *convs, const cuda_conv_room *room, uint32_t batch,
                                float *gradients);

#endif
