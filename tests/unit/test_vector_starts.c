// test_vector_starts.c - resets that copy one of a few start states.
#include "mega_test_vector.h"

#define COUNT 6
#define STARTS 3
#define SEED 40

static mega_rom *builtin;
static const mega_rom *one[1];

static mega_vector_desc usual(void) {
    mega_vector_desc desc = {.struct_size = sizeof desc, .count = COUNT, .roms = one, .rom_count = 1};
    desc.task.struct_size = sizeof desc.task;
    desc.task.sticky = 0.25f;
    desc.task.max_episode_frames = 60;
    desc.start_states = STARTS;
    desc.start_seed = SEED;
    desc.threads = 1;
    return desc;
}

static mega_vector *open_vector(mega_vector_desc desc) {
    mega_vector *vector = NULL;
    MEGA_CHECK_EQ(mega_vector_create(&desc, &vector), MEGA_OK);
    return vector;
}

// Which start an environment's observation and RAM are, or -1.
static int which_start(const mega_vector *vector, const uint8_t *observation, uint32_t env_id,
                       mega_vector *plain) {
    const size_t size = mega_vector_observation_size(vector);
    for (int k = 0; k < STARTS; k++) {
        if (memcmp(observation, mega_vector_observations(plain) + size * (size_t)k, size) == 0 &&
            memcmp(mega_vector_ram(vector, env_id), mega_vector_ram(plain, (uint32_t)k), MEGA_RAM_SIZE) ==
                0) {
            return k;
        }
    }
    return -1;
}

// Every reset, a user's or an automatic one, is one of the starts that these seeds make; all of them occur.
static void test_starts_are_those_of_the_seeds(void) {
    mega_vector_desc desc = usual();
    mega_vector *vector = open_vector(desc);
    desc.start_states = 0;
    desc.count = STARTS;
    mega_vector *plain = open_vector(desc);
    const int32_t seeds[STARTS] = {SEED, SEED + 1, SEED + 2}, actions[COUNT] = {0};
    uint8_t ends[COUNT] = {0}, before[COUNT];
    const mega_vector_out out = {.episode_ends = ends};
    uint32_t seen[STARTS] = {0}, resets = 0;
    MEGA_CHECK_EQ(mega_vector_reset(plain, NULL, seeds, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, NULL, NULL), MEGA_OK);
    memset(before, 1, sizeof before);
    for (uint32_t step = 0; step < 100; step++) {
        const uint8_t *observations = mega_vector_observations(vector);
        for (uint32_t i = 0; i < COUNT; i++) {
            if (before[i]) {
                const int k =
                    which_start(vector, observations + i * mega_vector_observation_size(vector), i, plain);
                MEGA_CHECK(k >= 0);
                seen[k >= 0 ? k : 0]++;
                resets++;
            }
        }
        memcpy(before, ends, sizeof before);
        MEGA_CHECK_EQ(mega_vector_step(vector, actions, NULL, &out), MEGA_OK);
    }
    MEGA_CHECK(resets > COUNT && seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
    mega_vector_destroy(vector);
    mega_vector_destroy(plain);
}

static uint64_t play(mega_vector *vector, const int32_t *seeds) {
    const size_t size = mega_vector_observation_size(vector) * COUNT;
    uint64_t hash = 1;
    int32_t actions[COUNT];
    test_random random = {7};
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, seeds, NULL), MEGA_OK);
    for (uint32_t step = 0; step < 120; step++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            actions[i] = (int32_t)test_below(&random, 3);
        }
        MEGA_CHECK_EQ(mega_vector_step(vector, actions, NULL, NULL), MEGA_OK);
        const uint8_t *bytes = mega_vector_observations(vector);
        for (size_t i = 0; i < size; i++) {
            hash = (hash ^ bytes[i]) * 1099511628211u;
        }
    }
    return hash;
}

static void test_threads_do_not_matter(void) {
    const int32_t seeds[COUNT] = {1, 2, 3, 4, 5, 6}, others[COUNT] = {11, 12, 13, 14, 15, 16};
    mega_vector_desc desc = usual();
    mega_vector *single = open_vector(desc);
    desc.threads = 4;
    desc.autoreset = MEGA_AUTORESET_NEXT_STEP;
    mega_vector *several = open_vector(desc);
    const uint64_t first = play(single, seeds);
    MEGA_CHECK_EQ(play(several, seeds), first);
    MEGA_CHECK_EQ(play(single, seeds), first); // a seed makes it all come again
    MEGA_CHECK(play(single, others) != first);
    mega_vector_destroy(single);
    mega_vector_destroy(several);
}

// A vector that was only made is as without start states: nothing was reset yet, and nothing can be seen.
static void test_before_the_first_reset(void) {
    mega_vector *vector = open_vector(usual());
    const int32_t actions[COUNT] = {0}, first[1] = {0};
    const uint8_t *observations = mega_vector_observations(vector);
    uint8_t *state = calloc(1, mega_vector_state_size(vector));
    uint32_t bright = 0;
    for (size_t i = 0; i < mega_vector_observation_size(vector) * COUNT; i++) {
        bright += observations[i] != 0;
    }
    MEGA_CHECK_EQ(bright, 0);
    MEGA_CHECK_EQ(mega_vector_step(vector, actions, NULL, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_save(vector, first, 1, state, mega_vector_state_size(vector)),
                  MEGA_ERROR_ORDER);
    free(state);
    mega_vector_destroy(vector);
}

int main(void) {
    MEGA_CHECK_EQ(mega_rom_builtin(&builtin), MEGA_OK);
    one[0] = builtin;
    test_starts_are_those_of_the_seeds();
    test_threads_do_not_matter();
    test_before_the_first_reset();
    mega_rom_destroy(builtin);
    return mega_test_result();
}
