// checkpoint.h - a file of named sections, from which a run goes on. The format is in docs/formats.md.
//
//     mega_checkpoint_writer *writer;
//     mega_checkpoint_writer_open("run/checkpoint", &writer, &message);
//     mega_checkpoint_add(writer, "parameters", slab, size, false, &message);
//     mega_checkpoint_begin(writer, "replay", true, &message);      // or in parts
//     mega_checkpoint_append(writer, part, part_size, &message);    // any number of times
//     mega_checkpoint_end(writer, &message);
//     mega_checkpoint_commit(writer, &message);
//
// A file appears under its name only when it is complete and on the disk; until then, and after any failure, an older
// checkpoint of that name is as it was. What is read may be damaged or hostile: all sizes are checked against the file
// when it is opened, and every section has a checksum.
//
// A writer or reader is used by one thread at a time.
#ifndef CHECKPOINT_H
#define CHECKPOINT_H
#include "message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MEGA_CHECKPOINT_VERSION = 1,
    MEGA_CHECKPOINT_NAME_SIZE = 32, // of a section's name, with the zero at its end
    MEGA_CHECKPOINT_SECTIONS = 256  // at most
};

// ---- writing -----------------------------------------------------------------------------------------

typedef struct mega_checkpoint_writer mega_checkpoint_writer;

int mega_checkpoint_writer_open(const char *path, mega_checkpoint_writer **out, mega_message *message);
// Adds a section. With `compress` those of its parts that become smaller are stored compressed. After a failure of
// this or the next three only abort is allowed. Names are 1 to 31 bytes of printable ASCII and differ.
int mega_checkpoint_add(mega_checkpoint_writer *writer, const char *name, const void *bytes, size_t size,
                        bool compress, mega_message *message);
// The same in parts, for sections that are in memory nowhere as a whole. One section at a time.
int mega_checkpoint_begin(mega_checkpoint_writer *writer, const char *name, bool compress,
                          mega_message *message);
int mega_checkpoint_append(mega_checkpoint_writer *writer, const void *bytes, size_t size,
                           mega_message *message);
int mega_checkpoint_end(mega_checkpoint_writer *writer, mega_message *message);
// Completes the file, waits until it is on the disk, gives it its name, and frees the writer; the last also on failure,
// in which case nothing is left behind.
int mega_checkpoint_commit(mega_checkpoint_writer *writer, mega_message *message);
// Frees the writer and removes what was written. NULL is allowed.
void mega_checkpoint_abort(mega_checkpoint_writer *writer);

// ---- reading -----------------------------------------------------------------------------------------

typedef struct mega_checkpoint_reader mega_checkpoint_reader;

typedef struct mega_checkpoint_section {
    char name[MEGA_CHECKPOINT_NAME_SIZE];
    uint64_t size;   // when read
    uint64_t stored; // bytes in the file; fewer if compressed
} mega_checkpoint_section;

// Fails unless the whole structure of the file is sound. Contents are checked when they are read.
int mega_checkpoint_reader_open(const char *path, mega_checkpoint_reader **out, mega_message *message);
// NULL is allowed.
void mega_checkpoint_reader_close(mega_checkpoint_reader *reader);

uint32_t mega_checkpoint_count(const mega_checkpoint_reader *reader);
// Section `index`, in the order in which they were written. index < count.
mega_checkpoint_section mega_checkpoint_section_at(const mega_checkpoint_reader *reader, uint32_t index);
bool mega_checkpoint_has(const mega_checkpoint_reader *reader, const char *name);
// The size of a section when read. A compressed one may claim any size: compare before allocating.
int mega_checkpoint_size(const mega_checkpoint_reader *reader, const char *name, uint64_t *size,
                         mega_message *message);

// Reads a section of exactly `size` bytes. Fails if it has another size or another checksum; `bytes` is then undefined.
int mega_checkpoint_read(mega_checkpoint_reader *reader, const char *name, void *bytes, size_t size,
                         mega_message *message);
// Reads a section of at most `limit` bytes without a zero among them, as a text to be freed by the caller.
int mega_checkpoint_read_text(mega_checkpoint_reader *reader, const char *name, size_t limit, char **text,
                              mega_message *message);
// The same in parts, one section at a time: `total` is what all parts will be together, and read_end says
// whether what was read had the right checksum. After a failure another section may be begun.
int mega_checkpoint_read_begin(mega_checkpoint_reader *reader, const char *name, uint64_t total,
                               mega_message *message);
int mega_checkpoint_read_part(mega_checkpoint_reader *reader, void *bytes, size_t size,
                              mega_message *message);
int mega_checkpoint_read_end(mega_checkpoint_reader *reader, mega_message *message);

#endif
