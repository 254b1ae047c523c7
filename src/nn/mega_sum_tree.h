// mega_sum_tree.h - a tree of sums: draws one of many leaves with a probability that is its share of the
// total. Shared source.
//
// Each node is the sum of its 16 children, added in their order. It is never changed by a difference, so that
// nothing drifts, the tree is a function of its leaves alone, and it does no harm to refresh a node twice, or
// by two threads at once. Whoever sets leaves then refreshes their ancestors, level by level.
//
// Levels lie one after the other in one array, level 0 (the leaves) first, and the last has one node: the
// total. Each is padded with zeros to a multiple of 16 nodes, so that children need no count.
#ifndef MEGA_SUM_TREE_H
#define MEGA_SUM_TREE_H
#include "mega_base.h"

enum {
    MEGA_TREE_FAN_BITS = 4,
    MEGA_TREE_FAN = 1 << MEGA_TREE_FAN_BITS,
    MEGA_TREE_LEVELS = 8,
    MEGA_TREE_LEAVES_MAX = 1 << MEGA_TREE_FAN_BITS * (MEGA_TREE_LEVELS - 1)
};

typedef struct mega_sum_tree {
    float *nodes;    // [tree_size()], zero at first; leaves are not negative, and their sum is finite
    uint32_t leaves; // 1 to MEGA_TREE_LEAVES_MAX
    uint32_t levels;
    uint32_t first[MEGA_TREE_LEVELS]; // where they begin
} mega_sum_tree;

// Nodes of a level, padding aside.
MEGA_FN uint32_t tree_count(const mega_sum_tree *tree, uint32_t level) {
    return ((tree->leaves - 1u) >> MEGA_TREE_FAN_BITS * level) + 1u;
}

MEGA_FN uint32_t tree_padded(uint32_t count) {
    return (count + MEGA_TREE_FAN - 1u) / MEGA_TREE_FAN * MEGA_TREE_FAN;
}

// A tree whose array is still to come.
MEGA_FN mega_sum_tree tree_shape(uint32_t leaves) {
    mega_sum_tree tree;
    tree.nodes = 0;
    tree.leaves = leaves;
    tree.levels = 1;
    tree.first[0] = 0;
    for (uint32_t level = 1; level < MEGA_TREE_LEVELS; level++) {
        const uint32_t below = tree_count(&tree, level - 1u);
        tree.first[level] = tree.first[level - 1u] + tree_padded(below);
        tree.levels += below > 1u;
    }
    return tree;
}

// Floats of the array.
MEGA_FN uint32_t tree_size(const mega_sum_tree *tree) {
    return tree->first[tree->levels - 1u] + MEGA_TREE_FAN;
}

MEGA_FN float tree_total(const mega_sum_tree *tree) {
    return tree->nodes[tree->first[tree->levels - 1u]];
}

// Recomputes a node of a level above 0 from its children.
MEGA_FN void tree_refresh(const mega_sum_tree *tree, uint32_t level, uint32_t node) {
    const float *children = tree->nodes + tree->first[level - 1u] + node * MEGA_TREE_FAN;
    float sum = children[0];
    for (uint32_t i = 1; i < MEGA_TREE_FAN; i++) {
        sum += children[i];
    }
    tree->nodes[tree->first[level] + node] = sum;
}

// All ancestors of a leaf.
MEGA_FN void tree_refresh_path(const mega_sum_tree *tree, uint32_t leaf) {
    for (uint32_t level = 1; level < tree->levels; level++) {
        tree_refresh(tree, level, leaf >> MEGA_TREE_FAN_BITS * level);
    }
}

// A level's ancestors of the leaves first to first + count - 1: thread number `thread` of `threads` does its
// part.
MEGA_FN void tree_refresh_range(const mega_sum_tree *tree, uint32_t level, uint32_t first, uint32_t count,
                                uint32_t thread, uint32_t threads) {
    if (count > 0u) {
        const uint32_t last = (first + count - 1u) >> MEGA_TREE_FAN_BITS * level;
        for (uint32_t node = (first >> MEGA_TREE_FAN_BITS * level) + thread; node <= last; node += threads) {
            tree_refresh(tree, level, node);
        }
    }
}

// The leaf at which the sum of leaves passes `mass`, a number in [0, total). A leaf of 0 is never found
// unless all are 0: where rounding leaves mass over behind the last child, it falls to the last that is not
// 0.
MEGA_FN uint32_t tree_find(const mega_sum_tree *tree, double mass) {
    uint32_t node = 0;
    for (uint32_t level = tree->levels - 1u; level > 0u; level--) {
        const float *children = tree->nodes + tree->first[level - 1u] + node * MEGA_TREE_FAN;
        double rest = mass;
        uint32_t chosen = 0;
        for (uint32_t i = 0; i < MEGA_TREE_FAN; i++) {
            const double child = (double)children[i];
            if (child > 0.0) {
                chosen = i;
                mass = rest;
                if (mass < child) {
                    break;
                }
                rest -= child;
            }
        }
        node = node * MEGA_TREE_FAN + chosen;
    }
    return node;
}

#endif
