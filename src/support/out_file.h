// out_file.h - a file that appears under its name only when it is complete.
//
// Bytes go to PATH.part, which is renamed at the end: a full disk or an interrupted run leaves an older file
// of that name as it was. A path that exists and is not a plain file (a device, a pipe, a link) is written
// directly and never removed.
#ifndef OUT_FILE_H
#define OUT_FILE_H
#include "message.h"

#include <stdio.h>

typedef struct mega_out_file {
    FILE *stream;    // NULL when the file is closed, or was opened by path only
    char *path;      // the final name
    char *part_path; // where the bytes go; equal text to `path` when written directly
    int direct;      // 1: written directly
} mega_out_file;

// Opens `path` for writing. On failure *file is all zero.
int mega_out_file_open(mega_out_file *file, const char *path, mega_message *message);
// As open, for a program that writes `part_path` by itself: chooses the names and opens nothing.
int mega_out_file_reserve(mega_out_file *file, const char *path, mega_message *message);
// Writes out what is buffered and gives the file its name. On failure what was written is removed.
// Releases *file either way.
int mega_out_file_commit(mega_out_file *file, mega_message *message);
// The same, but waits until the bytes and then the name are on the disk, so that whatever happens to the machine, the
// path has either the old file or the new one.
int mega_out_file_commit_durably(mega_out_file *file, mega_message *message);
// Gives up: removes what was written and releases *file. An all-zero *file is allowed.
void mega_out_file_abort(mega_out_file *file);

#endif
