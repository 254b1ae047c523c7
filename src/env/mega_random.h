// mega_random.h - MT19937, the generator of the reference. Shared source.
#ifndef MEGA_RANDOM_H
#define MEGA_RANDOM_H
#include "mega_base.h"

#define MEGA_MT_WORDS 624

typedef struct mega_mt19937 {
    uint32_t word[MEGA_MT_WORDS];
    uint32_t index; // next word to hand out; MEGA_MT_WORDS when new ones are due
} mega_mt19937;

MEGA_FN void mega_mt_seed(mega_mt19937 *mt, uint32_t seed) {
    mt->word[0] = seed;
    for (uint32_t i = 1; i < MEGA_MT_WORDS; i++) {
        mt->word[i] = 1812433253u * (mt->word[i - 1] ^ mt->word[i - 1] >> 30) + i;
    }
    mt->index = MEGA_MT_WORDS;
}

MEGA_FN void mega_mt_refill(mega_mt19937 *mt) {
    for (uint32_t i = 0; i < MEGA_MT_WORDS; i++) {
        const uint32_t next = i + 1 < MEGA_MT_WORDS ? i + 1 : 0;
        const uint32_t far = i + 397 < MEGA_MT_WORDS ? i + 397 : i + 397 - MEGA_MT_WORDS;
        const uint32_t mixed = (mt->word[i] & 0x80000000u) | (mt->word[next] & 0x7FFFFFFFu);
        mt->word[i] = mt->word[far] ^ mixed >> 1 ^ (mixed & 1u ? 0x9908B0DFu : 0u);
    }
    mt->index = 0;
}

MEGA_FN uint32_t mega_mt_next(mega_mt19937 *mt) {
    if (mt->index >= MEGA_MT_WORDS) {
        mega_mt_refill(mt);
    }
    uint32_t y = mt->word[mt->index++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9D2C5680u;
    y ^= y << 15 & 0xEFC60000u;
    return y ^ y >> 18;
}

// A number in 0 .. count - 1 without bias: the high half of a product, redrawn where needed.
MEGA_FN uint32_t mega_mt_below(mega_mt19937 *mt, uint32_t count) {
    uint64_t product = (uint64_t)mega_mt_next(mt) * count;
    if ((uint32_t)product < count) {
        const uint32_t least = (0u - count) % count;
        while ((uint32_t)product < least) {
            product = (uint64_t)mega_mt_next(mt) * count;
        }
    }
    return (uint32_t)(product >> 32);
}

// The console's own generator starts from this seed unless a setting names another, so a position in its
// sequence says it all.
#define MEGA_CONSOLE_SEED 4753849u

#endif
