// test_tensorboard.c - event files: checksums against known answers, and what is written read back by a parser that is
// made from the formats' descriptions and shares no code with the writer.
#include "mega_test.h"
#include "mega_test_files.h"
#include "tensorboard.h"

enum {
    EVENTS_MAX = 16,
    FILE_MAX = 1 << 16
};

typedef struct event {
    double wall_time;
    int64_t step;
    char version[32];
    char tags[4][32];
    float values[4];
    int value_count;
    int session_status; // 0 for none
} event;

static mega_message message;
static uint8_t bytes[FILE_MAX];
static event events[EVENTS_MAX];
static int event_count;
static int broken;

// ---- reading -----------------------------------------------------------------------------------------

typedef struct field {
    uint32_t number;
    uint32_t wire;
    uint64_t value; // a varint, or the bits of a fixed number
    const uint8_t *bytes;
    size_t size;
} field;

static uint64_t number_at(const uint8_t *at, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

static uint64_t varint(const uint8_t **at, const uint8_t *end) {
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (*at == end) {
            break;
        }
        const uint8_t byte = *(*at)++;
        value |= shift < 64 ? (uint64_t)(byte & 0x7F) << shift : 0;
        if (byte < 0x80) {
            return value;
        }
    }
    broken = 1;
    return 0;
}

static int next_field(const uint8_t **at, const uint8_t *end, field *field) {
    if (*at == end || broken) {
        return 0;
    }
    const uint64_t key = varint(at, end);
    field->number = (uint32_t)(key >> 3);
    field->wire = key & 7;
    field->size = field->wire == 1 ? 8 : field->wire == 5 ? 4 : 0;
    if (field->wire == 0) {
        field->value = varint(at, end);
    } else if (field->wire == 2) {
        field->size = (size_t)varint(at, end);
    }
    if (field->size > (size_t)(end - *at)) {
        broken = 1;
        return 0;
    }
    field->bytes = *at;
    if (field->wire == 1 || field->wire == 5) {
        field->value = number_at(*at, field->size);
    }
    *at += field->size;
    return 1;
}

static void copy_text(char *text, size_t room, const field *field) {
    MEGA_CHECK(field->size < room);
    memcpy(text, field->bytes, field->size);
    text[field->size] = '\0';
}

static void parse_value(event *event, const uint8_t *at, const uint8_t *end) {
    field field;
    while (next_field(&at, end, &field)) {
        if (field.number == 1) {
            copy_text(event->tags[event->value_count], 32, &field);
        } else if (field.number == 2 && field.wire == 5) {
            memcpy(&event->values[event->value_count], field.bytes, 4);
        } else {
            broken = 1;
        }
    }
    event->value_count++;
}

static void parse_event(event *event, const uint8_t *at, const uint8_t *end) {
    field field, inner;
    while (next_field(&at, end, &field)) {
        const uint8_t *start = field.bytes;
        if (field.number == 1 && field.wire == 1) {
            memcpy(&event->wall_time, field.bytes, 8);
        } else if (field.number == 2 && field.wire == 0) {
            event->step = (int64_t)field.value;
        } else if (field.number == 3) {
            copy_text(event->version, 32, &field);
        } else if (field.number == 5) {
            while (next_field(&start, field.bytes + field.size, &inner)) {
                MEGA_CHECK_EQ(inner.number, 1);
                parse_value(event, inner.bytes, inner.bytes + inner.size);
            }
        } else if (field.number == 7 && next_field(&start, field.bytes + field.size, &inner)) {
            event->session_status = (int)inner.value;
        } else {
            broken = 1;
        }
    }
}

static uint32_t masked(const uint8_t *at, size_t size) {
    const uint32_t crc = mega_crc32c(at, size);
    return (uint32_t)(((uint64_t)crc << 32 | crc) >> 15) + 0xA282EAD8u; // rotated to the right by 15
}

static void read_events(const char *path) {
    FILE *stream = fopen(path, "rb");
    const size_t size = stream != NULL ? fread(bytes, 1, FILE_MAX, stream) : 0;
    if (stream != NULL) {
        fclose(stream);
    }
    memset(events, 0, sizeof events);
    event_count = 0;
    broken = 0;
    for (size_t at = 0; at < size && event_count < EVENTS_MAX && !broken;) {
        const uint64_t length = number_at(bytes + at, 8);
        if (size - at < 16 || length > size - at - 16) {
            broken = 1;
            break;
        }
        MEGA_CHECK_EQ(number_at(bytes + at + 8, 4), masked(bytes + at, 8));
        const uint8_t *data = bytes + at + 12;
        MEGA_CHECK_EQ(number_at(data + length, 4), masked(data, length));
        parse_event(&events[event_count++], data, data + length);
        at += length + 16;
    }
    MEGA_CHECK(!broken);
}

// ---- tests -------------------------------------------------------------------------------------------

// The first is the check value of the algorithm's public catalogues, the others are from RFC 3720, B.4.
static void test_checksum(void) {
    uint8_t data[32];
    MEGA_CHECK_EQ(mega_crc32c("123456789", 9), 0xE3069283);
    MEGA_CHECK_EQ(mega_crc32c("", 0), 0);
    memset(data, 0, 32);
    MEGA_CHECK_EQ(mega_crc32c(data, 32), 0x8A9136AA);
    memset(data, 0xFF, 32);
    MEGA_CHECK_EQ(mega_crc32c(data, 32), 0x62A8AB43);
    for (uint8_t i = 0; i < 32; i++) {
        data[i] = i;
    }
    MEGA_CHECK_EQ(mega_crc32c(data, 32), 0x46DD794E);
    // (crc >> 15 | crc << 17) + 0xA282EAD8 of the first.
    MEGA_CHECK_EQ(mega_crc32c_masked("123456789", 9), (0xE3069283u >> 15 | 0xE3069283u << 17) + 0xA282EAD8u);
    MEGA_CHECK_EQ(mega_crc32c_masked("123456789", 9), 0xC78AB0E5);
}

static void test_events(const char *folder) {
    static const mega_scalar scalars[] = {{"charts/return", -20.25}, {"losses/value", 1e-3}, {"x", 0.0}};
    mega_tensorboard *board = NULL;
    MEGA_CHECK_EQ(mega_tensorboard_create(folder, 1700000000.5, MEGA_TENSORBOARD_NEW, &board, &message), 0);
    char path[MEGA_TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s", mega_tensorboard_path(board));
    MEGA_CHECK(strstr(path, "/events.out.tfevents.1700000000.") != NULL);
    MEGA_CHECK_EQ(mega_tensorboard_add(board, 1000, 1700000001.0, scalars, 3, &message), 0);
    read_events(path); // without waiting for the end
    MEGA_CHECK_EQ(event_count, 2);
    MEGA_CHECK_EQ(mega_tensorboard_add(board, 1ll << 40, 1700000002.0, scalars + 2, 1, &message), 0);
    MEGA_CHECK_EQ(mega_tensorboard_add(board, -1, 1700000002.0, scalars, 0, &message), 0);
    MEGA_CHECK_EQ(mega_tensorboard_close(board, &message), 0);
    read_events(path);
    MEGA_CHECK_EQ(event_count, 4);
    MEGA_CHECK(strcmp(events[0].version, "brain.Event:2") == 0 && events[0].wall_time == 1700000000.5);
    MEGA_CHECK(events[1].step == 1000 && events[1].wall_time == 1700000001.0 && events[1].value_count == 3);
    MEGA_CHECK(strcmp(events[1].tags[0], "charts/return") == 0 && events[1].values[0] == -20.25f);
    MEGA_CHECK(strcmp(events[1].tags[1], "losses/value") == 0 && events[1].values[1] == 1e-3f);
    MEGA_CHECK(strcmp(events[1].tags[2], "x") == 0 && events[1].values[2] == 0.0f);
    MEGA_CHECK(events[2].step == 1ll << 40 && events[2].value_count == 1);
    MEGA_CHECK(events[3].step == -1 && events[3].value_count == 0);
    unlink(path);
}

static void test_resumed(const char *folder) {
    mega_tensorboard *first = NULL, *second = NULL;
    MEGA_CHECK_EQ(mega_tensorboard_create(folder, 1700000000.0, MEGA_TENSORBOARD_NEW, &first, &message), 0);
    MEGA_CHECK_EQ(mega_tensorboard_create(folder, 1700000000.9, 20, &second, &message), 0);
    char paths[2][MEGA_TEST_PATH_SIZE];
    snprintf(paths[0], sizeof paths[0], "%s", mega_tensorboard_path(first));
    snprintf(paths[1], sizeof paths[1], "%s", mega_tensorboard_path(second));
    MEGA_CHECK(strcmp(paths[0], paths[1]) < 0); // the order in which readers take them
    MEGA_CHECK_EQ(mega_tensorboard_close(first, &message), 0);
    MEGA_CHECK_EQ(mega_tensorboard_close(second, &message), 0);
    read_events(paths[1]);
    MEGA_CHECK_EQ(event_count, 2);
    MEGA_CHECK(strcmp(events[0].version, "brain.Event:2") == 0);
    MEGA_CHECK(events[1].session_status == 1 &&
               events[1].step == 21); // from here on older files do not count
    unlink(paths[0]);
    unlink(paths[1]);
}

static void test_mistakes(void) {
    mega_tensorboard *board = NULL;
    MEGA_CHECK_EQ(
        mega_tensorboard_create(mega_test_path("absent"), 0.0, MEGA_TENSORBOARD_NEW, &board, &message), -1);
    MEGA_CHECK(board == NULL && strstr(message.text, "No such file") != NULL);
    MEGA_CHECK_EQ(mega_tensorboard_close(NULL, &message), 0);
}

int main(void) {
    const char *folder = mega_test_mkdir("board");
    test_checksum();
    test_events(folder);
    test_resumed(folder);
    test_mistakes();
    mega_test_remove_files();
    return mega_test_result();
}
