// mega_test_files.h - a folder of its own for a test, and files in it.
#ifndef MEGA_TEST_FILES_H
#define MEGA_TEST_FILES_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <zlib.h>

#define MEGA_TEST_PATH_SIZE 512

static char mega_test_folder[64];
static char mega_test_made[32][MEGA_TEST_PATH_SIZE]; // to be removed, last first
static int mega_test_made_count;

// The path of a name in the test's folder; remembered for removal. Ends the test when there are too many.
static inline const char *mega_test_path(const char *name) {
    if (mega_test_folder[0] == '\0') {
        strcpy(mega_test_folder, "/tmp/mega_test_XXXXXX");
        if (mkdtemp(mega_test_folder) == NULL) {
            perror("mkdtemp");
            exit(1);
        }
    }
    if (mega_test_made_count == 32) {
        fputs("too many files\n", stderr);
        exit(1);
    }
    char *path = mega_test_made[mega_test_made_count++];
    snprintf(path, MEGA_TEST_PATH_SIZE, "%s/%s", mega_test_folder, name);
    return path;
}

static inline const char *mega_test_write(const char *name, const void *bytes, size_t size) {
    const char *path = mega_test_path(name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || (size > 0 && fwrite(bytes, 1, size, file) != size) || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
    return path;
}

static inline const char *mega_test_mkdir(const char *name) {
    const char *path = mega_test_path(name);
    if (mkdir(path, 0700) != 0) {
        perror(path);
        exit(1);
    }
    return path;
}

// Compresses into a gzip file in memory; returns its size.
static inline size_t mega_test_gzip(const void *bytes, size_t size, uint8_t *packed, size_t packed_limit) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        exit(1);
    }
    stream.next_in = (z_const Bytef *)bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = packed;
    stream.avail_out = (uInt)packed_limit;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) {
        exit(1);
    }
    deflateEnd(&stream);
    return packed_limit - stream.avail_out;
}

static inline void mega_test_remove_files(void) {
    while (mega_test_made_count > 0) {
        remove(mega_test_made[--mega_test_made_count]);
    }
    if (mega_test_folder[0] != '\0') {
        rmdir(mega_test_folder);
    }
}

#endif
