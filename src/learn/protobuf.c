// protobuf.c - see protobuf.h.
#include "protobuf.h"

#include "little_endian.h"

#include <stdlib.h>
#include <string.h>

enum {
    WIRE_VARINT = 0,
    WIRE_8_BYTES = 1,
    WIRE_LENGTH = 2,
    WIRE_4_BYTES = 5
};

void mega_proto_release(mega_proto *proto) {
    free(proto->bytes);
    *proto = (mega_proto){0};
}

void mega_proto_clear(mega_proto *proto) {
    proto->size = 0;
}

static bool reserve(mega_proto *proto, size_t size) {
    if (proto->failed || size > SIZE_MAX / 4 - proto->size) {
        proto->failed = true;
        return false;
    }
    const size_t needed = proto->size + size;
    if (needed <= proto->room) {
        return true;
    }
    const size_t room = needed < 128 ? 256 : needed + needed / 2;
    uint8_t *bytes = realloc(proto->bytes, room);
    if (bytes == NULL) {
        proto->failed = true;
        return false;
    }
    proto->bytes = bytes;
    proto->room = room;
    return true;
}

static void put(mega_proto *proto, const void *bytes, size_t size) {
    if (size > 0 && reserve(proto, size)) {
        memcpy(proto->bytes + proto->size, bytes, size);
        proto->size += size;
    }
}

static void put_varint(mega_proto *proto, uint64_t value) {
    uint8_t bytes[10];
    size_t count = 0;
    for (; value >= 0x80; value >>= 7) {
        bytes[count++] = (uint8_t)(value | 0x80);
    }
    bytes[count++] = (uint8_t)value;
    put(proto, bytes, count);
}

static void put_key(mega_proto *proto, uint32_t field, uint32_t wire) {
    put_varint(proto, field << 3 | wire);
}

void mega_proto_int(mega_proto *proto, uint32_t field, int64_t value) {
    put_key(proto, field, WIRE_VARINT);
    put_varint(proto, (uint64_t)value);
}

void mega_proto_float(mega_proto *proto, uint32_t field, float value) {
    put_key(proto, field, WIRE_4_BYTES);
    put(proto, &value, sizeof value); // little-endian, see little_endian.h
}

void mega_proto_double(mega_proto *proto, uint32_t field, double value) {
    put_key(proto, field, WIRE_8_BYTES);
    put(proto, &value, sizeof value);
}

void mega_proto_bytes(mega_proto *proto, uint32_t field, const void *bytes, size_t size) {
    put_key(proto, field, WIRE_LENGTH);
    put_varint(proto, size);
    put(proto, bytes, size);
}

void mega_proto_text(mega_proto *proto, uint32_t field, const char *text) {
    mega_proto_bytes(proto, field, text, strlen(text));
}

void mega_proto_message(mega_proto *proto, uint32_t field, mega_proto *message) {
    mega_proto_bytes(proto, field, message->bytes, message->size);
    proto->failed |= message->failed;
    mega_proto_release(message);
}
