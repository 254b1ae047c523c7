// tensorboard.h - an event file for TensorBoard: numbers with a tag, a step and a time.
//
// The file is a sequence of TFRecords, each an Event of TensorFlow's event.proto in protobuf's encoding.
#ifndef TENSORBOARD_H
#define TENSORBOARD_H
#include "message.h"

#include <stddef.h>
#include <stdint.h>

#define MEGA_TENSORBOARD_NEW (-1)

typedef struct mega_tensorboard mega_tensorboard;

typedef struct mega_scalar {
    const char *tag; // "charts/episode_return"; what is before the slash groups charts
    double value;    // stored as a float
} mega_scalar;

// Makes a new event file in a folder that exists. TensorBoard reads all files of a folder: a run that goes on after a
// checkpoint gives the step of that checkpoint as `resumed`, and later steps of older files are forgotten. Else
// `resumed` is MEGA_TENSORBOARD_NEW. Times are seconds since 1970.
int mega_tensorboard_create(const char *folder, double wall_time, int64_t resumed, mega_tensorboard **out,
                            mega_message *message);
// The name of the file; it lives as long as the writer.
const char *mega_tensorboard_path(const mega_tensorboard *board);
// Adds an event and hands it to the system.
int mega_tensorboard_add(mega_tensorboard *board, int64_t step, double wall_time, const mega_scalar *scalars,
                         size_t count, mega_message *message);
// Frees the writer, also on failure. NULL is allowed and fine.
int mega_tensorboard_close(mega_tensorboard *board, mega_message *message);

// CRC-32C (Castagnoli), and as TFRecords have it.
uint32_t mega_crc32c(const void *bytes, size_t size);
uint32_t mega_crc32c_masked(const void *bytes, size_t size);

#endif
