// program_parts.c - see program_parts.h.
//
// A unit stands between the lines UNIT_BEGIN(number) and UNIT_END(number).
#include "program_parts.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "status.h"

#define LARGE 120000u // characters of units that one compiler has done in a second or two

static const char begin_line[] = "UNIT_BEGIN(", end_line[] = "UNIT_END(", run_line[] = "PROGRAM_END(";

static bool starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static const char *next_line(const char *text) {
    const char *end = strchr(text, '\n');
    return end != NULL ? end + 1 : text + strlen(text);
}

// The text between the lines of a unit that starts here.
static const char *unit_end(const char *text) {
    while (*text != '\0' && !starts_with(text, end_line)) {
        text = next_line(text);
    }
    return next_line(text);
}

static void measure(const char *program, size_t *size, uint32_t *units) {
    *size = 0;
    *units = 0;
    for (const char *line = program; *line != '\0';) {
        if (starts_with(line, begin_line)) {
            const char *end = unit_end(line);
            *size += (size_t)(end - line);
            ++*units;
            line = end;
        } else {
            line = next_line(line);
        }
    }
}

// Units go to the parts in order, a new part when the one before has its share of the characters.
static bool write_part(const char *program, size_t share, uint32_t part, char **out) {
    size_t size = 0, before = 0;
    FILE *stream = open_memstream(out, &size);
    if (stream == NULL) {
        *out = NULL;
        return false;
    }
    fputs("#define UNIT_LINKAGE\n", stream);
    for (const char *line = program; *line != '\0';) {
        const bool is_unit = starts_with(line, begin_line);
        const char *end = is_unit ? unit_end(line) : next_line(line);
        const uint32_t owner = (uint32_t)(before / share);
        if (is_unit && (owner < PROGRAM_PARTS_MAX ? owner : PROGRAM_PARTS_MAX - 1u) != part) {
            fprintf(stream, "UNIT_ELSEWHERE(%u)\n",
                    (unsigned)strtoul(line + sizeof begin_line - 1, NULL, 10));
        } else if (part == 0 || !starts_with(line, run_line)) {
            fwrite(line, 1, (size_t)(end - line), stream);
        }
        before += is_unit ? (size_t)(end - line) : 0;
        line = end;
    }
    const bool failed = ferror(stream) != 0;
    return fclose(stream) == 0 && !failed;
}

mega_status program_parts_split(const char *program, char *parts[PROGRAM_PARTS_MAX], uint32_t *count) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t size;
    uint32_t units, wanted = cores > 1 ? (uint32_t)cores : 1u;
    memset(parts, 0, sizeof(*parts) * PROGRAM_PARTS_MAX);
    measure(program, &size, &units);
    wanted = wanted < units ? wanted : units;
    wanted = wanted < PROGRAM_PARTS_MAX ? wanted : PROGRAM_PARTS_MAX;
    *count = size > LARGE && wanted > 1 ? wanted : 1u;
    for (uint32_t i = 0; i < *count; i++) {
        if (!write_part(program, size / *count + 1u, i, &parts[i])) {
            return mega_fail_memory(strlen(program));
        }
    }
    return MEGA_OK;
}
