// amalgam.c - see amalgam.h.
#include "amalgam.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embedded.h"

#define NAME_MAX_SIZE 64
#define DEPTH_MAX 16 // of includes; more is a circle

typedef struct amalgam {
    FILE *out;
    bool *seen; // by number of the embedded text
    bool failed;
} amalgam;

// "mega_bus.h" guards itself with MEGA_BUS_H.
static bool guards_itself(const char *name, const char *text) {
    char line[NAME_MAX_SIZE + 16] = "#define ";
    size_t length = strlen(line);
    for (const char *c = name; *c != '\0' && length < NAME_MAX_SIZE; c++) {
        line[length++] = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
    }
    line[length++] = '\n';
    line[length] = '\0';
    return strstr(text, line) != NULL;
}

static uint32_t find_number(const char *name, size_t length) {
    for (uint32_t i = 0; i < embedded_count; i++) {
        if (strlen(embedded_names[i]) == length && memcmp(embedded_names[i], name, length) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

static void write_text(amalgam *to, const char *text, uint32_t depth) {
    static const char directive[] = "#include \"";
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n") + 1u;
        if (strncmp(text, directive, sizeof directive - 1) != 0) {
            fwrite(text, 1, text[length - 1u] == '\0' ? length - 1u : length, to->out);
        } else {
            const char *name = text + sizeof directive - 1;
            const uint32_t number = find_number(name, strcspn(name, "\"\n"));
            to->failed = to->failed || number == UINT32_MAX || depth == DEPTH_MAX;
            if (!to->failed && !to->seen[number]) {
                to->seen[number] = guards_itself(embedded_names[number], embedded_texts[number]);
                write_text(to, embedded_texts[number], depth + 1);
            }
        }
        text += text[length - 1u] == '\0' ? length - 1u : length;
    }
}

char *amalgam_write(const char *text) {
    char *result = NULL;
    size_t size = 0;
    amalgam to = {open_memstream(&result, &size), calloc(embedded_count, sizeof(bool)), false};
    if (to.out != NULL && to.seen != NULL) {
        write_text(&to, text, 0);
    }
    to.failed = to.failed || to.out == NULL || to.seen == NULL || ferror(to.out) != 0;
    if (to.out != NULL && fclose(to.out) != 0) {
        to.failed = true;
    }
    free(to.seen);
    if (to.failed) {
        free(result);
        return NULL;
    }
    return result;
}
