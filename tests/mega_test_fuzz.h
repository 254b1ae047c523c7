// mega_test_fuzz.h - what fuzzers of files share: their options, random numbers, damage.
#ifndef MEGA_TEST_FUZZ_H
#define MEGA_TEST_FUZZ_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fuzz_options {
    uint64_t cases;
    uint64_t seed;
} fuzz_options;

// Reads --cases N and --seed N; ends the program on anything else.
static inline fuzz_options fuzz_read_options(int count, char **words, uint64_t cases) {
    fuzz_options options = {cases, 0};
    for (int i = 1; i < count; i += 2) {
        char *end = NULL;
        uint64_t *const place = strcmp(words[i], "--cases") == 0  ? &options.cases
                                : strcmp(words[i], "--seed") == 0 ? &options.seed
                                                                  : NULL;
        const unsigned long long value = i + 1 < count ? strtoull(words[i + 1], &end, 10) : 0;
        if (place == NULL || end == NULL || end == words[i + 1] || *end != '\0') {
            fprintf(stderr, "usage: %s [--cases N] [--seed N]\n", words[0]);
            exit(2);
        }
        *place = value;
    }
    return options;
}

// splitmix64
static inline uint64_t fuzz_next(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static inline size_t fuzz_below(uint64_t *state, size_t limit) {
    return limit == 0 ? 0 : (size_t)(fuzz_next(state) % limit);
}

// Overwrites up to 8 bytes with a number that programs trip over.
static inline void fuzz_put_number(uint8_t *bytes, size_t size, uint64_t *random) {
    static const uint64_t numbers[] = {
        0,          1,          2,          0x7F,       0xFF,      0x7FFFFFFF,
        0x80000000, 0xFFFFFFFF, 0x100000,   0x100001,   0xFFFFF,   0x7FFFFFFFFFFFFFFF,
        ~0ull,      ~0ull - 15, 1ull << 63, 1ull << 32, 1ull << 40};
    const uint64_t number = numbers[fuzz_below(random, sizeof numbers / sizeof numbers[0])];
    const size_t width = (size_t)1 << fuzz_below(random, 4);
    const size_t at = fuzz_below(random, size);
    for (size_t i = 0; i < width && at + i < size; i++) {
        bytes[at + i] = (uint8_t)(number >> (8 * i));
    }
}

// Damages `size` bytes, of which there is room for `room`; the result is their number afterwards.
static inline size_t fuzz_damage(uint8_t *bytes, size_t size, size_t room, uint64_t *random) {
    for (size_t changes = 1 + fuzz_below(random, 4); changes > 0 && size > 0; changes--) {
        const size_t at = fuzz_below(random, size);
        switch (fuzz_below(random, 7)) {
        case 0: bytes[at] ^= (uint8_t)(1u << fuzz_below(random, 8)); break;
        case 1: bytes[at] = (uint8_t)fuzz_next(random); break;
        case 2: size = at; break; // cut short
        case 3: fuzz_put_number(bytes, size, random); break;
        case 4: { // a piece from elsewhere
            const size_t from = fuzz_below(random, size);
            const size_t longest = size - (at > from ? at : from);
            memmove(bytes + at, bytes + from, fuzz_below(random, longest));
            break;
        }
        case 5: // a byte less
            memmove(bytes + at, bytes + at + 1, size - at - 1);
            size--;
            break;
        default: // a byte more
            if (size < room) {
                memmove(bytes + at + 1, bytes + at, size - at);
                bytes[at] = (uint8_t)fuzz_next(random);
                size++;
            }
            break;
        }
    }
    return size;
}

// Writes a file; ends the program on failure.
static inline void fuzz_write(const char *path, const void *bytes, size_t size) {
    FILE *stream = fopen(path, "wb");
    if (stream == NULL || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0) {
        perror(path);
        exit(1);
    }
}

#endif
