// test_translate.c - translated programs do what interpreted ones do, also where a translator is easily wrong.
// tests/fuzz/fuzz_translate.c does this at length.
#include "mega_test_translate_programs.h"

#include "mega_test.h"
#include "mega_test_files.h"

#define TRIAL_FRAMES 8

static test_pair pair;

static void check(const char *name, uint32_t frames, uint32_t least) {
    mega_native native;
    MEGA_CHECK_EQ(test_translate(&image.cartridge, image.bytes, TRIAL_FRAMES, &native), 0);
    MEGA_CHECK(least == 0 || native.run != NULL);
    MEGA_CHECK_EQ(test_pair_agrees(&pair, name, &image.cartridge, image.bytes, &native, frames, 1), 0);
    if (1000 * test_in_blocks < least * (test_in_blocks + test_elsewhere)) {
        fprintf(stderr, "%s: %llu instructions in blocks, %llu elsewhere\n", name,
                (unsigned long long)test_in_blocks, (unsigned long long)test_elsewhere);
        MEGA_FAIL("too little was translated");
    }
    native_close(&native);
}

static void test_builtin(void) {
    image.cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
    memcpy(image.bytes, mega_builtin_rom, 4096);
    mega_native native;
    MEGA_CHECK_EQ(test_translate(&image.cartridge, image.bytes, 2000, &native), 0);
    MEGA_CHECK_EQ(test_pair_agrees(&pair, "built-in", &image.cartridge, image.bytes, &native, 3000, 1), 0);
    MEGA_CHECK(1000 * test_in_blocks > 999 * (test_in_blocks + test_elsewhere));
    native_close(&native);
}

// ---- texts -----------------------------------------------------------------------------------------------

// The same text twice, with what was executed as a comment; no path, date or other chance in it.
static void test_text(void) {
    mega_translated_text one, two;
    const mega_cartridge cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
    MEGA_CHECK_EQ(translator_write(&cartridge, mega_builtin_rom, 500, &one), MEGA_OK);
    MEGA_CHECK_EQ(translator_write(&cartridge, mega_builtin_rom, 500, &two), MEGA_OK);
    MEGA_CHECK(one.text != NULL && two.text != NULL && strcmp(one.text, two.text) == 0);
    MEGA_CHECK(one.text != NULL && strstr(one.text, "STA WSYNC") == NULL &&
               strstr(one.text, "STA $02") != NULL);
    MEGA_CHECK(one.facts.blocks > 50 && one.facts.instructions > 500 && one.facts.units == 1);
    translator_release(&one);
    translator_release(&two);
}

// A kind of cartridge that is always interpreted.
static void test_nothing_to_translate(void) {
    mega_translated_text text;
    memset(&image, 0, sizeof image);
    image.cartridge = test_cartridge(MEGA_SCHEME_MC, 4096);
    MEGA_CHECK_EQ(translator_write(&image.cartridge, image.bytes, TRIAL_FRAMES, &text), MEGA_OK);
    MEGA_CHECK(text.text == NULL);
}

int main(void) {
    mega_host_compiler compiler;
    if (host_compiler_find(&compiler) != MEGA_OK) {
        printf("skipped: %s\n", mega_last_error());
        return 77;
    }
    setenv("MEGACADE_CACHE", mega_test_path("cache"), 1);
    test_text();
    test_nothing_to_translate();
    test_programs();
    test_builtin();
    mega_test_remove_files();
    MEGA_CHECK(access(mega_test_folder, F_OK) != 0); // nothing was left behind
    return mega_test_result();
}
