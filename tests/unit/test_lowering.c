// test_lowering.c - convolutions as products of matrices, as GPUs compute them, against the reference: what is spread
// out, multiplied and gathered must be the same activations and gradients.
#include "mega_lowering.h"
#include "mega_philox.h"
#include "mega_test.h"

#include <math.h>
#include <stdlib.h>

typedef struct conv {
    mega_lowering l;
    uint32_t outs, images;
} conv;

static float uniform(uint32_t stream, uint64_t index) {
    return mega_philox_uniform(mega_philox_word(21, stream, index)) - 0.5f;
}

static uint32_t pixels_of(const conv *c) {
    return c->l.out_height * c->l.out_width;
}

static int is_near(float a, double b) {
    return fabs((double)a - b) <= 1e-4 * (1 + fabs(b));
}

// The input at a place, 0 outside: channels last, or (first layer) planes of bytes.
static double input_at(const conv *c, const float *input, uint32_t image, int32_t y, int32_t x,
                       uint32_t channel) {
    if (y < 0 || x < 0 || y >= (int32_t)c->l.in_height || x >= (int32_t)c->l.in_width) {
        return 0;
    }
    const size_t pixel = ((size_t)image * c->l.in_height + (uint32_t)y) * c->l.in_width + (uint32_t)x;
    return (double)input[pixel * c->l.in_channels + channel];
}

// ---- forward ----

static void test_lower(const conv *c) {
    const size_t inputs = (size_t)c->images * c->l.in_height * c->l.in_width * c->l.in_channels;
    const uint32_t row = lowering_row_size(&c->l);
    float *input = malloc(inputs * sizeof *input);
    float *matrix = malloc((size_t)c->images * pixels_of(c) * row * sizeof *matrix);
    for (size_t i = 0; i < inputs; i++) {
        input[i] = uniform(1, i);
    }
    for (uint64_t e = 0; e < lower_count(&c->l, c->images); e++) {
        lower(&c->l, input, e, matrix);
    }
    size_t i = 0;
    uint32_t wrong = 0;
    for (uint32_t image = 0; image < c->images; image++) {
        for (uint32_t pixel = 0; pixel < pixels_of(c); pixel++) {
            const int32_t y = (int32_t)(pixel / c->l.out_width * c->l.stride) - (int32_t)c->l.padding;
            const int32_t x = (int32_t)(pixel % c->l.out_width * c->l.stride) - (int32_t)c->l.padding;
            for (uint32_t k = 0; k < row; k++, i++) {
                const int32_t ky = (int32_t)(k / c->l.in_channels / c->l.kernel);
                const int32_t kx = (int32_t)(k / c->l.in_channels % c->l.kernel);
                wrong += (double)matrix[i] != input_at(c, input, image, y + ky, x + kx, k % c->l.in_channels);
            }
        }
    }
    MEGA_CHECK_EQ(wrong, 0);
    free(input);
    free(matrix);
}

static void test_lower_bytes(const conv *c) {
    const size_t plane = (size_t)c->l.in_height * c->l.in_width, size = plane * c->l.in_channels;
    const uint32_t row = lowering_row_size(&c->l), rows_in_memory = c->images + 3;
    uint8_t *bytes = malloc(rows_in_memory * size);
    int32_t *rows = malloc(c->images * sizeof *rows);
    float *matrix = malloc((size_t)c->images * pixels_of(c) * row * sizeof *matrix);
    for (size_t i = 0; i < rows_in_memory * size; i++) {
        bytes[i] = (uint8_t)mega_philox_word(21, 2, i);
    }
    for (uint32_t i = 0; i < c->images; i++) {
        rows[i] = (int32_t)((i * 5 + 2) % rows_in_memory);
    }
    for (uint64_t e = 0; e < lower_bytes_count(&c->l, c->images); e++) {
        lower_bytes(&c->l, bytes, rows, e, matrix);
    }
    uint32_t wrong = 0;
    for (size_t i = 0; i < (size_t)c->images * pixels_of(c) * row; i++) {
        const uint32_t k = (uint32_t)(i % row), pixel = (uint32_t)(i / row % pixels_of(c));
        const uint32_t channel = k / c->l.kernel / c->l.kernel;
        const int32_t y = (int32_t)(pixel / c->l.out_width * c->l.stride + k / c->l.kernel % c->l.kernel) -
                          (int32_t)c->l.padding;
        const int32_t x =
            (int32_t)(pixel % c->l.out_width * c->l.stride + k % c->l.kernel) - (int32_t)c->l.padding;
        const int inside = y >= 0 && x >= 0 && y < (int32_t)c->l.in_height && x < (int32_t)c->l.in_width;
        const size_t image = (size_t)rows[i / row / pixels_of(c)];
        const uint8_t byte =
            inside ? bytes[image * size + channel * plane + (size_t)y * c->l.in_width + (size_t)x] : 0;
        wrong += !is_near(matrix[i], (double)byte / 255);
    }
    MEGA_CHECK_EQ(wrong, 0);
    free(bytes);
    free(rows);
    free(matrix);
}

// ---- backward: raise is the transpose of lower ----

// <lower(x), m> = <x, raise(m)> for all x and m; with the rectifier, x where it was open.
static void test_raise(const conv *c) {
    const size_t inputs = (size_t)c->images * c->l.in_height * c->l.in_width * c->l.in_channels;
    const size_t cells = (size_t)c->images * pixels_of(c) * lowering_row_size(&c->l);
    float *input = malloc(inputs * sizeof *input), *gradient = malloc(inputs * sizeof *gradient);
    float *matrix = malloc(cells * sizeof *matrix), *spread = malloc(cells * sizeof *spread);
    double left = 0, right = 0;
    for (size_t i = 0; i < inputs; i++) {
        input[i] = fmaxf(uniform(3, i), 0.0f);
    }
    for (size_t i = 0; i < cells; i++) {
        matrix[i] = uniform(4, i);
    }
    for (uint64_t e = 0; e < lower_count(&c->l, c->images); e++) {
        lower(&c->l, input, e, spread);
    }
    for (uint64_t e = 0; e < raise_count(&c->l, c->images); e++) {
        raise_element(&c->l, matrix, input, e, gradient);
    }
    uint32_t leaks = 0;
    for (size_t i = 0; i < cells; i++) {
        left += (double)spread[i] * (double)matrix[i];
    }
    for (size_t i = 0; i < inputs; i++) {
        right += (double)input[i] * (double)gradient[i];
        leaks += input[i] == 0.0f && gradient[i] != 0.0f;
    }
    MEGA_CHECK(fabs(left - right) < 1e-4 * (1 + fabs(left)));
    MEGA_CHECK_EQ(leaks, 0);
    free(input);
    free(gradient);
    free(matrix);
    free(spread);
}

// ---- numbers and parameters ----

static void test_packing(void) {
    const mega_packing packing = {.packed = 10, .outs = 3, .channels = 4, .places = 6, .pitch = 24};
    uint8_t seen[72] = {0};
    for (uint64_t i = 0; i < packing_count(&packing); i++) {
        const uint64_t from = packing_source(&packing, i);
        MEGA_CHECK(from < 72 && !seen[from]);
        MEGA_CHECK_EQ(packing_target(&packing, i), 10 + i); // without gaps
        seen[from] = 1;
    }
    MEGA_CHECK_EQ(packing_source(&packing, 4 * 6 * 2 + 4 * 5 + 3), 4 * 6 * 2 + 3 * 6 + 5);
}

// Two heads of 3 and 2 outputs that read 4 units each of 8: blocks of one matrix, with zeros beside them.
static void test_head_packing(void) {
    const mega_packing packings[] = {{0, 0, 3, 1, 4, 8}, {16, 3 * 8 + 4, 2, 1, 4, 8}};
    float slab[24], matrix[5 * 8] = {0}, back[24] = {0};
    uint32_t filled = 0;
    for (uint32_t i = 0; i < 24; i++) {
        slab[i] = i < 12 || i >= 16 ? uniform(5, i) + 1 : 0; // there is a gap between the tensors
    }
    mega_packings all = {.count = 0};
    MEGA_CHECK_EQ(packings_count(&all), 0);
    packings_add(&all, packings[0]);
    packings_add(&all, packings[1]);
    MEGA_CHECK_EQ(packings_count(&all), 12 + 8);
    for (uint64_t i = 0; i < packings_count(&all); i++) {
        uint64_t in_slab, in_matrix;
        packings_find(&all, i, &in_slab, &in_matrix);
        matrix[in_matrix] = slab[in_slab];
        back[in_slab] = matrix[in_matrix];
    }
    for (uint32_t row = 0; row < 5; row++) {
        for (uint32_t column = 0; column < 8; column++) {
            const int inside = (row < 3) == (column < 4);
            const float expected = !inside   ? 0
                                   : row < 3 ? slab[row * 4 + column]
                                             : slab[16 + (row - 3) * 4 + column - 4];
            MEGA_CHECK(matrix[row * 8 + column] == expected);
            filled += matrix[row * 8 + column] != 0;
        }
    }
    MEGA_CHECK_EQ(filled, 20);
    MEGA_CHECK_BYTES(back, slab, sizeof slab);
}

// What is split off a matrix and joined again is the same, but for the biases; what fills rows up is zero.
static void check_heads(mega_heads h) {
    enum {
        BATCH = 3
    };
    float matrix[BATCH * 24], logits[BATCH * 24] = {0}, values[BATCH * 24] = {0}, bias[24], value_bias[24];
    for (uint32_t i = 0; i < 24; i++) {
        bias[i] = (float)i;
        value_bias[i] = (float)(i + 100);
    }
    for (uint32_t i = 0; i < BATCH * h.width; i++) {
        matrix[i] = (float)(1000 * (1 + i));
    }
    for (uint64_t i = 0; i < heads_split_count(&h, BATCH); i++) {
        heads_split(&h, matrix, bias, h.values > 0 ? value_bias : NULL, i, logits, values);
    }
    for (uint32_t i = 0; i < BATCH * h.width; i++) {
        const uint32_t column = i % h.width;
        const float added = column < h.outputs ? (float)column : (float)(column - h.outputs + 100);
        const float found = heads_join(&h, logits, h.values > 0 ? values : NULL, i);
        MEGA_CHECK(found == (column < h.outputs + h.values ? matrix[i] + added : 0.0f));
    }
}

static void test_bf16(void) {
    MEGA_CHECK_EQ(bf16_from(1.0f), 0x3F80);
    MEGA_CHECK_EQ(bf16_from(1.00390625f), 0x3F80); // a tie goes to even
    MEGA_CHECK_EQ(bf16_from(1.01171875f), 0x3F82); // here upwards
    MEGA_CHECK_EQ(bf16_from(-1.004f), 0xBF81);
    MEGA_CHECK_EQ(bf16_from(INFINITY), 0x7F80);
    MEGA_CHECK(isnan(bf16_to(bf16_from(NAN))));
    for (uint32_t half = 0; half < 0x10000; half++) {
        const float number = bf16_to((uint16_t)half);
        if (!isnan(number) && bf16_from(number) != half) {
            MEGA_FAIL("a bfloat16 does not come back");
        }
    }
}

int main(void) {
    const conv convs[] = {
        // channels, height, width, out height, out width, kernel, stride, padding, run
        {{4, 84, 84, 20, 20, 8, 4, 0, 1}, 32, 2}, {{32, 20, 20, 9, 9, 4, 2, 0, 8}, 64, 3},
        {{64, 9, 9, 7, 7, 3, 1, 0, 8}, 64, 2},    {{16, 25, 19, 12, 9, 4, 2, 1, 8}, 32, 2},
        {{3, 11, 13, 5, 6, 3, 2, 0, 1}, 5, 3},    {{5, 10, 9, 6, 5, 4, 2, 2, 1}, 7, 2},
    };
    for (size_t i = 0; i < sizeof convs / sizeof convs[0]; i++) {
        test_lower(&convs[i]);
        test_lower_bytes(&convs[i]);
        test_raise(&convs[i]);
    }
    test_packing();
    test_head_packing();
    check_heads((mega_heads){6, 1, 8});
    check_heads((mega_heads){6, 0, 8});
    check_heads((mega_heads){15, 5, 24});
    check_heads((mega_heads){8, 8, 16});
    test_bf16();
    return mega_test_result();
}
