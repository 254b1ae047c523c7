// bundle_cuda.h - what a learner asks its GPU for, in bundles: between begin and run it is only noted down, and then
// launched in one go, as a CUDA graph. The same update comes again and again with a few other arguments, so the graphs
// of the last kinds of bundles are kept: what a bundle costs the host is comparing it with those and telling the graph
// what differs, where fifty launches would take longer than the GPU needs for a small network's update.
//
// Outside of bundles everything is launched at once.
#ifndef BUNDLE_CUDA_H
#define BUNDLE_CUDA_H
#include "cublaslt.h"

typedef struct cuda_bundles cuda_bundles; // of one stream

// An argument of a kernel. A list of them ends with one whose bytes are NULL.
typedef struct cuda_argument {
    const void *bytes;
    size_t size;
} cuda_argument;

typedef struct cuda_launch {
    CUfunction function;
    uint32_t blocks, rows; // of the grid
    uint32_t threads;
    uint32_t shared_size;
} cuda_launch;

// MEGACADE_CUDA_GRAPHS=0, or a driver without graphs: bundles are launched piece by piece as well.
mega_status cuda_bundles_open(const mega_cuda_driver *driver, CUstream stream, mega_products *products,
                              cuda_bundles **out);
// NULL is allowed. The stream is idle.
void cuda_bundles_close(cuda_bundles *bundles);

void cuda_bundles_begin(cuda_bundles *bundles);
mega_status cuda_bundles_run(cuda_bundles *bundles);

// Arguments are copied.
mega_status cuda_bundles_launch(cuda_bundles *bundles, const cuda_launch *launch,
                                const cuda_argument *arguments);
mega_status cuda_bundles_multiply(cuda_bundles *bundles, const mega_product_plan *plan, CUdeviceptr a,
                                  CUdeviceptr b, CUdeviceptr c);
mega_status cuda_bundles_copy(cuda_bundles *bundles, CUdeviceptr to, CUdeviceptr from, size_t size);

// CUDA_ARGUMENTS(&a, &b) is a list of at most 16 arguments.
#define CUDA_ARGUMENT(a) \
    { (a), sizeof *(a) }
#define CUDA_ARGUMENTS_1(a) \
    CUDA_ARGUMENT(a), {     \
        NULL, 0             \
    }
#define CUDA_ARGUMENTS_2(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_1(__VA_ARGS__)
#define CUDA_ARGUMENTS_3(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_2(__VA_ARGS__)
#define CUDA_ARGUMENTS_4(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_3(__VA_ARGS__)
#define CUDA_ARGUMENTS_5(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_4(__VA_ARGS__)
#define CUDA_ARGUMENTS_6(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_5(__VA_ARGS__)
#define CUDA_ARGUMENTS_7(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_6(__VA_ARGS__)
#define CUDA_ARGUMENTS_8(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_7(__VA_ARGS__)
#define CUDA_ARGUMENTS_9(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_8(__VA_ARGS__)
#define CUDA_ARGUMENTS_10(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_9(__VA_ARGS__)
#define CUDA_ARGUMENTS_11(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_10(__VA_ARGS__)
#define CUDA_ARGUMENTS_12(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_11(__VA_ARGS__)
#define CUDA_ARGUMENTS_13(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_12(__VA_ARGS__)
#define CUDA_ARGUMENTS_14(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_13(__VA_ARGS__)
#define CUDA_ARGUMENTS_15(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_14(__VA_ARGS__)
#define CUDA_ARGUMENTS_16(a, ...) CUDA_ARGUMENT(a), CUDA_ARGUMENTS_15(__VA_ARGS__)
#define CUDA_ARGUMENTS_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, name, ...) name
#define CUDA_ARGUMENTS(...)                                                                          \
    ((const cuda_argument[]){CUDA_ARGUMENTS_PICK(                                                    \
        __VA_ARGS__, CUDA_ARGUMENTS_16, CUDA_ARGUMENTS_15, CUDA_ARGUMENTS_14, CUDA_ARGUMENTS_13,     \
        CUDA_ARGUMENTS_12, CUDA_ARGUMENTS_11, CUDA_ARGUMENTS_10, CUDA_ARGUMENTS_9, CUDA_ARGUMENTS_8, \
        CUDA_ARGUMENTS_7, CUDA_ARGUMENTS_6, CUDA_ARGUMENTS_5, CUDA_ARGUMENTS_4, CUDA_ARGUMENTS_3,    \
        CUDA_ARGUMENTS_2, CUDA_ARGUMENTS_1, 0)(__VA_ARGS__)})

#endif
