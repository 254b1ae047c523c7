// code_order.h - the order in which lanes of a warp should run the blocks of a program. Host code.
//
// Lanes that are behind should go first, so that the others wait for them where ways meet again. Behind means
// earlier in an order in which loops are whole: whatever a loop leads to comes after all of the loop. Such an order is
// a weak topological one: the strongly connected parts of the graph in topological order, and each of them again
// without the edges that lead back to its first block.
//
// Edges connect instructions of one level of calls (equal stack pointers): what a subroutine does in between does not
// count, because deeper levels always go first.
#ifndef CODE_ORDER_H
#define CODE_ORDER_H
#include "code_map.h"

typedef struct code_edge {
    uint32_t from, to; // nodes
} code_edge;

// Edges, each once.
typedef struct code_edges {
    code_edge *edge;
    uint32_t count, room;
    uint32_t *last; // by node: where the way went last time, + 1
} code_edges;

mega_status code_edges_make(uint32_t nodes, code_edges *out);
void code_edges_release(code_edges *edges);
// Notes a way from one instruction to another; what finds no memory is forgotten.
void code_edges_add(code_edges *edges, uint32_t from, uint32_t to);

// Ranks from 1 on for all blocks, by node, after those are gone that others run on into (code_chain.h).
mega_status code_order(code_map *map, const code_edges *edges, uint32_t *rank);

#endif
