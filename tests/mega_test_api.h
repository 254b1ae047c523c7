// mega_test_api.h - the public functions with bad arguments, bad images and damaged states. Whatever is passed in,
// the library answers with a status or plays on; the sanitizers see to the rest.
#ifndef MEGA_TEST_API_H
#define MEGA_TEST_API_H
#include "megacade.h"
#include "mega_test_program.h"

#define TEST_SCREEN_MAX (160 * 300 * 3)

typedef struct test_buffers {
    uint8_t screen[TEST_SCREEN_MAX];
    uint8_t observation[64 * 64 * 64 * 3];
    uint8_t state[65536];
    uint8_t damaged[65536];
} test_buffers;

// A status that the library documents.
static inline int test_is_status(mega_status status) {
    return status == MEGA_OK || (status >= MEGA_ERROR_ARGUMENT && status <= MEGA_ERROR_JAMMED);
}

static inline float test_float(test_random *random) {
    static const float odd[] = {0.0f, -0.0f, 1.0f, -1.0f, 1e30f, -1e30f, 0.5f, 1e-40f};
    const uint32_t pick = test_below(random, 12);
    if (pick == 8) {
        const double zero = 0.0 * (double)test_below(random, 1);
        return (float)(zero / zero);
    }
    return pick < 8 ? odd[pick] : (float)test_below(random, 1000) / 500.0f - 1.0f;
}

// Plays some steps, looks at everything, resets now and then. Returns 0, or 1 after a message.
static inline int test_play(mega_env *env, test_buffers *buffers, uint32_t steps, test_random *random) {
    const size_t pixels = (size_t)mega_env_screen_height(env) * MEGA_SCREEN_WIDTH;
    for (uint32_t i = 0; i < steps; i++) {
        int32_t reward;
        const uint32_t action =
            test_once_in(random, 20) ? (uint32_t)test_next(random) : test_below(random, 18);
        const mega_status status = mega_env_act(env, action, test_float(random), &reward);
        if (!test_is_status(status) || (action >= MEGA_ACTION_COUNT && status != MEGA_ERROR_ACTION)) {
            fprintf(stderr, "action %u: status %d\n", action, status);
            return 1;
        }
        mega_env_screen(env, buffers->screen, pixels);
        if (test_once_in(random, 4)) {
            mega_env_screen_rgb(env, buffers->screen, 3 * pixels);
            mega_env_screen_gray(env, buffers->screen, pixels - test_below(random, 2));
            mega_env_set_ram(env, test_below(random, 130), test_below(random, 300));
            mega_env_set_mode(env, (int32_t)test_below(random, 200) - 10);
            mega_env_set_difficulty(env, test_below(random, 6));
        }
        if (test_once_in(random, 12) && !test_is_status(mega_env_reset(env))) {
            return 1;
        }
        (void)mega_env_game_over(env);
        (void)mega_env_lives(env);
    }
    return 0;
}

static inline mega_env_desc test_env_desc(test_random *random) {
    mega_env_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.struct_size = sizeof desc;
    desc.seed = (int32_t)test_next(random);
    desc.frame_skip = test_below(random, 4);
    desc.frame_skip_high = test_once_in(random, 4) ? test_below(random, 6) : 0u;
    desc.sticky = test_once_in(random, 3) ? test_float(random) : 0.25f;
    desc.max_episode_frames = test_once_in(random, 3) ? (int32_t)test_below(random, 200) - 20 : 0;
    desc.reward_min = test_once_in(random, 4) ? (int32_t)test_next(random) : 0;
    desc.reward_max = test_once_in(random, 4) ? (int32_t)test_next(random) : 0;
    desc.paddle_min = test_once_in(random, 4) ? (int32_t)test_below(random, 2000000) - 100 : 0;
    desc.paddle_max = test_once_in(random, 4) ? (int32_t)test_below(random, 2000000) - 100 : 0;
    desc.truncate_on_life_loss = test_once_in(random, 4);
    desc.color_averaging = test_once_in(random, 4);
    desc.sound = test_once_in(random, 4);
    desc.plain = test_once_in(random, 6);
    return desc;
}

// Changes some bytes of a state, none of them in the header unless `all`.
static inline void test_damage(uint8_t *state, size_t size, int all, test_random *random) {
    const uint32_t header = all ? 0 : 48;
    for (uint32_t i = 1u << test_below(random, 6); i > 0; i--) {
        uint8_t *byte = state + header + test_below(random, (uint32_t)size - header);
        switch (test_below(random, 4)) {
        case 0: *byte = test_byte(random); break;
        case 1: *byte ^= (uint8_t)(1u << test_below(random, 8)); break;
        case 2: *byte = 0xFF; break;
        default: *byte = 0; break;
        }
    }
}

// Damaged states: refused, or played.
static inline int test_damaged_states(mega_env *env, test_buffers *buffers, uint32_t rounds,
                                      test_random *random) {
    const size_t size = mega_env_state_size(env);
    if (size > sizeof buffers->state || mega_env_save(env, 1, buffers->state, size) != MEGA_OK) {
        fprintf(stderr, "a state of %zu bytes cannot be saved\n", size);
        return 1;
    }
    for (uint32_t i = 0; i < rounds; i++) {
        memcpy(buffers->damaged, buffers->state, size);
        test_damage(buffers->damaged, size, test_once_in(random, 4), random);
        const mega_status status = mega_env_load(env, buffers->damaged, size);
        if (status != MEGA_OK && status != MEGA_ERROR_STATE && status != MEGA_ERROR_STATE_VERSION) {
            fprintf(stderr, "a damaged state: status %d\n", status);
            return 1;
        }
        if (test_play(env, buffers, status == MEGA_OK ? 4 : 1, random) != 0) {
            return 1;
        }
    }
    if (mega_env_load(env, buffers->state, size) != MEGA_OK) {
        fprintf(stderr, "the state that was saved is refused: %s\n", mega_last_error());
        return 1;
    }
    return 0;
}

static inline int test_task(const mega_rom *rom, test_buffers *buffers, test_random *random) {
    mega_task_desc desc;
    mega_task *task = NULL;
    mega_task_result result;
    memset(&desc, 0, sizeof desc);
    desc.struct_size = sizeof desc;
    desc.frame_skip = test_below(random, 6);
    desc.height = test_below(random, 64);
    desc.width = test_below(random, 64);
    desc.stack = test_below(random, 6);
    desc.noop_max = (int32_t)test_below(random, 8) - 1;
    desc.max_episode_frames = (int32_t)test_below(random, 100) - 5;
    desc.sticky = test_once_in(random, 3) ? test_float(random) : 0.0f;
    desc.rgb = test_once_in(random, 3);
    desc.no_maxpool = test_once_in(random, 3);
    desc.no_fire_reset = test_once_in(random, 3);
    desc.full_actions = test_once_in(random, 3);
    desc.episodic_life = test_once_in(random, 3);
    mega_status status = mega_task_create(&desc, rom, &task);
    if (status != MEGA_OK) {
        return !test_is_status(status) || task != NULL;
    }
    const size_t size = mega_task_observation_size(task);
    status = size <= sizeof buffers->observation ? mega_task_reset(task, (int64_t)test_below(random, 10) - 2,
                                                                   buffers->observation, size, &result)
                                                 : MEGA_OK;
    for (uint32_t i = 0; i < 10 && status == MEGA_OK && size <= sizeof buffers->observation; i++) {
        const uint32_t action = test_below(random, mega_task_action_count(task) + test_once_in(random, 10));
        status = mega_task_step(task, action, test_float(random), buffers->observation, size, &result);
    }
    mega_task_destroy(task);
    return !test_is_status(status);
}

// One case: an image of any size and content, an environment with any settings, states. Returns 0 or 1.
static inline int test_api_case(test_image *image, test_buffers *buffers, const test_rom_set *roms,
                                uint64_t seed, uint32_t rounds) {
    test_random random = {seed};
    mega_rom *rom = NULL;
    mega_env *env = NULL;
    test_fuzz_image(image, roms, seed);
    size_t size = image->cartridge.image_size;
    if (roms->count != 0 &&
        test_once_in(&random, 3)) { // a game with rules, whose variables are in a state, too
        const mega_rom *known = roms->roms[test_below(&random, roms->count)];
        size = known->size < TEST_IMAGE_MAX ? known->size : TEST_IMAGE_MAX;
        memcpy(image->bytes, known->bytes, size);
        snprintf(image->kind, sizeof image->kind, "%s", known->info.name);
    } else if (test_once_in(&random, 10)) {
        size = test_below(&random, TEST_IMAGE_MAX);
    }
    mega_status status =
        mega_rom_from_memory(image->bytes, size, test_once_in(&random, 2) ? "fuzz" : NULL, &rom);
    if (status != MEGA_OK) {
        return !test_is_status(status) || rom != NULL;
    }
    const mega_env_desc desc = test_env_desc(&random);
    int failed = 0;
    status = mega_env_create(&desc, rom, &env);
    if (status == MEGA_OK) {
        failed = test_play(env, buffers, 8, &random) || test_damaged_states(env, buffers, rounds, &random);
    } else if (!test_is_status(status) || env != NULL) {
        failed = 1;
    }
    failed = failed || test_task(rom, buffers, &random);
    mega_env_destroy(env);
    mega_rom_destroy(rom);
    return failed;
}

#endif
