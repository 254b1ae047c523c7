// test_reset_memo.c - a reset that is copied ends as one that is played: the same session byte by byte, the same
// pictures, the same game afterwards; whatever was played before and whatever RAM holds.
#include "environment.h"
#include "mega_test.h"
#include "mega_test_machine.h"

#define RESETS 10
#define FRAMES_AFTER 20

static uint32_t copied_games, played_games;

static mega_env *open_environment(const mega_rom *rom, int with_memo) {
    const mega_env_desc desc = {.struct_size = sizeof(desc), .sticky = 0.25f};
    mega_env *env = NULL;
    MEGA_CHECK_EQ(mega_env_create(&desc, rom, &env), MEGA_OK);
    reset_memo_destroy(env->memo);
    env->memo = NULL;
    if (with_memo) {
        MEGA_CHECK_EQ(reset_memo_create(&env->settings, &env->cartridge, &env->memo), MEGA_OK);
    }
    return env;
}

static void act_in_both(mega_env *a, mega_env *b, uint32_t frames, test_random *random) {
    for (uint32_t i = 0; i < frames; i++) {
        const uint32_t action = test_below(random, 18);
        a->play->act(&a->stage, action, 1.0f);
        b->play->act(&b->stage, action, 1.0f);
    }
}

static void check_equal(const mega_env *a, const mega_env *b, const char *name) {
    const int sessions = memcmp(&a->session, &b->session, sizeof(a->session));
    if (sessions != 0) {
        fprintf(stderr, "%s: sessions differ\n", name);
    }
    MEGA_CHECK_EQ(sessions, 0);
    for (uint32_t ago = 0; ago < 2; ago++) {
        const char *difference = test_pixel_difference(
            a->play->picture(&a->stage, ago), b->play->picture(&b->stage, ago),
            (size_t)MEGA_WIDTH * a->cartridge.height, ago != 0 ? "picture before" : "picture");
        if (difference != NULL) {
            fprintf(stderr, "%s: %s\n", name, difference);
        }
        MEGA_CHECK(difference == NULL);
    }
}

// The state before a reset: some play, and now and then RAM that no play would leave.
static void come_from_anywhere(mega_env *a, mega_env *b, test_random *random) {
    act_in_both(a, b, test_below(random, 200), random);
    if (test_once_in(random, 3)) {
        const uint32_t changes = 1u + test_below(random, 128);
        for (uint32_t i = 0; i < changes; i++) {
            const uint32_t at = test_below(random, 128);
            a->session.console.riot.ram[at] = b->session.console.riot.ram[at] = test_byte(random);
        }
    }
    if (a->facts != NULL && test_once_in(random, 3)) {
        const int32_t mode = a->facts->modes[test_below(random, a->facts->mode_count)];
        a->session.mode = b->session.mode = mode;
    }
}

static void test_game(const mega_rom *rom, uint64_t seed) {
    test_random random = {seed};
    mega_env *a = open_environment(rom, 1), *b = open_environment(rom, 0);
    const int remembers = a->memo != NULL;
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
        a->play->begin_reset(&a->stage, a->draws);
        copied += (uint32_t)reset_memo_finish(a->memo, a->play, &a->stage);
    }
    copied_games += copied != 0;
    played_games += copied == 0;
    mega_env_destroy(a);
    mega_env_destroy(b);
}

// Power cycles are copied, too.
static void test_power(const mega_rom *rom) {
    mega_env *a = open_environment(rom, 1), *b = open_environment(rom, 0);
    for (uint32_t i = 0; i < 3; i++) {
        MEGA_CHECK_EQ(environment_power_on(a, i), MEGA_OK);
        MEGA_CHECK_EQ(environment_power_on(b, i), MEGA_OK);
        check_equal(a, b, rom->info.name);
    }
    mega_env_destroy(a);
    mega_env_destroy(b);
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
