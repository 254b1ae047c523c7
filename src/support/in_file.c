// in_file.c - see in_file.h.
#include "in_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One byte more than allowed shows that a file is too long, whatever kind of file it is.
static int read_stream(FILE *stream, const char *path, size_t limit, char *text, size_t *size,
                       mega_message *message) {
    errno = 0;
    *size = fread(text, 1, limit + 1, stream);
    if (ferror(stream)) {
        return mega_message_set(message, "cannot read %s: %s", path, strerror(errno));
    }
    if (*size > limit) {
        return mega_message_set(message, "%s is too long: at most %zu bytes are read", path, limit);
    }
    text[*size] = '\0';
    return 0;
}

int mega_file_read(const char *path, size_t limit, char **bytes, size_t *size, mega_message *message) {
    *bytes = NULL;
    *size = 0;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return mega_message_set(message, "cannot read %s: %s", path, strerror(errno));
    }
    char *text = malloc(limit + 1);
    const int status = text != NULL ? read_stream(stream, path, limit, text, size, message)
                                    : mega_message_set(message, "out of memory");
    (void)fclose(stream);
    if (status != 0) {
        free(text);
        *size = 0;
        return -1;
    }
    *bytes = text;
    return 0;
}
