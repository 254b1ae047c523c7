// mega_philox.h - Philox4x32-10, a generator that has no state: numbers are a function of where they are. Shared source.
//
// Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3 (2011). Whoever draws names a seed, a stream
// (what the numbers are for) and an index in it; threads and devices that name the same get the same.
#ifndef MEGA_PHILOX_H
#define MEGA_PHILOX_H
#include "mega_base.h"

typedef struct mega_philox_block {
    uint32_t word[4];
} mega_philox_block;

MEGA_FN mega_philox_block mega_philox_round(mega_philox_block in, uint32_t key0, uint32_t key1) {
    const uint64_t product0 = (uint64_t)0xD2511F53u * in.word[0];
    const uint64_t product1 = (uint64_t)0xCD9E8D57u * in.word[2];
    mega_philox_block out;
    out.word[0] = (uint32_t)(product1 >> 32) ^ in.word[1] ^ key0;
    out.word[1] = (uint32_t)product1;
    out.word[2] = (uint32_t)(product0 >> 32) ^ in.word[3] ^ key1;
    out.word[3] = (uint32_t)product0;
    return out;
}

// The published function of a counter and a key.
MEGA_FN mega_philox_block mega_philox(mega_philox_block counter, uint32_t key0, uint32_t key1) {
    for (uint32_t i = 0; i < 10; i++) {
        counter = mega_philox_round(counter, key0, key1);
        key0 += 0x9E3779B9u; // the golden ratio
        key1 += 0xBB67AE85u; // the square root of 3, less one
    }
    return counter;
}

// Four words: number `index` of the blocks of a stream.
MEGA_FN mega_philox_block mega_philox_at(uint64_t seed, uint64_t stream, uint64_t index) {
    mega_philox_block counter;
    counter.word[0] = (uint32_t)index;
    counter.word[1] = (uint32_t)(index >> 32);
    counter.word[2] = (uint32_t)stream;
    counter.word[3] = (uint32_t)(stream >> 32);
    return mega_philox(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
}

// Word number `index` of a stream; whoever wants many takes them by blocks.
MEGA_FN uint32_t mega_philox_word(uint64_t seed, uint64_t stream, uint64_t index) {
    return mega_philox_at(seed, stream, index >> 2).word[index & 3u];
}

// A word as a number in [0, 1): a multiple of 2^-24, so that no rounding makes it 1.
MEGA_FN float mega_philox_uniform(uint32_t word) {
    return (float)(word >> 8) * (1.0f / 16777216.0f);
}

// A word as an integer in [0, count). Some come up more often than others by one part in 2^32 / count.
MEGA_FN uint32_t mega_philox_below(uint32_t word, uint32_t count) {
    return (uint32_t)((uint64_t)word * count >> 32);
}

#endif
