// test_vector_state.c - environments of a vector that are saved, restored or copied go on bit for bit,
// whatever else they are put beside; damaged states are refused or played.
#include "mega_test_vector.h"

#define COUNT 5
#define STEPS 120

static mega_rom *builtin;
static test_rom_set roms;

static mega_vector *open_vector(const mega_rom *rom, uint32_t count, uint32_t threads) {
    mega_vector *vector = NULL;
    const mega_rom *one[1] = {rom};
    const mega_vector_desc desc = {.struct_size = sizeof desc,
                                   .count = count,
                                   .threads = threads,
                                   .roms = one,
                                   .rom_count = 1,
                                   .autoreset = MEGA_AUTORESET_SAME_STEP,
                                   .task = {.struct_size = sizeof desc.task,
                                            .sticky = 0.25f,
                                            .max_episode_frames = 130,
                                            .no_reward_clipping = 1}};
    MEGA_CHECK_EQ(mega_vector_create(&desc, &vector), MEGA_OK);
    return vector;
}

static void reset(mega_vector *vector, int32_t seed) {
    int32_t seeds[TEST_MEMBERS_MAX];
    for (uint32_t i = 0; i < TEST_MEMBERS_MAX; i++) {
        seeds[i] = seed + (int32_t)i;
    }
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, seeds, NULL), MEGA_OK);
}

// One step; `shift` is the index that environment 0 has in the stream of actions.
static void step(mega_vector *vector, uint32_t t, uint32_t shift, test_rows *rows) {
    int32_t actions[TEST_MEMBERS_MAX];
    uint32_t choices;
    (void)mega_vector_actions(vector, &choices);
    for (uint32_t i = 0; i < mega_vector_count(vector); i++) {
        test_random random = {100u * t + i + shift};
        actions[i] = (int32_t)test_below(&random, choices);
    }
    MEGA_CHECK_EQ(mega_vector_step(vector, actions, NULL, &rows->out), MEGA_OK);
}

static void check_same(mega_vector *a, uint32_t i, const test_rows *a_rows, mega_vector *b, uint32_t j,
                       const test_rows *b_rows) {
    static uint8_t screens[2][160 * 300 * 3];
    const size_t size = mega_vector_observation_size(a);
    const size_t pixels = (size_t)3 * 160 * mega_vector_screen_height(a, i);
    MEGA_CHECK_BYTES(a_rows->out.observations + size * i, b_rows->out.observations + size * j, size);
    MEGA_CHECK_BYTES(mega_vector_ram(a, i), mega_vector_ram(b, j), MEGA_RAM_SIZE);
    MEGA_CHECK_EQ(a_rows->out.rewards[i], b_rows->out.rewards[j]);
    MEGA_CHECK_EQ(a_rows->out.terminations[i], b_rows->out.terminations[j]);
    MEGA_CHECK_EQ(a_rows->out.truncations[i], b_rows->out.truncations[j]);
    MEGA_CHECK_EQ(a_rows->out.frame_numbers[i], b_rows->out.frame_numbers[j]);
    MEGA_CHECK_EQ(a_rows->out.episode_frame_numbers[i], b_rows->out.episode_frame_numbers[j]);
    MEGA_CHECK_EQ(mega_vector_screen_rgb(a, i, screens[0], pixels), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_screen_rgb(b, j, screens[1], pixels), MEGA_OK);
    MEGA_CHECK_BYTES(screens[0], screens[1], pixels);
}

// Environments 1 to 3 of one vector become 0 to 2 of another.
static void move_over(mega_vector *from, mega_vector *to, test_rows *to_rows, int copying) {
    static const int32_t from_ids[] = {1, 2, 3}, to_ids[] = {0, 1, 2};
    if (copying) { // into a vector that was played
        reset(to, 99);
        step(to, 0, 7, to_rows);
        MEGA_CHECK_EQ(mega_vector_copy(to, to_ids, from, from_ids, 3), MEGA_OK);
    } else { // into one that was never reset
        const size_t size = 3 * mega_vector_state_size(from);
        uint8_t *bytes = malloc(size);
        MEGA_CHECK_EQ(mega_vector_save(from, from_ids, 3, bytes, size), MEGA_OK);
        MEGA_CHECK_EQ(mega_vector_restore(to, to_ids, 3, bytes, size), MEGA_OK);
        free(bytes);
    }
}

// They go on there as they would have here.
static void continue_elsewhere(const mega_rom *rom, int copying) {
    mega_vector *from = open_vector(rom, COUNT, 2), *to = open_vector(rom, 3, 1);
    test_rows from_rows, to_rows;
    rows_open(&from_rows, from);
    rows_open(&to_rows, to);
    reset(from, 5);
    for (uint32_t t = 0; t < 50; t++) {
        step(from, t, 0, &from_rows);
    }
    move_over(from, to, &to_rows, copying);
    for (uint32_t i = 0; i < 3; i++) {
        const size_t size = mega_vector_observation_size(from);
        MEGA_CHECK_BYTES(mega_vector_observations(to) + size * i,
                         mega_vector_observations(from) + size * (i + 1), size);
    }
    for (uint32_t t = 50; t < 50 + STEPS; t++) {
        step(from, t, 0, &from_rows);
        step(to, t, 1, &to_rows);
        for (uint32_t i = 0; i < 3; i++) {
            check_same(from, i + 1, &from_rows, to, i, &to_rows);
        }
    }
    mega_vector_statistics a, b;
    mega_vector_get_statistics(from, 2, &a);
    mega_vector_get_statistics(to, 1, &b);
    MEGA_CHECK(b.episodes > 0);
    MEGA_CHECK_EQ(a.last.score, b.last.score);
    MEGA_CHECK_EQ(a.last.steps, b.last.steps);
    rows_close(&from_rows);
    rows_close(&to_rows);
    mega_vector_destroy(from);
    mega_vector_destroy(to);
}

// A saved state is a place to come back to.
static void test_replay(void) {
    mega_vector *vector = open_vector(builtin, 2, 2);
    const int32_t ids[] = {0, 1};
    const size_t size = mega_vector_state_size(vector), observation = mega_vector_observation_size(vector);
    uint8_t *bytes = malloc(2 * size), *seen = malloc(2 * observation);
    test_rows rows;
    rows_open(&rows, vector);
    reset(vector, 1);
    MEGA_CHECK_EQ(mega_vector_save(vector, ids, 2, bytes, 2 * size), MEGA_OK);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t t = 0; t < 40; t++) {
            step(vector, t, 0, &rows);
        }
        if (round == 0) {
            memcpy(seen, rows.out.observations, 2 * observation);
        }
        MEGA_CHECK_BYTES(rows.out.observations, seen, 2 * observation);
        MEGA_CHECK_EQ(mega_vector_restore(vector, ids, 2, bytes, 2 * size), MEGA_OK);
    }
    // Environment 1 becomes a copy of environment 0, and both go on alike.
    MEGA_CHECK_EQ(mega_vector_copy(vector, ids + 1, vector, ids, 1), MEGA_OK);
    for (uint32_t t = 0; t < 40; t++) {
        const int32_t actions[] = {(int32_t)t % 3, (int32_t)t % 3};
        MEGA_CHECK_EQ(mega_vector_step(vector, actions, NULL, &rows.out), MEGA_OK);
        check_same(vector, 0, &rows, vector, 1, &rows);
    }
    rows_close(&rows);
    free(bytes);
    free(seen);
    mega_vector_destroy(vector);
}

// ---- bad states ----------------------------------------------------------------------------------------

static void test_refused(void) {
    mega_vector *vector = open_vector(builtin, 2, 1), *fresh = open_vector(builtin, 2, 1);
    const int32_t ids[] = {0, 1}, wrong[] = {0, 2};
    const size_t size = mega_vector_state_size(vector);
    uint8_t *bytes = malloc(2 * size);
    MEGA_CHECK_EQ(mega_vector_save(fresh, ids, 2, bytes, 2 * size), MEGA_ERROR_ORDER);
    reset(vector, 1);
    MEGA_CHECK_EQ(mega_vector_save(vector, ids, 2, bytes, 2 * size), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_save(vector, ids, 2, bytes, size), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_save(vector, ids, 2, NULL, 2 * size), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_save(vector, wrong, 2, bytes, 2 * size), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_save(vector, NULL, 2, bytes, 2 * size), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_save(vector, NULL, 0, NULL, 0), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_restore(vector, wrong, 2, bytes, 2 * size), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_restore(vector, ids, 2, bytes, 2 * size - 1), MEGA_ERROR_STATE);
    MEGA_CHECK_EQ(mega_vector_restore(vector, ids, 2, bytes, 2 * size - 2), MEGA_ERROR_STATE);
    MEGA_CHECK_EQ(mega_vector_restore(vector, ids, 2, bytes, 4), MEGA_ERROR_STATE);
    MEGA_CHECK_EQ(mega_vector_restore(vector, ids, 2, NULL, 2 * size), MEGA_ERROR_STATE);
    MEGA_CHECK_EQ(mega_vector_copy(vector, wrong, vector, ids, 2), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_copy(vector, ids, fresh, ids, 2), MEGA_ERROR_ORDER);
    bytes[size] ^= 1; // the second one's magic number
    MEGA_CHECK_EQ(mega_vector_restore(fresh, ids, 2, bytes, 2 * size), MEGA_ERROR_STATE);
    const int32_t actions[] = {0, 0};
    MEGA_CHECK_EQ(mega_vector_step(fresh, actions, NULL, NULL), MEGA_ERROR_ORDER); // nothing was taken
    bytes[size] ^= 1;
    bytes[4] ^= 1;
    MEGA_CHECK_EQ(mega_vector_restore(fresh, ids, 2, bytes, 2 * size), MEGA_ERROR_STATE_VERSION);
    bytes[4] ^= 1;
    MEGA_CHECK_EQ(mega_vector_restore(fresh, ids, 2, bytes, 2 * size), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_step(fresh, actions, NULL, NULL), MEGA_OK);
    free(bytes);
    mega_vector_destroy(vector);
    mega_vector_destroy(fresh);
}

static void test_other_game(void) {
    if (roms.count == 0) {
        return;
    }
    mega_vector *one = open_vector(builtin, 1, 1), *other = open_vector(roms.roms[0], 1, 1);
    const int32_t id = 0;
    const size_t size = mega_vector_state_size(one);
    uint8_t *bytes = malloc(size);
    reset(one, 1);
    MEGA_CHECK_EQ(mega_vector_save(one, &id, 1, bytes, size), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_restore(other, &id, 1, bytes, size), MEGA_ERROR_STATE);
    MEGA_CHECK_EQ(mega_vector_copy(other, &id, one, &id, 1), MEGA_ERROR_STATE);
    free(bytes);
    mega_vector_destroy(one);
    mega_vector_destroy(other);
}

static void test_damaged(void) {
    mega_vector *vector = open_vector(builtin, 1, 1);
    const int32_t id = 0;
    const size_t size = mega_vector_state_size(vector);
    uint8_t *bytes = malloc(size), *damaged = malloc(size);
    test_random random = {7};
    uint32_t refused = 0, taken = 0;
    reset(vector, 1);
    MEGA_CHECK_EQ(mega_vector_save(vector, &id, 1, bytes, size), MEGA_OK);
    for (uint32_t round = 0; round < 300; round++) {
        memcpy(damaged, bytes, size);
        for (uint32_t i = 1u << test_below(&random, 5); i > 0; i--) {
            damaged[test_below(&random, test_once_in(&random, 4) ? (uint32_t)size : 1000)] =
                test_byte(&random);
        }
        const mega_status status = mega_vector_restore(vector, &id, 1, damaged, size);
        MEGA_CHECK(status == MEGA_OK || status == MEGA_ERROR_STATE || status == MEGA_ERROR_STATE_VERSION);
        *(status == MEGA_OK ? &taken : &refused) += 1;
        const int32_t action = (int32_t)test_below(&random, 3);
        const mega_status played = mega_vector_step(vector, &action, NULL, NULL);
        MEGA_CHECK(played == MEGA_OK || played == MEGA_ERROR_JAMMED);
    }
    MEGA_CHECK(refused > 0 && taken > 0);
    free(bytes);
    free(damaged);
    mega_vector_destroy(vector);
}

int main(void) {
    MEGA_CHECK_EQ(mega_rom_builtin(&builtin), MEGA_OK);
    test_load_roms(&roms);
    printf("%u of %u images found\n", roms.count, roms.known);
    for (int copying = 0; copying < 2; copying++) {
        continue_elsewhere(builtin, copying);
        for (uint32_t i = 0; i < roms.count; i += 12) {
            continue_elsewhere(roms.roms[i], copying);
        }
    }
    test_replay();
    test_refused();
    test_other_game();
    test_damaged();
    test_release_roms(&roms);
    mega_rom_destroy(builtin);
    return mega_test_result();
}
