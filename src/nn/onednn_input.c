// onednn_input.c - see onednn_input.h.
#include "onednn_input.h"

mega_onednn_input mega_onednn_input_of(const mega_network *network) {
    mega_onednn_input input = {.fold = 1,
                               .frames = network->stack,
                               .height = network->height,
                               .width = network->width,
                               .channels = network->stack,
                               .rows = network->height,
                               .columns = network->width,
                               .block = 1};
    const mega_conv_layer *first = &network->conv[0];
    if (network->conv_count > 0 && first->padding == 0 && first->kernel % first->stride == 0) {
        input.fold = first->stride;
        input.channels = first->in_channels * first->stride * first->stride;
        input.rows = first->out_height - 1 + first->kernel / first->stride; // no window sees what lies below
        input.columns = first->out_width - 1 + first->kernel / first->stride;
    }
    return input;
}

int mega_onednn_input_can_block(const mega_onednn_input *input, uint32_t block) {
    return block == 1 || (input->channels % block == 0 && block % input->fold == 0);
}

// A line of pixels: `fold` of them go to channels that lie `channel_step` apart, the next ones a column further.
static inline void read_line(const uint8_t *restrict bytes, float *restrict numbers, uint32_t columns,
                             uint32_t fold, size_t column_step, size_t channel_step) {
    for (uint32_t x = 0; x < columns; x++) {
        for (uint32_t i = 0; i < fold; i++) {
            numbers[x * column_step + i * channel_step] = (float)bytes[x * fold + i] / 255.0f;
        }
    }
}

void mega_onednn_input_read(const mega_onednn_input *input, const uint8_t *bytes, float *numbers) {
    const uint32_t fold = input->fold, block = input->block, columns = input->columns;
    const size_t picture = (size_t)input->rows * columns;
    const size_t channel_step = block > 1 ? 1 : picture;
    for (uint32_t frame = 0; frame < input->frames; frame++) {
        for (uint32_t row = 0; row < input->rows; row++) {
            for (uint32_t i = 0; i < fold; i++) {
                const uint32_t channel = (frame * fold + i) * fold;
                const uint8_t *line = bytes + ((size_t)frame * input->height + row * fold + i) * input->width;
                float *to = numbers + channel / block * block * picture + channel % block +
                            (size_t)row * columns * block;
                if (fold == 4 && channel_step == 1) { // constants that compilers make vectors of
                    read_line(line, to, columns, 4, block, 1);
                } else if (fold == 1 && block == 1) {
                    read_line(line, to, columns, 1, 1, 1);
                } else {
                    read_line(line, to, columns, fold, block, channel_step);
                }
            }
        }
    }
}

// Where weight [out][frame][y][x] goes.
static size_t folded_index(const mega_conv_layer *conv, size_t fold, size_t out, size_t frame, size_t y,
                           size_t x) {
    const size_t channel = (frame * fold + y % fold) * fold + x % fold, small = conv->kernel / fold;
    return ((out * conv->in_channels * fold * fold + channel) * small + y / fold) * small + x / fold;
}

void mega_onednn_input_fold(const mega_conv_layer *conv, uint32_t fold, const float *weights, float *folded) {
    for (size_t out = 0; out < conv->channels; out++) {
        for (size_t frame = 0; frame < conv->in_channels; frame++) {
            for (size_t y = 0; y < conv->kernel; y++) {
                for (size_t x = 0; x < conv->kernel; x++) {
                    folded[folded_index(conv, fold, out, frame, y, x)] = *weights++;
                }
            }
        }
    }
}

void mega_onednn_input_unfold(const mega_conv_layer *conv, uint32_t fold, const float *folded,
                              float *weights) {
    for (size_t out = 0; out < conv->channels; out++) {
        for (size_t frame = 0; frame < conv->in_channels; frame++) {
            for (size_t y = 0; y < conv->kernel; y++) {
                for (size_t x = 0; x < conv->kernel; x++) {
                    *weights++ = folded[folded_index(conv, fold, out, frame, y, x)];
                }
            }
        }
    }
}
