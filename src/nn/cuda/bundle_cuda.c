// bundle_cuda.c - see bundle_cuda.h.
//
// A bundle is a list of commands. One with the same list as one before, but for arguments of kernels, takes over its
// graph.
#include "bundle_cuda.h"

#include <stdlib.h>
#include <string.h>

enum {
    ARGUMENTS_MAX = 16,
    ALIGNMENT = 16, // of a copied argument
    KEPT = 4,       // graphs: a learner has few kinds of updates
    FIRST_COMMANDS = 64,
    FIRST_BYTES = 4096
};

typedef enum command_kind {
    KERNEL,
    PRODUCT,
    COPY
} command_kind;

typedef struct command {
    command_kind kind;
    cuda_launch launch; // KERNEL
    uint32_t argument_count;
    uint32_t at[ARGUMENTS_MAX];    // where each argument is among the list's bytes
    uint32_t begin, end;           // of all of them
    const mega_product_plan *plan; // PRODUCT
    CUdeviceptr a, b, c;           // of a product; b is copied to a
    size_t size;                   // COPY
    CUgraphNode node;              // in the graph
} command;

typedef struct command_list {
    command *command;
    uint32_t count, room;
    uint8_t *bytes;
    uint32_t used, bytes_room;
} command_list;

// A bundle of before.
typedef struct kept_graph {
    command_list list;
    CUgraphExec graph; // what the list does, or NULL
    uint64_t last;     // when it was run
} kept_graph;

struct cuda_bundles {
    const mega_cuda_driver *driver;
    CUstream stream;
    mega_products *products;
    bool is_off;
    bool is_open;
    bool is_warm;     // there was a bundle: libraries have done what they do at first use
    command_list now; // what is noted down
    uint64_t count;   // of bundles that were run
    kept_graph kept[KEPT];
};

// ---- life --------------------------------------------------------------------------------------------

mega_status cuda_bundles_open(const mega_cuda_driver *driver, CUstream stream, mega_products *products,
                              cuda_bundles **out) {
    const char *chosen = getenv("MEGACADE_CUDA_GRAPHS");
    cuda_bundles *bundles = calloc(1, sizeof *bundles);
    *out = bundles;
    if (bundles == NULL) {
        return mega_fail_memory(sizeof *bundles);
    }
    bundles->driver = driver;
    bundles->stream = stream;
    bundles->products = products;
    bundles->is_off = !driver->has_graphs || (chosen != NULL && strcmp(chosen, "0") == 0);
    return MEGA_OK;
}

static void drop_graph(const cuda_bundles *bundles, kept_graph *kept) {
    if (kept->graph != NULL) {
        (void)bundles->driver->cuGraphExecDestroy(kept->graph); // a launch of it that is not over goes on
        kept->graph = NULL;
    }
}

static void free_list(command_list *list) {
    free(list->command);
    free(list->bytes);
}

void cuda_bundles_close(cuda_bundles *bundles) {
    if (bundles != NULL) {
        for (uint32_t i = 0; i < KEPT; i++) {
            drop_graph(bundles, &bundles->kept[i]);
            free_list(&bundles->kept[i].list);
        }
        free_list(&bundles->now);
        free(bundles);
    }
}

// ---- doing -------------------------------------------------------------------------------------------

static void point_at(const command_list *list, const command *c, void *arguments[ARGUMENTS_MAX]) {
    for (uint32_t i = 0; i < c->argument_count; i++) {
        arguments[i] = list->bytes + c->at[i];
    }
}

static mega_status launch(const cuda_bundles *bundles, const cuda_launch *l, void **arguments) {
    CUDA_TRY(bundles->driver, cuLaunchKernel, l->function, l->blocks, l->rows, 1, l->threads, 1, 1,
             l->shared_size, bundles->stream, arguments, NULL);
    return MEGA_OK;
}

static mega_status copy(const cuda_bundles *bundles, CUdeviceptr to, CUdeviceptr from, size_t size) {
    CUDA_TRY(bundles->driver, cuMemcpyDtoDAsync, to, from, size, bundles->stream);
    return MEGA_OK;
}

static mega_status do_command(const cuda_bundles *bundles, const command_list *list, const command *c) {
    void *arguments[ARGUMENTS_MAX];
    switch (c->kind) {
    case KERNEL: point_at(list, c, arguments); return launch(bundles, &c->launch, arguments);
    case PRODUCT: return product_run(bundles->products, c->plan, c->a, c->b, c->c);
    default: return copy(bundles, c->a, c->b, c->size);
    }
}

static mega_status do_commands(const cuda_bundles *bundles, const command_list *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        MEGA_TRY(do_command(bundles, list, &list->command[i]));
    }
    return MEGA_OK;
}

// ---- noting down -------------------------------------------------------------------------------------

static mega_status add_command(command_list *list, command_kind kind, command **out) {
    *out = NULL;
    if (list->count == list->room) {
        const uint32_t room = list->room == 0 ? FIRST_COMMANDS : 2 * list->room;
        command *larger = realloc(list->command, room * sizeof *larger);
        if (larger == NULL) {
            return mega_fail_memory(room * sizeof *larger);
        }
        list->command = larger;
        list->room = room;
    }
    *out = &list->command[list->count++];
    memset(*out, 0, sizeof **out);
    (*out)->kind = kind;
    return MEGA_OK;
}

static mega_status add_bytes(command_list *list, cuda_argument argument, uint32_t *at) {
    const uint32_t size = (uint32_t)(argument.size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (list->bytes_room - list->used < size) {
        const uint32_t room = (list->bytes_room == 0 ? FIRST_BYTES : 2 * list->bytes_room) + size;
        uint8_t *larger = realloc(list->bytes, room);
        if (larger == NULL) {
            return mega_fail_memory(room);
        }
        list->bytes = larger;
        list->bytes_room = room;
    }
    *at = list->used;
    memset(list->bytes + list->used, 0, size); // so that lists compare byte by byte
    memcpy(list->bytes + list->used, argument.bytes, argument.size);
    list->used += size;
    return MEGA_OK;
}

mega_status cuda_bundles_launch(cuda_bundles *bundles, const cuda_launch *l, const cuda_argument *arguments) {
    command *c;
    if (!bundles->is_open) {
        void *addresses[ARGUMENTS_MAX];
        for (uint32_t i = 0; arguments[i].bytes != NULL; i++) {
            memcpy(&addresses[i], &arguments[i].bytes, sizeof addresses[i]); // the driver only reads them
        }
        return launch(bundles, l, addresses);
    }
    MEGA_TRY(add_command(&bundles->now, KERNEL, &c));
    c->launch = *l;
    c->begin = bundles->now.used;
    for (; arguments[c->argument_count].bytes != NULL; c->argument_count++) {
        MEGA_TRY(add_bytes(&bundles->now, arguments[c->argument_count], &c->at[c->argument_count]));
    }
    c->end = bundles->now.used;
    return MEGA_OK;
}

mega_status cuda_bundles_multiply(cuda_bundles *bundles, const mega_product_plan *plan, CUdeviceptr a,
                                  CUdeviceptr b, CUdeviceptr c) {
    command *added;
    if (!bundles->is_open) {
        return product_run(bundles->products, plan, a, b, c);
    }
    MEGA_TRY(add_command(&bundles->now, PRODUCT, &added));
    added->plan = plan;
    added->a = a;
    added->b = b;
    added->c = c;
    return MEGA_OK;
}

mega_status cuda_bundles_copy(cuda_bundles *bundles, CUdeviceptr to, CUdeviceptr from, size_t size) {
    command *added;
    if (!bundles->is_open) {
        return copy(bundles, to, from, size);
    }
    MEGA_TRY(add_command(&bundles->now, COPY, &added));
    added->a = to;
    added->b = from;
    added->size = size;
    return MEGA_OK;
}

// ---- graphs ------------------------------------------------------------------------------------------

static bool is_same_launch(const cuda_launch *a, const cuda_launch *b) {
    return a->function == b->function && a->blocks == b->blocks && a->rows == b->rows &&
           a->threads == b->threads && a->shared_size == b->shared_size;
}

// But for the arguments of a kernel.
static bool is_same_command(const command *a, const command *b) {
    return a->kind == b->kind && is_same_launch(&a->launch, &b->launch) &&
           a->argument_count == b->argument_count && a->begin == b->begin && a->end == b->end &&
           a->plan == b->plan && a->a == b->a && a->b == b->b && a->c == b->c && a->size == b->size;
}

static bool is_same_list(const command_list *a, const command_list *b) {
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++) {
        same = is_same_command(&a->command[i], &b->command[i]);
    }
    return same;
}

static CUDA_KERNEL_NODE_PARAMS node_of(const command_list *list, const command *c,
                                       void *arguments[ARGUMENTS_MAX]) {
    const CUDA_KERNEL_NODE_PARAMS parameters = {.func = c->launch.function,
                                                .gridDimX = c->launch.blocks,
                                                .gridDimY = c->launch.rows,
                                                .gridDimZ = 1,
                                                .blockDimX = c->launch.threads,
                                                .blockDimY = 1,
                                                .blockDimZ = 1,
                                                .sharedMemBytes = c->launch.shared_size,
                                                .kernelParams = arguments};
    point_at(list, c, arguments);
    return parameters;
}

// What a product launches is the library's affair, so it is recorded while it does so, as a graph of its own.
static mega_status record(const cuda_bundles *bundles, const command_list *list, const command *c,
                          CUgraph *out) {
    const mega_cuda_driver *driver = bundles->driver;
    *out = NULL;
    CUDA_TRY(driver, cuStreamBeginCapture, bundles->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    const mega_status done = do_command(bundles, list, c);
    const CUresult ended = driver->cuStreamEndCapture(bundles->stream, out);
    MEGA_TRY(done);
    return ended == CUDA_SUCCESS ? MEGA_OK : cuda_fail(driver, ended, "cuStreamEndCapture");
}

// Adds a command after the one before.
static mega_status add_node(const cuda_bundles *bundles, command_list *list, uint32_t i, CUgraph graph) {
    const mega_cuda_driver *driver = bundles->driver;
    command *c = &list->command[i];
    const CUgraphNode *before = i > 0 ? &list->command[i - 1].node : NULL;
    if (c->kind == KERNEL) {
        void *arguments[ARGUMENTS_MAX];
        const CUDA_KERNEL_NODE_PARAMS parameters = node_of(list, c, arguments);
        CUDA_TRY(driver, cuGraphAddKernelNode, &c->node, graph, before, i > 0, &parameters);
        return MEGA_OK;
    }
    CUgraph part;
    CUresult added = CUDA_SUCCESS;
    const mega_status recorded = record(bundles, list, c, &part);
    if (recorded == MEGA_OK) {
        added = driver->cuGraphAddChildGraphNode(&c->node, graph, before, i > 0, part); // copies it
    }
    if (part != NULL) {
        (void)driver->cuGraphDestroy(part);
    }
    MEGA_TRY(recorded);
    return added == CUDA_SUCCESS ? MEGA_OK : cuda_fail(driver, added, "cuGraphAddChildGraphNode");
}

static mega_status make_graph(cuda_bundles *bundles, kept_graph *kept) {
    const mega_cuda_driver *driver = bundles->driver;
    CUgraph graph;
    CUDA_TRY(driver, cuGraphCreate, &graph, 0);
    mega_status status = MEGA_OK;
    for (uint32_t i = 0; i < bundles->now.count && status == MEGA_OK; i++) {
        status = add_node(bundles, &bundles->now, i, graph);
    }
    const CUresult made =
        status == MEGA_OK ? driver->cuGraphInstantiate(&kept->graph, graph, 0) : CUDA_SUCCESS;
    (void)driver->cuGraphDestroy(graph);
    MEGA_TRY(status);
    if (made != CUDA_SUCCESS) {
        kept->graph = NULL;
        return cuda_fail(driver, made, "cuGraphInstantiate");
    }
    return MEGA_OK;
}

static mega_status tell_arguments(const cuda_bundles *bundles, CUgraphExec graph, const command *c) {
    void *arguments[ARGUMENTS_MAX];
    const CUDA_KERNEL_NODE_PARAMS parameters = node_of(&bundles->now, c, arguments);
    CUDA_TRY(bundles->driver, cuGraphExecKernelNodeSetParams, graph, c->node, &parameters);
    return MEGA_OK;
}

// Tells a graph what differs from the last time.
static mega_status take_over(cuda_bundles *bundles, const kept_graph *kept) {
    for (uint32_t i = 0; i < bundles->now.count; i++) {
        command *c = &bundles->now.command[i];
        c->node = kept->list.command[i].node;
        if (memcmp(bundles->now.bytes + c->begin, kept->list.bytes + c->begin, c->end - c->begin) != 0) {
            MEGA_TRY(tell_arguments(bundles, kept->graph, c));
        }
    }
    return MEGA_OK;
}

// The graph of such a bundle, or the one that was run longest ago.
static kept_graph *choose(cuda_bundles *bundles) {
    kept_graph *oldest = &bundles->kept[0];
    for (uint32_t i = 0; i < KEPT; i++) {
        kept_graph *kept = &bundles->kept[i];
        if (kept->graph != NULL && is_same_list(&bundles->now, &kept->list)) {
            return kept;
        }
        oldest = kept->last < oldest->last ? kept : oldest;
    }
    drop_graph(bundles, oldest);
    return oldest;
}

// ---- bundles -----------------------------------------------------------------------------------------

void cuda_bundles_begin(cuda_bundles *bundles) {
    bundles->is_open = !bundles->is_off;
    bundles->now.count = 0;
    bundles->now.used = 0;
}

mega_status cuda_bundles_run(cuda_bundles *bundles) {
    const bool was_warm = bundles->is_warm;
    if (!bundles->is_open) {
        return MEGA_OK;
    }
    bundles->is_open = false;
    bundles->is_warm = true;
    if (!was_warm) {
        return do_commands(bundles, &bundles->now);
    }
    kept_graph *kept = choose(bundles);
    if (kept->graph != NULL) {
        MEGA_TRY(take_over(bundles, kept));
    } else if (make_graph(bundles, kept) != MEGA_OK) { // what is wrong beside graphs shows without them, too
        bundles->is_off = true;
        return do_commands(bundles, &bundles->now);
    }
    const command_list list = kept->list;
    kept->list = bundles->now;
    kept->last = ++bundles->count;
    bundles->now = list;
    CUDA_TRY(bundles->driver, cuGraphLaunch, kept->graph, bundles->stream);
    return MEGA_OK;
}
