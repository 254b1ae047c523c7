// test_checkpoint.c - checkpoints: what is written is read, what is damaged is refused, and a failed write leaves the
// older file.
#include "checkpoint.h"
#include "mega_test.h"
#include "mega_test_files.h"

#include <signal.h>
#include <sys/resource.h>

enum {
    LARGE = (5 << 20) + 12345,
    FILE_MAX = 1 << 16
};

static uint8_t smooth[LARGE]; // compresses well
static uint8_t noise[LARGE];  // does not
static uint8_t found[LARGE];
static mega_message message;

static bool says(const char *part) {
    const bool has = strstr(message.text, part) != NULL;
    if (!has) {
        fprintf(stderr, "'%s' does not say '%s'\n", message.text, part);
    }
    return has;
}

static mega_checkpoint_writer *open_writer(const char *path) {
    mega_checkpoint_writer *writer = NULL;
    MEGA_CHECK_EQ(mega_checkpoint_writer_open(path, &writer, &message), 0);
    return writer;
}

static void add(mega_checkpoint_writer *writer, const char *name, const void *bytes, size_t size,
                bool compress) {
    MEGA_CHECK_EQ(mega_checkpoint_add(writer, name, bytes, size, compress, &message), 0);
}

static mega_checkpoint_reader *open_reader(const char *path) {
    mega_checkpoint_reader *reader = NULL;
    MEGA_CHECK_EQ(mega_checkpoint_reader_open(path, &reader, &message), 0);
    return reader;
}

static void check_section(mega_checkpoint_reader *reader, const char *name, const uint8_t *bytes,
                          size_t size) {
    memset(found, 0xAA, size);
    MEGA_CHECK_EQ(mega_checkpoint_read(reader, name, found, size, &message), 0);
    MEGA_CHECK_BYTES(found, bytes, size);
}

// ---- round trips -------------------------------------------------------------------------------------

static void write_parts(mega_checkpoint_writer *writer, const char *name, const uint8_t *bytes,
                        bool compress) {
    MEGA_CHECK_EQ(mega_checkpoint_begin(writer, name, compress, &message), 0);
    size_t at = 0;
    for (size_t part = 0; at < LARGE; part = part * 3 + 1) {
        const size_t size = part < LARGE - at ? part : LARGE - at;
        MEGA_CHECK_EQ(mega_checkpoint_append(writer, bytes + at, size, &message), 0);
        at += size;
    }
    MEGA_CHECK_EQ(mega_checkpoint_end(writer, &message), 0);
}

static void read_parts(mega_checkpoint_reader *reader, const char *name, const uint8_t *bytes) {
    memset(found, 0xAA, LARGE);
    MEGA_CHECK_EQ(mega_checkpoint_read_begin(reader, name, LARGE, &message), 0);
    size_t at = 0;
    for (size_t part = 1; at < LARGE; part = part * 2 + 5) {
        const size_t size = part < LARGE - at ? part : LARGE - at;
        MEGA_CHECK_EQ(mega_checkpoint_read_part(reader, found + at, size, &message), 0);
        at += size;
    }
    MEGA_CHECK_EQ(mega_checkpoint_read_end(reader, &message), 0);
    MEGA_CHECK_BYTES(found, bytes, LARGE);
}

static void check_list(const mega_checkpoint_reader *reader) {
    static const char *const names[] = {"smooth",      "noise", "plain",        "parts",
                                        "plain parts", "empty", "empty packed", "block"};
    MEGA_CHECK_EQ(mega_checkpoint_count(reader), 8);
    for (uint32_t i = 0; i < 8; i++) {
        const mega_checkpoint_section section = mega_checkpoint_section_at(reader, i);
        MEGA_CHECK(strcmp(section.name, names[i]) == 0);
        MEGA_CHECK(mega_checkpoint_has(reader, names[i]));
    }
    MEGA_CHECK(mega_checkpoint_section_at(reader, 0).stored < LARGE / 10);
    MEGA_CHECK_EQ(mega_checkpoint_section_at(reader, 1).stored, LARGE + 6 * 4); // blocks with a head each
    MEGA_CHECK_EQ(mega_checkpoint_section_at(reader, 2).stored, LARGE);
    MEGA_CHECK_EQ(mega_checkpoint_section_at(reader, 0).size, LARGE);
    MEGA_CHECK(!mega_checkpoint_has(reader, "smoot"));
}

static void test_round_trip(void) {
    const char *path = mega_test_path("round");
    mega_checkpoint_writer *writer = open_writer(path);
    add(writer, "smooth", smooth, LARGE, true);
    add(writer, "noise", noise, LARGE, true);
    add(writer, "plain", smooth, LARGE, false);
    write_parts(writer, "parts", smooth, true);
    write_parts(writer, "plain parts", noise, false);
    add(writer, "empty", NULL, 0, false);
    add(writer, "empty packed", NULL, 0, true);
    add(writer, "block", smooth, 1 << 20, true); // exactly one
    MEGA_CHECK(access(path, F_OK) != 0);         // it appears when it is complete
    MEGA_CHECK_EQ(mega_checkpoint_commit(writer, &message), 0);
    mega_checkpoint_reader *reader = open_reader(path);
    check_list(reader);
    check_section(reader, "block", smooth, 1 << 20); // in another order
    check_section(reader, "noise", noise, LARGE);
    check_section(reader, "smooth", smooth, LARGE);
    check_section(reader, "plain", smooth, LARGE);
    check_section(reader, "empty", smooth, 0);
    check_section(reader, "empty packed", smooth, 0);
    read_parts(reader, "parts", smooth);
    read_parts(reader, "plain parts", noise);
    mega_checkpoint_reader_close(reader);
}

static void test_no_sections(void) {
    const char *path = mega_test_path("none");
    MEGA_CHECK_EQ(mega_checkpoint_commit(open_writer(path), &message), 0);
    mega_checkpoint_reader *reader = open_reader(path);
    MEGA_CHECK_EQ(mega_checkpoint_count(reader), 0);
    mega_checkpoint_reader_close(reader);
}

// ---- what is asked for wrongly -----------------------------------------------------------------------

static const char *write_small(const char *name) {
    const char *path = mega_test_path(name);
    mega_checkpoint_writer *writer = open_writer(path);
    add(writer, "text", "abc", 3, false);
    add(writer, "packed", smooth, 3000, true);
    add(writer, "zeros", "a\0b", 3, false);
    MEGA_CHECK_EQ(mega_checkpoint_commit(writer, &message), 0);
    return path;
}

static void test_requests(void) {
    mega_checkpoint_reader *reader = open_reader(write_small("requests"));
    uint64_t size = 1;
    char *text = NULL;
    MEGA_CHECK_EQ(mega_checkpoint_read(reader, "absent", found, 3, &message), -1);
    MEGA_CHECK(says("/requests has no section 'absent'"));
    MEGA_CHECK_EQ(mega_checkpoint_size(reader, "absent", &size, &message), -1);
    MEGA_CHECK_EQ(mega_checkpoint_size(reader, "packed", &size, &message), 0);
    MEGA_CHECK_EQ(size, 3000);
    MEGA_CHECK_EQ(mega_checkpoint_read(reader, "packed", found, 2999, &message), -1);
    MEGA_CHECK(says("section 'packed' of") && says("has 3000 bytes; 2999 were expected"));
    MEGA_CHECK_EQ(mega_checkpoint_read_text(reader, "text", 3, &text, &message), 0);
    MEGA_CHECK(text != NULL && strcmp(text, "abc") == 0);
    free(text);
    MEGA_CHECK_EQ(mega_checkpoint_read_text(reader, "text", 2, &text, &message), -1);
    MEGA_CHECK(says("at most 2 were expected") && text == NULL);
    MEGA_CHECK_EQ(mega_checkpoint_read_text(reader, "zeros", 9, &text, &message), -1);
    MEGA_CHECK(says("is not a text"));
    MEGA_CHECK_EQ(mega_checkpoint_read_begin(reader, "packed", 3000, &message), 0);
    MEGA_CHECK_EQ(mega_checkpoint_read_part(reader, found, 2000, &message), 0);
    MEGA_CHECK_EQ(mega_checkpoint_read_end(reader, &message), -1);
    MEGA_CHECK_EQ(mega_checkpoint_read_part(reader, found, 1001, &message), -1);
    MEGA_CHECK_EQ(mega_checkpoint_read_part(reader, found, 1000, &message), 0);
    MEGA_CHECK_EQ(mega_checkpoint_read_end(reader, &message), 0);
    MEGA_CHECK_EQ(mega_checkpoint_read_end(reader, &message), -1);
    mega_checkpoint_reader_close(reader);
}

static void test_names(void) {
    const char *path = mega_test_path("names");
    mega_checkpoint_writer *writer = open_writer(path);
    add(writer, "0123456789012345678901234567890", "x", 1, false);
    MEGA_CHECK_EQ(mega_checkpoint_add(writer, "01234567890123456789012345678901", "x", 1, false, &message),
                  -1);
    MEGA_CHECK_EQ(mega_checkpoint_add(writer, "", "x", 1, false, &message), -1);
    MEGA_CHECK_EQ(mega_checkpoint_add(writer, "a\n", "x", 1, false, &message), -1);
    MEGA_CHECK_EQ(mega_checkpoint_add(writer, "0123456789012345678901234567890", "x", 1, false, &message),
                  -1);
    MEGA_CHECK(says("twice"));
    mega_checkpoint_abort(writer);
    MEGA_CHECK(access(path, F_OK) != 0);
    mega_checkpoint_abort(NULL);
    mega_checkpoint_reader_close(NULL);
}

// ---- damage ------------------------------------------------------------------------------------------

static size_t load(const char *path, uint8_t *bytes) {
    FILE *stream = fopen(path, "rb");
    const size_t size = stream != NULL ? fread(bytes, 1, FILE_MAX, stream) : 0;
    if (stream != NULL) {
        fclose(stream);
    }
    return size;
}

static void store(const char *path, const uint8_t *bytes, size_t size) {
    FILE *stream = fopen(path, "wb");
    MEGA_CHECK(stream != NULL && fwrite(bytes, 1, size, stream) == size && fclose(stream) == 0);
}

static int open_status(const char *path) {
    mega_checkpoint_reader *reader = NULL;
    const int status = mega_checkpoint_reader_open(path, &reader, &message);
    MEGA_CHECK((reader != NULL) == (status == 0));
    mega_checkpoint_reader_close(reader);
    return status;
}

static void test_cut_short(void) {
    static uint8_t bytes[FILE_MAX];
    const char *path = write_small("cut");
    const size_t size = load(path, bytes);
    MEGA_CHECK(size > 200 && size < FILE_MAX);
    for (size_t i = 0; i < size; i++) {
        store(path, bytes, i);
        MEGA_CHECK_EQ(open_status(path), -1);
        MEGA_CHECK(says(i < 8 ? "/cut is not a checkpoint of Megacade" : "/cut was cut short: "));
    }
    bytes[size] = 0; // and what is longer is none either
    store(path, bytes, size + 1);
    MEGA_CHECK_EQ(open_status(path), -1);
}

// How many sections of write_small() cannot be read. One that can must have the right bytes.
static uint32_t failed_sections(mega_checkpoint_reader *reader) {
    static const char *const names[] = {"text", "packed", "zeros"};
    uint32_t failed = 0;
    MEGA_CHECK_EQ(mega_checkpoint_count(reader), 3);
    for (uint32_t i = 0; i < mega_checkpoint_count(reader); i++) {
        const mega_checkpoint_section section = mega_checkpoint_section_at(reader, i);
        const void *bytes = i == 0   ? (const void *)"abc"
                            : i == 1 ? (const void *)smooth
                                     : (const void *)"a\0b";
        MEGA_CHECK(strcmp(section.name, names[i]) == 0);
        if (mega_checkpoint_read(reader, section.name, found, section.size, &message) != 0) {
            failed++;
        } else {
            MEGA_CHECK_BYTES(found, bytes, section.size);
        }
    }
    return failed;
}

// A flipped bit is found when the file is opened or when the section is read, unless decompression does not care.
static void test_flipped_bits(void) {
    static uint8_t bytes[FILE_MAX];
    const char *path = write_small("flip");
    const size_t size = load(path, bytes);
    uint32_t opened = 0, noticed = 0;
    for (size_t i = 0; i < size * 8; i += 3) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        store(path, bytes, size);
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        mega_checkpoint_reader *reader = NULL;
        if (mega_checkpoint_reader_open(path, &reader, &message) == 0) {
            const uint32_t failed = failed_sections(reader);
            MEGA_CHECK(failed <= 1);
            MEGA_CHECK(failed == 0 || says("/flip is damaged ("));
            opened++;
            noticed += failed;
            mega_checkpoint_reader_close(reader);
        } else {
            MEGA_CHECK(says("/flip "));
        }
    }
    MEGA_CHECK(opened > 20 && noticed > opened / 2 && noticed <= opened);
}

static void test_other_files(void) {
    static uint8_t bytes[FILE_MAX];
    const char *path = write_small("version");
    const size_t size = load(path, bytes);
    bytes[8] = 7;
    store(path, bytes, size);
    MEGA_CHECK_EQ(open_status(path), -1);
    MEGA_CHECK(says("/version is of version 7; this program reads version 1"));
    MEGA_CHECK_EQ(open_status(mega_test_write("text", "hello, this is no checkpoint at all", 35)), -1);
    MEGA_CHECK(says("/text is not a checkpoint of Megacade"));
    MEGA_CHECK_EQ(open_status(mega_test_path("missing")), -1);
    MEGA_CHECK(says("No such file"));
    MEGA_CHECK_EQ(open_status(mega_test_mkdir("folder")), -1);
    MEGA_CHECK(says("/folder is not a file"));
    MEGA_CHECK_EQ(open_status("/dev/zero"), -1);
}

// A checksum that does not fit the bytes, in a file that is sound otherwise.
static void test_checksum(void) {
    static uint8_t bytes[FILE_MAX];
    const char *path = write_small("checksum");
    const size_t size = load(path, bytes);
    bytes[16] ^= 1; // the first section
    store(path, bytes, size);
    mega_checkpoint_reader *reader = open_reader(path);
    MEGA_CHECK_EQ(mega_checkpoint_read(reader, "text", found, 3, &message), -1);
    MEGA_CHECK(says("section 'text' of ") && says("/checksum is damaged (checksum)"));
    check_section(reader, "packed", smooth, 3000); // others can be read
    mega_checkpoint_reader_close(reader);
}

// ---- failures of the disk ----------------------------------------------------------------------------

// A limit on the size of files stands for a full disk.
static void test_full_disk(void) {
    const char *path = write_small("full");
    const struct rlimit small = {1 << 20, RLIM_INFINITY};
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    MEGA_CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    mega_checkpoint_writer *writer = open_writer(path);
    MEGA_CHECK_EQ(mega_checkpoint_add(writer, "noise", noise, LARGE, true, &message), -1);
    MEGA_CHECK(says("cannot write ") && says("/full: File too large"));
    mega_checkpoint_abort(writer);
    // The last bytes may be refused, too: they are in the stream's buffer until the end.
    writer = open_writer(path);
    add(writer, "noise", noise, (1 << 20) - 20, false);
    MEGA_CHECK_EQ(mega_checkpoint_commit(writer, &message), -1);
    MEGA_CHECK(says("/full: File too large"));
    MEGA_CHECK_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    mega_checkpoint_reader *reader = open_reader(path);
    check_section(reader, "packed", smooth, 3000);
    mega_checkpoint_reader_close(reader);
    char part[MEGA_TEST_PATH_SIZE + 8];
    snprintf(part, sizeof part, "%s.part", path);
    MEGA_CHECK(access(part, F_OK) != 0);
    mega_checkpoint_writer *nowhere = NULL;
    MEGA_CHECK_EQ(mega_checkpoint_writer_open(mega_test_path("absent/file"), &nowhere, &message), -1);
    MEGA_CHECK(nowhere == NULL && says("cannot write ") && says("absent/file: No such file"));
}

int main(void) {
    uint64_t state = 1;
    for (size_t i = 0; i < LARGE; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        noise[i] = (uint8_t)(state >> 56);
        smooth[i] = (uint8_t)(i / 1000);
    }
    test_round_trip();
    test_no_sections();
    test_requests();
    test_names();
    test_cut_short();
    test_flipped_bits();
    test_other_files();
    test_checksum();
    test_full_disk();
    mega_test_remove_files();
    return mega_test_result();
}
