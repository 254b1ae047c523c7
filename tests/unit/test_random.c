// test_random.c - the generators give the reference's numbers.
#include "mega_gym.h"
#include "mega_random.h"

#include "mega_test_machine.h"

#include <zlib.h>

#include "mega_test.h"

static mega_mt19937 mt;

static void check_sequence(uint32_t seed, const uint32_t *expected, uint32_t count) {
    mega_mt_seed(&mt, seed);
    for (uint32_t i = 0; i < count; i++) {
        MEGA_CHECK_EQ(mega_mt_next(&mt), expected[i]);
    }
}

static void test_mersenne_twister(void) {
    static const uint32_t console[] = {3205607096u, 2794184854u, 4236690624u,
                                       2047087177u, 1877198539u, 2979425365u};
    static const uint32_t zero[] = {2357136044u, 2546248239u, 3071714933u, 3626093760u};
    static const uint32_t one[] = {1791095845u, 4282876139u, 3093770124u};
    static const uint32_t forty_two[] = {1608637542u, 3421126067u, 4083286876u};
    check_sequence(MEGA_CONSOLE_SEED, console, 6);
    check_sequence(0, zero, 4);
    check_sequence(1, one, 3);
    check_sequence(42, forty_two, 3);
    // The 10000th number of seed 5489 is part of the C++ standard.
    mega_mt_seed(&mt, 5489);
    for (uint32_t i = 0; i < 9999; i++) {
        mega_mt_next(&mt);
    }
    MEGA_CHECK_EQ(mega_mt_next(&mt), 4123659995u);
}

static test_rig rig;

// Power-on RAM, and the timer at the resets that follow.
static void test_power_on(void) {
    static const uint8_t ram[32] = {0xB8, 0x96, 0xC0, 0x49, 0xCB, 0x55, 0xC8, 0x7F, 0xFB, 0xB4, 0x45,
                                    0x66, 0x2B, 0x34, 0x10, 0xCA, 0xB9, 0xCE, 0xFF, 0x8F, 0x4F, 0x44,
                                    0xA1, 0x8A, 0x04, 0xC5, 0xCD, 0xFC, 0x75, 0xE7, 0x0A, 0xAD};
    static const uint8_t timers[5] = {51, 32, 74, 65, 64};
    static uint8_t image[4096];
    const mega_cartridge cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
    test_rig_power_on(&rig, &cartridge, image);
    MEGA_CHECK_BYTES(rig.console.riot.ram, ram, sizeof ram);
    MEGA_CHECK_EQ(crc32(0, rig.console.riot.ram, 128), 0x006CDA95u);
    MEGA_CHECK_EQ(25u + rig.draws[128] % 75u, 58);
    for (uint32_t i = 0; i < 5; i++) {
        test_rig_reset(&rig);
        MEGA_CHECK_EQ(rig.console.riot.timer_value, timers[i]);
        MEGA_CHECK_EQ(rig.console.draws, 130 + i);
    }
    MEGA_CHECK_BYTES(rig.console.riot.ram, ram, sizeof ram); // a reset leaves it alone
}

// The number of no-ops, as the reference's vector environment draws it.
static void test_below_30(void) {
    static const uint32_t noops[12] = {16, 12, 13, 16, 29, 6, 26, 2, 26, 0, 23, 5};
    for (uint32_t seed = 0; seed < 12; seed++) {
        mega_mt_seed(&mt, seed);
        MEGA_CHECK_EQ(mega_mt_below(&mt, 30), noops[seed]);
    }
    mega_mt_seed(&mt, 7);
    for (uint32_t i = 0; i < 1000; i++) {
        const uint32_t count = 1u + 0x01234567u * (i % 100u);
        MEGA_CHECK(mega_mt_below(&mt, count) < count);
    }
}

static void test_gym_seeds(void) {
    static const uint32_t skips[20] = {2, 3, 2, 2, 2, 3, 4, 3, 4, 2, 4, 4, 2, 2, 2, 3, 3, 2, 4, 4};
    uint32_t numpy_seed, env_seed;
    mega_pcg64 pcg;
    gym_seeds(42, &numpy_seed, &env_seed);
    MEGA_CHECK_EQ(numpy_seed, 3444837047u);
    MEGA_CHECK_EQ(env_seed, 2669555309u);
    MEGA_CHECK_EQ((int32_t)env_seed, -1625411987);
    gym_seeds(123, &numpy_seed, &env_seed);
    pcg64_seed(&pcg, numpy_seed);
    for (uint32_t i = 0; i < 20; i++) {
        MEGA_CHECK_EQ(pcg64_integers(&pcg, 2, 5), skips[i]);
    }
    const mega_pcg64 before = pcg;
    MEGA_CHECK_EQ(pcg64_integers(&pcg, 4, 5), 4); // a choice of one draws nothing
    MEGA_CHECK_BYTES(&pcg, &before, sizeof pcg);
}

#if defined(__SIZEOF_INT128__)
// The product of 128 bits by hand is the compiler's.
static void test_product(void) {
    __extension__ typedef unsigned __int128 wide;
    test_random random = {3};
    for (uint32_t i = 0; i < 10000; i++) {
        const mega_u128 a = {test_next(&random), test_next(&random)},
                        b = {test_next(&random), test_next(&random)};
        const mega_u128 product = u128_multiply(a, b), sum = u128_add(a, b);
        const wide left = (wide)a.high << 64 | a.low, right = (wide)b.high << 64 | b.low;
        MEGA_CHECK(product.low == (uint64_t)(left * right) && product.high == (uint64_t)(left * right >> 64));
        MEGA_CHECK(sum.low == (uint64_t)(left + right) && sum.high == (uint64_t)((left + right) >> 64));
    }
}
#else
static void test_product(void) {}
#endif

int main(void) {
    test_mersenne_twister();
    test_power_on();
    test_below_30();
    test_gym_seeds();
    test_product();
    return mega_test_result();
}
