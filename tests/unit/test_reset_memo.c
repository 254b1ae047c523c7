// test_reset_memo.c - a reset that is copied ends as one that is played: the same session byte by byte, the same
// pictures, the same game afterwards; whatever was played before and whatever RAM holds.
#include "environment.h"
#include "mega_test.h"
#include "mega_test_machine.h"

#define RESETS 10
#define FRAMES_AFTER 20

static uint32_t copied_games, played_games;

// Environments do not move, so they lie here: one that may copy its resets, and one that plays them all.
static mega_environment copying, playing;

static void open_environment(mega_environment *env, const mega_rom *rom, int with_memo) {
    const mega_env_desc desc = {.struct_size = sizeof(desc), .sticky = 0.25f};
    mega_setup *setup = NULL;
    mega_scratch *scratch = NULL;
    MEGA_CHECK_EQ(setup_open(&desc, rom, &setup), MEGA_OK);
    MEGA_CHECK_EQ(scratch_open(setup->cartridge.ram_size, &scratch), MEGA_OK);
    if (!with_memo) {
        reset_memo_destroy(setup->memo);
        setup->memo = NULL;
    }
    MEGA_CHECK_EQ(environment_open(env, setup), MEGA_OK);
    environment_connect(env, scratch);
    MEGA_CHECK_EQ(environment_power_on(env, 0), MEGA_OK);
}

static void close_environment(mega_environment *env) {
    mega_setup *setup = (mega_setup *)(uintptr_t)env->setup;
    environment_close(env);
    free(env->scratch);
    setup_close(setup);
}

static void act_in_both(mega_environment *a, mega_environment *b, uint32_t frames, test_random *random) {
    for (uint32_t i = 0; i < frames; i++) {
        const uint32_t action = test_below(random, 18);
        a->setup->play->act(&a->stage, action, 1.0f);
        b->setup->play->act(&b->stage, action, 1.0f);
    }
}

static void check_equal(const mega_environment *a, const mega_environment *b, const char *name) {
    const int sessions = memcmp(&a->session, &b->session, sizeof(a->session));
    if (sessions != 0) {
        fprintf(stderr, "%s: sessions differ\n", name);
    }
    MEGA_CHECK_EQ(sessions, 0);
    for (uint32_t ago = 0; ago < 2; ago++) {
        const char *difference = test_pixel_difference(
            a->setup->play->picture(&a->stage, ago), b->setup->play->picture(&b->stage, ago),
            (size_t)MEGA_WIDTH * a->setup->cartridge.height, ago != 0 ? "picture before" : "picture");
        if (difference != NULL) {
            fprintf(stderr, "%s: %s\n", name, difference);
        }
        MEGA_CHECK(difference == NULL);
    }
}

// The state before a reset: some play, and now and then RAM that no play would leave.
static void come_from_anywhere(mega_environment *a, mega_environment *b, test_random *random) {
    act_in_both(a, b, test_below(random, 200), random);
    if (test_once_in(random, 3)) {
        const uint32_t changes = 1u + test_below(random, 128);
        for (uint32_t i = 0; i < changes; i++) {
            const uint32_t at = test_below(random, 128);
            a->session.console.riot.ram[at] = b->session.console.riot.ram[at] = test_byte(random);
        }
    }
    if (a->setup->facts != NULL && test_once_in(random, 3)) {
        const int32_t mode = a->setup->facts->modes[test_below(random, a->setup->facts->mode_count)];
        a->session.mode = b->session.mode = mode;
    }
}

static void test_game(const mega_rom *rom, uint64_t seed) {
    test_random random = {seed};
    mega_environment *a = &copying, *b = &playing;
    open_environment(a, rom, 1);
    open_environment(b, rom, 0);
    const int remembers = a->setup->memo != NULL;
    uint32_t copied = 0;
    for (uint32_t i = 0; i < RESETS; i++) {
        come_from_anywhere(a, b, &random);
        const mega_status status = environment_reset(a);
        MEGA_CHECK_EQ(status, environment_reset(b));
        check_equal(a, b, rom->info.name);
        act_in_both(a, b, FRAMES_AFTER, &random);
        check_equal(a, b, rom->info.name);
    }
    for (uint32_t i = 0; i < 2 && remembers; i++) { // without surprises
        a->setup->play->begin_reset(&a->stage, a->scratch->draws);
        copied += (uint32_t)reset_memo_finish(a->setup->memo, a->setup->play, &a->stage);
    }
    copied_games += copied != 0;
    played_games += copied == 0;
    close_environment(a);
    close_environment(b);
}

// Power cycles are copied, too.
static void test_power(const mega_rom *rom) {
    mega_environment *a = &copying, *b = &playing;
    open_environment(a, rom, 1);
    open_environment(b, rom, 0);
    for (uint32_t i = 0; i < 3; i++) {
        MEGA_CHECK_EQ(environment_power_on(a, i), MEGA_OK);
        MEGA_CHECK_EQ(environment_power_on(b, i), MEGA_OK);
        check_equal(a, b, rom->info.name);
    }
    close_environment(a);
    close_environment(b);
}

int main(void) {
    static test_rom_set roms;
    mega_rom *builtin = NULL;
    MEGA_CHECK_EQ(mega_rom_builtin(&builtin), MEGA_OK);
    test_game(builtin, 1);
    test_power(builtin);
    MEGA_CHECK_EQ(copied_games, 1);
    mega_rom_destroy(builtin);
    test_load_roms(&roms);
    for (uint32_t i = 0; i < roms.count; i++) {
        test_game(roms.roms[i], i);
        test_power(roms.roms[i]);
    }
    printf("%u of %u images found; in %u games resets are copied, in %u played\n", roms.count, roms.known,
           copied_games, played_games);
    MEGA_CHECK(roms.count < 100 || copied_games > 80);
    test_release_roms(&roms);
    return mega_test_result();
}
