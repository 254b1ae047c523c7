// onednn_input.h - how the first layer sees observations. Host code.
//
// Libraries are fast where channels are many; the first layer has few of them and large strides. But a convolution
// whose kernel is a multiple of its stride S is also one of stride 1 over pictures whose squares of S x S pixels are
// channels: 8 x 8 / 4 over 4 frames becomes 2 x 2 / 1 over 64 channels. Observations are folded like that while their
// bytes become numbers, in the order of numbers that the library wants.
#ifndef ONEDNN_INPUT_H
#define ONEDNN_INPUT_H
#include "network.h"

typedef struct mega_onednn_input {
    uint32_t fold;                    // S; 1 where nothing is folded
    uint32_t frames, height, width;   // of an observation
    uint32_t channels, rows, columns; // of what the first layer sees
    // Numbers lie by blocks of channels, then rows, columns, channels of the block; 1 is PyTorch's order.
    uint32_t block;
} mega_onednn_input;

mega_onednn_input mega_onednn_input_of(const mega_network *network);
// Whether numbers can be written in blocks of so many channels.
int mega_onednn_input_can_block(const mega_onednn_input *input, uint32_t block);
// One observation: bytes to numbers.
void mega_onednn_input_read(const mega_onednn_input *input, const uint8_t *bytes, float *numbers);

// Weights [out][frames][k][k] to and from [out][channels][k / fold][k / fold].
void mega_onednn_input_fold(const mega_conv_layer *conv, uint32_t fold, const float *weights, float *folded);
void mega_onednn_input_unfold(const mega_conv_layer *conv, uint32_t fold, const float *folded,
                              float *weights);

#endif
