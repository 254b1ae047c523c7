// stream.h - the random numbers and the hash of traces and benchmarks.
//
// Both are part of the trace format: splitmix64 for actions, 64-bit FNV-1a for what is compared.
#ifndef STREAM_H
#define STREAM_H

#include <stddef.h>
#include <stdint.h>

typedef struct mega_stream {
    uint64_t state; // the seed at the start
} mega_stream;

static inline uint64_t mega_stream_next(mega_stream *stream) {
    stream->state += 0x9E3779B97F4A7C15u;
    uint64_t z = stream->state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// A number from 0 to count - 1.
static inline uint32_t mega_stream_below(mega_stream *stream, uint32_t count) {
    return (uint32_t)(((mega_stream_next(stream) >> 32) * count) >> 32);
}

#define MEGA_FNV_START 0xCBF29CE484222325u

// Continues `hash` (MEGA_FNV_START at first) over `size` bytes.
static inline uint64_t mega_fnv(uint64_t hash, const void *bytes, size_t size) {
    const uint8_t *const byte = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ byte[i]) * 0x100000001B3u;
    }
    return hash;
}

#endif
