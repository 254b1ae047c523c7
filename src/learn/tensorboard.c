// tensorboard.c - see tensorboard.h. Fields are those of event.proto and summary.proto of TensorFlow; the framing is
// that of its record_writer, both as the public descriptions have them.
#include "tensorboard.h"

#include "little_endian.h"
#include "protobuf.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EVENT_WALL_TIME = 1,
    EVENT_STEP = 2,
    EVENT_FILE_VERSION = 3,
    EVENT_SUMMARY = 5,
    EVENT_SESSION_LOG = 7,
    SESSION_LOG_STATUS = 1,
    SESSION_LOG_START = 1,
    SUMMARY_VALUE = 1,
    VALUE_TAG = 1,
    VALUE_SIMPLE_VALUE = 2,
    NAMES_MAX = 1000 // files that are begun in one second
};

struct mega_tensorboard {
    FILE *stream;
    char *path;
};

// ---- records -----------------------------------------------------------------------------------------

// Four bits at a time: records are short and few, and 16 numbers can be read.
uint32_t mega_crc32c(const void *bytes, size_t size) {
    static const uint32_t table[16] = {0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3,
                                       0x61C69362, 0x7198540D, 0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9,
                                       0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75};
    const uint8_t *at = bytes;
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

uint32_t mega_crc32c_masked(const void *bytes, size_t size) {
    const uint32_t crc = mega_crc32c(bytes, size);
    return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

static int put_record(mega_tensorboard *board, const mega_proto *event, mega_message *message) {
    if (event->failed) {
        return mega_message_set(message, "out of memory");
    }
    uint8_t head[12], tail[4];
    mega_put_u64(head, event->size);
    mega_put_u32(head + 8, mega_crc32c_masked(head, 8));
    mega_put_u32(tail, mega_crc32c_masked(event->bytes, event->size));
    if (fwrite(head, 1, sizeof head, board->stream) != sizeof head ||
        fwrite(event->bytes, 1, event->size, board->stream) != event->size ||
        fwrite(tail, 1, sizeof tail, board->stream) != sizeof tail || fflush(board->stream) != 0) {
        return mega_message_set(message, "cannot write %s: %s", board->path, strerror(errno));
    }
    return 0;
}

// Writes an event and releases it.
static int put_event(mega_tensorboard *board, mega_proto *event, mega_message *message) {
    const int status = put_record(board, event, message);
    mega_proto_release(event);
    return status;
}

// ---- files -------------------------------------------------------------------------------------------

// TensorBoard reads files in the order of their names, so that a later one must have a later name.
static int open_file(mega_tensorboard *board, const char *folder, double wall_time, mega_message *message) {
    const size_t size = strlen(folder) + 64;
    board->path = malloc(size);
    if (board->path == NULL) {
        return mega_message_set(message, "out of memory");
    }
    for (unsigned i = 0; i < NAMES_MAX && board->stream == NULL; i++) {
        (void)snprintf(board->path, size, "%s/events.out.tfevents.%010lld.megacade.%03u", folder,
                       (long long)wall_time, i);
        board->stream = fopen(board->path, "wbx");
        if (board->stream == NULL && errno != EEXIST) {
            break;
        }
    }
    if (board->stream == NULL) {
        return mega_message_set(message, "cannot write %s: %s", board->path, strerror(errno));
    }
    return 0;
}

static int put_version(mega_tensorboard *board, double wall_time, mega_message *message) {
    mega_proto event = {0};
    mega_proto_double(&event, EVENT_WALL_TIME, wall_time);
    mega_proto_text(&event, EVENT_FILE_VERSION, "brain.Event:2");
    return put_event(board, &event, message);
}

// The start of a session at a step makes readers forget that step and all later ones.
static int put_start(mega_tensorboard *board, double wall_time, int64_t step, mega_message *message) {
    mega_proto event = {0}, log = {0};
    mega_proto_double(&event, EVENT_WALL_TIME, wall_time);
    mega_proto_int(&event, EVENT_STEP, step);
    mega_proto_int(&log, SESSION_LOG_STATUS, SESSION_LOG_START);
    mega_proto_message(&event, EVENT_SESSION_LOG, &log);
    return put_event(board, &event, message);
}

int mega_tensorboard_create(const char *folder, double wall_time, int64_t resumed, mega_tensorboard **out,
                            mega_message *message) {
    *out = NULL;
    mega_tensorboard *board = calloc(1, sizeof *board);
    if (board == NULL) {
        return mega_message_set(message, "out of memory");
    }
    if (open_file(board, folder, wall_time, message) != 0 || put_version(board, wall_time, message) != 0 ||
        (resumed != MEGA_TENSORBOARD_NEW && put_start(board, wall_time, resumed + 1, message) != 0)) {
        (void)mega_tensorboard_close(board, NULL);
        return -1;
    }
    *out = board;
    return 0;
}

const char *mega_tensorboard_path(const mega_tensorboard *board) {
    return board->path;
}

int mega_tensorboard_add(mega_tensorboard *board, int64_t step, double wall_time, const mega_scalar *scalars,
                         size_t count, mega_message *message) {
    mega_proto event = {0}, summary = {0};
    for (size_t i = 0; i < count; i++) {
        mega_proto value = {0};
        mega_proto_text(&value, VALUE_TAG, scalars[i].tag);
        mega_proto_float(&value, VALUE_SIMPLE_VALUE, (float)scalars[i].value);
        mega_proto_message(&summary, SUMMARY_VALUE, &value);
    }
    mega_proto_double(&event, EVENT_WALL_TIME, wall_time);
    mega_proto_int(&event, EVENT_STEP, step);
    mega_proto_message(&event, EVENT_SUMMARY, &summary);
    return put_event(board, &event, message);
}

int mega_tensorboard_close(mega_tensorboard *board, mega_message *message) {
    int status = 0;
    if (board != NULL) {
        if (board->stream != NULL && fclose(board->stream) != 0) {
            status = mega_message_set(message, "cannot write %s: %s", board->path, strerror(errno));
        }
        free(board->path);
        free(board);
    }
    return status;
}
