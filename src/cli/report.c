// report.c - see report.h.
#include "report.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static char kept[1024];
static bool keeps;

void mega_report_keep(void) {
    keeps = true;
    kept[0] = '\0';
}
const char *mega_report_kept(void) {
    return kept;
}
void mega_report_speak(void) {
    keeps = false;
}

static void print_line(const char *format, va_list arguments) {
    char text[1024];
    (void)vsnprintf(text, sizeof text, format, arguments);
    for (char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7F) {
            *c = '?';
        }
    }
    if (keeps) {
        (void)snprintf(kept, sizeof kept, "%s", text);
        return;
    }
    (void)fprintf(stderr, "megacade: %s\n", text);
}

int mega_report_failure(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    return MEGA_EXIT_FAILURE;
}

int mega_report_usage(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    return MEGA_EXIT_USAGE;
}

int mega_report_status(mega_status status) {
    const char *last = mega_last_error();
    const char *text = last != NULL && *last != '\0' ? last : mega_status_string(status);
    if ((status >= MEGA_ERROR_ARGUMENT && status < MEGA_ERROR_FILE) || status == MEGA_ERROR_GAME) {
        return mega_report_usage("%s", text);
    }
    return mega_report_failure("%s", text);
}
