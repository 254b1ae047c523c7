// test_resize.c - resizing gives the reference's bytes (hashes of its output on a fixed picture), and the fast
// way to 84 x 84 gives the same as the general one.
#include "mega_resize.h"

#include "mega_test_machine.h"

#include "mega_test.h"

static uint8_t source[250 * 160 * 3];
static uint8_t target[MEGA_RESIZE_MAX * MEGA_RESIZE_MAX * 3];
static uint8_t other[MEGA_RESIZE_MAX * MEGA_RESIZE_MAX * 3];
static uint8_t repeats[210];
static mega_resizer resizer;

static uint64_t fnv1a(const uint8_t *bytes, size_t size) {
    uint64_t hash = 0xCBF29CE484222325ull;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001B3ull;
    }
    return hash;
}

static void fill_source(uint32_t channels) {
    for (uint32_t y = 0; y < 210; y++) {
        for (uint32_t x = 0; x < 160; x++) {
            const uint8_t p = (uint8_t)(7u * x + 13u * y + (x * y >> 3));
            uint8_t *to = source + (160u * y + x) * channels;
            to[0] = p;
            if (channels == 3) {
                to[1] = (uint8_t)(255u - p);
                to[2] = (uint8_t)(3u * p);
            }
        }
    }
}

static void check_size(uint32_t height, uint32_t width, uint32_t channels, uint64_t hash, const char *first,
                       const char *last) {
    char text[64];
    const uint32_t size = height * width * channels;
    memset(target, 0xEE, sizeof target);
    resize_prepare(&resizer, 210, 160, height, width, channels);
    resize_run(&resizer, source, NULL, target);
    MEGA_CHECK(fnv1a(target, size) == hash);
    if (fnv1a(target, size) != hash) {
        fprintf(stderr, "%u x %u, %u channels: hash %016llx\n", height, width, channels,
                (unsigned long long)fnv1a(target, size));
    }
    MEGA_CHECK_EQ(target[size], 0xEE);
    if (first != NULL) {
        snprintf(text, sizeof text, "%u %u %u %u", target[0], target[1], target[2], target[3]);
        MEGA_CHECK(strcmp(text, first) == 0);
        const uint8_t *end = target + size - 4;
        snprintf(text, sizeof text, "%u %u %u %u", end[0], end[1], end[2], end[3]);
        MEGA_CHECK(strcmp(text, last) == 0);
    }
}

static void test_reference(void) {
    fill_source(1);
    MEGA_CHECK(fnv1a(source, 210 * 160) == 0x771e3cdadcdd9155ull);
    check_size(210, 160, 1, 0x771e3cdadcdd9155ull, NULL, NULL);
    check_size(84, 84, 1, 0x82e8fb916ae1b9a3ull, "14 27 41 54", "73 136 194 105");
    check_size(64, 64, 1, 0x77711b35146e4470ull, "21 38 56 74", "110 78 160 145");
    check_size(96, 72, 1, 0x827a594ead98ca53ull, "13 28 44 59", "52 116 189 103");
    check_size(110, 84, 1, 0x01eaf8e5212f816cull, "10 23 36 49", "84 147 203 74");
    check_size(105, 80, 1, 0xbdae74f825651c55ull, "10 24 38 52", "73 139 205 79");
    check_size(42, 32, 1, 0x94865d60a7881ab5ull, "40 76 113 149", "150 109 110 141");
    check_size(210, 80, 1, 0x95903b6e486922f5ull, "4 18 32 46", "88 154 220 30");
    check_size(84, 200, 1, 0xc17fd2b17728b6bbull, "8 13 18 24", "190 215 188 59");
    check_size(300, 84, 1, 0x922473e4a4382a73ull, "3 14 27 41", "94 159 223 31");
    check_size(300, 200, 1, 0x42f0b259262a46eaull, "0 5 11 16", "229 126 22 47");
    fill_source(3);
    check_size(84, 84, 3, 0xd59e8de1c423fe25ull, NULL, NULL);
    check_size(64, 64, 3, 0x70664a94e8cece64ull, NULL, NULL);
    check_size(105, 80, 3, 0x5359b2fae9b93f3dull, NULL, NULL);
    check_size(300, 200, 3, 0xc67ecebc9a938b64ull, NULL, NULL);
}

// On noise, on flat colours and on noise of few values, where exact halves are frequent.
static void test_84(void) {
    test_random random = {1};
    resize_prepare(&resizer, 210, 160, 84, 84, 1);
    MEGA_CHECK_EQ(resizer.kind, MEGA_RESIZE_84);
    for (uint32_t n = 0; n < 300; n++) {
        const uint32_t values = n % 3u == 0 ? 256 : 1u + n % 17u;
        for (uint32_t i = 0; i < 210 * 160; i++) {
            source[i] = (uint8_t)(test_below(&random, values) * (n % 5u == 0 ? 50u : 1u));
        }
        for (uint32_t y = 1; y < 210; y++) { // every other picture has rows that repeat
            repeats[y] = n % 2u != 0 && test_below(&random, 3) != 0;
            if (repeats[y]) {
                memcpy(source + 160 * y, source + 160 * (y - 1), 160);
            }
        }
        resize_84(&resizer, source, NULL, target);
        resize_area(&resizer, source, other);
        MEGA_CHECK_BYTES(target, other, 84 * 84);
        memset(target, 0, 84 * 84);
        resize_84(&resizer, source, repeats, target);
        MEGA_CHECK_BYTES(target, other, 84 * 84);
    }
}

// No size within the limits leaves the arrays: for the sanitizers, and every target pixel of a flat picture is flat.
static void test_sizes(void) {
    static const uint32_t sides[] = {1,   2,   3,   5,   7,   53,  79,  80,  84,
                                     159, 160, 161, 209, 210, 211, 250, 511, 512};
    static const uint32_t heights[] = {210, 214, 220, 230, 250};
    const uint32_t count = sizeof sides / sizeof sides[0];
    memset(source, 77, sizeof source);
    for (uint32_t i = 0; i < count * count; i++) {
        const uint32_t height = sides[i / count], width = sides[i % count], channels = 1u + 2u * (i & 1u);
        resize_prepare(&resizer, heights[i % 5u], 160, height, width, channels);
        memset(target, 0, sizeof target);
        resize_run(&resizer, source, NULL, target);
        uint32_t wrong = 0;
        for (uint32_t j = 0; j < height * width * channels; j++) {
            wrong += target[j] != 77;
        }
        MEGA_CHECK_EQ(wrong, 0);
    }
}

int main(void) {
    test_reference();
    test_84();
    test_sizes();
    return mega_test_result();
}
