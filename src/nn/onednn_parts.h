// onednn_parts.h - what a network needs of oneDNN, the same for versions 2 and 3. Host code.
//
// A kit makes parts: memory in the formats that the library likes, and steps, which are primitives with their
// arguments. It remembers its first failure, after which it makes nothing more, so that whoever builds looks at it once
// at the end; and it owns what it made.
#ifndef ONEDNN_PARTS_H
#define ONEDNN_PARTS_H
#include "onednn_library.h"

#include <stdbool.h>

#if DNNL_VERSION_MAJOR >= 3
typedef const_dnnl_memory_desc_t mega_onednn_format;
#else
typedef const dnnl_memory_desc_t *mega_onednn_format;
#endif

enum {
    ONEDNN_ARGUMENTS = 6,
    ONEDNN_PARTS =
        160 // of each kind; a network of six layers has at most 12 memories and 8 steps for each, with scratchpads
};

// A layer: a convolution, or a fully connected layer that sees a picture of `rank` - 2 dimensions (or none).
typedef struct mega_onednn_layer {
    bool is_conv;
    bool rectified;
    int rank;       // of in and weights
    dnnl_dims_t in; // batch, channels, rows, columns
    dnnl_dims_t weights;
    int out_rank;
    dnnl_dims_t out;
    dnnl_dim_t stride;
    dnnl_dim_t padding;
} mega_onednn_layer;

typedef struct mega_onednn_step {
    dnnl_primitive_t primitive; // NULL does nothing
    int count;
    dnnl_exec_arg_t arguments[ONEDNN_ARGUMENTS];
} mega_onednn_step;

typedef struct mega_onednn_kit {
    const mega_onednn *library;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_status_t status;
    const char *failed; // what it was making then
    uint32_t memory_count;
    dnnl_memory_t memory[ONEDNN_PARTS];
    uint32_t primitive_count;
    dnnl_primitive_t primitive[ONEDNN_PARTS];
    uint32_t pd_count;
    dnnl_primitive_desc_t pd[ONEDNN_PARTS];
} mega_onednn_kit;

int mega_onednn_kit_open(mega_onednn_kit *kit, mega_message *message);
void mega_onednn_kit_close(mega_onednn_kit *kit);
// A sentence on the first failure, or 0 if there was none.
int mega_onednn_kit_check(const mega_onednn_kit *kit, mega_message *message);

// Memory of PyTorch's format for these dimensions; `numbers` is where they lie, or NULL for memory of its own.
dnnl_memory_t mega_onednn_plain(mega_onednn_kit *kit, int rank, const dnnl_dims_t dims, float *numbers);
// Memory of its own in a format.
dnnl_memory_t mega_onednn_memory(mega_onednn_kit *kit, mega_onednn_format format);
// Whether a format is the one that the library calls `tag`.
bool mega_onednn_has_tag(mega_onednn_kit *kit, mega_onednn_format format, int rank, const dnnl_dims_t dims,
                         dnnl_format_tag_t tag);
mega_onednn_format mega_onednn_format_of(const mega_onednn_kit *kit, dnnl_memory_t memory);
// Where the numbers of a memory lie, and how many there are, with those that fill blocks up.
float *mega_onednn_numbers(const mega_onednn_kit *kit, dnnl_memory_t memory, size_t *count);

// The formats of a layer, or of its gradients; where one is NULL, the library chooses.
typedef struct mega_onednn_formats {
    mega_onednn_format in, weights, out;
} mega_onednn_formats;

// Descriptions of primitives, from which formats can be queried: of a layer, and of the gradients with respect to its
// input and to its weights.
dnnl_primitive_desc_t mega_onednn_forward(mega_onednn_kit *kit, const mega_onednn_layer *layer,
                                          mega_onednn_formats formats);
dnnl_primitive_desc_t mega_onednn_backward_data(mega_onednn_kit *kit, const mega_onednn_layer *layer,
                                                dnnl_primitive_desc_t forward, mega_onednn_formats formats);
dnnl_primitive_desc_t mega_onednn_backward_weights(mega_onednn_kit *kit, const mega_onednn_layer *layer,
                                                   dnnl_primitive_desc_t forward,
                                                   mega_onednn_formats formats);
// `what` is dnnl_query_src_md and so on.
mega_onednn_format mega_onednn_query(const mega_onednn_kit *kit, dnnl_primitive_desc_t pd, dnnl_query_t what);

// A step without arguments, and its arguments.
mega_onednn_step mega_onednn_step_of(mega_onednn_kit *kit, dnnl_primitive_desc_t pd);
void mega_onednn_argument(mega_onednn_step *step, int which, dnnl_memory_t memory);
// A step that copies from one format to another; none if the memories are the same.
mega_onednn_step mega_onednn_reorder(mega_onednn_kit *kit, dnnl_memory_t from, dnnl_memory_t to);
// `memory` itself if it has that format, else memory of its own.
dnnl_memory_t mega_onednn_in_format(mega_onednn_kit *kit, dnnl_memory_t memory, mega_onednn_format format);

// Runs a step; failures are remembered as above.
void mega_onednn_run(mega_onednn_kit *kit, const mega_onednn_step *step);

#endif
