// compute_cuda.h - learners on a GPU: what compute_cuda.c and net_cuda.c share.
#ifndef COMPUTE_CUDA_H
#define COMPUTE_CUDA_H
#include "bundle_cuda.h"
#include "compute.h"
#include "cublaslt.h"

// clang-format off
#define NN_KERNELS(KERNEL) \
    KERNEL(nn_lower_bytes) KERNEL(nn_lower) KERNEL(nn_raise) KERNEL(nn_mask) KERNEL(nn_pack) \
    KERNEL(nn_unpack) KERNEL(nn_split_heads) KERNEL(nn_join_heads) KERNEL(nn_sum_columns) \
    KERNEL(nn_sum_partials) KERNEL(learn_act) KERNEL(learn_note) KERNEL(learn_restart) KERNEL(learn_count) KERNEL(learn_gather) KERNEL(learn_shuffle) \
    KERNEL(learn_n_step) KERNEL(learn_gae) KERNEL(learn_ratios) KERNEL(learn_v_trace) KERNEL(learn_spread) KERNEL(learn_loss) \
    KERNEL(learn_add_stats) KERNEL(learn_q_values) KERNEL(learn_q_targets) KERNEL(learn_q_loss) \
    KERNEL(learn_squares) KERNEL(learn_norm) KERNEL(learn_descend) \
    KERNEL(learn_draw_noise) KERNEL(learn_mix_noise) KERNEL(learn_spread_gradients)
// clang-format on

enum {
    NN_BLOCK = 256,         // threads
    NN_SUM_BLOCKS = 1024,   // of sums that are made in two steps, at most
    NN_COLUMN_BLOCKS = 128, // and of sums over columns
    NN_PARTIALS = 1 << 20   // floats for them
};

typedef struct cuda_replay_kernels cuda_replay_kernels; // replay_cuda.c

typedef struct cuda_compute {
    mega_compute base;
    mega_cuda_device *device; // current in the thread that made this
    const mega_cuda_driver *driver;
    CUstream stream;
    bool owns_stream;
    bool is_current; // the device was entered
    bool is_bf16;
    CUmodule module;
    mega_products *products;
    cuda_bundles *bundles;               // all launches go through them
    cuda_replay_kernels *replay_kernels; // NULL until there is a replay memory
    CUdeviceptr partials;                // of sums
    CUdeviceptr results;                 // see compute_cuda.c
#define NN_DECLARE(name) CUfunction name;
    NN_KERNELS(NN_DECLARE)
#undef NN_DECLARE
} cuda_compute;

// Runs a kernel over `count` elements.
mega_status cuda_compute_run(cuda_compute *cuda, CUfunction kernel, uint64_t count,
                             const cuda_argument *arguments);
// The same with a number of blocks.
mega_status cuda_compute_run_blocks(cuda_compute *cuda, CUfunction kernel, uint32_t blocks,
                                    const cuda_argument *arguments);
// With addresses of the arguments.
#define NN_RUN(cuda, kernel, count, ...) \
    MEGA_TRY(cuda_compute_run(cuda, (cuda)->kernel, count, CUDA_ARGUMENTS(__VA_ARGS__)))
#define NN_RUN_BLOCKS(cuda, kernel, blocks, ...) \
    MEGA_TRY(cuda_compute_run_blocks(cuda, (cuda)->kernel, blocks, CUDA_ARGUMENTS(__VA_ARGS__)))

static inline size_t cuda_number_size(const cuda_compute *cuda) {
    return cuda->is_bf16 ? 2 : 4;
}

// The library's sentence as a message.
static inline int cuda_message(mega_status status, mega_message *message) {
    return status == MEGA_OK ? 0 : mega_message_set(message, "%s", mega_last_error());
}

// After a kernel whose `blocks` blocks have left sums of statistics in cuda->partials.
mega_status cuda_compute_add_stats(cuda_compute *cuda, uint32_t blocks);
// Blocks for a kernel over a batch that leaves such sums.
static inline uint32_t cuda_stat_blocks(uint32_t batch) {
    const uint32_t blocks = (batch + NN_BLOCK - 1) / NN_BLOCK;
    return blocks < NN_SUM_BLOCKS ? blocks : NN_SUM_BLOCKS;
}

int cuda_net_create(mega_compute *compute, const mega_network *network, mega_net **out,
                    mega_message *message);

#endif
