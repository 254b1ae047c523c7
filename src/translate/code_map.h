// code_map.h - which bytes of a cartridge are instructions, and where control can go. Host code.
//
// Code is found in two ways that help each other: a short run of the console notes what was executed (that finds
// the targets of indirect jumps and of bank switches), and from each instruction known its successors follow.
// Whatever is not found is left to the interpreter; whatever is found by mistake is never entered.
#ifndef CODE_MAP_H
#define CODE_MAP_H
#include <stdbool.h>

#include "code_ram.h"
#include "mega_cartridge.h"
#include "megacade.h"

enum {
    CODE_START = 1,    // an instruction begins here
    CODE_BLOCK = 2,    // and a block: control can come from elsewhere
    CODE_TRACED = 4,   // and it was executed in the trial run ...
    CODE_ENTERED = 8,  // ... where the interpreter leaves off
    CODE_TOUCHES = 16, // ... and read or wrote a register of the TIA
    CODE_CHECK = 32,   // the block looks at the deadline
    CODE_CHAINED = 64  // no block: the one before goes on here (code_chain.h)
};

// Nodes are the bytes of the image, by their index, and after them the runs of code in RAM.
typedef struct code_map {
    const uint8_t *image;
    mega_cartridge cartridge;
    uint32_t unit_size;             // bytes that are always mapped as a whole
    uint32_t plain_low, plain_span; // as in mega_run
    bool watches_low;
    code_ram *ram;
    uint8_t *flags;    // by node: CODE_*
    uint16_t *address; // by node: where it runs
    uint32_t known;    // instructions in ROM
    uint64_t traced;   // instructions of the trial run ...
    uint64_t outside;  // ... that cannot be translated
} code_map;

// `image` is borrowed. A scheme whose code cannot be translated gives an empty map.
mega_status code_map_make(const mega_cartridge *cartridge, const uint8_t *image, code_map *out);
void code_map_release(code_map *map);

static inline bool code_map_is_block(const code_map *map, uint32_t node) {
    return (map->flags[node] & CODE_BLOCK) != 0;
}
static inline uint32_t code_map_nodes(const code_map *map) {
    return map->cartridge.image_size + CODE_RAM_RUNS;
}
static inline uint32_t code_map_ram_node(const code_map *map, uint32_t run) {
    return map->cartridge.image_size + run;
}

// Notes an instruction at an image index that runs at an address; 1 if it is one that can be translated there.
bool code_map_add(code_map *map, uint32_t index, uint32_t pc);
// The image index of a target in the same unit as the instruction at `index`, or UINT32_MAX.
uint32_t code_map_target(const code_map *map, uint32_t index, uint32_t pc);

#endif
