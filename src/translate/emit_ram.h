// emit_ram.h - writes the code that was found in RAM as C: a unit of its own, after those of the image. Host code.
#ifndef EMIT_RAM_H
#define EMIT_RAM_H
#include "emit.h"

bool emit_ram_has_blocks(const code_map *map);
// The number of the unit.
uint32_t emit_ram_unit(const code_map *map);

// The list of its blocks, named R and the number of their run and numbered from `first`, and what must be in RAM to
// enter them.
void emit_ram_lists(const code_map *map, uint32_t first, FILE *out);
// Their numbers, where there is no warp.
void emit_ram_numbers(const code_map *map, FILE *out);
void emit_ram_blocks(const code_map *map, FILE *out, emit_facts *facts);

#endif
