// test_modes.c - fast mode, drawn at once, later or never, is plain mode: the same state byte by byte and the
// same pictures. tests/fuzz/fuzz_modes.c does this at length.
#include "mega_test_modes.h"

#include "mega_test.h"

#define ROM_FRAMES 300
#define FUZZED_IMAGES 100
#define FUZZED_FRAMES 60

static test_trio trio;
static test_image image;
static test_rom_set roms;

static void test_images_found(void) {
    for (uint32_t i = 0; i < roms.count; i++) {
        const mega_rom *rom = roms.roms[i];
        MEGA_CHECK_EQ(test_modes_agree(&trio, rom->info.name, &rom->cartridge, rom->bytes, ROM_FRAMES, i), 0);
    }
}

static void test_builtin(void) {
    const mega_cartridge cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
    MEGA_CHECK_EQ(test_modes_agree(&trio, "built-in", &cartridge, mega_builtin_rom, 600, 1), 0);
}

static void test_fuzzed(void) {
    for (uint64_t seed = 0; seed < FUZZED_IMAGES; seed++) {
        char name[96];
        test_fuzz_image(&image, &roms, seed);
        snprintf(name, sizeof name, "image %u (%s)", (unsigned)seed, image.kind);
        MEGA_CHECK_EQ(test_modes_agree(&trio, name, &image.cartridge, image.bytes, FUZZED_FRAMES, seed), 0);
    }
}

int main(void) {
    test_load_roms(&roms);
    printf("%u of %u images found\n", roms.count, roms.known);
    test_builtin();
    test_images_found();
    test_fuzzed();
    test_release_roms(&roms);
    return mega_test_result();
}
