// code_trace.h - runs a console for a while and notes what it executes. Host code.
#ifndef CODE_TRACE_H
#define CODE_TRACE_H
#include "code_order.h"

// Also notes which ways were taken, by level of calls.
mega_status code_trace(code_map *map, code_edges *edges, uint32_t frames);

#endif
