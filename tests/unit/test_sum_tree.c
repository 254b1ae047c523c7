// test_sum_tree.c - trees of sums against a plain array: random changes, masses and totals; and that the tree
// is the same as one that is built at once.
#include "mega_philox.h"
#include "mega_sum_tree.h"

#include "mega_test.h"

#include <math.h>
#include <stdlib.h>

enum {
    OPERATIONS = 10000000,
    PLAIN_EVERY = 500000 // operations between looks at all leaves of a large tree
};

typedef struct example {
    mega_sum_tree tree;
    double *plain; // what the leaves should be
    double total;  // of them
    uint32_t wrong;
} example;

static example make_example(uint32_t leaves) {
    example e = {.tree = tree_shape(leaves)};
    e.tree.nodes = calloc(tree_size(&e.tree), sizeof(float));
    e.plain = calloc(leaves, sizeof *e.plain);
    return e;
}

static void free_example(example *e) {
    free(e->tree.nodes);
    free(e->plain);
}

// A third of the leaves are 0, the others over twelve powers of ten.
static float draw_leaf(uint32_t word) {
    const float uniform = mega_philox_uniform(word);
    return word % 3 == 0 ? 0.0f : word % 3 == 1 ? uniform + 0.5f : powf(10.0f, 12.0f * uniform - 6.0f);
}

static void set_leaf(example *e, uint32_t leaf, float value) {
    e->total += (double)value - e->plain[leaf];
    e->plain[leaf] = (double)value;
    e->tree.nodes[leaf] = value;
    tree_refresh_path(&e->tree, leaf);
}

static double plain_total(const example *e) {
    double sum = 0;
    for (uint32_t i = 0; i < e->tree.leaves; i++) {
        sum += e->plain[i];
    }
    return sum;
}

static int is_near(double a, double b, double scale) {
    return fabs(a - b) <= 2e-6 * scale;
}

// The leaf of a mass is not 0, and the sum of those before it is not far from the mass.
static void check_find(example *e, double uniform, int fully) {
    const double total = (double)tree_total(&e->tree), mass = uniform * total;
    if (total <= 0) {
        return;
    }
    const uint32_t leaf = tree_find(&e->tree, mass);
    if (leaf >= e->tree.leaves || e->plain[leaf] <= 0) {
        e->wrong++;
        return;
    }
    if (fully) {
        double before = 0;
        for (uint32_t i = 0; i < leaf; i++) {
            before += e->plain[i];
        }
        e->wrong += before > mass + 2e-6 * total || before + e->plain[leaf] < mass - 2e-6 * total;
    }
}

static void check_total(example *e) {
    const double total = plain_total(e);
    e->wrong += !is_near((double)tree_total(&e->tree), total, total);
    e->total = total; // without what the differences have added
}

// The rebuilt tree has the same bits in all nodes.
static void check_rebuilt(const example *e) {
    const size_t size = tree_size(&e->tree) * sizeof(float);
    mega_sum_tree rebuilt = e->tree;
    rebuilt.nodes = calloc(1, size);
    memcpy(rebuilt.nodes, e->tree.nodes, e->tree.leaves * sizeof(float));
    for (uint32_t level = 1; level < rebuilt.levels; level++) {
        for (uint32_t thread = 0; thread < 3; thread++) {
            tree_refresh_range(&rebuilt, level, 0, rebuilt.leaves, thread, 3);
        }
    }
    MEGA_CHECK(memcmp(rebuilt.nodes, e->tree.nodes, size) == 0);
    free(rebuilt.nodes);
}

static void test_operations(uint32_t leaves, uint32_t operations) {
    example e = make_example(leaves);
    const uint32_t every = leaves < 100 ? 1 : PLAIN_EVERY;
    for (uint32_t i = 0; i < operations; i++) {
        const mega_philox_block block = mega_philox_at(3, leaves, i);
        const int fully = i % every == 0;
        if (block.word[0] % 4 != 0) {
            set_leaf(&e, mega_philox_below(block.word[1], leaves), draw_leaf(block.word[2]));
        } else {
            check_find(&e, (double)block.word[3] / 4294967296.0, fully);
        }
        // The plain sum goes on by differences, which leave a little of the largest leaves behind.
        e.wrong += !is_near((double)tree_total(&e.tree), e.total, e.total + 1e-2);
        if (fully) {
            check_total(&e);
        }
    }
    MEGA_CHECK_EQ(e.wrong, 0);
    check_rebuilt(&e);
    free_example(&e);
}

// Masses at the edges: 0, and what rounding makes of the total and more.
static void test_edges(uint32_t leaves) {
    example e = make_example(leaves);
    MEGA_CHECK(tree_find(&e.tree, 0.0) < leaves);
    for (uint32_t i = 0; i < leaves && i < 1000; i++) {
        const uint32_t only = leaves - 1 - i;
        set_leaf(&e, only, 0.1f + (float)i);
        MEGA_CHECK_EQ(tree_find(&e.tree, 0.0), only);
        MEGA_CHECK_EQ(tree_find(&e.tree, (double)tree_total(&e.tree)), only);
        MEGA_CHECK_EQ(tree_find(&e.tree, 2.0 * (double)tree_total(&e.tree)), only);
        set_leaf(&e, only, 0.0f);
        MEGA_CHECK(tree_total(&e.tree) == 0.0f);
    }
    free_example(&e);
}

// Equal leaves take equal parts, also where the sums are rounded.
static void test_parts(uint32_t leaves) {
    example e = make_example(leaves);
    for (uint32_t i = 0; i < leaves; i++) {
        e.tree.nodes[i] = 0.1f;
    }
    for (uint32_t level = 1; level < e.tree.levels; level++) {
        tree_refresh_range(&e.tree, level, 0, leaves, 0, 1);
    }
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < leaves; i++) {
        const double place = ((double)i + 0.5) / (double)leaves;
        const uint32_t leaf = tree_find(&e.tree, place * (double)tree_total(&e.tree));
        wrong += leaf + 4 < i || leaf > i + 4;
    }
    MEGA_CHECK_EQ(wrong, 0);
    free_example(&e);
}

static void test_shape(void) {
    const mega_sum_tree one = tree_shape(1), full = tree_shape(16), more = tree_shape(17);
    MEGA_CHECK_EQ(one.levels, 1);
    MEGA_CHECK_EQ(full.levels, 2);
    MEGA_CHECK_EQ(more.levels, 3);
    MEGA_CHECK_EQ(tree_count(&more, 1), 2);
    MEGA_CHECK_EQ(tree_size(&more), 32 + 16 + 16);
    const mega_sum_tree most = tree_shape(MEGA_TREE_LEAVES_MAX);
    MEGA_CHECK_EQ(most.levels, MEGA_TREE_LEVELS);
    MEGA_CHECK_EQ(tree_count(&most, most.levels - 1), 1);
}

int main(void) {
    static const uint32_t sizes[] = {1, 2, 15, 16, 17, 255, 256, 257, 1000003};
    test_shape();
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        test_edges(sizes[i]);
        test_parts(sizes[i]);
    }
    for (uint32_t i = 0; i < 5; i++) {
        test_operations(sizes[i], 100000);
    }
    test_operations(1000003, OPERATIONS);
    test_operations(70000, OPERATIONS / 4);
    return mega_test_result();
}
