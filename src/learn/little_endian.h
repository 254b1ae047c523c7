// little_endian.h - numbers in files, in the byte order that all our formats have.
#ifndef LITTLE_ENDIAN_H
#define LITTLE_ENDIAN_H

#include <stdint.h>

// Arrays of numbers are written as they are in memory.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "files of a run are written on little-endian machines only");

static inline void mega_put_u32(uint8_t *bytes, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

static inline void mega_put_u64(uint8_t *bytes, uint64_t value) {
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

static inline uint32_t mega_get_u32(const uint8_t *bytes) {
    uint32_t value = 0;
    for (int i = 3; i >= 0; i--) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static inline uint64_t mega_get_u64(const uint8_t *bytes) {
    return mega_get_u32(bytes) | (uint64_t)mega_get_u32(bytes + 4) << 32;
}

#endif
