// aligned.c - see aligned.h.
#include "aligned.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LINE ((size_t)64)

// calloc, so that the system's zero pages are taken as they are; where it began is kept in front.
void *aligned_zeros(size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - 2 * LINE) / size) {
        return NULL;
    }
    uint8_t *memory = calloc(1, count * size + 2 * LINE);
    if (memory == NULL) {
        return NULL;
    }
    uint8_t *aligned = memory + 2 * LINE - (uintptr_t)memory % LINE;
    memcpy(aligned - sizeof(memory), &memory, sizeof(memory));
    return aligned;
}

void aligned_free(void *memory) {
    if (memory != NULL) {
        void *start;
        memcpy(&start, (uint8_t *)memory - sizeof(start), sizeof(start));
        free(start);
    }
}
