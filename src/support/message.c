// message.c - see message.h.
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

int mega_message_set(mega_message *message, const char *format, ...) {
    if (message == NULL) {
        return -1;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    return -1;
}
