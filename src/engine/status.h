// status.h - how the engine reports failures. Host code.
//
// The sentence is written where the error is born; those who only pass a status on add nothing.
#ifndef STATUS_H
#define STATUS_H
#include "megacade.h"

// Writes this thread's message and returns `status`, so that a failing function ends with
// `return mega_fail(MEGA_ERROR_ARGUMENT, "...", ...)`. The message becomes one line: control characters are
// replaced, and what does not fit is cut. The arguments may point into the current message.
__attribute__((format(printf, 2, 3), cold)) mega_status mega_fail(mega_status status, const char *format,
                                                                  ...);

// Out of memory, with the number of bytes that were asked for.
__attribute__((cold)) mega_status mega_fail_memory(size_t size);

// Passes a failure on.
#define MEGA_TRY(call)                              \
    do {                                            \
        const mega_status mega_try_status = (call); \
        if (mega_try_status != MEGA_OK) {           \
            return mega_try_status;                 \
        }                                           \
    } while (0)

#endif
