// code_pointer.h - where jumps through pointers may lead. Host code.
//
// A trial run is short, and what comes late in a game is often reached by JMP (pointer), or by RTS after the program has
// pushed an address. So code is searched for pointers that are written as such: two bytes that come from numbers or
// tables and are stored side by side where a JMP finds them, or pushed before an RTS. A table ends where the other one
// begins, or after a few entries. What is found by mistake costs some code that is never entered.
#ifndef CODE_POINTER_H
#define CODE_POINTER_H
#include "code_map.h"

// Calls `found` for each jump and each address that it may lead to; some come more than once.
typedef void code_pointer_found(void *context, uint32_t jump, uint32_t pc);
void code_pointer_find(const code_map *map, code_pointer_found *found, void *context);

#endif
