// fake_cublaslt.c - a cuBLASLt without a GPU, for tests: $MEGACADE_CUBLASLT names it. Products are not computed: with
// fake_cuda.c, whose kernels of networks do nothing, a learner goes through all of its motions.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Declares what it is about to define, as -Wmissing-prototypes would have it.
#define DEFINE(type, name, parameters)                           \
    __attribute__((visibility("default"))) type name parameters; \
    type name parameters

static char handle; // whatever needs an address

static int give_handle(void **out) {
    *out = &handle;
    return 0;
}

DEFINE(size_t, cublasLtGetVersion, (void)) {
    return 130000;
}
DEFINE(int, cublasLtCreate, (void **out)) {
    return give_handle(out);
}
DEFINE(int, cublasLtDestroy, (void *context)) {
    return context != &handle;
}
DEFINE(int, cublasLtMatmulDescCreate, (void **out, int compute, int scale)) {
    (void)compute, (void)scale;
    return give_handle(out);
}
DEFINE(int, cublasLtMatmulDescDestroy, (void *desc)) {
    return desc != &handle;
}
DEFINE(int, cublasLtMatmulDescSetAttribute, (void *desc, int which, const void *value, size_t size)) {
    (void)which, (void)size;
    return desc != &handle || value == NULL;
}
DEFINE(int, cublasLtMatrixLayoutCreate,
       (void **out, int type, uint64_t rows, uint64_t columns, int64_t pitch)) {
    (void)type;
    return give_handle(out) != 0 || rows == 0 || columns == 0 || pitch < (int64_t)rows;
}
DEFINE(int, cublasLtMatrixLayoutDestroy, (void *layout)) {
    return layout != &handle;
}
DEFINE(int, cublasLtMatmulPreferenceCreate, (void **out)) {
    return give_handle(out);
}
DEFINE(int, cublasLtMatmulPreferenceDestroy, (void *preference)) {
    return preference != &handle;
}
DEFINE(int, cublasLtMatmulPreferenceSetAttribute,
       (void *preference, int which, const void *value, size_t size)) {
    (void)which, (void)size;
    return preference != &handle || value == NULL;
}
DEFINE(int, cublasLtMatmulAlgoGetHeuristic,
       (void *context, void *desc, void *a, void *b, void *c, void *d, void *preference, int wanted,
        void *results, int *count)) {
    (void)context, (void)desc, (void)a, (void)b, (void)c, (void)d, (void)preference, (void)results;
    *count = wanted;
    return 0;
}
DEFINE(int, cublasLtMatmul,
       (void *context, void *desc, const void *alpha, const void *a, void *a_layout, const void *b,
        void *b_layout, const void *beta, const void *c, void *c_layout, void *d, void *d_layout,
        const void *algorithm, void *workspace, size_t workspace_size, void *stream)) {
    (void)desc, (void)alpha, (void)a_layout, (void)b_layout, (void)beta, (void)c, (void)c_layout;
    (void)d_layout, (void)algorithm, (void)workspace, (void)workspace_size, (void)stream;
    return context != &handle || a == NULL || b == NULL || d == NULL;
}
