// mega_shuffle.h - a random order without a list: where element i comes is computed from i alone. Shared source.
//
// Four rounds of a Feistel network permute the numbers below a power of four; those that fall outside of the list are
// permuted again until they are inside (Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002).
#ifndef MEGA_SHUFFLE_H
#define MEGA_SHUFFLE_H
#include "mega_philox.h"

typedef struct mega_shuffle {
    uint32_t count;
    uint32_t half; // bits of half a number
    mega_philox_block keys;
} mega_shuffle;

// Number `index` of the orders of `count` elements of a seed and a stream.
MEGA_FN mega_shuffle shuffle_make(uint32_t count, uint64_t seed, uint64_t stream, uint64_t index) {
    mega_shuffle shuffle;
    shuffle.count = count;
    shuffle.half = 1;
    while (shuffle.half < 16u && 1u << 2u * shuffle.half < count) {
        shuffle.half++;
    }
    shuffle.keys = mega_philox_at(seed, stream, index);
    return shuffle;
}

MEGA_FN uint32_t shuffle_mix(uint32_t number) { // the end of MurmurHash3
    number = (number ^ number >> 16) * 0x85EBCA6Bu;
    number = (number ^ number >> 13) * 0xC2B2AE35u;
    return number ^ number >> 16;
}

// The element that comes at place `i`, which is less than count.
MEGA_FN uint32_t shuffle_at(const mega_shuffle *shuffle, uint32_t i) {
    const uint32_t mask = (1u << shuffle->half) - 1u;
    do {
        uint32_t left = i >> shuffle->half, right = i & mask;
        for (uint32_t round = 0; round < 4; round++) {
            const uint32_t next = left ^ (shuffle_mix(right ^ shuffle->keys.word[round]) & mask);
            left = right;
            right = next;
        }
        i = left << shuffle->half | right;
    } while (i >= shuffle->count);
    return i;
}

#endif
