// code_flow.h - follows the code of a map from instruction to instruction, and cuts it into blocks. Host code.
#ifndef CODE_FLOW_H
#define CODE_FLOW_H
#include "code_map.h"

// Adds what can be reached from what is known, and marks blocks and those that look at the deadline.
mega_status code_flow(code_map *map);

// The address that a branch, jump or call at an image index names.
uint32_t code_flow_target(const code_map *map, uint32_t index);

// The instruction that follows in memory, in the same block or the one that it falls into; or UINT32_MAX.
uint32_t code_flow_next(const code_map *map, uint32_t index);

// Does an instruction read or write a register of the TIA or the RIOT by an address that is written in it? Those of the
// RIOT that are read and written at once do not count.
bool code_flow_is_port(const code_map *map, uint32_t index);
bool code_flow_names_port(const code_map *map,
                          const uint8_t *bytes); // the same of bytes that are not in the image
// An indexed read from the low end of the first page, where the registers of the TIA are.
bool code_flow_is_near_port(const code_map *map, const uint8_t *bytes);
// Instructions that wrote to a register whose number only the run knows end their block.
bool code_flow_ends_block(const code_map *map, uint32_t index);

#endif
