// emit.h - writes the code of a map as C. Host code.
#ifndef EMIT_H
#define EMIT_H
#include <stdio.h>

#include "code_schedule.h"

typedef struct emit_facts {
    uint32_t units, blocks, instructions;
} emit_facts;

// A program in the macros of mega_translated.h, with the original instructions as comments.
// `rank` has the numbers of blocks in the order for warps (code_order.h).
void emit_program(const code_map *map, const uint32_t *rank, code_schedule schedule, FILE *out,
                  emit_facts *facts);

#endif
