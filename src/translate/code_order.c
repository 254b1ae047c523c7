// code_order.c - see code_order.h. Strongly connected parts are found as Tarjan does.
#include "code_order.h"

#include <stdlib.h>
#include <string.h>

#include "code_chain.h"
#include "code_flow.h"
#include "opcode_table.h"
#include "status.h"

// ---- edges ---------------------------------------------------------------------------------------------

mega_status code_edges_make(uint32_t nodes, code_edges *out) {
    memset(out, 0, sizeof(*out));
    out->last = calloc(nodes, sizeof(*out->last));
    return out->last != NULL ? MEGA_OK : mega_fail_memory(nodes * sizeof(*out->last));
}

void code_edges_release(code_edges *edges) {
    free(edges->edge);
    free(edges->last);
    memset(edges, 0, sizeof(*edges));
}

void code_edges_add(code_edges *edges, uint32_t from, uint32_t to) {
    if (edges->last[from] == to + 1u) {
        return; // most ways go where they went before
    }
    edges->last[from] = to + 1u;
    for (uint32_t i = 0; i < edges->count; i++) {
        if (edges->edge[i].from == from && edges->edge[i].to == to) {
            return;
        }
    }
    if (edges->count == edges->room) {
        const uint32_t room = edges->room != 0 ? 2u * edges->room : 256u;
        code_edge *more = realloc(edges->edge, room * sizeof(*more));
        if (more == NULL) {
            return;
        }
        edges->edge = more;
        edges->room = room;
    }
    edges->edge[edges->count++] = (code_edge){from, to};
}

// ---- the order -----------------------------------------------------------------------------------------

// The graph of instructions.
typedef struct graph {
    uint32_t nodes;
    uint32_t *first; // by node: its edges are target[first[n]] .. target[first[n + 1] - 1]
    uint32_t *target;
    uint32_t *part;   // by node: the part that is being looked at; nodes of others do not count
    uint32_t *number; // Tarjan's: 0 for a node not seen yet ...
    uint32_t *low;
    uint8_t *open;
    uint32_t *stack, depth;
    uint32_t counter;
    uint32_t parts;
    uint32_t *out, placed; // the order, from its end
} graph;

static void order_part(graph *g, const uint32_t *nodes, uint32_t count, uint32_t head);

// Visits a node of part `part`. Parts that are complete are placed, last first.
static void visit(graph *g, uint32_t node, uint32_t part, uint32_t head) {
    g->number[node] = g->low[node] = ++g->counter;
    g->stack[g->depth++] = node;
    g->open[node] = 1;
    // The last edge is followed first: what it finds is placed last.
    for (uint32_t e = g->first[node + 1]; e > g->first[node]; e--) {
        const uint32_t to = g->target[e - 1];
        if (g->part[to] != part || to == head) {
            continue;
        }
        if (g->number[to] == 0) {
            visit(g, to, part, head);
            g->low[node] = g->low[to] < g->low[node] ? g->low[to] : g->low[node];
        } else if (g->open[to]) {
            g->low[node] = g->number[to] < g->low[node] ? g->number[to] : g->low[node];
        }
    }
    if (g->low[node] != g->number[node]) {
        return;
    }
    uint32_t from = g->depth;
    do {
        from--;
        g->open[g->stack[from]] = 0;
    } while (g->stack[from] != node);
    const uint32_t count = g->depth - from;
    g->depth = from;
    if (count == 1) {
        g->out[--g->placed] = node;
        g->part[node] = 0;
    } else {
        uint32_t *members = malloc(count * sizeof(*members));
        if (members == NULL) {
            for (uint32_t i = 0; i < count; i++) { // any order is correct
                g->out[--g->placed] = g->stack[from + i];
                g->part[g->stack[from + i]] = 0;
            }
            return;
        }
        memcpy(members, g->stack + from, count * sizeof(*members));
        order_part(g, members, count, node);
        free(members);
    }
}

// Places a strongly connected part that was entered at `head`.
static void order_part(graph *g, const uint32_t *nodes, uint32_t count, uint32_t head) {
    const uint32_t part = ++g->parts;
    for (uint32_t i = 0; i < count; i++) {
        g->part[nodes[i]] = part;
        g->number[nodes[i]] = 0;
    }
    visit(g, head, part, head);
    for (uint32_t i = 0; i < count; i++) {
        if (g->part[nodes[i]] == part && g->number[nodes[i]] == 0) {
            visit(g, nodes[i], part, head);
        }
    }
}

static int compare_edges(const void *a, const void *b) {
    const code_edge *x = a, *y = b;
    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    return x->to < y->to ? -1 : x->to > y->to;
}

// What is written in the code, beside what was seen.
static void add_static_edges(const code_map *map, code_edges *edges) {
    for (uint32_t index = 0; index < map->cartridge.image_size; index++) {
        if ((map->flags[index] & CODE_START) == 0) {
            continue;
        }
        const opcode_facts facts = opcode_find(map->image[index]);
        const uint32_t next = code_map_target(map, index, (map->address[index] + facts.size) & 0xFFFFu);
        if (facts.flow != FLOW_JUMP && facts.flow != FLOW_AWAY && next != UINT32_MAX &&
            (map->flags[next] & CODE_START) != 0) {
            code_edges_add(edges, index, next);
        }
        if (facts.flow == FLOW_JUMP || facts.flow == FLOW_BRANCH) {
            const uint32_t to = code_map_target(map, index, code_flow_target(map, index));
            if (to != UINT32_MAX && (map->flags[to] & CODE_START) != 0) {
                code_edges_add(edges, index, to);
            }
        }
    }
}

static void fill_graph(graph *g, code_edges *edges, uint32_t size) {
    if (edges->count != 0) {
        qsort(edges->edge, edges->count, sizeof(*edges->edge), compare_edges);
    }
    uint32_t e = 0;
    for (uint32_t node = 0; node < size; node++) {
        g->first[node] = e;
        for (; e < edges->count && edges->edge[e].from == node; e++) {
            g->target[e] = edges->edge[e].to;
        }
    }
    g->first[size] = e;
}

static void number_blocks(const code_map *map, const graph *g, uint32_t *rank) {
    uint32_t next = 0;
    memset(rank, 0, g->nodes * sizeof(*rank));
    for (uint32_t i = g->placed; i < g->nodes; i++) {
        if ((map->flags[g->out[i]] & CODE_BLOCK) != 0) {
            rank[g->out[i]] = ++next;
        }
    }
}

mega_status code_order(code_map *map, const code_edges *seen, uint32_t *rank) {
    const uint32_t size = code_map_nodes(map);
    code_edges edges;
    MEGA_TRY(code_edges_make(size, &edges));
    for (uint32_t i = 0; i < seen->count; i++) {
        code_edges_add(&edges, seen->edge[i].from, seen->edge[i].to);
    }
    add_static_edges(map, &edges);
    uint32_t *memory = calloc(7u * (size_t)size + edges.count + 1u, sizeof(*memory));
    uint8_t *open = calloc(size, 1);
    if (memory == NULL || open == NULL) {
        free(memory);
        free(open);
        code_edges_release(&edges);
        return mega_fail_memory(8 * (size_t)size * sizeof(*memory));
    }
    graph g = {.nodes = size, .open = open, .placed = size, .parts = 1};
    g.first = memory;
    g.part = g.first + size + 1;
    g.number = g.part + size;
    g.low = g.number + size;
    g.stack = g.low + size;
    g.out = g.stack + size;
    g.target = g.out + size;
    fill_graph(&g, &edges, size);
    for (uint32_t node = 0; node < size; node++) {
        g.part[node] = (map->flags[node] & CODE_START) != 0 ? 1u : 0u;
    }
    // Frames begin where the first traced way begins; other roots come before what they lead to anyway.
    if (seen->count != 0 && g.part[seen->edge[0].from] == 1) {
        visit(&g, seen->edge[0].from, 1, UINT32_MAX);
    }
    for (uint32_t node = 0; node < size; node++) {
        if (g.part[node] == 1 && g.number[node] == 0) {
            visit(&g, node, 1, UINT32_MAX);
        }
    }
    number_blocks(map, &g, rank);
    code_chain(map, &edges, rank);
    number_blocks(map, &g, rank);
    free(memory);
    free(open);
    code_edges_release(&edges);
    return MEGA_OK;
}
