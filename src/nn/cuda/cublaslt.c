// cublaslt.c - see cublaslt.h.
//
// The library has columns after columns. A matrix of rows after rows is its own transpose there, so C = A B is computed
// as C' = B' A', without moving anything.
#include "cublaslt.h"

#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- types and numbers of the library ("cuBLASLt API") ----

typedef struct lt_context *lt_handle;
typedef struct lt_matmul *lt_matmul_desc;
typedef struct lt_matrix *lt_layout;
typedef struct lt_choice *lt_preference;
typedef struct lt_algorithm {
    uint64_t data[8];
} lt_algorithm;
typedef struct lt_heuristic {
    lt_algorithm algorithm;
    size_t workspace_size;
    int state;
    float waves;
    int reserved[4];
} lt_heuristic;

enum {
    LT_SUCCESS = 0,
    LT_COMPUTE_32F = 68,
    LT_R_32F = 0,
    LT_R_16BF = 14,
    LT_OP_N = 0,
    LT_OP_T = 1,
    LT_DESC_TRANSA = 3,
    LT_DESC_TRANSB = 4,
    LT_DESC_EPILOGUE = 7,
    LT_DESC_BIAS_POINTER = 8,
    LT_PREFERENCE_WORKSPACE = 1,
    LT_EPILOGUE_DEFAULT = 1,
    LT_EPILOGUE_RELU_BIAS = 6
};

// clang-format off
#define LT_FUNCTIONS(FUNCTION) \
    FUNCTION(cublasLtCreate, (lt_handle *handle)) \
    FUNCTION(cublasLtDestroy, (lt_handle handle)) \
    FUNCTION(cublasLtMatmulDescCreate, (lt_matmul_desc *desc, int compute, int scale)) \
    FUNCTION(cublasLtMatmulDescDestroy, (lt_matmul_desc desc)) \
    FUNCTION(cublasLtMatmulDescSetAttribute, (lt_matmul_desc desc, int which, const void *value, size_t size)) \
    FUNCTION(cublasLtMatrixLayoutCreate, (lt_layout *layout, int type, uint64_t rows, uint64_t columns, int64_t pitch)) \
    FUNCTION(cublasLtMatrixLayoutDestroy, (lt_layout layout)) \
    FUNCTION(cublasLtMatmulPreferenceCreate, (lt_preference *preference)) \
    FUNCTION(cublasLtMatmulPreferenceDestroy, (lt_preference preference)) \
    FUNCTION(cublasLtMatmulPreferenceSetAttribute, \
             (lt_preference preference, int which, const void *value, size_t size)) \
    FUNCTION(cublasLtMatmulAlgoGetHeuristic, \
             (lt_handle handle, lt_matmul_desc desc, lt_layout a, lt_layout b, lt_layout c, lt_layout d, \
              lt_preference preference, int wanted, lt_heuristic *results, int *count)) \
    FUNCTION(cublasLtMatmul, \
             (lt_handle handle, lt_matmul_desc desc, const void *alpha, const void *a, lt_layout a_layout, \
              const void *b, lt_layout b_layout, const void *beta, const void *c, lt_layout c_layout, void *d, \
              lt_layout d_layout, const lt_algorithm *algorithm, void *workspace, size_t workspace_size, \
              CUstream stream))
// clang-format on

typedef struct lt_library {
    size_t (*cublasLtGetVersion)(void);
#define LT_DECLARE(name, parameters) int(*name) parameters;
    LT_FUNCTIONS(LT_DECLARE)
#undef LT_DECLARE
} lt_library;

static const mega_library_entry entries[] = {{"cublasLtGetVersion", offsetof(lt_library, cublasLtGetVersion)},
#define LT_ENTRY(name, parameters) {#name, offsetof(lt_library, name)},
                                             LT_FUNCTIONS(LT_ENTRY)
#undef LT_ENTRY
};

enum {
    WORKSPACE_SIZE = 64 << 20
};

struct mega_products {
    const mega_cuda_device *device;
    CUstream stream;
    void *library; // stays open: the driver keeps what it has loaded
    lt_library lt;
    lt_handle handle;
    CUdeviceptr workspace;
    char name[48];
};

struct mega_product_plan {
    lt_matmul_desc desc;
    lt_layout a, b, c; // the library's: B', A' and C'
    lt_heuristic choice;
};

// ---- opening ----

// A library that is newer than the driver would open, and then fail.
static void *open_library(int driver_version) {
    const bool is_old = driver_version < 13000;
    const char *const names[] = {is_old ? "libcublasLt.so.12" : "libcublasLt.so.13",
                                 is_old ? "libcublasLt.so.13" : "libcublasLt.so.12"};
    return library_open("MEGACADE_CUBLASLT", names, 2);
}

static mega_status lt_fail(int result, const char *call) {
    return mega_fail(MEGA_ERROR_CUDA, "%s failed with cuBLAS's status %d", call, result);
}

#define LT_TRY(products, function, ...)                             \
    do {                                                            \
        const int lt_result = (products)->lt.function(__VA_ARGS__); \
        if (lt_result != LT_SUCCESS) {                              \
            return lt_fail(lt_result, #function);                   \
        }                                                           \
    } while (0)

static mega_status open_handle(mega_products *products) {
    products->library = open_library(products->device->driver->version);
    if (products->library == NULL) {
        return mega_fail(MEGA_ERROR_CUDA,
                         "cuBLASLt, which networks on a GPU need, was not found; install CUDA's "
                         "libraries or name libcublasLt.so.13 in $MEGACADE_CUBLASLT");
    }
    const char *lacking =
        library_fill(products->library, entries, sizeof entries / sizeof entries[0], &products->lt);
    if (lacking != NULL) {
        return mega_fail(MEGA_ERROR_CUDA, "the cuBLASLt that was found lacks %s", lacking);
    }
    const size_t version = products->lt.cublasLtGetVersion();
    (void)snprintf(products->name, sizeof products->name, "cuBLASLt %zu.%zu", version / 10000,
                   version / 100 % 100);
    LT_TRY(products, cublasLtCreate, &products->handle);
    return cuda_device_alloc(products->device, WORKSPACE_SIZE, "products of matrices", &products->workspace);
}

mega_status products_open(const mega_cuda_device *device, CUstream stream, mega_products **out) {
    mega_products *products = calloc(1, sizeof *products);
    *out = NULL;
    if (products == NULL) {
        return mega_fail_memory(sizeof *products);
    }
    products->device = device;
    products->stream = stream;
    const mega_status status = open_handle(products);
    if (status != MEGA_OK) {
        products_close(products);
        return status;
    }
    *out = products;
    return MEGA_OK;
}

void products_close(mega_products *products) {
    if (products == NULL) {
        return;
    }
    if (products->handle != NULL) {
        (void)products->lt.cublasLtDestroy(products->handle);
    }
    if (products->workspace != 0) {
        (void)products->device->driver->cuMemFree(products->workspace);
    }
    free(products);
}

// ---- plans ----

static mega_status make_layouts(mega_products *products, const mega_product *p, mega_product_plan *plan) {
    const int type = p->is_bf16 ? LT_R_16BF : LT_R_32F, c_type = p->c_is_float ? LT_R_32F : type;
    // Rows after rows of [r][c] are columns after columns of [c][r].
    const uint64_t b_height = p->b_transposed ? p->inner : p->columns;
    const uint64_t b_width = p->b_transposed ? p->columns : p->inner;
    const uint64_t a_height = p->a_transposed ? p->rows : p->inner;
    const uint64_t a_width = p->a_transposed ? p->inner : p->rows;
    LT_TRY(products, cublasLtMatrixLayoutCreate, &plan->b, type, b_height, b_width, (int64_t)b_height);
    LT_TRY(products, cublasLtMatrixLayoutCreate, &plan->a, type, a_height, a_width, (int64_t)a_height);
    LT_TRY(products, cublasLtMatrixLayoutCreate, &plan->c, c_type, p->columns, p->rows, (int64_t)p->columns);
    return MEGA_OK;
}

static mega_status make_desc(mega_products *products, const mega_product *p, mega_product_plan *plan) {
    const int32_t first = p->b_transposed ? LT_OP_T : LT_OP_N, second = p->a_transposed ? LT_OP_T : LT_OP_N;
    const uint32_t epilogue =
        p->epilogue == MEGA_PRODUCT_BIAS_RELU ? LT_EPILOGUE_RELU_BIAS : LT_EPILOGUE_DEFAULT;
    LT_TRY(products, cublasLtMatmulDescCreate, &plan->desc, LT_COMPUTE_32F, LT_R_32F);
    LT_TRY(products, cublasLtMatmulDescSetAttribute, plan->desc, LT_DESC_TRANSA, &first, sizeof first);
    LT_TRY(products, cublasLtMatmulDescSetAttribute, plan->desc, LT_DESC_TRANSB, &second, sizeof second);
    LT_TRY(products, cublasLtMatmulDescSetAttribute, plan->desc, LT_DESC_EPILOGUE, &epilogue,
           sizeof epilogue);
    if (p->epilogue == MEGA_PRODUCT_BIAS_RELU) {
        LT_TRY(products, cublasLtMatmulDescSetAttribute, plan->desc, LT_DESC_BIAS_POINTER, &p->bias,
               sizeof p->bias);
    }
    return MEGA_OK;
}

static mega_status choose(mega_products *products, const mega_product *p, mega_product_plan *plan) {
    const size_t workspace = WORKSPACE_SIZE;
    lt_preference preference = NULL;
    int count = 0;
    LT_TRY(products, cublasLtMatmulPreferenceCreate, &preference);
    int result = products->lt.cublasLtMatmulPreferenceSetAttribute(preference, LT_PREFERENCE_WORKSPACE,
                                                                   &workspace, sizeof workspace);
    if (result == LT_SUCCESS) {
        result = products->lt.cublasLtMatmulAlgoGetHeuristic(products->handle, plan->desc, plan->b, plan->a,
                                                             plan->c, plan->c, preference, 1, &plan->choice,
                                                             &count);
    }
    (void)products->lt.cublasLtMatmulPreferenceDestroy(preference);
    if (result != LT_SUCCESS || count == 0) {
        return mega_fail(MEGA_ERROR_CUDA,
                         "%s cannot multiply matrices of %llu x %llu and %llu x %llu numbers (status %d)",
                         products->name, (unsigned long long)p->rows, (unsigned long long)p->inner,
                         (unsigned long long)p->inner, (unsigned long long)p->columns, result);
    }
    return MEGA_OK;
}

mega_status product_plan_create(mega_products *products, const mega_product *product,
                                mega_product_plan **out) {
    mega_product_plan *plan = calloc(1, sizeof *plan);
    *out = NULL;
    if (plan == NULL) {
        return mega_fail_memory(sizeof *plan);
    }
    mega_status status = make_layouts(products, product, plan);
    if (status == MEGA_OK) {
        status = make_desc(products, product, plan);
    }
    if (status == MEGA_OK) {
        status = choose(products, product, plan);
    }
    if (status != MEGA_OK) {
        product_plan_destroy(products, plan);
        return status;
    }
    *out = plan;
    return MEGA_OK;
}

void product_plan_destroy(mega_products *products, mega_product_plan *plan) {
    if (plan == NULL) {
        return;
    }
    lt_layout const layouts[] = {plan->a, plan->b, plan->c};
    for (size_t i = 0; i < 3; i++) {
        if (layouts[i] != NULL) {
            (void)products->lt.cublasLtMatrixLayoutDestroy(layouts[i]);
        }
    }
    if (plan->desc != NULL) {
        (void)products->lt.cublasLtMatmulDescDestroy(plan->desc);
    }
    free(plan);
}

mega_status product_run(mega_products *products, const mega_product_plan *plan, CUdeviceptr a, CUdeviceptr b,
                        CUdeviceptr c) {
    const float one = 1.0f, zero = 0.0f;
    void *to = (void *)(uintptr_t)c;
    LT_TRY(products, cublasLtMatmul, products->handle, plan->desc, &one, (const void *)(uintptr_t)b, plan->b,
           (const void *)(uintptr_t)a, plan->a, &zero, to, plan->c, to, plan->c, &plan->choice.algorithm,
           (void *)(uintptr_t)products->workspace, WORKSPACE_SIZE, products->stream);
    return MEGA_OK;
}
