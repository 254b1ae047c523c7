// run_log.c - see run_log.h.
#include "run_log.h"

#include "json.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LINE_MAX_SIZE =
        MEGA_LOG_COLUMNS * (MEGA_NUMBER_SIZE + 32) // names of columns are shorter than this allows
};

struct mega_run_log {
    FILE *stream;
    char *path;
    uint32_t count;
    mega_log_column columns[MEGA_LOG_COLUMNS];
};

static int fail(const mega_run_log *log, const char *verb, mega_message *message) {
    return mega_message_set(message, "cannot %s %s: %s", verb, log->path, strerror(errno));
}

static void release(mega_run_log *log) {
    if (log->stream != NULL) {
        (void)fclose(log->stream);
    }
    free(log->path);
    free(log);
}

static mega_run_log *new_log(const char *path, const mega_log_column *columns, uint32_t count,
                             mega_message *message) {
    assert(count >= 1 && count <= MEGA_LOG_COLUMNS);
    mega_run_log *log = calloc(1, sizeof *log);
    char *copy = malloc(strlen(path) + 1);
    if (log == NULL || copy == NULL) {
        free(log);
        free(copy);
        (void)mega_message_set(message, "out of memory");
        return NULL;
    }
    log->path = strcpy(copy, path);
    log->count = count;
    memcpy(log->columns, columns, count * sizeof *columns);
    return log;
}

// The line with the names of the columns.
static void header_text(const mega_run_log *log, char text[LINE_MAX_SIZE]) {
    size_t used = 0;
    for (uint32_t i = 0; i < log->count; i++) {
        const int length =
            snprintf(text + used, LINE_MAX_SIZE - used, "%s%s", i > 0 ? "," : "", log->columns[i].name);
        assert(length >= 0 && (size_t)length < LINE_MAX_SIZE - used);
        used += (size_t)length;
    }
    memcpy(text + used, "\n", 2);
}

static int put_line(mega_run_log *log, const char *line, mega_message *message) {
    if (fputs(line, log->stream) == EOF || fflush(log->stream) != 0) {
        return fail(log, "write", message);
    }
    return 0;
}

// Opens the stream for writing at its end, with `size` bytes kept.
static int open_at(mega_run_log *log, long size, mega_message *message) {
    if (truncate(log->path, size) != 0 && !(errno == ENOENT && size == 0)) {
        return fail(log, "write", message);
    }
    log->stream = fopen(log->path, "ab");
    if (log->stream == NULL) {
        return fail(log, "write", message);
    }
    char header[LINE_MAX_SIZE];
    header_text(log, header);
    return size == 0 ? put_line(log, header, message) : 0;
}

int mega_run_log_create(const char *path, const mega_log_column *columns, uint32_t count, mega_run_log **out,
                        mega_message *message) {
    *out = NULL;
    mega_run_log *log = new_log(path, columns, count, message);
    if (log == NULL) {
        return -1;
    }
    if (open_at(log, 0, message) != 0) {
        release(log);
        return -1;
    }
    *out = log;
    return 0;
}

// ---- going on ----------------------------------------------------------------------------------------

// Reads a line with its line feed. False at the end of the file and for a line that was cut short or is too long to be
// ours.
static bool get_line(FILE *stream, char line[LINE_MAX_SIZE]) {
    return fgets(line, LINE_MAX_SIZE, stream) != NULL && strchr(line, '\n') != NULL;
}

// Whether a row has the right number of cells; *first becomes the number in the first.
static bool parse_row(const mega_run_log *log, const char *line, double *first) {
    char *end = NULL;
    uint32_t cells = 1;
    for (const char *at = line; *at != '\0'; at++) {
        cells += *at == ',';
    }
    *first = strtod(line, &end);
    return end != line && (*end == ',' || *end == '\n') && isfinite(*first) && cells == log->count;
}

// How many bytes of the file to keep; -1 after a failure.
static long kept_size(const mega_run_log *log, FILE *stream, double last, mega_message *message) {
    char line[LINE_MAX_SIZE], header[LINE_MAX_SIZE];
    header_text(log, header);
    if (!get_line(stream, line)) {
        // Nothing but perhaps a piece of the first line: the run ended before it had said anything.
        if (ftell(stream) == 0 || (feof(stream) && strncmp(line, header, strlen(line)) == 0)) {
            return 0;
        }
    } else if (strcmp(line, header) == 0) {
        long size = ftell(stream);
        double first = 0.0;
        for (unsigned number = 2; get_line(stream, line); number++) {
            if (!parse_row(log, line, &first)) {
                return mega_message_set(message, "%s:%u is not a row of this log", log->path, number);
            }
            if (first > last) {
                break;
            }
            size = ftell(stream);
        }
        return size;
    }
    return mega_message_set(message, "%s has other columns than this run; move it away to start a new log",
                            log->path);
}

int mega_run_log_resume(const char *path, const mega_log_column *columns, uint32_t count, double last,
                        mega_run_log **out, mega_message *message) {
    *out = NULL;
    mega_run_log *log = new_log(path, columns, count, message);
    if (log == NULL) {
        return -1;
    }
    FILE *stream = fopen(path, "rb");
    long size = 0;
    if (stream != NULL) {
        size = kept_size(log, stream, last, message);
        (void)fclose(stream);
    } else if (errno != ENOENT) {
        size = fail(log, "read", message);
    }
    if (size < 0 || open_at(log, size, message) != 0) {
        release(log);
        return -1;
    }
    *out = log;
    return 0;
}

// ---- rows --------------------------------------------------------------------------------------------

int mega_run_log_row(mega_run_log *log, const double *values, mega_message *message) {
    char line[LINE_MAX_SIZE];
    size_t used = 0;
    for (uint32_t i = 0; i < log->count; i++) {
        char number[MEGA_NUMBER_SIZE] = "";
        if (isfinite(values[i]) && log->columns[i].whole) {
            (void)snprintf(number, sizeof number, "%.0f", values[i]);
        } else if (isfinite(values[i])) {
            mega_number_text(values[i], number);
        }
        const int length = snprintf(line + used, sizeof line - used, "%s%s", i > 0 ? "," : "", number);
        used += (size_t)length;
    }
    memcpy(line + used, "\n", 2);
    return put_line(log, line, message);
}

int mega_run_log_close(mega_run_log *log, mega_message *message) {
    if (log == NULL) {
        return 0;
    }
    const int status = fclose(log->stream) != 0 ? fail(log, "write", message) : 0;
    log->stream = NULL;
    release(log);
    return status;
}
