// code_ram.h - code that a program has written into the console's RAM. Host code.
//
// A run is what stood in RAM from an executed instruction on, up to where control went elsewhere. The trial run notes
// one for each instruction that it executes there. What stands in the same place later, with the same opcodes, is the
// same run: operands that differ are marked, and are read when they are executed. Other opcodes make another run.
//
// A run becomes a block, which may be entered while its opcodes and the operands that never differed are in their
// places. It ends after an instruction that may write into the rest of it.
#ifndef CODE_RAM_H
#define CODE_RAM_H
#include <stdbool.h>
#include <stdint.h>

#define CODE_RAM_SIZE 128u
#define CODE_RAM_RUNS 256u   // more are left to the interpreter ...
#define CODE_RAM_VARIANTS 8u // ... and more that begin at one address

typedef enum ram_byte_kind {
    RAM_OPCODE,
    RAM_OPERAND,
    RAM_VARIES // an operand that is not the same each time; then all bytes of the operand are
} ram_byte_kind;

typedef struct ram_run {
    uint16_t address;
    uint8_t size;                     // bytes
    bool entered;                     // not only after the instruction before it
    uint8_t bytes[CODE_RAM_SIZE + 2]; // what was there when it was noted first
    uint8_t kinds[CODE_RAM_SIZE + 2]; // ram_byte_kind
} ram_run;

typedef struct code_ram {
    ram_run run[CODE_RAM_RUNS];
    uint32_t count;
} code_ram;

struct code_map;

static inline bool code_ram_is_here(uint32_t pc) {
    return (pc & 0x1280u) == 0x80;
}

// Notes what is about to be executed at `pc`. Returns the number of its run, or UINT32_MAX; *is_news becomes true if
// anything was learned.
uint32_t code_ram_note(code_ram *ram, const uint8_t *bytes, uint32_t pc, bool *is_news);

// After the trial run: cuts runs to blocks and marks those that are entered, from elsewhere or by the block before
// them, as nodes of the map (code_map.h).
void code_ram_cut(struct code_map *map);

// The next instruction of a block, from the offset of one; `size` after the last.
uint32_t code_ram_next(const ram_run *run, uint32_t at);
uint32_t code_ram_instructions(const ram_run *run);

#endif
