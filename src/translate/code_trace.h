// code_trace.h - runs a console for a while and notes what it executes. Host code.
#ifndef CODE_TRACE_H
#define CODE_TRACE_H
#include "code_order.h"
#include "code_schedule.h"

// Also notes which ways were taken, by level of calls, and keeps some frames. Goes on until nothing new was executed for so many frames, up to
// five times as many.
mega_status code_trace(code_map *map, code_edges *edges, code_frames *kept, uint32_t frames);

#endif
