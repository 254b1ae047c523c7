// mega_conv.h - a convolution in bfloat16 as products of small matrices that are gathered on the fly, for the matrix
// units of a GPU: forward, back to the input, back to the weights. Shared source, in blocks of 128 threads.
//
// A program is compiled for one layer. Activations are [image][row][column][channel]; sums are floats. The layer is
//
//     CONV_IN_C, CONV_IN_H, CONV_IN_W      what goes in; likewise, or a multiple of 16 in the first layer
//     CONV_OUT_C, CONV_OUT_H, CONV_OUT_W   what comes out; channels are 16, 32 or 64
//     CONV_KERNEL, CONV_STRIDE             kernel, a multiple of the stride
//     CONV_PADDING                         zeros on each side
//     CONV_FOLD                            1, or for the first layer the stride of its pixels, and then
//     CONV_PIXELS_H, CONV_PIXELS_W         pixels of a plane
//     CONV_PIXEL_PADDING                   zeros on each side of it
//
// the first layer's input are bytes in planes. They are folded into cells of CONV_FOLD x CONV_FOLD pixels, whose channels
// are [plane][row][column] and whose numbers are whole; the layer is then one of kernel / fold and stride 1. The
// division by 255 is in the weights.
//
// A matrix in shared memory has rows of a multiple of 128 bytes. The runs of 16 bytes in a row are permuted with the
// row's key, so that eight rows of a run are in different banks.
#ifndef MEGA_CONV_H
#define MEGA_CONV_H
#include "mega_conv_sizes.h"
#include "mega_number.h"
#include "mega_tile.h"

#define CONV_THREADS 128u
#define CONV_RUN 8u   // numbers in 16 bytes
#define CONV_STEP 64u // numbers of a row that a step of a product takes
#define CONV_STEP_RUNS (CONV_STEP / CONV_RUN)

// The layer as PyTorch has it.
#define CONV_PLANES (CONV_IN_C / (CONV_FOLD * CONV_FOLD))
#define CONV_SIDE (CONV_KERNEL * CONV_FOLD) // of its kernel
#define CONV_WEIGHT_ROW (CONV_KERNEL * CONV_KERNEL * CONV_IN_C)
#define CONV_WEIGHTS ((uint64_t)CONV_OUT_C * CONV_WEIGHT_ROW)
#define CONV_SCALE (CONV_FOLD > 1u ? 1.0f / 255.0f : 1.0f)

// ---- weights -------------------------------------------------------------------------------------------

// Forward: [out][ky][kx][in]. Back: [phase y][phase x][in][jy][jx][out], because an input pixel sees the taps
// ky = phase + stride * j only, where phase is its row modulo the stride.
#define CONV_TAPS (CONV_KERNEL / CONV_STRIDE) // of a phase, in one direction
#define CONV_BACK_ROW (CONV_TAPS * CONV_TAPS * CONV_OUT_C)

// Where weight i of the forward order is in PyTorch's.
MEGA_FN uint64_t conv_torch_place(uint64_t i) {
    const uint32_t in = (uint32_t)(i % CONV_IN_C), kx = (uint32_t)(i / CONV_IN_C % CONV_KERNEL);
    const uint32_t ky = (uint32_t)(i / (CONV_IN_C * CONV_KERNEL) % CONV_KERNEL);
    const uint64_t out = i / CONV_WEIGHT_ROW;
    const uint32_t plane = in / (CONV_FOLD * CONV_FOLD), y = in / CONV_FOLD % CONV_FOLD, x = in % CONV_FOLD;
    return ((out * CONV_PLANES + plane) * CONV_SIDE + ky * CONV_FOLD + y) * CONV_SIDE + kx * CONV_FOLD + x;
}

// Where it is in the order for the way back.
MEGA_FN uint64_t conv_back_place(uint64_t i) {
    const uint32_t in = (uint32_t)(i % CONV_IN_C), kx = (uint32_t)(i / CONV_IN_C % CONV_KERNEL);
    const uint32_t ky = (uint32_t)(i / (CONV_IN_C * CONV_KERNEL) % CONV_KERNEL);
    const uint64_t out = i / CONV_WEIGHT_ROW;
    const uint32_t phase = ky % CONV_STRIDE * CONV_STRIDE + kx % CONV_STRIDE;
    return (((uint64_t)phase * CONV_IN_C + in) * CONV_TAPS + ky / CONV_STRIDE) * CONV_TAPS * CONV_OUT_C +
           kx / CONV_STRIDE * CONV_OUT_C + out;
}

// `back` may be NULL.
MEGA_FN void conv_pack_weight(const float *weights, uint64_t i, uint16_t *forward, uint16_t *back) {
    const uint16_t number = bf16_from(weights[conv_torch_place(i)] * CONV_SCALE);
    forward[i] = number;
    if (back != NULL) {
        back[conv_back_place(i)] = number;
    }
}

// ---- cells ---------------------------------------------------------------------------------------------

#if CONV_FOLD > 1
// One run of a cell of an image whose bytes are at `pixels`: run [cell row][cell column][run of channels].
MEGA_FN void conv_fold_run(const uint8_t *pixels, uint32_t run, uint16_t *cells) {
    const uint32_t runs = CONV_IN_C / CONV_RUN, cell = run / runs, first = run % runs * CONV_RUN;
    const int32_t top = (int32_t)(cell / CONV_IN_W * CONV_FOLD) - (int32_t)CONV_PIXEL_PADDING;
    const int32_t left = (int32_t)(cell % CONV_IN_W * CONV_FOLD) - (int32_t)CONV_PIXEL_PADDING;
    mega_tile16 numbers;
    TILE_UNROLL
    for (uint32_t i = 0; i < CONV_RUN; i++) {
        const uint32_t channel = first + i, plane = channel / (CONV_FOLD * CONV_FOLD);
        const int32_t y = top + (int32_t)(channel / CONV_FOLD % CONV_FOLD);
        const int32_t x = left + (int32_t)(channel % CONV_FOLD);
        const uint32_t inside = y >= 0 && y < (int32_t)CONV_PIXELS_H && x >= 0 && x < (int32_t)CONV_PIXELS_W;
        const uint32_t byte =
            inside ? pixels[(plane * CONV_PIXELS_H + (uint32_t)y) * CONV_PIXELS_W + (uint32_t)x] : 0u;
        const uint32_t number = bf16_from((float)byte); // whole numbers to 256 are exact
        numbers.words[i / 2] = i % 2 == 0 ? number : numbers.words[i / 2] | number << 16;
    }
    tile_store16(cells + (uint64_t)run * CONV_RUN, &numbers);
}
#endif

// ---- products ------------------------------------------------------------------------------------------

// The pixels that one side of a product is gathered from, and which of them an output pixel sees: `taps` x `taps` of
// them from (row * stride - padding) on, or, going back, from there up and to the left.
typedef struct conv_view {
    uint32_t grid_h, grid_w; // output pixels of an image
    uint32_t height, width, channels;
    uint32_t taps;
    int32_t stride, padding, direction;
} conv_view;

#define CONV_VIEW_FORWARD \
    { CONV_OUT_H, CONV_OUT_W, CONV_IN_H, CONV_IN_W, CONV_IN_C, CONV_KERNEL, CONV_STRIDE, CONV_PADDING, 1 }
// A phase of the input has every stride-th row and column of it, padding included.
#define CONV_BACK_H ((CONV_IN_H - 1u + CONV_PADDING) / CONV_STRIDE + 1u)
#define CONV_BACK_W ((CONV_IN_W - 1u + CONV_PADDING) / CONV_STRIDE + 1u)
#define CONV_VIEW_BACK \
    { CONV_BACK_H, CONV_BACK_W, CONV_OUT_H, CONV_OUT_W, CONV_OUT_C, CONV_TAPS, 1, 0, -1 }

// An output pixel: where its first tap is.
typedef struct conv_pixel {
    int32_t run; // of 8 numbers; without those that are missing it may be before the image
    int32_t y, x;
} conv_pixel;

MEGA_INLINE conv_pixel conv_find_pixel(const conv_view view, uint32_t pixel) {
    const uint32_t area = view.grid_h * view.grid_w, image = pixel / area, place = pixel % area;
    conv_pixel found;
    found.y = (int32_t)(place / view.grid_w) * view.stride - view.padding;
    found.x = (int32_t)(place % view.grid_w) * view.stride - view.padding;
    found.run = (((int32_t)image * (int32_t)view.height + found.y) * (int32_t)view.width + found.x) *
                (int32_t)(view.channels / CONV_RUN);
    return found;
}

// Copies the run that begins with number `k` of an output pixel's row; zeros where there is none.
MEGA_INLINE void conv_gather_run(const conv_view view, const uint16_t *source, conv_pixel pixel,
                                 uint32_t is_there, uint32_t k, void *to) {
    const uint32_t tap = k / view.channels, channel = k % view.channels;
    const int32_t ky = (int32_t)(tap / view.taps) * view.direction,
                  kx = (int32_t)(tap % view.taps) * view.direction;
    uint32_t inside = is_there && k < view.taps * view.taps * view.channels;
    if (view.padding != 0 || view.direction < 0) {
        inside = inside && (uint32_t)(pixel.y + ky) < view.height && (uint32_t)(pixel.x + kx) < view.width;
    }
    const int32_t run = pixel.run + (ky * (int32_t)view.width + kx) * (int32_t)(view.channels / CONV_RUN) +
                        (int32_t)(channel / CONV_RUN);
    tile_copy16(to, source + (inside ? (int64_t)run : 0) * (int64_t)CONV_RUN, inside);
}

// ---- forward and back: rows of pixels times rows of weights ---------------------------------------------

#define CONV_ROWS 128u // pixels of a block: 32 of each warp
#define CONV_STAGES 3u
#define CONV_MOST 64u // columns
#define CONV_STAGE_SIZE(columns) ((CONV_ROWS + (columns)) * CONV_STEP * 2u)
#define CONV_SHARED(columns) (CONV_STAGES * CONV_STAGE_SIZE(columns))

// Columns are dealt to the matrix unit so that a thread ends up with neighbours: column c of a group of 8 is the
// weights' row (c / 2) * columns / 4 + 2 * group + c % 2. This is c, for the key.
MEGA_INLINE uint32_t conv_column_key(uint32_t row, uint32_t columns) {
    return row % 2u + row / (columns / 4u) * 2u;
}

MEGA_INLINE void conv_load_stage(const conv_view view, const uint16_t *source, const uint16_t *weights,
                                 uint32_t columns, const conv_pixel pixels[8], uint32_t pixel_mask,
                                 uint32_t step, uint8_t *stage) {
    const uint32_t thread = tile_thread(), run = thread % CONV_STEP_RUNS, first = thread / CONV_STEP_RUNS;
    const uint32_t row_size = view.taps * view.taps * view.channels, k = step * CONV_STEP + run * CONV_RUN;
    TILE_UNROLL
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t row = first + 16u * i;
        conv_gather_run(view, source, pixels[i], pixel_mask >> i & 1u, k,
                        stage + row * 128u + (run ^ row % 8u) * 16u);
    }
    TILE_UNROLL
    for (uint32_t i = 0; i < columns / 16u; i++) {
        const uint32_t row = first + 16u * i, is_there = k < row_size;
        tile_copy16(stage + (CONV_ROWS + row) * 128u + (run ^ conv_column_key(row, columns)) * 16u,
                    weights + (is_there ? (uint64_t)row * row_size + k : 0u), is_there);
    }
}

MEGA_INLINE void conv_multiply_stage(const uint8_t *stage, uint32_t columns, float sums[2][8][4]) {
    const uint32_t lane = tile_thread() % 32u, warp = tile_thread() / 32u, matrix = lane / 8u;
    TILE_UNROLL
    for (uint32_t inner = 0; inner < CONV_STEP_RUNS; inner += 2u) {
        uint32_t a[2][4];
        TILE_UNROLL
        for (uint32_t half = 0; half < 2; half++) {
            const uint32_t row = warp * 32u + half * 16u + lane % 8u + matrix % 2u * 8u;
            tile_load(a[half], stage + row * 128u + ((inner + matrix / 2u) ^ row % 8u) * 16u);
        }
        TILE_UNROLL
        for (uint32_t group = 0; group < columns / 8u; group += 2u) {
            const uint32_t column = lane % 8u, mine = group + matrix / 2u;
            const uint32_t row = column / 2u * (columns / 4u) + 2u * mine + column % 2u;
            uint32_t b[4];
            tile_load(b, stage + (CONV_ROWS + row) * 128u + ((inner + matrix % 2u) ^ column) * 16u);
            TILE_UNROLL
            for (uint32_t half = 0; half < 2; half++) {
                tile_multiply(sums[half][group], a[half], b[0], b[1]);
                tile_multiply(sums[half][group + 1u], a[half], b[2], b[3]);
            }
        }
    }
}

// A block's product: 128 pixels times all columns.
MEGA_INLINE void conv_product(const conv_view view, const uint16_t *source, const uint16_t *weights,
                              uint32_t columns, uint32_t pixel_count, uint8_t *shared, float sums[2][8][4]) {
    const uint32_t row_size = view.taps * view.taps * view.channels;
    const uint32_t steps = (row_size + CONV_STEP - 1u) / CONV_STEP;
    conv_pixel pixels[8];
    uint32_t pixel_mask = 0;
    TILE_UNROLL
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t pixel = tile_block() * CONV_ROWS + tile_thread() / CONV_STEP_RUNS + 16u * i;
        pixels[i] = conv_find_pixel(view, pixel < pixel_count ? pixel : 0u);
        pixel_mask |= (pixel < pixel_count ? 1u : 0u) << i;
    }
    TILE_UNROLL
    for (uint32_t i = 0; i < 2 * 8 * 4; i++) {
        sums[i / 32u][i / 4u % 8u][i % 4u] = 0.0f;
    }
    TILE_UNROLL
    for (uint32_t step = 0; step < CONV_STAGES - 1u; step++) {
        if (step < steps) {
            conv_load_stage(view, source, weights, columns, pixels, pixel_mask, step,
                            shared + step * CONV_STAGE_SIZE(columns));
        }
        tile_commit();
    }
    TILE_ROLLED
    for (uint32_t step = 0; step < steps; step++) {
        const uint32_t next = step + CONV_STAGES - 1u;
        tile_wait_but(CONV_STAGES - 2u);
        tile_barrier();
        if (next < steps) {
            conv_load_stage(view, source, weights, columns, pixels, pixel_mask, next,
                            shared + next % CONV_STAGES * CONV_STAGE_SIZE(columns));
        }
        tile_commit();
        conv_multiply_stage(shared + step % CONV_STAGES * CONV_STAGE_SIZE(columns), columns, sums);
    }
}

// The columns of a thread in one of its four rows are neighbours: columns / 4 of them, from this one on.
MEGA_INLINE uint32_t conv_first_column(uint32_t columns) {
    return tile_thread() % 4u * (columns / 4u);
}
MEGA_INLINE uint32_t conv_row_of(uint32_t half, uint32_t part) {
    const uint32_t thread = tile_thread();
    return tile_block() * CONV_ROWS + thread / 32u * 32u + half * 16u + thread % 32u / 4u + part * 8u;
}

// ---- forward -------------------------------------------------------------------------------------------

// A block: 128 pixels of the output, rectified.
MEGA_INLINE void conv_forward_block(const uint16_t *input, const uint16_t *weights, const float *biases,
                                    uint32_t images, uint8_t *shared, uint16_t *output) {
    const conv_view view = CONV_VIEW_FORWARD;
    const uint32_t pixels = images * CONV_OUT_H * CONV_OUT_W, first = conv_first_column(CONV_OUT_C);
    float sums[2][8][4];
    conv_product(view, input, weights, CONV_OUT_C, pixels, shared, sums);
    TILE_UNROLL
    for (uint32_t half = 0; half < 2; half++) {
        TILE_UNROLL
        for (uint32_t part = 0; part < 2; part++) {
            const uint32_t row = conv_row_of(half, part);
            uint32_t words[8];
            TILE_UNROLL
            for (uint32_t i = 0; i < CONV_OUT_C / 8u; i++) {
                const float low = sums[half][i][2u * part] + biases[first + 2u * i];
                const float high = sums[half][i][2u * part + 1u] + biases[first + 2u * i + 1u];
                words[i] = tile_pack(low > 0.0f ? low : 0.0f, high > 0.0f ? high : 0.0f);
            }
            if (row < pixels) {
                tile_store_words(output + (uint64_t)row * CONV_OUT_C + first, words, CONV_OUT_C / 8u);
            }
        }
    }
}

// ---- back to the input ---------------------------------------------------------------------------------

// Pixels at the same place of different phases see the same gradients, with other weights; so the columns are those of
// several phases.
#define CONV_PHASES (CONV_STRIDE * CONV_STRIDE)
#define CONV_BACK_COLUMNS (CONV_PHASES * CONV_IN_C < CONV_MOST ? CONV_PHASES * CONV_IN_C : CONV_MOST)
#define CONV_BACK_TURNS (CONV_PHASES * CONV_IN_C / CONV_BACK_COLUMNS)
#define CONV_BACK_WORDS (CONV_BACK_COLUMNS / 8u) // of a thread, in a row

// A block: 128 pixels of each of the phases of one of CONV_BACK_TURNS. Gradients pass where the rectifier before was
// open.
MEGA_INLINE void conv_back_block(const uint16_t *output_grads, const uint16_t *back_weights,
                                 const uint16_t *input, uint32_t images, uint32_t turn, uint8_t *shared,
                                 uint16_t *input_grads) {
    const conv_view view = CONV_VIEW_BACK;
    const uint32_t area = CONV_BACK_H * CONV_BACK_W, pixels = images * area;
    const uint32_t column = turn * CONV_BACK_COLUMNS + conv_first_column(CONV_BACK_COLUMNS);
    const uint32_t phase = column / CONV_IN_C, first = column % CONV_IN_C;
    float sums[2][8][4];
    conv_product(view, output_grads, back_weights + (uint64_t)turn * CONV_BACK_COLUMNS * CONV_BACK_ROW,
                 CONV_BACK_COLUMNS, pixels, shared, sums);
    TILE_UNROLL
    for (uint32_t half = 0; half < 2; half++) {
        TILE_UNROLL
        for (uint32_t part = 0; part < 2; part++) {
            const uint32_t row = conv_row_of(half, part), image = row / area, place = row % area;
            const uint32_t y = place / CONV_BACK_W * CONV_STRIDE + phase / CONV_STRIDE - CONV_PADDING;
            const uint32_t x = place % CONV_BACK_W * CONV_STRIDE + phase % CONV_STRIDE - CONV_PADDING;
            if (row >= pixels || y >= CONV_IN_H || x >= CONV_IN_W) {
                continue; // of the padding, or beyond the end; above and to the left are very large
            }
            const uint64_t at = (((uint64_t)image * CONV_IN_H + y) * CONV_IN_W + x) * CONV_IN_C + first;
            uint32_t words[8], was[8];
            tile_load_words(was, input + at, CONV_BACK_WORDS);
            TILE_UNROLL
            for (uint32_t i = 0; i < CONV_BACK_WORDS; i++) {
                // What a rectifier gives is 0 or more.
                words[i] = tile_pack((was[i] & 0xFFFFu) != 0u ? sums[half][i][2u * part] : 0.0f,
                                     was[i] >> 16 != 0u ? sums[half][i][2u * part + 1u] : 0.0f);
            }
            tile_store_words(input_grads + at, words, CONV_BACK_WORDS);
        }
    }
}

// ---- back to the weights -------------------------------------------------------------------------------

// The pixels are shared out among CONV_SPLITS blocks at most, and the columns of the weights among tiles of CONV_TILE.
// A block adds up the products of 32 pixels a step, [out] x [column].
#define CONV_TILE (CONV_WEIGHT_ROW % 128u != 0u && CONV_WEIGHT_ROW % 192u == 0u ? 192u : 128u)
#define CONV_TILES ((CONV_WEIGHT_ROW + CONV_TILE - 1u) / CONV_TILE)
#define CONV_SPLITS 128u
#define CONV_DEPTH 32u // pixels of a step
#define CONV_WEIGHT_STAGES 4u
#define CONV_GRADS_SIZE (CONV_DEPTH * 128u) // rows of 64 numbers
#define CONV_WEIGHT_STAGE_SIZE (CONV_GRADS_SIZE + CONV_DEPTH * CONV_TILE * 2u)
#define CONV_WEIGHT_SHARED (CONV_WEIGHT_STAGES * CONV_WEIGHT_STAGE_SIZE)
// What a split leaves: weights, then biases.
#define CONV_PART (CONV_OUT_C * (CONV_WEIGHT_ROW + 1u))

// Pixels of a split.
MEGA_FN uint32_t conv_share(uint32_t pixels) {
    const uint32_t steps = (pixels + CONV_DEPTH - 1u) / CONV_DEPTH;
    return (steps + CONV_SPLITS - 1u) / CONV_SPLITS * CONV_DEPTH;
}

MEGA_INLINE void conv_load_depth(const uint16_t *input, const uint16_t *output_grads, uint32_t tile,
                                 uint32_t from, uint32_t until, uint8_t *stage) {
    const conv_view view = CONV_VIEW_FORWARD;
    const uint32_t tile_runs = CONV_TILE / CONV_RUN, grad_runs = CONV_OUT_C / CONV_RUN;
    TILE_UNROLL
    for (uint32_t i = 0; i < (CONV_DEPTH * grad_runs + CONV_THREADS - 1u) / CONV_THREADS; i++) {
        const uint32_t at = tile_thread() + i * CONV_THREADS, row = at / grad_runs, run = at % grad_runs;
        if (at < CONV_DEPTH * grad_runs) {
            const uint32_t is_there = from + row < until;
            tile_copy16(stage + row * 128u + (run ^ row % 8u) * 16u,
                        output_grads + (is_there ? (uint64_t)(from + row) * CONV_OUT_C + run * CONV_RUN : 0u),
                        is_there);
        }
    }
    TILE_UNROLL
    for (uint32_t i = 0; i < CONV_DEPTH * tile_runs / CONV_THREADS; i++) {
        const uint32_t at = tile_thread() + i * CONV_THREADS, row = at / tile_runs, run = at % tile_runs;
        const uint32_t is_there = from + row < until;
        conv_gather_run(view, input, conv_find_pixel(view, is_there ? from + row : 0u), is_there,
                        tile * CONV_TILE + run * CONV_RUN,
                        stage + CONV_GRADS_SIZE + row * (CONV_TILE * 2u) + (run ^ row % 8u) * 16u);
    }
}

#define CONV_WARP_COLUMNS (CONV_TILE / 4u) // of the tile, for each warp: 32 or 48

MEGA_INLINE void conv_multiply_depth(const uint8_t *stage, uint32_t adds_biases, float sums[4][6][4],
                                     float bias_sums[4][4]) {
    const uint32_t lane = tile_thread() % 32u, warp = tile_thread() / 32u, matrix = lane / 8u;
    TILE_UNROLL
    for (uint32_t inner = 0; inner < CONV_DEPTH; inner += 16u) {
        uint32_t a[4][4];
        TILE_UNROLL
        for (uint32_t m = 0; m < CONV_OUT_C / 16u; m++) {
            const uint32_t row = inner + lane % 8u + matrix / 2u * 8u;
            tile_load_turned(a[m], stage + row * 128u + ((2u * m + matrix % 2u) ^ row % 8u) * 16u);
        }
        if (adds_biases) {
            TILE_UNROLL
            for (uint32_t m = 0; m < CONV_OUT_C / 16u; m++) {
                tile_multiply(bias_sums[m], a[m], 0x3F803F80u, 0x3F803F80u); // ones
            }
        }
        TILE_UNROLL
        for (uint32_t group = 0; group < CONV_WARP_COLUMNS / 8u; group += 2u) {
            const uint32_t row = inner + lane % 8u + matrix % 2u * 8u;
            const uint32_t run = warp * (CONV_WARP_COLUMNS / 8u) + group + matrix / 2u;
            uint32_t b[4];
            tile_load_turned(b, stage + CONV_GRADS_SIZE + row * (CONV_TILE * 2u) + (run ^ row % 8u) * 16u);
            TILE_UNROLL
            for (uint32_t m = 0; m < CONV_OUT_C / 16u; m++) {
                tile_multiply(sums[m][group], a[m], b[0], b[1]);
                tile_multiply(sums[m][group + 1u], a[m], b[2], b[3]);
            }
        }
    }
}

// A block: tile `tile` of the gradients of the weights, from the pixels of split `split`.
MEGA_INLINE void conv_weights_block(const uint16_t *input, const uint16_t *output_grads, uint32_t images,
                                    uint32_t tile, uint32_t split, uint8_t *shared, float *parts) {
    const uint32_t pixels = images * CONV_OUT_H * CONV_OUT_W, share = conv_share(pixels);
    const uint32_t from = split * share, until = from + share < pixels ? from + share : pixels;
    const uint32_t steps = (until - from + CONV_DEPTH - 1u) / CONV_DEPTH;
    const uint32_t lane = tile_thread() % 32u, warp = tile_thread() / 32u;
    const uint32_t adds_biases = tile == 0u && warp == 0u;
    float sums[4][6][4], bias_sums[4][4];
    float *part = parts + (uint64_t)split * CONV_PART;
    TILE_UNROLL
    for (uint32_t i = 0; i < 4 * 6 * 4; i++) {
        sums[i / 24u][i / 4u % 6u][i % 4u] = 0.0f;
    }
    TILE_UNROLL
    for (uint32_t i = 0; i < 4 * 4; i++) {
        bias_sums[i / 4u][i % 4u] = 0.0f;
    }
    TILE_UNROLL
    for (uint32_t step = 0; step < CONV_WEIGHT_STAGES - 1u; step++) {
        if (step < steps) {
            conv_load_depth(input, output_grads, tile, from + step * CONV_DEPTH, until,
                            shared + step * CONV_WEIGHT_STAGE_SIZE);
        }
        tile_commit();
    }
    TILE_ROLLED
    for (uint32_t step = 0; step < steps; step++) {
        const uint32_t next = step + CONV_WEIGHT_STAGES - 1u;
        tile_wait_but(CONV_WEIGHT_STAGES - 2u);
        tile_barrier();
        if (next < steps) {
            conv_load_depth(input, output_grads, tile, from + next * CONV_DEPTH, until,
                            shared + next % CONV_WEIGHT_STAGES * CONV_WEIGHT_STAGE_SIZE);
        }
        tile_commit();
        conv_multiply_depth(shared + step % CONV_WEIGHT_STAGES * CONV_WEIGHT_STAGE_SIZE, adds_biases, sums,
                            bias_sums);
    }
    TILE_UNROLL
    for (uint32_t m = 0; m < CONV_OUT_C / 16u; m++) {
        TILE_UNROLL
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t out = m * 16u + lane / 4u + i / 2u * 8u;
            TILE_UNROLL
            for (uint32_t group = 0; group < CONV_WARP_COLUMNS / 8u; group++) {
                const uint32_t column =
                    tile * CONV_TILE + warp * CONV_WARP_COLUMNS + group * 8u + lane % 4u * 2u + i % 2u;
                if (column < CONV_WEIGHT_ROW) {
                    part[(uint64_t)out * CONV_WEIGHT_ROW + column] = sums[m][group][i];
                }
            }
            if (adds_biases && lane % 4u == 0u && i % 2u == 0u) { // all columns are the same
                part[CONV_WEIGHTS + out] = bias_sums[m][i];
            }
        }
    }
}

// Element i of CONV_PART: adds up what the splits left.
MEGA_FN void conv_add_parts(const float *parts, uint32_t splits, uint64_t i, float *weight_grads,
                            float *bias_grads) {
    float sum = 0.0f;
    for (uint32_t split = 0; split < splits; split++) {
        sum += parts[(uint64_t)split * CONV_PART + i];
    }
    if (i < CONV_WEIGHTS) {
        weight_grads[conv_torch_place(i)] = sum * CONV_SCALE;
    } else {
        bias_grads[i - CONV_WEIGHTS] = sum;
    }
}

// ---- for the host --------------------------------------------------------------------------------------

#define CONV_SIZES                                                                                  \
    {                                                                                               \
        CONV_THREADS, CONV_ROWS, CONV_SHARED(CONV_OUT_C), CONV_SHARED(CONV_BACK_COLUMNS),           \
            CONV_WEIGHT_SHARED, CONV_BACK_H *CONV_BACK_W, CONV_BACK_TURNS, CONV_DEPTH, CONV_SPLITS, \
            CONV_TILES, CONV_PART                                                                   \
    }

#endif
