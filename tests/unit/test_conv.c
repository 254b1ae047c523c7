// test_conv.c - the GPU's convolutions (mega_conv.h) thread by thread on the CPU, against sums in plain loops. Compiled
// once for each shape: CMakeLists.txt has the others.
#ifndef CONV_FOLD
#define CONV_IN_C 32u
#define CONV_IN_H 10u
#define CONV_IN_W 11u
#define CONV_OUT_C 64u
#define CONV_OUT_H 5u
#define CONV_OUT_W 5u
#define CONV_KERNEL 4u
#define CONV_STRIDE 2u
#define CONV_PADDING 1u
#define CONV_FOLD 1u
#endif
#include "mega_conv.h"

#include "mega_philox.h"
#include "mega_test.h"

#include <math.h>

#define IMAGES 5u
#define OUT_PIXELS (IMAGES * CONV_OUT_H * CONV_OUT_W)
#define IN_COUNT (IMAGES * CONV_IN_H * CONV_IN_W * CONV_IN_C)
#define OUT_COUNT (OUT_PIXELS * CONV_OUT_C)
#define WEIGHT_COUNT (CONV_OUT_C * CONV_WEIGHT_ROW)

// Multiples of 16 bytes, as on a GPU.
static _Alignas(16) uint16_t input[IN_COUNT], output[OUT_COUNT], output_grads[OUT_COUNT];
static _Alignas(16) uint16_t forward[WEIGHT_COUNT], back[WEIGHT_COUNT];
static _Alignas(128)
    uint8_t shared[CONV_SHARED(CONV_MOST) > CONV_WEIGHT_SHARED ? CONV_SHARED(CONV_MOST) : CONV_WEIGHT_SHARED];
static float weights[WEIGHT_COUNT], biases[CONV_OUT_C], weight_grads[WEIGHT_COUNT], bias_grads[CONV_OUT_C];

static float uniform(uint32_t stream, uint64_t index) {
    return mega_philox_uniform(mega_philox_word(17, stream, index)) - 0.5f;
}

// What the layer is given: whole numbers of bytes, or what a rectifier leaves.
static void draw_input(void) {
#if CONV_FOLD > 1
    static uint8_t pixels[CONV_PLANES * CONV_PIXELS_H * CONV_PIXELS_W];
    const uint32_t runs = CONV_IN_H * CONV_IN_W * CONV_IN_C / CONV_RUN;
    for (uint32_t image = 0; image < IMAGES; image++) {
        for (uint32_t i = 0; i < sizeof pixels; i++) {
            pixels[i] = (uint8_t)mega_philox_word(17, 1 + image, i);
        }
        for (uint32_t run = 0; run < runs; run++) {
            conv_fold_run(pixels, run, input + (uint64_t)image * runs * CONV_RUN);
        }
        for (uint32_t i = 0; i < runs * CONV_RUN; i++) {
            const uint32_t channel = i % CONV_IN_C, cell = i / CONV_IN_C;
            const uint32_t plane = channel / (CONV_FOLD * CONV_FOLD);
            const int32_t y = (int32_t)(cell / CONV_IN_W * CONV_FOLD + channel / CONV_FOLD % CONV_FOLD) -
                              (int32_t)CONV_PIXEL_PADDING;
            const int32_t x =
                (int32_t)(cell % CONV_IN_W * CONV_FOLD + channel % CONV_FOLD) - (int32_t)CONV_PIXEL_PADDING;
            const int is_there = y >= 0 && y < (int32_t)CONV_PIXELS_H && x >= 0 && x < (int32_t)CONV_PIXELS_W;
            const float pixel =
                is_there ? (float)pixels[(plane * CONV_PIXELS_H + (uint32_t)y) * CONV_PIXELS_W + (uint32_t)x]
                         : 0.0f;
            if (bf16_to(input[(uint64_t)image * runs * CONV_RUN + i]) != pixel) {
                MEGA_FAIL("a pixel is in another place");
                return;
            }
        }
    }
#else
    for (uint32_t i = 0; i < IN_COUNT; i++) {
        input[i] = bf16_from(fmaxf(uniform(1, i), 0.0f));
    }
#endif
}

static void draw_rest(void) {
    for (uint32_t i = 0; i < WEIGHT_COUNT; i++) {
        weights[i] = uniform(20, i);
    }
    for (uint32_t i = 0; i < WEIGHT_COUNT; i++) {
        conv_pack_weight(weights, i, forward, back);
    }
    for (uint32_t i = 0; i < CONV_OUT_C; i++) {
        biases[i] = uniform(21, i);
    }
    for (uint32_t i = 0; i < OUT_COUNT; i++) {
        output_grads[i] = bf16_from(uniform(22, i));
    }
}

// ---- plain loops ---------------------------------------------------------------------------------------

// PyTorch's weight for a channel of a cell, as it is after packing.
static float weight_of(uint32_t out, uint32_t ky, uint32_t kx, uint32_t in) {
    const uint32_t plane = in / (CONV_FOLD * CONV_FOLD), y = ky * CONV_FOLD + in / CONV_FOLD % CONV_FOLD,
                   x = kx * CONV_FOLD + in % CONV_FOLD;
    return bf16_to(
        bf16_from(weights[((out * CONV_PLANES + plane) * CONV_SIDE + y) * CONV_SIDE + x] * CONV_SCALE));
}

typedef void tap(uint32_t in_at, uint32_t out_at, uint32_t out, uint32_t ky, uint32_t kx, uint32_t channel);

// Calls `each` for every product of the layer.
static void for_each_product(tap *each) {
    for (uint32_t pixel = 0; pixel < OUT_PIXELS; pixel++) {
        const uint32_t image = pixel / (CONV_OUT_H * CONV_OUT_W), place = pixel % (CONV_OUT_H * CONV_OUT_W);
        for (uint32_t k = 0; k < CONV_WEIGHT_ROW; k++) {
            const uint32_t channel = k % CONV_IN_C, kx = k / CONV_IN_C % CONV_KERNEL,
                           ky = k / CONV_IN_C / CONV_KERNEL;
            const int32_t y = (int32_t)(place / CONV_OUT_W * CONV_STRIDE + ky) - (int32_t)CONV_PADDING;
            const int32_t x = (int32_t)(place % CONV_OUT_W * CONV_STRIDE + kx) - (int32_t)CONV_PADDING;
            if (y < 0 || y >= (int32_t)CONV_IN_H || x < 0 || x >= (int32_t)CONV_IN_W) {
                continue;
            }
            const uint32_t in_at =
                ((image * CONV_IN_H + (uint32_t)y) * CONV_IN_W + (uint32_t)x) * CONV_IN_C + channel;
            for (uint32_t out = 0; out < CONV_OUT_C; out++) {
                each(in_at, pixel * CONV_OUT_C + out, out, ky, kx, channel);
            }
        }
    }
}

static double expected_output[OUT_COUNT], expected_weight_grads[WEIGHT_COUNT];

static void add_output(uint32_t in_at, uint32_t out_at, uint32_t out, uint32_t ky, uint32_t kx, uint32_t in) {
    expected_output[out_at] += (double)bf16_to(input[in_at]) * (double)weight_of(out, ky, kx, in);
}
static void add_weight_grad(uint32_t in_at, uint32_t out_at, uint32_t out, uint32_t ky, uint32_t kx,
                            uint32_t in) {
    const uint32_t plane = in / (CONV_FOLD * CONV_FOLD), y = ky * CONV_FOLD + in / CONV_FOLD % CONV_FOLD,
                   x = kx * CONV_FOLD + in % CONV_FOLD;
    expected_weight_grads[((out * CONV_PLANES + plane) * CONV_SIDE + y) * CONV_SIDE + x] +=
        (double)bf16_to(input[in_at]) * (double)bf16_to(output_grads[out_at]) * (double)CONV_SCALE;
}

static int is_near(double expected, double found, double relative) {
    return fabs(expected - found) <= relative * (fabs(expected) + 0.05);
}

// ---- blocks --------------------------------------------------------------------------------------------

static void run_forward(void *argument) {
    (void)argument;
    conv_forward_block(input, forward, biases, IMAGES, shared, output);
}

static void test_forward(void) {
    for (uint32_t block = 0; block * CONV_ROWS < OUT_PIXELS; block++) {
        tile_run_block(block, run_forward, NULL);
    }
    for_each_product(add_output);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < OUT_COUNT; i++) {
        const double expected = fmax(expected_output[i] + (double)biases[i % CONV_OUT_C], 0.0);
        wrong += !is_near(expected, (double)bf16_to(output[i]), 0.005);
    }
    MEGA_CHECK_EQ(wrong, 0);
}

#if CONV_FOLD == 1
static _Alignas(16) uint16_t input_grads[IN_COUNT];
static double expected_input_grads[IN_COUNT];

static void add_input_grad(uint32_t in_at, uint32_t out_at, uint32_t out, uint32_t ky, uint32_t kx,
                           uint32_t in) {
    expected_input_grads[in_at] += (double)bf16_to(output_grads[out_at]) * (double)weight_of(out, ky, kx, in);
}

static void run_back(void *argument) {
    const uint32_t *turn = argument;
    conv_back_block(output_grads, back, input, IMAGES, *turn, shared, input_grads);
}

static void test_back(void) {
    memset(input_grads, 0xFF, sizeof input_grads);
    for (uint32_t turn = 0; turn < CONV_BACK_TURNS; turn++) {
        for (uint32_t block = 0; block * CONV_ROWS < IMAGES * CONV_BACK_H * CONV_BACK_W; block++) {
            tile_run_block(block, run_back, &turn);
        }
    }
    for_each_product(add_input_grad);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < IN_COUNT; i++) {
        const double expected = bf16_to(input[i]) > 0.0f ? expected_input_grads[i] : 0.0;
        wrong += !is_near(expected, (double)bf16_to(input_grads[i]), 0.005);
    }
    MEGA_CHECK_EQ(wrong, 0);
}
#endif

typedef struct weights_run {
    uint32_t tile, split;
    float *parts;
} weights_run;

static void run_weights(void *argument) {
    const weights_run *run = argument;
    conv_weights_block(input, output_grads, IMAGES, run->tile, run->split, shared, run->parts);
}

static void test_weights(void) {
    const uint32_t share = conv_share(OUT_PIXELS), splits = (OUT_PIXELS + share - 1) / share;
    weights_run run = {0, 0, calloc((size_t)splits * CONV_PART, sizeof(float))};
    MEGA_CHECK(splits <= CONV_SPLITS && splits > 1);
    for (run.split = 0; run.split < splits; run.split++) {
        for (run.tile = 0; run.tile < CONV_TILES; run.tile++) {
            tile_run_block(0, run_weights, &run);
        }
    }
    for (uint64_t i = 0; i < CONV_PART; i++) {
        conv_add_parts(run.parts, splits, i, weight_grads, bias_grads);
    }
    free(run.parts);
    for_each_product(add_weight_grad);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < WEIGHT_COUNT; i++) {
        wrong += !is_near(expected_weight_grads[i], (double)weight_grads[i], 1e-4);
    }
    MEGA_CHECK_EQ(wrong, 0);
    for (uint32_t out = 0; out < CONV_OUT_C; out++) {
        double sum = 0;
        for (uint32_t pixel = 0; pixel < OUT_PIXELS; pixel++) {
            sum += (double)bf16_to(output_grads[pixel * CONV_OUT_C + out]);
        }
        MEGA_CHECK(is_near(sum, (double)bias_grads[out], 1e-4));
    }
}

// The host's numbers (conv_cuda.c) are those of the layer.
static void test_sizes(void) {
    const mega_conv_sizes sizes = CONV_SIZES;
    const uint32_t shared_size = sizeof shared;
    MEGA_CHECK(sizes.forward_shared <= shared_size && sizes.back_shared <= shared_size &&
               sizes.weights_shared <= shared_size);
    MEGA_CHECK_EQ(sizes.part, WEIGHT_COUNT + CONV_OUT_C);
    MEGA_CHECK_EQ(sizes.back_pixels, CONV_BACK_H * CONV_BACK_W);
    MEGA_CHECK(sizes.tiles * CONV_TILE >= CONV_WEIGHT_ROW);
}

int main(void) {
    test_sizes();
    draw_input();
    draw_rest();
    test_forward();
#if CONV_FOLD == 1
    test_back();
#endif
    test_weights();
    tile_release();
    return mega_test_result();
}
