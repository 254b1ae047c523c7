// program_parts.h - cuts a program of emit.h so that several compilers can work on it at once. Host code.
#ifndef PROGRAM_PARTS_H
#define PROGRAM_PARTS_H
#include "megacade.h"

#define PROGRAM_PARTS_MAX 4

// Every part is the whole program without the units of the other parts; the first has what starts the units. As many
// parts as there are cores and units, if the program is large. `parts` are from malloc; all of *count must be freed,
// also after a failure.
mega_status program_parts_split(const char *program, char *parts[PROGRAM_PARTS_MAX], uint32_t *count);

#endif
