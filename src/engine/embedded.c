// embedded.c - see embedded.h; cmake/embed.cmake writes the tables.
#include "embedded.h"

#include <string.h>

const char *embedded_find(const char *name) {
    for (uint32_t i = 0; i < embedded_count; i++) {
        if (strcmp(embedded_names[i], name) == 0) {
            return embedded_texts[i];
        }
    }
    return NULL;
}
