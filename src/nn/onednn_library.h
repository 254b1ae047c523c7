// onednn_library.h - oneDNN, opened at run time, so that a program runs where it is missing. Host code.
//
// The headers of the build decide which major version is opened: libdnnl.so.2 or libdnnl.so.3, or the file that
// MEGACADE_LIBDNNL names.
#ifndef ONEDNN_LIBRARY_H
#define ONEDNN_LIBRARY_H
#include "message.h"

#include <stdint.h>

#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_debug.h>

// What both versions have.
#define ONEDNN_COMMON_FUNCTIONS(X)             \
    X(dnnl_version)                            \
    X(dnnl_status2str)                         \
    X(dnnl_engine_create)                      \
    X(dnnl_engine_destroy)                     \
    X(dnnl_stream_create)                      \
    X(dnnl_stream_wait)                        \
    X(dnnl_stream_destroy)                     \
    X(dnnl_memory_create)                      \
    X(dnnl_memory_destroy)                     \
    X(dnnl_memory_get_memory_desc)             \
    X(dnnl_memory_get_data_handle)             \
    X(dnnl_memory_desc_equal)                  \
    X(dnnl_memory_desc_get_size)               \
    X(dnnl_post_ops_create)                    \
    X(dnnl_post_ops_append_eltwise)            \
    X(dnnl_post_ops_destroy)                   \
    X(dnnl_primitive_attr_create)              \
    X(dnnl_primitive_attr_set_post_ops)        \
    X(dnnl_primitive_attr_set_scratchpad_mode) \
    X(dnnl_primitive_attr_destroy)             \
    X(dnnl_primitive_desc_query_md)            \
    X(dnnl_primitive_desc_destroy)             \
    X(dnnl_primitive_create)                   \
    X(dnnl_primitive_execute)                  \
    X(dnnl_primitive_destroy)                  \
    X(dnnl_reorder_primitive_desc_create)

#if DNNL_VERSION_MAJOR >= 3
#define ONEDNN_FUNCTIONS(X)                                    \
    ONEDNN_COMMON_FUNCTIONS(X)                                 \
    X(dnnl_memory_desc_create_with_tag)                        \
    X(dnnl_memory_desc_destroy)                                \
    X(dnnl_convolution_forward_primitive_desc_create)          \
    X(dnnl_convolution_backward_data_primitive_desc_create)    \
    X(dnnl_convolution_backward_weights_primitive_desc_create) \
    X(dnnl_inner_product_forward_primitive_desc_create)        \
    X(dnnl_inner_product_backward_data_primitive_desc_create)  \
    X(dnnl_inner_product_backward_weights_primitive_desc_create)
#else
#define ONEDNN_FUNCTIONS(X)                        \
    ONEDNN_COMMON_FUNCTIONS(X)                     \
    X(dnnl_memory_desc_init_by_tag)                \
    X(dnnl_primitive_desc_create)                  \
    X(dnnl_convolution_forward_desc_init)          \
    X(dnnl_convolution_backward_data_desc_init)    \
    X(dnnl_convolution_backward_weights_desc_init) \
    X(dnnl_inner_product_forward_desc_init)        \
    X(dnnl_inner_product_backward_data_desc_init)  \
    X(dnnl_inner_product_backward_weights_desc_init)
#endif

typedef struct mega_onednn {
#define ONEDNN_POINTER(name) __typeof__(name) *name;
    ONEDNN_FUNCTIONS(ONEDNN_POINTER)
#undef ONEDNN_POINTER
    // OpenMP's, which the library works with; NULL where it was built for something else.
    void (*omp_set_num_threads)(int count);
    int (*omp_get_num_procs)(void);
    int (*omp_get_thread_num)(void);
    int (*omp_get_num_threads)(void);
    // What compilers make of `#pragma omp parallel`; GNU's and LLVM's OpenMP both have it.
    void (*GOMP_parallel)(void (*work)(void *data), void *data, unsigned threads, unsigned flags);
} mega_onednn;

// Opens it the first time. Fails with a sentence; it may then be tried again.
int mega_onednn_open(const mega_onednn **out, mega_message *message);

// Work in parts of equal size: part `part` of `parts`.
typedef void (*mega_onednn_work)(void *data, uint32_t part, uint32_t parts);
// Does the work with the library's threads; with the caller's alone where there are no others.
void mega_onednn_parallel(const mega_onednn *library, uint32_t threads, mega_onednn_work work, void *data);

#endif
