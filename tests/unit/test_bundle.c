// test_bundle.c - bundles of launches, with a driver that writes down what it is asked for: the same work in the same
// order however it is launched, one graph for what repeats, and no graphs where they fail.
#include "bundle_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mega_test.h"

enum {
    NODES_MAX = 64,
    GRAPHS_MAX = 64,
    DONE_SIZE = 4096
};

// A kernel has two arguments, a number and eight bytes; other nodes are copies.
typedef struct fake_node {
    CUfunction function;
    int32_t number;
    char text[8];
    CUdeviceptr to;
} fake_node;

typedef struct fake_graph {
    uint32_t count;
    fake_node node[NODES_MAX];
} fake_graph;

static char done[DONE_SIZE]; // what was done, in words
static fake_graph graphs[GRAPHS_MAX];
static fake_node nodes[NODES_MAX * GRAPHS_MAX];
static uint32_t graph_count, graphs_alive, node_count, set_count, launch_count;
static fake_graph *captured; // while a stream is captured
static CUresult instantiating;

static void do_node(const fake_node *node) {
    const size_t used = strlen(done);
    if (node->function != NULL) {
        (void)snprintf(done + used, sizeof done - used, "%s(%d %.8s) ", (const char *)node->function,
                       node->number, node->text);
    } else {
        (void)snprintf(done + used, sizeof done - used, "copy(%llu) ", node->to);
    }
}

static fake_node kernel_of(CUfunction function, void *const *arguments) {
    fake_node node = {.function = function, .number = *(const int32_t *)arguments[0]};
    memcpy(node.text, arguments[1], sizeof node.text);
    return node;
}

static CUresult fake_launch(CUfunction function, unsigned int a, unsigned int b, unsigned int c,
                            unsigned int d, unsigned int e, unsigned int f, unsigned int shared,
                            CUstream stream, void **arguments, void **extra) {
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)shared, (void)stream, (void)extra;
    const fake_node node = kernel_of(function, arguments);
    launch_count++;
    do_node(&node);
    return CUDA_SUCCESS;
}

static CUresult fake_copy(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
    (void)from, (void)size, (void)stream;
    const fake_node node = {.to = to};
    if (captured != NULL) {
        captured->node[captured->count++] = node;
    } else {
        launch_count++;
        do_node(&node);
    }
    return CUDA_SUCCESS;
}

static fake_graph *new_graph(void) {
    if (graph_count == GRAPHS_MAX) {
        abort();
    }
    graphs_alive++;
    return &graphs[graph_count++];
}

static CUresult fake_begin(CUstream stream, CUstreamCaptureMode mode) {
    (void)stream, (void)mode;
    captured = new_graph();
    return CUDA_SUCCESS;
}

static CUresult fake_end(CUstream stream, CUgraph *graph) {
    (void)stream;
    *graph = (CUgraph)(void *)captured;
    captured = NULL;
    return CUDA_SUCCESS;
}

static CUresult fake_create(CUgraph *graph, unsigned int flags) {
    (void)flags;
    *graph = (CUgraph)(void *)new_graph();
    return CUDA_SUCCESS;
}

// A handle is the place of a node in its graph, which has to come right after the one that it waits for.
static CUresult add(CUgraphNode *handle, CUgraph to, const CUgraphNode *after, size_t count, fake_node node) {
    fake_graph *graph = (fake_graph *)(void *)to;
    MEGA_CHECK_EQ(count, graph->count > 0);
    if (count > 0) {
        MEGA_CHECK_EQ((const fake_node *)(const void *)after[0] - nodes, node_count - 1);
    }
    nodes[node_count] = node;
    *handle = (CUgraphNode)(void *)&nodes[node_count++];
    graph->node[graph->count++] = node;
    return CUDA_SUCCESS;
}

static CUresult fake_add_kernel(CUgraphNode *handle, CUgraph to, const CUgraphNode *after, size_t count,
                                const CUDA_KERNEL_NODE_PARAMS *p) {
    return add(handle, to, after, count, kernel_of(p->func, p->kernelParams));
}

static CUresult fake_add_child(CUgraphNode *handle, CUgraph to, const CUgraphNode *after, size_t count,
                               CUgraph child) {
    const fake_graph *part = (const fake_graph *)(const void *)child;
    MEGA_CHECK_EQ(part->count, 1);
    return add(handle, to, after, count, part->node[0]);
}

// Graphs are never used again here, so that the same memory serves.
static CUresult fake_instantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags) {
    (void)flags;
    *exec = instantiating == CUDA_SUCCESS ? (CUgraphExec)(void *)graph : NULL;
    graphs_alive += instantiating == CUDA_SUCCESS;
    return instantiating;
}

static CUresult fake_set(CUgraphExec exec, CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS *p) {
    fake_graph *graph = (fake_graph *)(void *)exec;
    const fake_node *node = (const fake_node *)(const void *)handle;
    set_count++;
    for (uint32_t i = 0; i < graph->count; i++) { // each kernel has another name here
        if (graph->node[i].function == node->function) {
            graph->node[i] = kernel_of(p->func, p->kernelParams);
        }
    }
    return CUDA_SUCCESS;
}

static CUresult fake_run(CUgraphExec exec, CUstream stream) {
    (void)stream;
    const fake_graph *graph = (const fake_graph *)(const void *)exec;
    launch_count++;
    for (uint32_t i = 0; i < graph->count; i++) {
        do_node(&graph->node[i]);
    }
    return CUDA_SUCCESS;
}

static CUresult fake_drop_exec(CUgraphExec exec) {
    (void)exec;
    graphs_alive--;
    return CUDA_SUCCESS;
}

static CUresult fake_drop(CUgraph graph) {
    (void)graph;
    graphs_alive--;
    return CUDA_SUCCESS;
}

static CUresult fake_name(CUresult result, const char **text) {
    (void)result;
    *text = "a fault";
    return CUDA_SUCCESS;
}

static mega_cuda_driver a_driver(void) {
    return (mega_cuda_driver){.has_graphs = 1,
                              .cuLaunchKernel = fake_launch,
                              .cuMemcpyDtoDAsync = fake_copy,
                              .cuStreamBeginCapture = fake_begin,
                              .cuStreamEndCapture = fake_end,
                              .cuGraphCreate = fake_create,
                              .cuGraphAddKernelNode = fake_add_kernel,
                              .cuGraphAddChildGraphNode = fake_add_child,
                              .cuGraphInstantiate = fake_instantiate,
                              .cuGraphExecKernelNodeSetParams = fake_set,
                              .cuGraphLaunch = fake_run,
                              .cuGraphExecDestroy = fake_drop_exec,
                              .cuGraphDestroy = fake_drop,
                              .cuGetErrorName = fake_name,
                              .cuGetErrorString = fake_name};
}

static void forget(void) {
    graph_count = node_count = set_count = launch_count = 0;
    memset(graphs, 0, sizeof graphs);
}

static void launch(cuda_bundles *bundles, const char *name, int32_t number) {
    static char names[8][8]; // a function's address is its name's
    uint32_t i = 0;
    while (names[i][0] != '\0' && strcmp(names[i], name) != 0) {
        i++;
    }
    memcpy(names[i], name, strlen(name) + 1);
    char text[8] = "12345678";
    const cuda_launch l = {.function = (CUfunction)(void *)names[i], .blocks = 1, .rows = 1, .threads = 32};
    MEGA_CHECK_EQ(cuda_bundles_launch(bundles, &l, CUDA_ARGUMENTS(&number, &text)), MEGA_OK);
    memset(text, 'x', sizeof text); // arguments were copied
}

// An update: three kernels, of which one has an argument that changes, and a copy.
static const char *update(cuda_bundles *bundles, int32_t changing, CUdeviceptr to) {
    done[0] = '\0';
    cuda_bundles_begin(bundles);
    launch(bundles, "draw", changing);
    MEGA_CHECK_EQ(cuda_bundles_copy(bundles, to, 0, 1), MEGA_OK);
    launch(bundles, "learn", 7);
    launch(bundles, "descend", 8);
    MEGA_CHECK_EQ(cuda_bundles_run(bundles), MEGA_OK);
    return done;
}

static const char *expected(int32_t changing, CUdeviceptr to) {
    static char text[256];
    (void)snprintf(text, sizeof text, "draw(%d 12345678) copy(%llu) learn(7 12345678) descend(8 12345678) ",
                   changing, to);
    return text;
}

#define CHECK_UPDATE(bundles, changing, to) \
    MEGA_CHECK(strcmp(update(bundles, changing, to), expected(changing, to)) == 0)

static cuda_bundles *open_bundles(const mega_cuda_driver *driver) {
    cuda_bundles *bundles;
    forget();
    MEGA_CHECK_EQ(cuda_bundles_open(driver, NULL, NULL, &bundles), MEGA_OK);
    return bundles;
}

static void test_graphs(void) {
    const mega_cuda_driver driver = a_driver();
    cuda_bundles *bundles = open_bundles(&driver);
    CHECK_UPDATE(bundles, 1, 5); // piece by piece
    MEGA_CHECK_EQ(launch_count, 4);
    CHECK_UPDATE(bundles, 1, 5); // makes a graph
    MEGA_CHECK_EQ(launch_count, 5);
    CHECK_UPDATE(bundles, 1, 5); // the same once more
    MEGA_CHECK_EQ(set_count, 0);
    CHECK_UPDATE(bundles, 2, 5);
    MEGA_CHECK_EQ(set_count, 1);
    CHECK_UPDATE(bundles, 2, 5);
    MEGA_CHECK_EQ(set_count, 1);
    MEGA_CHECK_EQ(launch_count, 8);
    cuda_bundles_close(bundles);
    MEGA_CHECK_EQ(graphs_alive, 0);
}

// What is not an argument of a kernel makes another graph; the last few are kept.
static void test_kinds(void) {
    const mega_cuda_driver driver = a_driver();
    cuda_bundles *bundles = open_bundles(&driver);
    CHECK_UPDATE(bundles, 1, 5);
    for (int32_t turn = 0; turn < 3; turn++) {
        for (CUdeviceptr to = 1; to <= 4; to++) {
            CHECK_UPDATE(bundles, turn, to);
        }
    }
    MEGA_CHECK_EQ(graph_count, 2 * 4); // each with one for its copy
    MEGA_CHECK_EQ(set_count, 2 * 4);
    CHECK_UPDATE(bundles, 0, 5); // in place of 1
    CHECK_UPDATE(bundles, 3, 2);
    MEGA_CHECK_EQ(graph_count, 2 * 5);
    CHECK_UPDATE(bundles, 3, 1);
    MEGA_CHECK_EQ(graph_count, 2 * 6);
    cuda_bundles_close(bundles);
    MEGA_CHECK_EQ(graphs_alive, 0);
}

static void test_outside(void) {
    const mega_cuda_driver driver = a_driver();
    cuda_bundles *bundles = open_bundles(&driver);
    done[0] = '\0';
    launch(bundles, "alone", 3);
    MEGA_CHECK(strcmp(done, "alone(3 12345678) ") == 0);
    CHECK_UPDATE(bundles, 1, 5);
    CHECK_UPDATE(bundles, 2, 5);
    cuda_bundles_begin(bundles); // given up, after a failure
    launch(bundles, "lost", 1);
    CHECK_UPDATE(bundles, 3, 5);
    MEGA_CHECK_EQ(graph_count, 2);
    cuda_bundles_close(bundles);
    cuda_bundles_close(NULL);
}

static void test_without_graphs(void) {
    mega_cuda_driver driver = a_driver();
    cuda_bundles *bundles = open_bundles(&driver);
    instantiating = CUDA_ERROR_INVALID_VALUE; // graphs fail: without them it goes on
    for (int32_t turn = 0; turn < 3; turn++) {
        CHECK_UPDATE(bundles, turn, 5);
    }
    MEGA_CHECK_EQ(launch_count, 12);
    MEGA_CHECK_EQ(graph_count, 2); // tried once
    cuda_bundles_close(bundles);
    MEGA_CHECK_EQ(graphs_alive, 0);
    instantiating = CUDA_SUCCESS;
    driver.has_graphs = 0;
    bundles = open_bundles(&driver);
    for (int32_t turn = 0; turn < 3; turn++) {
        CHECK_UPDATE(bundles, turn, 5);
    }
    MEGA_CHECK_EQ(graph_count, 0);
    cuda_bundles_close(bundles);
}

int main(void) {
    test_graphs();
    test_kinds();
    test_outside();
    test_without_graphs();
    return mega_test_result();
}
