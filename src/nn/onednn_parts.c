// onednn_parts.c - see onednn_parts.h.
#ifdef MEGA_HAS_ONEDNN
#include "onednn_parts.h"

#include <assert.h>
#include <string.h>

// Remembers a failure. True if all is well, now and before.
static bool note(mega_onednn_kit *kit, dnnl_status_t status, const char *what) {
    if (kit->status == dnnl_success && status != dnnl_success) {
        kit->status = status;
        kit->failed = what;
    }
    return kit->status == dnnl_success;
}

// ---- kit ---------------------------------------------------------------------------------------------

int mega_onednn_kit_open(mega_onednn_kit *kit, mega_message *message) {
    memset(kit, 0, sizeof *kit);
    if (mega_onednn_open(&kit->library, message) != 0) {
        return -1;
    }
    if (note(kit, kit->library->dnnl_engine_create(&kit->engine, dnnl_cpu, 0), "an engine")) {
        note(kit, kit->library->dnnl_stream_create(&kit->stream, kit->engine, dnnl_stream_default_flags),
             "a stream");
    }
    return mega_onednn_kit_check(kit, message);
}

void mega_onednn_kit_close(mega_onednn_kit *kit) {
    if (kit->library == NULL) {
        return;
    }
    for (uint32_t i = 0; i < kit->primitive_count; i++) {
        (void)kit->library->dnnl_primitive_destroy(kit->primitive[i]);
    }
    for (uint32_t i = 0; i < kit->pd_count; i++) {
        (void)kit->library->dnnl_primitive_desc_destroy(kit->pd[i]);
    }
    for (uint32_t i = 0; i < kit->memory_count; i++) {
        (void)kit->library->dnnl_memory_destroy(kit->memory[i]);
    }
    if (kit->stream != NULL) {
        (void)kit->library->dnnl_stream_destroy(kit->stream);
    }
    if (kit->engine != NULL) {
        (void)kit->library->dnnl_engine_destroy(kit->engine);
    }
    memset(kit, 0, sizeof *kit);
}

int mega_onednn_kit_check(const mega_onednn_kit *kit, mega_message *message) {
    if (kit->status == dnnl_success) {
        return 0;
    }
    return mega_message_set(message, "oneDNN failed at %s: %s", kit->failed,
                            kit->library->dnnl_status2str(kit->status));
}

// ---- formats -----------------------------------------------------------------------------------------

// A description of memory that has to be dropped.
typedef struct format {
    dnnl_memory_desc_t desc;
} format;

static format make_format(mega_onednn_kit *kit, int rank, const dnnl_dims_t dims, dnnl_format_tag_t tag) {
    format format;
    memset(&format, 0, sizeof format);
    if (kit->status == dnnl_success) {
#if DNNL_VERSION_MAJOR >= 3
        note(kit, kit->library->dnnl_memory_desc_create_with_tag(&format.desc, rank, dims, dnnl_f32, tag),
             "a description of memory");
#else
        note(kit, kit->library->dnnl_memory_desc_init_by_tag(&format.desc, rank, dims, dnnl_f32, tag),
             "a description of memory");
#endif
    }
    return format;
}

static void drop_format(mega_onednn_kit *kit, format *format) {
#if DNNL_VERSION_MAJOR >= 3
    if (format->desc != NULL) {
        (void)kit->library->dnnl_memory_desc_destroy(format->desc);
    }
#else
    (void)kit;
    (void)format;
#endif
}

static mega_onednn_format view(const format *format) {
#if DNNL_VERSION_MAJOR >= 3
    return format->desc;
#else
    return &format->desc;
#endif
}

bool mega_onednn_has_tag(mega_onednn_kit *kit, mega_onednn_format which, int rank, const dnnl_dims_t dims,
                         dnnl_format_tag_t tag) {
    format tagged = make_format(kit, rank, dims, tag);
    const bool is_equal = kit->status == dnnl_success && which != NULL &&
                          kit->library->dnnl_memory_desc_equal(which, view(&tagged)) != 0;
    drop_format(kit, &tagged);
    return is_equal;
}

// ---- memory ------------------------------------------------------------------------------------------

static dnnl_memory_t make_memory(mega_onednn_kit *kit, mega_onednn_format format, void *where) {
    dnnl_memory_t memory = NULL;
    assert(kit->memory_count < ONEDNN_PARTS);
    if (kit->status != dnnl_success ||
        !note(kit, kit->library->dnnl_memory_create(&memory, format, kit->engine, where), "memory")) {
        return NULL;
    }
    kit->memory[kit->memory_count++] = memory;
    return memory;
}

dnnl_memory_t mega_onednn_plain(mega_onednn_kit *kit, int rank, const dnnl_dims_t dims, float *numbers) {
    static const dnnl_format_tag_t tags[] = {dnnl_format_tag_undef, dnnl_a, dnnl_ab, dnnl_abc, dnnl_abcd};
    format plain = make_format(kit, rank, dims, tags[rank]);
    dnnl_memory_t memory = make_memory(kit, view(&plain), numbers != NULL ? numbers : DNNL_MEMORY_ALLOCATE);
    drop_format(kit, &plain);
    return memory;
}

dnnl_memory_t mega_onednn_memory(mega_onednn_kit *kit, mega_onednn_format format) {
    return make_memory(kit, format, DNNL_MEMORY_ALLOCATE);
}

mega_onednn_format mega_onednn_format_of(const mega_onednn_kit *kit, dnnl_memory_t memory) {
    mega_onednn_format format = NULL;
    if (memory != NULL) {
        (void)kit->library->dnnl_memory_get_memory_desc(memory, &format);
    }
    return format;
}

float *mega_onednn_numbers(const mega_onednn_kit *kit, dnnl_memory_t memory, size_t *count) {
    void *handle = NULL;
    *count = 0;
    if (memory != NULL && kit->library->dnnl_memory_get_data_handle(memory, &handle) == dnnl_success) {
        *count = kit->library->dnnl_memory_desc_get_size(mega_onednn_format_of(kit, memory)) / sizeof(float);
    }
    return (float *)handle;
}

dnnl_memory_t mega_onednn_in_format(mega_onednn_kit *kit, dnnl_memory_t memory, mega_onednn_format format) {
    if (kit->status != dnnl_success) {
        return NULL;
    }
    if (kit->library->dnnl_memory_desc_equal(mega_onednn_format_of(kit, memory), format)) {
        return memory;
    }
    return mega_onednn_memory(kit, format);
}

// ---- descriptions of primitives ----------------------------------------------------------------------

// All formats that a primitive is made for.
typedef struct formats {
    mega_onednn_format in, weights, bias, out;
} formats;

enum {
    FORWARD,
    BACKWARD_DATA,
    BACKWARD_WEIGHTS
};

// All forward passes are of the library's kind for training: what oneDNN 2.6 chooses for inference is slower here.
#if DNNL_VERSION_MAJOR >= 3
static dnnl_status_t create_conv(mega_onednn_kit *kit, const mega_onednn_layer *layer, int kind, formats of,
                                 const_dnnl_primitive_attr_t attr, dnnl_primitive_desc_t hint,
                                 dnnl_primitive_desc_t *pd) {
    const mega_onednn *library = kit->library;
    const dnnl_dims_t strides = {layer->stride, layer->stride}, dilates = {0, 0};
    const dnnl_dims_t padding = {layer->padding, layer->padding};
    switch (kind) {
    case BACKWARD_DATA:
        return library->dnnl_convolution_backward_data_primitive_desc_create(
            pd, kit->engine, dnnl_convolution_direct, of.in, of.weights, of.out, strides, dilates, padding,
            padding, hint, attr);
    case BACKWARD_WEIGHTS:
        return library->dnnl_convolution_backward_weights_primitive_desc_create(
            pd, kit->engine, dnnl_convolution_direct, of.in, of.weights, of.bias, of.out, strides, dilates,
            padding, padding, hint, attr);
    default:
        return library->dnnl_convolution_forward_primitive_desc_create(
            pd, kit->engine, dnnl_forward_training, dnnl_convolution_direct, of.in, of.weights, of.bias,
            of.out, strides, dilates, padding, padding, attr);
    }
}

static dnnl_status_t create_dense(mega_onednn_kit *kit, int kind, formats of,
                                  const_dnnl_primitive_attr_t attr, dnnl_primitive_desc_t hint,
                                  dnnl_primitive_desc_t *pd) {
    const mega_onednn *library = kit->library;
    switch (kind) {
    case BACKWARD_DATA:
        return library->dnnl_inner_product_backward_data_primitive_desc_create(
            pd, kit->engine, of.in, of.weights, of.out, hint, attr);
    case BACKWARD_WEIGHTS:
        return library->dnnl_inner_product_backward_weights_primitive_desc_create(
            pd, kit->engine, of.in, of.weights, of.bias, of.out, hint, attr);
    default:
        return library->dnnl_inner_product_forward_primitive_desc_create(
            pd, kit->engine, dnnl_forward_training, of.in, of.weights, of.bias, of.out, attr);
    }
}
#else
static dnnl_status_t create_conv(mega_onednn_kit *kit, const mega_onednn_layer *layer, int kind, formats of,
                                 const_dnnl_primitive_attr_t attr, dnnl_primitive_desc_t hint,
                                 dnnl_primitive_desc_t *pd) {
    const mega_onednn *library = kit->library;
    const dnnl_dims_t strides = {layer->stride, layer->stride}, padding = {layer->padding, layer->padding};
    dnnl_convolution_desc_t conv;
    dnnl_status_t status;
    switch (kind) {
    case BACKWARD_DATA:
        status = library->dnnl_convolution_backward_data_desc_init(
            &conv, dnnl_convolution_direct, of.in, of.weights, of.out, strides, padding, padding);
        break;
    case BACKWARD_WEIGHTS:
        status = library->dnnl_convolution_backward_weights_desc_init(
            &conv, dnnl_convolution_direct, of.in, of.weights, of.bias, of.out, strides, padding, padding);
        break;
    default:
        status = library->dnnl_convolution_forward_desc_init(&conv, dnnl_forward_training,
                                                             dnnl_convolution_direct, of.in, of.weights,
                                                             of.bias, of.out, strides, padding, padding);
        break;
    }
    return status != dnnl_success ? status
                                  : library->dnnl_primitive_desc_create(pd, &conv, attr, kit->engine, hint);
}

static dnnl_status_t create_dense(mega_onednn_kit *kit, int kind, formats of,
                                  const_dnnl_primitive_attr_t attr, dnnl_primitive_desc_t hint,
                                  dnnl_primitive_desc_t *pd) {
    const mega_onednn *library = kit->library;
    dnnl_inner_product_desc_t dense;
    dnnl_status_t status;
    switch (kind) {
    case BACKWARD_DATA:
        status = library->dnnl_inner_product_backward_data_desc_init(&dense, of.in, of.weights, of.out);
        break;
    case BACKWARD_WEIGHTS:
        status = library->dnnl_inner_product_backward_weights_desc_init(&dense, of.in, of.weights, of.bias,
                                                                        of.out);
        break;
    default:
        status = library->dnnl_inner_product_forward_desc_init(&dense, dnnl_forward_training, of.in,
                                                               of.weights, of.bias, of.out);
        break;
    }
    return status != dnnl_success ? status
                                  : library->dnnl_primitive_desc_create(pd, &dense, attr, kit->engine, hint);
}
#endif

static void append_rectifier(mega_onednn_kit *kit, dnnl_primitive_attr_t attr) {
    const mega_onednn *library = kit->library;
    dnnl_post_ops_t operations = NULL;
    if (note(kit, library->dnnl_post_ops_create(&operations), "attributes")) {
#if DNNL_VERSION_MAJOR >= 3
        note(kit, library->dnnl_post_ops_append_eltwise(operations, dnnl_eltwise_relu, 0, 0), "a rectifier");
#else
        note(kit, library->dnnl_post_ops_append_eltwise(operations, 1, dnnl_eltwise_relu, 0, 0),
             "a rectifier");
#endif
        note(kit, library->dnnl_primitive_attr_set_post_ops(attr, operations), "a rectifier");
        (void)library->dnnl_post_ops_destroy(operations);
    }
}

// Attributes of all primitives: room to work in is ours. The library's own would belong to the thread that made the
// primitive, and no other could use it.
static dnnl_primitive_attr_t make_attributes(mega_onednn_kit *kit, bool is_rectified) {
    dnnl_primitive_attr_t attr = NULL;
    if (kit->status == dnnl_success &&
        note(kit, kit->library->dnnl_primitive_attr_create(&attr), "attributes") &&
        note(kit, kit->library->dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user),
             "attributes") &&
        is_rectified) {
        append_rectifier(kit, attr);
    }
    return attr;
}

static void drop_attributes(const mega_onednn_kit *kit, dnnl_primitive_attr_t attr) {
    if (attr != NULL) {
        (void)kit->library->dnnl_primitive_attr_destroy(attr);
    }
}

static dnnl_primitive_desc_t describe(mega_onednn_kit *kit, const mega_onednn_layer *layer, int kind,
                                      mega_onednn_formats given, dnnl_primitive_desc_t hint,
                                      const char *what) {
    dnnl_primitive_desc_t pd = NULL;
    format in = make_format(kit, layer->rank, layer->in, dnnl_format_tag_any);
    format out = make_format(kit, layer->out_rank, layer->out, dnnl_format_tag_any);
    format weights = make_format(kit, layer->rank, layer->weights, dnnl_format_tag_any);
    format bias = make_format(kit, 1, layer->weights, dnnl_a); // as many as the weights' first dimension
    dnnl_primitive_attr_t attr = make_attributes(kit, layer->rectified && kind == FORWARD);
    if (kit->status == dnnl_success) {
        const formats of = {given.in != NULL ? given.in : view(&in),
                            given.weights != NULL ? given.weights : view(&weights), view(&bias),
                            given.out != NULL ? given.out : view(&out)};
        assert(kit->pd_count < ONEDNN_PARTS);
        const dnnl_status_t status = layer->is_conv ? create_conv(kit, layer, kind, of, attr, hint, &pd)
                                                    : create_dense(kit, kind, of, attr, hint, &pd);
        if (note(kit, status, what)) {
            kit->pd[kit->pd_count++] = pd;
        }
    }
    drop_attributes(kit, attr);
    drop_format(kit, &in);
    drop_format(kit, &out);
    drop_format(kit, &weights);
    drop_format(kit, &bias);
    return pd;
}

dnnl_primitive_desc_t mega_onednn_forward(mega_onednn_kit *kit, const mega_onednn_layer *layer,
                                          mega_onednn_formats formats) {
    return describe(kit, layer, FORWARD, formats, NULL, "a layer");
}

dnnl_primitive_desc_t mega_onednn_backward_data(mega_onednn_kit *kit, const mega_onednn_layer *layer,
                                                dnnl_primitive_desc_t forward, mega_onednn_formats formats) {
    return describe(kit, layer, BACKWARD_DATA, formats, forward, "the gradients of a layer's input");
}

dnnl_primitive_desc_t mega_onednn_backward_weights(mega_onednn_kit *kit, const mega_onednn_layer *layer,
                                                   dnnl_primitive_desc_t forward,
                                                   mega_onednn_formats formats) {
    return describe(kit, layer, BACKWARD_WEIGHTS, formats, forward, "the gradients of a layer's weights");
}

mega_onednn_format mega_onednn_query(const mega_onednn_kit *kit, dnnl_primitive_desc_t pd,
                                     dnnl_query_t what) {
    return kit->status == dnnl_success ? kit->library->dnnl_primitive_desc_query_md(pd, what, 0) : NULL;
}

// ---- steps -------------------------------------------------------------------------------------------

mega_onednn_step mega_onednn_step_of(mega_onednn_kit *kit, dnnl_primitive_desc_t pd) {
    mega_onednn_step step = {0};
    assert(kit->primitive_count < ONEDNN_PARTS);
    if (kit->status == dnnl_success &&
        note(kit, kit->library->dnnl_primitive_create(&step.primitive, pd), "a primitive")) {
        kit->primitive[kit->primitive_count++] = step.primitive;
        const mega_onednn_format scratchpad = mega_onednn_query(kit, pd, dnnl_query_scratchpad_md);
        if (scratchpad != NULL && kit->library->dnnl_memory_desc_get_size(scratchpad) > 0) {
            mega_onednn_argument(&step, DNNL_ARG_SCRATCHPAD, mega_onednn_memory(kit, scratchpad));
        }
    }
    return step;
}

void mega_onednn_argument(mega_onednn_step *step, int which, dnnl_memory_t memory) {
    assert(step->count < ONEDNN_ARGUMENTS);
    step->arguments[step->count].arg = which;
    step->arguments[step->count].memory = memory;
    step->count++;
}

mega_onednn_step mega_onednn_reorder(mega_onednn_kit *kit, dnnl_memory_t from, dnnl_memory_t to) {
    mega_onednn_step step = {0};
    dnnl_primitive_desc_t pd = NULL;
    if (kit->status != dnnl_success || from == to) {
        return step;
    }
    dnnl_primitive_attr_t attr = make_attributes(kit, false);
    const dnnl_status_t status =
        kit->library->dnnl_reorder_primitive_desc_create(&pd, mega_onednn_format_of(kit, from), kit->engine,
                                                         mega_onednn_format_of(kit, to), kit->engine, attr);
    drop_attributes(kit, attr);
    if (note(kit, status, "a change of format")) {
        assert(kit->pd_count < ONEDNN_PARTS);
        kit->pd[kit->pd_count++] = pd;
        step = mega_onednn_step_of(kit, pd);
        mega_onednn_argument(&step, DNNL_ARG_FROM, from);
        mega_onednn_argument(&step, DNNL_ARG_TO, to);
    }
    return step;
}

void mega_onednn_run(mega_onednn_kit *kit, const mega_onednn_step *step) {
    if (step->primitive != NULL && kit->status == dnnl_success) {
        note(kit,
             kit->library->dnnl_primitive_execute(step->primitive, kit->stream, step->count, step->arguments),
             "a computation");
    }
}
#else
typedef int mega_onednn_is_missing; // a file needs something in it
#endif
