// checkpoint_reader.c - see checkpoint.h. The file is not trusted: sections must follow one another without a gap from
// the head to the index, which must end where the tail begins, so that no size can point out of the file.
#include "checkpoint.h"

#include "checkpoint_format.h"
#include "little_endian.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

typedef struct entry {
    mega_checkpoint_section section;
    uint32_t flags;
    uint32_t crc;
    uint64_t offset;
} entry;

struct mega_checkpoint_reader {
    FILE *stream;
    char *path;
    uint64_t file_size;
    uint32_t count;
    entry *entries;
    // The section that is being read.
    const entry *open;
    uint64_t size_left;   // bytes that the caller has not read
    uint64_t stored_left; // bytes of the file that were not looked at
    uint32_t crc;
    uint8_t *block; // a block when read; NULL before the first one
    size_t block_at;
    size_t block_end;
    uint8_t *packed; // a block as stored
};

// ---- opening -----------------------------------------------------------------------------------------

static int read_bytes(mega_checkpoint_reader *reader, void *bytes, size_t size, mega_message *message) {
    errno = 0;
    if (size > 0 && fread(bytes, 1, size, reader->stream) != size) {
        return mega_message_set(message, "cannot read %s: %s", reader->path,
                                errno != 0 ? strerror(errno) : "it became shorter");
    }
    return 0;
}

static int seek_to(mega_checkpoint_reader *reader, uint64_t offset, mega_message *message) {
    if (fseeko(reader->stream, (off_t)offset, SEEK_SET) != 0) {
        return mega_message_set(message, "cannot read %s: %s", reader->path, strerror(errno));
    }
    return 0;
}

static int open_file(mega_checkpoint_reader *reader, const char *path, mega_message *message) {
    struct stat status;
    reader->path = malloc(strlen(path) + 1);
    if (reader->path == NULL) {
        return mega_message_set(message, "out of memory");
    }
    strcpy(reader->path, path);
    if (stat(path, &status) != 0) {
        return mega_message_set(message, "cannot read %s: %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return mega_message_set(message, "%s is not a file", path);
    }
    reader->stream = fopen(path, "rb");
    if (reader->stream == NULL) {
        return mega_message_set(message, "cannot read %s: %s", path, strerror(errno));
    }
    reader->file_size = (uint64_t)status.st_size;
    return 0;
}

static int read_head(mega_checkpoint_reader *reader, uint8_t head[CHECKPOINT_HEAD_SIZE],
                     mega_message *message) {
    const uint64_t size = reader->file_size;
    const size_t part = size < CHECKPOINT_HEAD_SIZE ? (size_t)size : CHECKPOINT_HEAD_SIZE;
    if (read_bytes(reader, head, part, message) != 0) {
        return -1;
    }
    if (part < CHECKPOINT_MAGIC_SIZE || memcmp(head, CHECKPOINT_MAGIC, CHECKPOINT_MAGIC_SIZE) != 0) {
        return mega_message_set(message, "%s is not a checkpoint of Megacade", reader->path);
    }
    // Another version may look different from here on.
    const uint32_t version = part == CHECKPOINT_HEAD_SIZE ? mega_get_u32(head + CHECKPOINT_MAGIC_SIZE) : 1;
    if (version != MEGA_CHECKPOINT_VERSION) {
        return mega_message_set(message, "%s is of version %u; this program reads version %d", reader->path,
                                (unsigned)version, MEGA_CHECKPOINT_VERSION);
    }
    if (size < CHECKPOINT_HEAD_SIZE + CHECKPOINT_TAIL_SIZE) {
        return mega_message_set(message, "%s was cut short: it has only %u bytes", reader->path,
                                (unsigned)size);
    }
    return 0;
}

static int damaged(const mega_checkpoint_reader *reader, mega_message *message) {
    return mega_message_set(message, "%s is damaged: the list of its sections does not fit the file",
                            reader->path);
}

// Reads the tail, after which the index is known to lie between the sections and the tail.
static int read_tail(mega_checkpoint_reader *reader, uint8_t tail[CHECKPOINT_TAIL_SIZE],
                     mega_message *message) {
    if (seek_to(reader, reader->file_size - CHECKPOINT_TAIL_SIZE, message) != 0 ||
        read_bytes(reader, tail, CHECKPOINT_TAIL_SIZE, message) != 0) {
        return -1;
    }
    if (memcmp(tail + TAIL_MAGIC, CHECKPOINT_END_MAGIC, CHECKPOINT_MAGIC_SIZE) != 0) {
        return mega_message_set(message, "%s was cut short: the mark at its end is missing", reader->path);
    }
    const uint64_t index = mega_get_u64(tail + TAIL_INDEX);
    const uint32_t count = mega_get_u32(tail + TAIL_COUNT);
    const uint64_t limit = reader->file_size - CHECKPOINT_TAIL_SIZE;
    if (count > MEGA_CHECKPOINT_SECTIONS || index < CHECKPOINT_HEAD_SIZE || index > limit ||
        limit - index != (uint64_t)count * CHECKPOINT_ENTRY_SIZE) {
        return damaged(reader, message);
    }
    reader->count = count;
    return 0;
}

// A name is printable, ends within its field, and has only zeros after its end.
static bool name_fits(const uint8_t *name) {
    size_t length = 0;
    while (length < MEGA_CHECKPOINT_NAME_SIZE && name[length] >= ' ' && name[length] <= '~') {
        length++;
    }
    for (size_t i = length; i < MEGA_CHECKPOINT_NAME_SIZE; i++) {
        if (name[i] != 0) {
            return false;
        }
    }
    return length > 0 && length < MEGA_CHECKPOINT_NAME_SIZE;
}

static const entry *find(const mega_checkpoint_reader *reader, const char *name, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(reader->entries[i].section.name, name) == 0) {
            return &reader->entries[i];
        }
    }
    return NULL;
}

// Blocks cannot be smaller than their heads, nor grow when stored.
static bool sizes_fit(const entry *entry) {
    const uint64_t size = entry->section.size;
    const uint64_t stored = entry->section.stored;
    if (entry->flags == 0) {
        return size == stored;
    }
    const uint64_t blocks = size / BLOCK_SIZE + (size % BLOCK_SIZE != 0);
    return entry->flags == FLAG_BLOCKS && blocks <= stored / BLOCK_HEAD_SIZE &&
           stored - blocks * BLOCK_HEAD_SIZE <= size;
}

// Fills the entries from the index; sections must lie in a row from `offset` to `end`.
static bool parse_index(mega_checkpoint_reader *reader, const uint8_t *index, uint64_t end) {
    uint64_t offset = CHECKPOINT_HEAD_SIZE;
    for (uint32_t i = 0; i < reader->count; i++) {
        const uint8_t *bytes = index + (size_t)i * CHECKPOINT_ENTRY_SIZE;
        entry *const entry = &reader->entries[i];
        if (!name_fits(bytes + ENTRY_NAME)) {
            return false;
        }
        memcpy(entry->section.name, bytes + ENTRY_NAME, MEGA_CHECKPOINT_NAME_SIZE);
        entry->flags = mega_get_u32(bytes + ENTRY_FLAGS);
        entry->crc = mega_get_u32(bytes + ENTRY_CRC);
        entry->offset = mega_get_u64(bytes + ENTRY_OFFSET);
        entry->section.size = mega_get_u64(bytes + ENTRY_SIZE);
        entry->section.stored = mega_get_u64(bytes + ENTRY_STORED);
        if (entry->offset != offset || entry->section.stored > end - offset || !sizes_fit(entry) ||
            find(reader, entry->section.name, i) != NULL) {
            return false;
        }
        offset += entry->section.stored;
    }
    return offset == end;
}

static int read_index(mega_checkpoint_reader *reader, const uint8_t head[CHECKPOINT_HEAD_SIZE],
                      const uint8_t tail[CHECKPOINT_TAIL_SIZE], mega_message *message) {
    const size_t size = (size_t)reader->count * CHECKPOINT_ENTRY_SIZE;
    const uint64_t offset = mega_get_u64(tail + TAIL_INDEX);
    uint8_t *index = malloc(size + 1);
    reader->entries = calloc(reader->count + 1, sizeof *reader->entries);
    int status = -1;
    if (index == NULL || reader->entries == NULL) {
        (void)mega_message_set(message, "out of memory");
    } else if (seek_to(reader, offset, message) == 0 && read_bytes(reader, index, size, message) == 0) {
        uLong crc = crc32_z(0, head, CHECKPOINT_HEAD_SIZE);
        crc = crc32_z(crc, index, size);
        crc = crc32_z(crc, tail, TAIL_CRC);
        const bool fits = crc == mega_get_u32(tail + TAIL_CRC) && parse_index(reader, index, offset);
        status = fits ? 0 : damaged(reader, message);
    }
    free(index);
    return status;
}

int mega_checkpoint_reader_open(const char *path, mega_checkpoint_reader **out, mega_message *message) {
    *out = NULL;
    mega_checkpoint_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        return mega_message_set(message, "out of memory");
    }
    uint8_t head[CHECKPOINT_HEAD_SIZE] = {0};
    uint8_t tail[CHECKPOINT_TAIL_SIZE];
    if (open_file(reader, path, message) != 0 || read_head(reader, head, message) != 0 ||
        read_tail(reader, tail, message) != 0 || read_index(reader, head, tail, message) != 0) {
        mega_checkpoint_reader_close(reader);
        return -1;
    }
    *out = reader;
    return 0;
}

void mega_checkpoint_reader_close(mega_checkpoint_reader *reader) {
    if (reader == NULL) {
        return;
    }
    if (reader->stream != NULL) {
        (void)fclose(reader->stream);
    }
    free(reader->path);
    free(reader->entries);
    free(reader->block);
    free(reader->packed);
    free(reader);
}

// ---- sections ----------------------------------------------------------------------------------------

uint32_t mega_checkpoint_count(const mega_checkpoint_reader *reader) {
    return reader->count;
}

mega_checkpoint_section mega_checkpoint_section_at(const mega_checkpoint_reader *reader, uint32_t index) {
    return reader->entries[index].section;
}

bool mega_checkpoint_has(const mega_checkpoint_reader *reader, const char *name) {
    return find(reader, name, reader->count) != NULL;
}

static const entry *find_or_say(const mega_checkpoint_reader *reader, const char *name,
                                mega_message *message) {
    const entry *found = find(reader, name, reader->count);
    if (found == NULL) {
        (void)mega_message_set(message, "%s has no section '%s'", reader->path, name);
    }
    return found;
}

int mega_checkpoint_size(const mega_checkpoint_reader *reader, const char *name, uint64_t *size,
                         mega_message *message) {
    const entry *found = find_or_say(reader, name, message);
    *size = found != NULL ? found->section.size : 0;
    return found != NULL ? 0 : -1;
}

// ---- contents ----------------------------------------------------------------------------------------

static int damaged_section(const mega_checkpoint_reader *reader, const char *how, mega_message *message) {
    return mega_message_set(message, "section '%s' of %s is damaged (%s)", reader->open->section.name,
                            reader->path, how);
}

int mega_checkpoint_read_begin(mega_checkpoint_reader *reader, const char *name, uint64_t total,
                               mega_message *message) {
    reader->open = find_or_say(reader, name, message);
    if (reader->open == NULL) {
        return -1;
    }
    if (reader->open->section.size != total) {
        const uint64_t size = reader->open->section.size;
        reader->open = NULL;
        return mega_message_set(message, "section '%s' of %s has %llu bytes; %llu were expected", name,
                                reader->path, (unsigned long long)size, (unsigned long long)total);
    }
    reader->size_left = total;
    reader->stored_left = reader->open->section.stored;
    reader->crc = 0;
    reader->block_at = 0;
    reader->block_end = 0;
    if (reader->open->flags & FLAG_BLOCKS && reader->block == NULL) {
        reader->block = malloc(BLOCK_SIZE);
        reader->packed = malloc(BLOCK_SIZE);
        if (reader->block == NULL || reader->packed == NULL) {
            free(reader->block);
            free(reader->packed);
            reader->block = reader->packed = NULL;
            return mega_message_set(message, "out of memory");
        }
    }
    return seek_to(reader, reader->open->offset, message);
}

// Reads the next block, of `size` bytes, into `bytes`.
static int read_block(mega_checkpoint_reader *reader, uint8_t *bytes, size_t size, mega_message *message) {
    uint8_t head[BLOCK_HEAD_SIZE];
    if (reader->stored_left < sizeof head) {
        return damaged_section(reader, "a block is missing", message);
    }
    if (read_bytes(reader, head, sizeof head, message) != 0) {
        return -1;
    }
    reader->stored_left -= sizeof head;
    const uint32_t stored = mega_get_u32(head);
    if (stored > size || stored > reader->stored_left) {
        return damaged_section(reader, "a block does not fit", message);
    }
    reader->stored_left -= stored;
    if (stored == size) {
        return read_bytes(reader, bytes, size, message);
    }
    if (read_bytes(reader, reader->packed, stored, message) != 0) {
        return -1;
    }
    uLongf unpacked = size;
    if (uncompress(bytes, &unpacked, reader->packed, stored) != Z_OK || unpacked != size) {
        return damaged_section(reader, "a block cannot be decompressed", message);
    }
    return 0;
}

static int read_blocks(mega_checkpoint_reader *reader, uint8_t *bytes, size_t size, mega_message *message) {
    while (size > 0) {
        if (reader->block_at == reader->block_end) {
            const uint64_t left = reader->size_left;
            const size_t next = left < BLOCK_SIZE ? (size_t)left : BLOCK_SIZE;
            if (read_block(reader, reader->block, next, message) != 0) {
                return -1;
            }
            reader->block_at = 0;
            reader->block_end = next;
        }
        const size_t there = reader->block_end - reader->block_at;
        const size_t part = size < there ? size : there;
        memcpy(bytes, reader->block + reader->block_at, part);
        reader->block_at += part;
        reader->size_left -= part;
        bytes += part;
        size -= part;
    }
    return 0;
}

static int read_stored(mega_checkpoint_reader *reader, uint8_t *bytes, size_t size, mega_message *message) {
    reader->size_left -= size;
    reader->stored_left -= size;
    return read_bytes(reader, bytes, size, message);
}

int mega_checkpoint_read_part(mega_checkpoint_reader *reader, void *bytes, size_t size,
                              mega_message *message) {
    if (reader->open == NULL || size > reader->size_left) {
        return mega_message_set(message, "more was asked for than a section of %s has", reader->path);
    }
    const int status = reader->open->flags & FLAG_BLOCKS ? read_blocks(reader, bytes, size, message)
                                                         : read_stored(reader, bytes, size, message);
    if (status != 0) {
        reader->open = NULL;
        return -1;
    }
    if (size > 0) {
        reader->crc = (uint32_t)crc32_z(reader->crc, bytes, size);
    }
    return 0;
}

int mega_checkpoint_read_end(mega_checkpoint_reader *reader, mega_message *message) {
    if (reader->open == NULL || reader->size_left > 0) {
        return mega_message_set(message, "a section of %s was not read to its end", reader->path);
    }
    int status = 0;
    if (reader->stored_left > 0) {
        status = damaged_section(reader, "something follows its last block", message);
    } else if (reader->crc != reader->open->crc) {
        status = damaged_section(reader, "checksum", message);
    }
    reader->open = NULL;
    return status;
}

int mega_checkpoint_read(mega_checkpoint_reader *reader, const char *name, void *bytes, size_t size,
                         mega_message *message) {
    if (mega_checkpoint_read_begin(reader, name, size, message) != 0 ||
        mega_checkpoint_read_part(reader, bytes, size, message) != 0) {
        return -1;
    }
    return mega_checkpoint_read_end(reader, message);
}

int mega_checkpoint_read_text(mega_checkpoint_reader *reader, const char *name, size_t limit, char **text,
                              mega_message *message) {
    uint64_t size = 0;
    *text = NULL;
    if (mega_checkpoint_size(reader, name, &size, message) != 0) {
        return -1;
    }
    if (size > limit) {
        return mega_message_set(message, "section '%s' of %s has %llu bytes; at most %zu were expected", name,
                                reader->path, (unsigned long long)size, limit);
    }
    char *bytes = malloc((size_t)size + 1);
    if (bytes == NULL) {
        return mega_message_set(message, "out of memory");
    }
    int status = mega_checkpoint_read(reader, name, bytes, (size_t)size, message);
    if (status == 0 && memchr(bytes, 0, (size_t)size) != NULL) {
        status = mega_message_set(message, "section '%s' of %s is not a text", name, reader->path);
    }
    if (status != 0) {
        free(bytes);
        return -1;
    }
    bytes[size] = '\0';
    *text = bytes;
    return 0;
}
