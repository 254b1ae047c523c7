// test_bad_input.c - what the public functions say to arguments, images and states that are not what they should
// be; and a short run of tests/fuzz/fuzz_api.c.
#include "mega_test_api.h"

#include <math.h>

#include "mega_test.h"

static test_image image;
static test_buffers buffers;

static mega_env *open_builtin(void) {
    mega_rom *rom = NULL;
    mega_env *env = NULL;
    const mega_env_desc desc = {.struct_size = sizeof desc};
    MEGA_CHECK_EQ(mega_rom_builtin(&rom), MEGA_OK);
    MEGA_CHECK_EQ(mega_env_create(&desc, rom, &env), MEGA_OK);
    mega_rom_destroy(rom); // an environment keeps its own copy
    return env;
}

// ---- images --------------------------------------------------------------------------------------------

static void test_images(void) {
    mega_rom *rom = NULL;
    mega_env *env = NULL;
    memcpy(image.bytes, mega_builtin_rom, 4096);
    for (uint32_t size = 0; size < 4096; size += size < 64 ? 1 : 61) {
        if (size != 2048) {
            MEGA_CHECK_EQ(mega_rom_from_memory(image.bytes, size, "cut", &rom), MEGA_ERROR_ROM);
            MEGA_CHECK(rom == NULL);
        }
    }
    MEGA_CHECK_EQ(mega_rom_from_memory(NULL, 4096, "none", &rom), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_rom_from_memory(image.bytes, 4096, NULL, NULL), MEGA_ERROR_ARGUMENT);
    // An image that nobody knows is played without rules.
    image.bytes[0x700] ^= 0x55;
    MEGA_CHECK_EQ(mega_rom_from_memory(image.bytes, 4096, "unknown", &rom), MEGA_OK);
    MEGA_CHECK_EQ(mega_rom_get_info(rom)->game, -1);
    const mega_env_desc desc = {.struct_size = sizeof desc, .frame_skip = 4};
    MEGA_CHECK_EQ(mega_env_create(&desc, rom, &env), MEGA_OK);
    int32_t reward = 99;
    for (uint32_t i = 0; i < 18; i++) {
        MEGA_CHECK_EQ(mega_env_act(env, i, 1.0f, &reward), MEGA_OK);
        MEGA_CHECK_EQ(reward, 0);
    }
    MEGA_CHECK_EQ(mega_env_game_over(env), 0);
    MEGA_CHECK_EQ(mega_env_set_mode(env, 0), MEGA_ERROR_MODE);
    mega_env_destroy(env);
    mega_rom_destroy(rom);
}

// A program that halts the processor: said at every act, cured by no reset, and nothing else breaks.
static void test_jam(void) {
    mega_rom *rom = NULL;
    mega_env *env = NULL;
    memset(image.bytes, 0x02, 4096);
    MEGA_CHECK_EQ(mega_rom_from_memory(image.bytes, 4096, "jam", &rom), MEGA_OK);
    const mega_env_desc desc = {.struct_size = sizeof desc};
    MEGA_CHECK_EQ(mega_env_create(&desc, rom, &env), MEGA_OK);
    int32_t reward = 99;
    MEGA_CHECK_EQ(mega_env_act(env, 0, 1.0f, &reward), MEGA_ERROR_JAMMED);
    MEGA_CHECK_EQ(reward, 0);
    MEGA_CHECK_EQ(mega_env_reset(env), MEGA_ERROR_JAMMED);
    mega_env_destroy(env);
    mega_rom_destroy(rom);
}

// ---- arguments -----------------------------------------------------------------------------------------

static void check_desc(mega_env_desc desc, mega_status expected) {
    mega_rom *rom = NULL;
    mega_env *env = (mega_env *)&desc;
    MEGA_CHECK_EQ(mega_rom_builtin(&rom), MEGA_OK);
    MEGA_CHECK_EQ(mega_env_create(&desc, rom, &env), expected);
    MEGA_CHECK((env != NULL) == (expected == MEGA_OK));
    if (expected == MEGA_OK) {
        mega_env_destroy(env);
    }
    mega_rom_destroy(rom);
}

static void test_descriptions(void) {
    const uint32_t size = sizeof(mega_env_desc);
    mega_rom *rom = NULL;
    mega_env *env = NULL;
    check_desc((mega_env_desc){.struct_size = size}, MEGA_OK);
    check_desc((mega_env_desc){.struct_size = 0}, MEGA_ERROR_ARGUMENT);
    check_desc((mega_env_desc){.struct_size = size - 4}, MEGA_ERROR_ARGUMENT);
    check_desc((mega_env_desc){.struct_size = size, .sticky = -0.01f}, MEGA_ERROR_ARGUMENT);
    check_desc((mega_env_desc){.struct_size = size, .sticky = 1.01f}, MEGA_ERROR_ARGUMENT);
    check_desc((mega_env_desc){.struct_size = size, .sticky = NAN}, MEGA_ERROR_ARGUMENT);
    check_desc((mega_env_desc){.struct_size = size, .max_episode_frames = -1}, MEGA_ERROR_ARGUMENT);
    check_desc((mega_env_desc){.struct_size = size, .frame_skip = 0xFFFFFFFFu}, MEGA_ERROR_ARGUMENT);
    check_desc((mega_env_desc){.struct_size = size, .frame_skip_high = 3}, MEGA_ERROR_ARGUMENT);
    check_desc((mega_env_desc){.struct_size = size, .frame_skip = 3, .frame_skip_high = 3},
               MEGA_ERROR_ARGUMENT);
    check_desc((mega_env_desc){.struct_size = size, .frame_skip = 2, .frame_skip_high = 5}, MEGA_OK);
    check_desc((mega_env_desc){.struct_size = size, .reward_min = 1}, MEGA_ERROR_ARGUMENT);
    check_desc((mega_env_desc){.struct_size = size, .paddle_min = -1}, MEGA_OK);
    check_desc((mega_env_desc){.struct_size = size, .paddle_min = -2}, MEGA_ERROR_ARGUMENT);
    check_desc((mega_env_desc){.struct_size = size, .paddle_min = 5, .paddle_max = 4}, MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_rom_builtin(&rom), MEGA_OK);
    MEGA_CHECK_EQ(mega_env_create(NULL, rom, &env), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_env_create(&(mega_env_desc){.struct_size = size}, NULL, &env), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_env_create(&(mega_env_desc){.struct_size = size}, rom, NULL), MEGA_ERROR_ARGUMENT);
    mega_rom_destroy(rom);
    mega_env_destroy(NULL);
}

static void test_calls(void) {
    mega_env *env = open_builtin();
    int32_t reward = 99;
    uint32_t action = 99;
    const size_t pixels = (size_t)mega_env_screen_height(env) * MEGA_SCREEN_WIDTH;
    const uint32_t frame = mega_env_frame_number(env);
    MEGA_CHECK_EQ(mega_env_act(env, 18, 1.0f, &reward), MEGA_ERROR_ACTION);
    MEGA_CHECK_EQ(reward, 0);
    MEGA_CHECK_EQ(mega_env_act(env, 0xFFFFFFFFu, 1.0f, &reward), MEGA_ERROR_ACTION);
    MEGA_CHECK_EQ(mega_env_act(env, 0, NAN, &reward), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_env_frame_number(env), frame); // nothing was played
    MEGA_CHECK_EQ(mega_env_act(env, 3, INFINITY, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_env_act(env, 3, -1e30f, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_env_set_mode(env, 12345), MEGA_ERROR_MODE);
    MEGA_CHECK_EQ(mega_env_set_mode(env, -1), MEGA_ERROR_MODE);
    MEGA_CHECK_EQ(mega_env_set_difficulty(env, 77), MEGA_ERROR_MODE);
    MEGA_CHECK_EQ(mega_env_set_ram(env, 128, 0), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_env_set_ram(env, 0, 256), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_env_screen(env, buffers.screen, pixels - 1), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_env_screen(env, NULL, pixels), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_env_screen_rgb(env, buffers.screen, pixels), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_env_screen_rgb(env, buffers.screen, 3 * pixels), MEGA_OK);
    MEGA_CHECK_EQ(mega_action_from_polar(NAN, 0.0f, 0.0f, 0.5f, &action), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(action, 0);
    MEGA_CHECK_EQ(mega_action_from_polar(1.0f, INFINITY, 0.0f, 0.5f, &action), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_action_from_polar(1.0f, 0.0f, NAN, 0.5f, &action), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_action_from_polar(1.0f, 0.0f, 0.0f, NAN, &action), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_action_from_polar(1.0f, 0.0f, 0.0f, 0.5f, NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_action_from_polar(1.0f, 0.0f, 1.0f, 0.5f, &action), MEGA_OK);
    MEGA_CHECK_EQ(action, MEGA_ACTION_RIGHTFIRE);
    mega_env_destroy(env);
}

// ---- states --------------------------------------------------------------------------------------------

static void test_states(void) {
    mega_env *env = open_builtin();
    const size_t size = mega_env_state_size(env);
    uint8_t *state = buffers.state, *bad = buffers.damaged;
    MEGA_CHECK(size <= sizeof buffers.state);
    for (uint32_t i = 0; i < 50; i++) {
        MEGA_CHECK_EQ(mega_env_act(env, i % 18u, 1.0f, NULL), MEGA_OK);
    }
    MEGA_CHECK_EQ(mega_env_save(env, 1, state, size - 1), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_env_save(env, 1, NULL, size), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_env_save(env, 1, state, size), MEGA_OK);
    MEGA_CHECK_EQ(mega_env_load(env, state, size), MEGA_OK);
    // Cut short at every length.
    for (size_t length = 0; length < size; length++) {
        MEGA_CHECK_EQ(mega_env_load(env, state, length), MEGA_ERROR_STATE);
    }
    MEGA_CHECK_EQ(mega_env_load(env, NULL, size), MEGA_ERROR_STATE);
    // Another version, another cartridge: the header is magic, version, size, flag and md5.
    memcpy(bad, state, size);
    bad[0] = 'X';
    MEGA_CHECK_EQ(mega_env_load(env, bad, size), MEGA_ERROR_STATE);
    memcpy(bad, state, size);
    bad[4]++;
    MEGA_CHECK_EQ(mega_env_load(env, bad, size), MEGA_ERROR_STATE_VERSION);
    memcpy(bad, state, size);
    bad[20] ^= 1;
    MEGA_CHECK_EQ(mega_env_load(env, bad, size), MEGA_ERROR_STATE);
    memset(bad, 0, size);
    MEGA_CHECK_EQ(mega_env_load(env, bad, size), MEGA_ERROR_STATE);
    // Nothing was changed by what was refused.
    MEGA_CHECK_EQ(mega_env_save(env, 1, bad, size), MEGA_OK);
    MEGA_CHECK_BYTES(bad, state, size);
    mega_env_destroy(env);
}

static void test_state_of_another(void) {
    mega_env *builtin = open_builtin(), *env = NULL;
    mega_rom *rom = NULL;
    memset(image.bytes, 0xEA, 4096);
    MEGA_CHECK_EQ(mega_rom_from_memory(image.bytes, 4096, "other", &rom), MEGA_OK);
    MEGA_CHECK_EQ(mega_env_create(&(mega_env_desc){.struct_size = sizeof(mega_env_desc)}, rom, &env),
                  MEGA_OK);
    const size_t size = mega_env_state_size(builtin);
    MEGA_CHECK_EQ(mega_env_state_size(env), size);
    MEGA_CHECK_EQ(mega_env_save(builtin, 0, buffers.state, size), MEGA_OK);
    MEGA_CHECK_EQ(mega_env_load(env, buffers.state, size), MEGA_ERROR_STATE);
    mega_env_destroy(env);
    mega_env_destroy(builtin);
    mega_rom_destroy(rom);
}

// Every byte changed in turn, in several ways: refused, or played without harm.
static void test_every_byte(void) {
    static const uint8_t changes[] = {0xFF, 0x80, 0x01, 0x40};
    mega_env *env = open_builtin();
    test_random random = {1};
    const size_t size = mega_env_state_size(env);
    uint32_t refused = 0, played = 0;
    for (uint32_t i = 0; i < 30; i++) {
        mega_env_act(env, i % 18u, 1.0f, NULL);
    }
    MEGA_CHECK_EQ(mega_env_save(env, 0, buffers.state, size), MEGA_OK);
    for (size_t i = 0; i < size; i++) {
        for (uint32_t k = 0; k < sizeof changes; k++) {
            if (i > 1600 && k != i % 4u) {
                continue; // the generator's words are all alike
            }
            memcpy(buffers.damaged, buffers.state, size);
            buffers.damaged[i] ^= changes[k];
            const mega_status status = mega_env_load(env, buffers.damaged, size);
            if (status == MEGA_OK) {
                played++;
                if (test_play(env, &buffers, 2, &random) != 0) {
                    MEGA_FAIL("a damaged state cannot be played");
                }
            } else {
                refused++;
                MEGA_CHECK(status == MEGA_ERROR_STATE || status == MEGA_ERROR_STATE_VERSION);
            }
        }
    }
    printf("%u damaged states refused, %u played\n", refused, played);
    MEGA_CHECK(refused > 100 && played > 100);
    MEGA_CHECK_EQ(mega_env_load(env, buffers.state, size), MEGA_OK);
    mega_env_destroy(env);
}

static void test_fuzz(void) {
    const test_rom_set none = {{NULL}, 0, 0};
    for (uint64_t seed = 0; seed < 40; seed++) {
        const int failed = test_api_case(&image, &buffers, &none, seed, 6);
        MEGA_CHECK_EQ(failed, 0);
        if (failed) {
            fprintf(stderr, "fuzz_api --cases 1 --seed %llu\n", (unsigned long long)seed);
        }
    }
}

int main(void) {
    test_images();
    test_jam();
    test_descriptions();
    test_calls();
    test_states();
    test_state_of_another();
    test_every_byte();
    test_fuzz();
    return mega_test_result();
}
