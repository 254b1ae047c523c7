// code_trace.h - runs a console for a while and notes what it executes. Host code.
#ifndef CODE_TRACE_H
#define CODE_TRACE_H
#include "code_map.h"

mega_status code_trace(code_map *map, uint32_t frames);

#endif
