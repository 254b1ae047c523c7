// checkpoint_writer.c - see checkpoint.h. The file is written front to back; what is known only when a section is
// complete (sizes, checksum) goes into the index at the end.
#include "checkpoint.h"

#include "checkpoint_format.h"
#include "little_endian.h"
#include "out_file.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    COMPRESSION_LEVEL = 1 // runs wait for it; higher levels cost several times as much for little
};

typedef struct entry {
    char name[MEGA_CHECKPOINT_NAME_SIZE];
    uint32_t flags;
    uint32_t crc;
    uint64_t offset;
    uint64_t size;
    uint64_t stored;
} entry;

struct mega_checkpoint_writer {
    mega_out_file file;
    uint64_t offset; // bytes written
    bool open;       // a section was begun
    uint32_t count;
    entry entries[MEGA_CHECKPOINT_SECTIONS];
    uint8_t *block; // BLOCK_SIZE bytes that wait to be compressed
    size_t block_used;
    uint8_t *packed; // a block, compressed
    size_t packed_size;
};

static int put(mega_checkpoint_writer *writer, const void *bytes, size_t size, mega_message *message) {
    errno = 0;
    if (size > 0 && fwrite(bytes, 1, size, writer->file.stream) != size) {
        return mega_message_set(message, "cannot write %s: %s", writer->file.path,
                                errno != 0 ? strerror(errno) : "the file system refused the data");
    }
    writer->offset += size;
    return 0;
}

static uint32_t crc_of(uint32_t crc, const void *bytes, size_t size) {
    return (uint32_t)crc32_z(crc, bytes, size);
}

static void put_head(uint8_t head[CHECKPOINT_HEAD_SIZE]) {
    memset(head, 0, CHECKPOINT_HEAD_SIZE);
    memcpy(head, CHECKPOINT_MAGIC, CHECKPOINT_MAGIC_SIZE);
    mega_put_u32(head + CHECKPOINT_MAGIC_SIZE, MEGA_CHECKPOINT_VERSION);
}

int mega_checkpoint_writer_open(const char *path, mega_checkpoint_writer **out, mega_message *message) {
    *out = NULL;
    mega_checkpoint_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return mega_message_set(message, "out of memory");
    }
    writer->packed_size = compressBound(BLOCK_SIZE);
    writer->block = malloc(BLOCK_SIZE);
    writer->packed = malloc(writer->packed_size);
    uint8_t head[CHECKPOINT_HEAD_SIZE];
    put_head(head);
    int status = 0;
    if (writer->block == NULL || writer->packed == NULL) {
        status = mega_message_set(message, "out of memory");
    } else if (mega_out_file_open(&writer->file, path, message) != 0 ||
               put(writer, head, sizeof head, message) != 0) {
        status = -1;
    }
    if (status != 0) {
        mega_checkpoint_abort(writer);
        return -1;
    }
    *out = writer;
    return 0;
}

// ---- sections ----------------------------------------------------------------------------------------

static int check_name(const mega_checkpoint_writer *writer, const char *name, mega_message *message) {
    const size_t length = strlen(name);
    if (length < 1 || length >= MEGA_CHECKPOINT_NAME_SIZE) {
        return mega_message_set(message, "'%s' cannot be the name of a section: it has 1 to %d characters",
                                name, MEGA_CHECKPOINT_NAME_SIZE - 1);
    }
    for (size_t i = 0; i < length; i++) {
        if (name[i] < ' ' || name[i] > '~') {
            return mega_message_set(message, "names of sections are printable ASCII");
        }
    }
    for (uint32_t i = 0; i < writer->count; i++) {
        if (strcmp(writer->entries[i].name, name) == 0) {
            return mega_message_set(message, "%s would have section '%s' twice", writer->file.path, name);
        }
    }
    if (writer->count == MEGA_CHECKPOINT_SECTIONS) {
        return mega_message_set(message, "%s would have more than %d sections", writer->file.path,
                                MEGA_CHECKPOINT_SECTIONS);
    }
    return 0;
}

int mega_checkpoint_begin(mega_checkpoint_writer *writer, const char *name, bool compress,
                          mega_message *message) {
    assert(!writer->open);
    if (check_name(writer, name, message) != 0) {
        return -1;
    }
    entry *const section = &writer->entries[writer->count];
    *section = (entry){.flags = compress ? FLAG_BLOCKS : 0, .offset = writer->offset};
    memcpy(section->name, name, strlen(name) + 1);
    writer->block_used = 0;
    writer->open = true;
    return 0;
}

static int put_block(mega_checkpoint_writer *writer, mega_message *message) {
    uLongf packed_size = writer->packed_size;
    const int result =
        compress2(writer->packed, &packed_size, writer->block, writer->block_used, COMPRESSION_LEVEL);
    if (result == Z_MEM_ERROR) {
        return mega_message_set(message, "out of memory");
    }
    const bool smaller = result == Z_OK && packed_size < writer->block_used;
    const size_t size = smaller ? packed_size : writer->block_used;
    uint8_t head[BLOCK_HEAD_SIZE];
    mega_put_u32(head, (uint32_t)size);
    writer->block_used = 0;
    if (put(writer, head, sizeof head, message) != 0) {
        return -1;
    }
    return put(writer, smaller ? writer->packed : writer->block, size, message);
}

static int append_blocks(mega_checkpoint_writer *writer, const uint8_t *bytes, size_t size,
                         mega_message *message) {
    while (size > 0) {
        const size_t room = BLOCK_SIZE - writer->block_used;
        const size_t part = size < room ? size : room;
        memcpy(writer->block + writer->block_used, bytes, part);
        writer->block_used += part;
        bytes += part;
        size -= part;
        if (writer->block_used == BLOCK_SIZE && put_block(writer, message) != 0) {
            return -1;
        }
    }
    return 0;
}

int mega_checkpoint_append(mega_checkpoint_writer *writer, const void *bytes, size_t size,
                           mega_message *message) {
    assert(writer->open);
    entry *const section = &writer->entries[writer->count];
    if (size == 0) {
        return 0;
    }
    section->crc = crc_of(section->crc, bytes, size);
    section->size += size;
    return section->flags & FLAG_BLOCKS ? append_blocks(writer, bytes, size, message)
                                        : put(writer, bytes, size, message);
}

int mega_checkpoint_end(mega_checkpoint_writer *writer, mega_message *message) {
    assert(writer->open);
    entry *const section = &writer->entries[writer->count];
    if (writer->block_used > 0 && put_block(writer, message) != 0) {
        return -1;
    }
    section->stored = writer->offset - section->offset;
    writer->open = false;
    writer->count++;
    return 0;
}

int mega_checkpoint_add(mega_checkpoint_writer *writer, const char *name, const void *bytes, size_t size,
                        bool compress, mega_message *message) {
    if (mega_checkpoint_begin(writer, name, compress, message) != 0 ||
        mega_checkpoint_append(writer, bytes, size, message) != 0) {
        return -1;
    }
    return mega_checkpoint_end(writer, message);
}

// ---- the end -----------------------------------------------------------------------------------------

static int put_index(mega_checkpoint_writer *writer, mega_message *message) {
    const uint64_t index = writer->offset;
    uint8_t head[CHECKPOINT_HEAD_SIZE];
    put_head(head);
    uint32_t crc = crc_of(0, head, sizeof head);
    for (uint32_t i = 0; i < writer->count; i++) {
        const entry *section = &writer->entries[i];
        uint8_t bytes[CHECKPOINT_ENTRY_SIZE] = {0};
        memcpy(bytes + ENTRY_NAME, section->name, strlen(section->name));
        mega_put_u32(bytes + ENTRY_FLAGS, section->flags);
        mega_put_u32(bytes + ENTRY_CRC, section->crc);
        mega_put_u64(bytes + ENTRY_OFFSET, section->offset);
        mega_put_u64(bytes + ENTRY_SIZE, section->size);
        mega_put_u64(bytes + ENTRY_STORED, section->stored);
        crc = crc_of(crc, bytes, sizeof bytes);
        if (put(writer, bytes, sizeof bytes, message) != 0) {
            return -1;
        }
    }
    uint8_t tail[CHECKPOINT_TAIL_SIZE];
    mega_put_u64(tail + TAIL_INDEX, index);
    mega_put_u32(tail + TAIL_COUNT, writer->count);
    mega_put_u32(tail + TAIL_CRC, crc_of(crc, tail, TAIL_CRC));
    memcpy(tail + TAIL_MAGIC, CHECKPOINT_END_MAGIC, CHECKPOINT_MAGIC_SIZE);
    return put(writer, tail, sizeof tail, message);
}

static void release(mega_checkpoint_writer *writer) {
    free(writer->block);
    free(writer->packed);
    free(writer);
}

int mega_checkpoint_commit(mega_checkpoint_writer *writer, mega_message *message) {
    assert(!writer->open);
    if (put_index(writer, message) != 0) {
        mega_checkpoint_abort(writer);
        return -1;
    }
    const int status = mega_out_file_commit_durably(&writer->file, message);
    release(writer);
    return status;
}

void mega_checkpoint_abort(mega_checkpoint_writer *writer) {
    if (writer != NULL) {
        mega_out_file_abort(&writer->file);
        release(writer);
    }
}
