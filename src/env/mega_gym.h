// mega_gym.h - how Gymnasium's AtariEnv turns one seed into two generators: NumPy's SeedSequence and PCG64.
// Shared source.
#ifndef MEGA_GYM_H
#define MEGA_GYM_H
#include "mega_base.h"

// ---- SeedSequence ----------------------------------------------------------------------------------------

typedef struct mega_seed_pool {
    uint32_t word[4];
} mega_seed_pool;

MEGA_FN uint32_t seed_hash(uint32_t value, uint32_t *constant) {
    value ^= *constant;
    *constant *= 0x931E8875u;
    value *= *constant;
    return value ^ value >> 16;
}

MEGA_FN uint32_t seed_mix(uint32_t x, uint32_t y) {
    const uint32_t mixed = 0xCA01F9DDu * x - 0x4973F715u * y;
    return mixed ^ mixed >> 16;
}

MEGA_FN mega_seed_pool seed_pool(uint64_t seed) {
    mega_seed_pool pool;
    uint32_t constant = 0x43B0D7E5u;
    pool.word[0] = seed_hash((uint32_t)seed, &constant);
    pool.word[1] = seed_hash((uint32_t)(seed >> 32), &constant);
    pool.word[2] = seed_hash(0, &constant);
    pool.word[3] = seed_hash(0, &constant);
    for (uint32_t from = 0; from < 4; from++) {
        for (uint32_t to = 0; to < 4; to++) {
            if (to != from) {
                pool.word[to] = seed_mix(pool.word[to], seed_hash(pool.word[from], &constant));
            }
        }
    }
    return pool;
}

MEGA_FN void seed_generate(const mega_seed_pool *pool, uint32_t count, uint32_t *out) {
    uint32_t constant = 0x8B51F9DDu;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = pool->word[i & 3u] ^ constant;
        constant *= 0x58F38DEDu;
        value *= constant;
        out[i] = value ^ value >> 16;
    }
}

// The two seeds that AtariEnv derives: for its NumPy generator and for the console's environment.
MEGA_FN void gym_seeds(uint64_t seed, uint32_t *numpy_seed, uint32_t *env_seed) {
    uint32_t words[2];
    const mega_seed_pool pool = seed_pool(seed);
    seed_generate(&pool, 2, words);
    *numpy_seed = words[0];
    *env_seed = words[1];
}

// ---- PCG64 -----------------------------------------------------------------------------------------------

typedef struct mega_u128 {
    uint64_t high, low;
} mega_u128;

typedef struct mega_pcg64 {
    mega_u128 state, increment;
    uint32_t spare; // the other half of the last 64 bits
    uint32_t has_spare;
} mega_pcg64;

MEGA_FN mega_u128 u128_add(mega_u128 a, mega_u128 b) {
    mega_u128 sum;
    sum.low = a.low + b.low;
    sum.high = a.high + b.high + (sum.low < a.low);
    return sum;
}

// The low 128 bits of a product.
MEGA_FN mega_u128 u128_multiply(mega_u128 a, mega_u128 b) {
    const uint64_t a0 = a.low & 0xFFFFFFFFu, a1 = a.low >> 32, b0 = b.low & 0xFFFFFFFFu, b1 = b.low >> 32;
    const uint64_t low = a0 * b0, mid1 = a1 * b0, mid2 = a0 * b1;
    const uint64_t carry = (low >> 32) + (mid1 & 0xFFFFFFFFu) + (mid2 & 0xFFFFFFFFu);
    mega_u128 product;
    product.low = carry << 32 | (low & 0xFFFFFFFFu);
    product.high = a1 * b1 + (mid1 >> 32) + (mid2 >> 32) + (carry >> 32) + a.high * b.low + a.low * b.high;
    return product;
}

MEGA_FN void pcg64_step(mega_pcg64 *pcg) {
    mega_u128 multiplier;
    multiplier.high = 0x2360ED051FC65DA4ull;
    multiplier.low = 0x4385DF649FCCF645ull;
    pcg->state = u128_add(u128_multiply(pcg->state, multiplier), pcg->increment);
}

MEGA_FN void pcg64_seed(mega_pcg64 *pcg, uint64_t seed) {
    uint32_t words[8];
    mega_u128 start, sequence;
    const mega_seed_pool pool = seed_pool(seed);
    seed_generate(&pool, 8, words);
    start.high = (uint64_t)words[1] << 32 | words[0];
    start.low = (uint64_t)words[3] << 32 | words[2];
    sequence.high = (uint64_t)words[5] << 32 | words[4];
    sequence.low = (uint64_t)words[7] << 32 | words[6];
    pcg->increment.high = sequence.high << 1 | sequence.low >> 63;
    pcg->increment.low = sequence.low << 1 | 1u;
    pcg->state.high = pcg->state.low = 0;
    pcg->spare = pcg->has_spare = 0;
    pcg64_step(pcg);
    pcg->state = u128_add(pcg->state, start);
    pcg64_step(pcg);
}

MEGA_FN uint32_t pcg64_next32(mega_pcg64 *pcg) {
    if (pcg->has_spare) {
        pcg->has_spare = 0;
        return pcg->spare;
    }
    pcg64_step(pcg);
    const uint64_t mixed = pcg->state.high ^ pcg->state.low;
    const uint32_t turn = (uint32_t)(pcg->state.high >> 58);
    const uint64_t value = mixed >> turn | mixed << ((64u - turn) & 63u);
    pcg->spare = (uint32_t)(value >> 32);
    pcg->has_spare = 1;
    return (uint32_t)value;
}

// NumPy's Generator.integers(low, high): low .. high - 1.
MEGA_FN uint32_t pcg64_integers(mega_pcg64 *pcg, uint32_t low, uint32_t high) {
    const uint32_t count = high - low;
    if (count <= 1) {
        return low;
    }
    uint64_t product = (uint64_t)pcg64_next32(pcg) * count;
    if ((uint32_t)product < count) {
        const uint32_t least = (0u - count) % count;
        while ((uint32_t)product < least) {
            product = (uint64_t)pcg64_next32(pcg) * count;
        }
    }
    return low + (uint32_t)(product >> 32);
}

#endif
