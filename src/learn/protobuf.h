// protobuf.h - messages in protobuf's encoding (https://protobuf.dev/programming-guides/encoding/), built in memory.
//
// Fields are appended one by one; a message inside a message is built by itself and then appended. Running out of
// memory is kept in the buffer, so that only the last step needs to look.
#ifndef PROTOBUF_H
#define PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mega_proto {
    uint8_t *bytes;
    size_t size;
    size_t room;
    bool failed; // there was not enough memory; all else is meaningless
} mega_proto;

// An all-zero mega_proto is an empty message.
void mega_proto_release(mega_proto *proto);
// Removes all fields and keeps the memory.
void mega_proto_clear(mega_proto *proto);
// Integers and enumerations; negative ones take ten bytes.
void mega_proto_int(mega_proto *proto, uint32_t field, int64_t value);
void mega_proto_float(mega_proto *proto, uint32_t field, float value);
void mega_proto_double(mega_proto *proto, uint32_t field, double value);
void mega_proto_text(mega_proto *proto, uint32_t field, const char *text);
void mega_proto_bytes(mega_proto *proto, uint32_t field, const void *bytes, size_t size);
// Appends a message and releases it.
void mega_proto_message(mega_proto *proto, uint32_t field, mega_proto *message);

#endif
