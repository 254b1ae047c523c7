// in_file.h - small files that are read as a whole.
#ifndef IN_FILE_H
#define IN_FILE_H
#include "message.h"

#include <stddef.h>

// Reads a file of at most `limit` bytes. A zero follows the bytes, which the caller frees.
int mega_file_read(const char *path, size_t limit, char **bytes, size_t *size, mega_message *message);

#endif
