// cublaslt.h - products of matrices on a GPU: NVIDIA's cuBLASLt, opened at run time.
//
// It is libcublasLt.so.13 or .12, looked for as library.h says, or the file that $MEGACADE_CUBLASLT names.
#ifndef CUBLASLT_H
#define CUBLASLT_H
#include "cuda_device.h"

typedef struct mega_products mega_products; // one library, one stream

enum {
    MEGA_PRODUCT_PLAIN,
    MEGA_PRODUCT_BIAS_RELU // a bias for each column is added, and what is below 0 becomes 0
};

// C = op(A) op(B), all of them rows after rows. A is [rows][inner], or [inner][rows] if a_transposed; B is
// [inner][columns], or [columns][inner] if b_transposed; C is [rows][columns].
typedef struct mega_product {
    uint64_t rows, columns, inner;
    bool a_transposed, b_transposed;
    bool is_bf16;    // A and B, else float
    bool c_is_float; // C, else as A and B
    uint32_t epilogue;
    CUdeviceptr bias; // [columns], in C's numbers
} mega_product;

// A product of one shape, with the way of computing it that was chosen. Sums are in float; without is_bf16 nothing is
// rounded to shorter numbers on the way.
typedef struct mega_product_plan mega_product_plan;

// The device must be current, here and below.
mega_status products_open(const mega_cuda_device *device, CUstream stream, mega_products **out);
void products_close(mega_products *products);

mega_status product_plan_create(mega_products *products, const mega_product *product,
                                mega_product_plan **out);
void product_plan_destroy(mega_products *products, mega_product_plan *plan);
mega_status product_run(mega_products *products, const mega_product_plan *plan, CUdeviceptr a, CUdeviceptr b,
                        CUdeviceptr c);

#endif
