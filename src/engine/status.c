// status.c - status texts and the last error message of each thread.
#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_SIZE 1024

static _Thread_local char last_message[MESSAGE_SIZE];

const char *mega_version(void) {
    return MEGA_VERSION;
}

const char *mega_status_string(mega_status status) {
    switch (status) {
    case MEGA_OK: return "success";
    case MEGA_ERROR_ARGUMENT: return "argument out of range";
    case MEGA_ERROR_MODE: return "no such mode or difficulty";
    case MEGA_ERROR_ACTION: return "not an action";
    case MEGA_ERROR_ORDER: return "called at the wrong time";
    case MEGA_ERROR_TIMEOUT: return "the time was up";
    case MEGA_ERROR_FILE: return "file cannot be read or written";
    case MEGA_ERROR_ROM: return "not a usable cartridge image";
    case MEGA_ERROR_ROM_NOT_FOUND: return "cartridge image not found";
    case MEGA_ERROR_GAME: return "unknown game";
    case MEGA_ERROR_MEMORY: return "out of memory";
    case MEGA_ERROR_THREAD: return "a thread could not be started";
    case MEGA_ERROR_CUDA: return "no usable GPU";
    case MEGA_ERROR_CUDA_MEMORY: return "out of GPU memory";
    case MEGA_ERROR_CUDA_LOST: return "the GPU failed";
    case MEGA_ERROR_CUDA_COMPILE: return "code for the GPU could not be compiled";
    case MEGA_ERROR_STATE: return "not a saved state of this cartridge";
    case MEGA_ERROR_STATE_VERSION: return "saved state of another version";
    case MEGA_ERROR_JAMMED: return "the processor is jammed";
    }
    return "unknown status";
}

const char *mega_last_error(void) {
    return last_message;
}

mega_status mega_fail(mega_status status, const char *format, ...) {
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (length < 0) {
        snprintf(message, sizeof message, "%s", mega_status_string(status));
    } else if ((size_t)length >= sizeof message) {
        memcpy(message + sizeof message - 4, "...", 4);
    }
    for (char *c = message; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7F) {
            *c = '?';
        }
    }
    memcpy(last_message, message, strlen(message) + 1);
    return status;
}

mega_status mega_fail_memory(size_t size) {
    return mega_fail(MEGA_ERROR_MEMORY, "out of memory: cannot allocate %zu bytes", size);
}
