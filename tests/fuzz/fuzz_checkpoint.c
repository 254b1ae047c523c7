// fuzz_checkpoint.c - damaged checkpoints through the reader: whatever the file says, it is read or refused.
//
//     fuzz_checkpoint [--cases N] [--seed N]
//
// --cases  how many (20000)
// --seed   of the first case (0); repeat a failing one with --cases 1 --seed N
// Most useful with the sanitizers: build-asan/tests/fuzz_checkpoint. Ends with 1 at the first failure.
#include "checkpoint.h"
#include "checkpoint_format.h"
#include "little_endian.h"
#include "mega_test_files.h"
#include "mega_test_fuzz.h"

enum {
    ROOM = 1 << 18,
    READ_MAX = 4 << 20, // more than any section of the sound file
    LARGE = 2500000     // three blocks, of which little is left when compressed
};

typedef struct counts {
    uint64_t opened;
    uint64_t read;
    uint64_t refused;
} counts;

static uint8_t sound[ROOM];
static size_t sound_size;
static uint8_t bytes[ROOM];
static uint8_t contents[READ_MAX];
static mega_message message;

static void fail(const char *what) {
    fprintf(stderr, "fuzz_checkpoint: %s: %s\n", what, message.text);
    exit(1);
}

static void make_sound_file(const char *path) {
    for (size_t i = 0; i < LARGE; i++) {
        contents[i] = (uint8_t)(i / 997 * 13);
    }
    mega_checkpoint_writer *writer = NULL;
    if (mega_checkpoint_writer_open(path, &writer, &message) != 0 ||
        mega_checkpoint_add(writer, "config", "{\"game\": \"pong\"}\n", 17, false, &message) != 0 ||
        mega_checkpoint_add(writer, "state", contents, LARGE, true, &message) != 0 ||
        mega_checkpoint_add(writer, "empty", NULL, 0, true, &message) != 0 ||
        mega_checkpoint_add(writer, "small", contents, 100, true, &message) != 0 ||
        mega_checkpoint_commit(writer, &message) != 0) {
        fail("the sound file");
    }
    FILE *stream = fopen(path, "rb");
    sound_size = stream != NULL ? fread(sound, 1, ROOM, stream) : 0;
    if (stream == NULL || sound_size == ROOM || fclose(stream) != 0) {
        fail("the sound file cannot be read back");
    }
}

// Makes the checksum of the structure fit again, so that what is behind it is reached.
static void repair_checksum(size_t size) {
    if (size < CHECKPOINT_HEAD_SIZE + CHECKPOINT_TAIL_SIZE) {
        return;
    }
    uint8_t *const tail = bytes + size - CHECKPOINT_TAIL_SIZE;
    const uint64_t index = mega_get_u64(tail + TAIL_INDEX);
    const size_t end = size - CHECKPOINT_TAIL_SIZE;
    if (index <= end) {
        uLong crc = crc32_z(0, bytes, CHECKPOINT_HEAD_SIZE);
        crc = crc32_z(crc, bytes + index, end - index);
        mega_put_u32(tail + TAIL_CRC, (uint32_t)crc32_z(crc, tail, TAIL_CRC));
    }
    memcpy(tail + TAIL_MAGIC, CHECKPOINT_END_MAGIC, CHECKPOINT_MAGIC_SIZE);
}

static size_t damage(uint64_t *random) {
    memcpy(bytes, sound, sound_size);
    size_t size = sound_size;
    const size_t kind = fuzz_below(random, 4);
    if (kind == 0) {
        return fuzz_damage(bytes, size, ROOM, random);
    }
    // Most of the file is contents; two thirds of the damage go to the list of sections and to heads of blocks.
    const size_t index = (size_t)mega_get_u64(bytes + size - CHECKPOINT_TAIL_SIZE);
    if (kind == 1) {
        fuzz_put_number(bytes + index, size - index, random);
    } else if (kind == 2) {
        fuzz_put_number(bytes + CHECKPOINT_HEAD_SIZE, 64, random);
    } else {
        size = fuzz_damage(bytes, size, ROOM, random);
    }
    repair_checksum(size);
    return size;
}

static void read_all(mega_checkpoint_reader *reader, uint64_t *random, counts *counts) {
    for (uint32_t i = 0; i < mega_checkpoint_count(reader); i++) {
        const mega_checkpoint_section section = mega_checkpoint_section_at(reader, i);
        if (section.size > READ_MAX) {
            continue; // a caller would not have expected that
        }
        char *text = NULL;
        int status = 0;
        if (fuzz_below(random, 4) == 0) {
            status = mega_checkpoint_read_text(reader, section.name, READ_MAX, &text, &message);
            free(text);
        } else {
            // Just as much memory as it should need.
            uint8_t *exact = malloc(section.size + 1);
            status = mega_checkpoint_read(reader, section.name, exact, section.size, &message);
            free(exact);
        }
        counts->read += status == 0;
        counts->refused += status != 0;
    }
}

int main(int count, char **words) {
    const fuzz_options options = fuzz_read_options(count, words, 20000);
    const char *path = mega_test_path("checkpoint");
    counts counts = {0, 0, 0};
    make_sound_file(path);
    for (uint64_t i = 0; i < options.cases; i++) {
        uint64_t random = options.seed + i;
        fuzz_write(path, bytes, damage(&random));
        mega_checkpoint_reader *reader = NULL;
        message.text[0] = '\0';
        const int status = mega_checkpoint_reader_open(path, &reader, &message);
        if ((status == 0) != (reader != NULL) || (status != 0 && message.text[0] == '\0')) {
            fail("neither read nor refused");
        }
        if (status == 0) {
            counts.opened++;
            read_all(reader, &random, &counts);
            mega_checkpoint_reader_close(reader);
        }
    }
    mega_test_remove_files();
    printf("fuzz_checkpoint: %llu cases from seed %llu: %llu opened, %llu sections read, %llu refused\n",
           (unsigned long long)options.cases, (unsigned long long)options.seed,
           (unsigned long long)counts.opened, (unsigned long long)counts.read,
           (unsigned long long)counts.refused);
    return 0;
}
