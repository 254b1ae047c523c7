// opcode_table.h - the 256 opcodes as data, for those who read programs. Host code.
#ifndef OPCODE_TABLE_H
#define OPCODE_TABLE_H
#include <stdbool.h>
#include <stdint.h>

typedef enum opcode_kind {
    OPCODE_READ,
    OPCODE_WRITE,
    OPCODE_MODIFY,
    OPCODE_OTHER
} opcode_kind;

typedef enum opcode_flow {
    FLOW_NEXT,   // goes on with the next instruction
    FLOW_BRANCH, // or a few bytes away
    FLOW_JUMP,   // to the address that it names
    FLOW_CALL,
    FLOW_AWAY, // to where only the run knows
    FLOW_NONE  // not translated: it halts the processor
} opcode_flow;

typedef struct opcode_facts {
    const char *name; // "lda"
    const char *mode; // "ZP"; "" for OPCODE_OTHER
    uint8_t kind, flow, size, cycles;
} opcode_facts;

opcode_facts opcode_find(uint8_t code);

// Of an instruction, the bytes after the opcode.
uint32_t opcode_operand(const uint8_t *bytes);

// The address is written in the instruction, and nothing is added to it.
bool opcode_is_direct(const opcode_facts *facts);
// X or Y is added to the address that the instruction names.
bool opcode_is_indexed(const opcode_facts *facts);

// "LDA $80,X" for an instruction at address `pc`.
#define OPCODE_TEXT_SIZE 32
void opcode_describe(const uint8_t *bytes, uint16_t pc, char text[OPCODE_TEXT_SIZE]);

#endif
