// code_chain.c - see code_chain.h.
#include "code_chain.h"

#include <stdlib.h>

#include "code_flow.h"
#include "mega_interpreter.h"
#include "opcode_table.h"

#define MANY 2 // ways, or more

typedef struct block_facts {
    uint32_t next;   // the block that it falls into, or UINT32_MAX
    uint32_t branch; // where its branch leads, or UINT32_MAX; `next` if it has none
    uint32_t writes; // accesses that need room for notes
} block_facts;

static block_facts find_facts(const code_map *map, uint32_t index) {
    block_facts facts = {.next = UINT32_MAX};
    for (;;) {
        const opcode_flow flow = opcode_find(map->image[index]).flow;
        const uint32_t next = code_flow_next(map, index);
        facts.writes += code_flow_is_port(map, index);
        if (flow != FLOW_NEXT || next == UINT32_MAX || code_map_is_block(map, next)) {
            const bool ends = code_flow_ends_block(map, index); // and goes on by a vote
            facts.next = (flow == FLOW_NEXT && !ends) || flow == FLOW_BRANCH ? next : UINT32_MAX;
            facts.branch =
                flow == FLOW_BRANCH ? code_map_target(map, index, code_flow_target(map, index)) : facts.next;
            return facts;
        }
        index = next;
    }
}

// How many ways lead to an instruction. Calls are no edges of code_order(), but lead to one.
static void count_ways(const code_map *map, const code_edges *edges, uint8_t *ways) {
    for (uint32_t i = 0; i < edges->count; i++) {
        uint8_t *way = &ways[edges->edge[i].to];
        *way = *way == 0 ? 1 : MANY;
    }
    for (uint32_t index = 0; index < map->cartridge.image_size; index++) {
        if ((map->flags[index] & CODE_START) != 0 && opcode_find(map->image[index]).flow == FLOW_CALL) {
            const uint32_t to = code_map_target(map, index, code_flow_target(map, index));
            if (to != UINT32_MAX) {
                ways[to] = MANY;
            }
        }
    }
}

// Can the block with these facts run on into the next one?
static bool runs_on(const code_map *map, const uint32_t *rank, uint32_t block, block_facts facts) {
    const uint32_t next = facts.next, branch = facts.branch;
    return next != UINT32_MAX && code_map_is_block(map, next) && rank[next] == rank[block] + 1u &&
           (map->flags[next] & (CODE_CHECK | CODE_ENTERED)) == 0 &&
           (branch == UINT32_MAX || !code_map_is_block(map, branch) || rank[branch] > rank[block]);
}

void code_chain(code_map *map, const code_edges *edges, const uint32_t *rank) {
    const uint32_t size = map->cartridge.image_size; // nobody runs on from RAM
    uint8_t *ways = calloc(code_map_nodes(map), 1), *flags = calloc(size, 1);
    if (ways != NULL && flags != NULL) {
        count_ways(map, edges, ways);
        // From each first block of a chain on, since the room for notes is that of the whole chain.
        for (uint32_t first = 0; first < size; first++) {
            if (!code_map_is_block(map, first) || (flags[first] & CODE_CHAINED) != 0) {
                continue;
            }
            block_facts facts = find_facts(map, first);
            uint32_t writes = facts.writes;
            for (uint32_t block = first; runs_on(map, rank, block, facts) && ways[facts.next] == 1;) {
                block = facts.next;
                facts = find_facts(map, block);
                writes += facts.writes;
                if (writes > MEGA_TRANSLATED_WRITES) {
                    break;
                }
                flags[block] = CODE_CHAINED;
            }
        }
        for (uint32_t i = 0; i < size; i++) {
            map->flags[i] = (flags[i] & CODE_CHAINED) != 0
                                ? (uint8_t)((map->flags[i] & ~CODE_BLOCK) | CODE_CHAINED)
                                : map->flags[i];
        }
    }
    free(ways);
    free(flags);
}
