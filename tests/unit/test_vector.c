// test_vector.c - a vector of n is n tasks, bit for bit: for any number of threads, groups and results per
// batch.
#include "mega_test_vector.h"

#define COUNT 7

static mega_rom *builtin;
static test_rom_set roms;
static test_model model;
static test_rows rows;

// Short episodes, so that a few hundred steps hold many resets.
static mega_vector_desc short_episodes(void) {
    mega_vector_desc desc = {.struct_size = sizeof desc, .count = COUNT, .rom_count = 1};
    static const mega_rom *one[1];
    one[0] = builtin;
    desc.roms = one;
    desc.task = (mega_task_desc){.struct_size = sizeof desc.task,
                                 .max_episode_frames = 150,
                                 .noop_max = 12,
                                 .no_reward_clipping = 1,
                                 .sticky = 0.25f};
    return desc;
}

static mega_vector *open_pair(const mega_vector_desc *desc) {
    mega_vector *vector = NULL;
    MEGA_CHECK_EQ(mega_vector_create(desc, &vector), MEGA_OK);
    model_open(&model, desc);
    rows_open(&rows, vector);
    MEGA_CHECK_EQ(mega_vector_observation_size(vector), model.size);
    return vector;
}

static void check_statistics(mega_vector *vector) {
    mega_vector_statistics statistics;
    uint64_t episodes = 0, drained = 0;
    int64_t score = 0;
    for (uint32_t i = 0; i < model.desc.count; i++) {
        MEGA_CHECK_EQ(mega_vector_get_statistics(vector, (int32_t)i, &statistics), MEGA_OK);
        MEGA_CHECK_EQ(statistics.episodes, model.members[i].episodes);
        MEGA_CHECK_EQ(statistics.score_sum, model.members[i].score_sum);
        episodes += statistics.episodes;
        score += statistics.score_sum;
    }
    MEGA_CHECK_EQ(mega_vector_get_statistics(vector, -1, &statistics), MEGA_OK);
    MEGA_CHECK_EQ(statistics.episodes, episodes);
    MEGA_CHECK_EQ(statistics.score_sum, score);
    MEGA_CHECK(episodes > 0);
    mega_episode some[5];
    for (uint32_t got; (got = mega_vector_drain_episodes(vector, some, 5)) != 0; drained += got) {
        MEGA_CHECK(some[0].steps > 0 && some[0].frames <= 150 && some[0].frames > 4 * (some[0].steps - 1));
    }
    MEGA_CHECK_EQ(drained, episodes);
}

static void close_pair(mega_vector *vector) {
    check_statistics(vector);
    mega_vector_destroy(vector);
    model_close(&model);
    rows_close(&rows);
}

// ---- in step -------------------------------------------------------------------------------------------

static void check_all(const mega_vector *vector) {
    for (uint32_t i = 0; i < model.desc.count; i++) {
        rows_check(&rows, i, &model, i);
    }
    MEGA_CHECK_BYTES(mega_vector_observations(vector), rows.out.observations, model.size * model.desc.count);
}

static void reset_all(mega_vector *vector, int32_t seed) {
    int32_t seeds[TEST_MEMBERS_MAX];
    for (uint32_t i = 0; i < model.desc.count; i++) {
        seeds[i] = seed < 0 ? -1 : seed + (int32_t)i;
        model_reset(&model, i, seeds[i]);
    }
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, seeds, &rows.out), MEGA_OK);
    check_all(vector);
}

static void play_in_step(mega_vector *vector, uint32_t steps) {
    for (uint32_t t = 0; t < steps; t++) {
        int32_t actions[TEST_MEMBERS_MAX];
        for (uint32_t i = 0; i < model.desc.count; i++) {
            actions[i] = model_action(&model, i);
            model_step(&model, i);
        }
        MEGA_CHECK_EQ(mega_vector_step(vector, actions, NULL, &rows.out), MEGA_OK);
        check_all(vector);
    }
}

static void reset_some(mega_vector *vector) {
    uint8_t mask[TEST_MEMBERS_MAX];
    int32_t seeds[TEST_MEMBERS_MAX];
    for (uint32_t i = 0; i < model.desc.count; i++) {
        mask[i] = i % 3 != 1;
        seeds[i] = i % 2 != 0 ? -1 : (int32_t)(50 + i);
        if (mask[i]) {
            model_reset(&model, i, seeds[i]);
        }
        model.members[i].ended = model.members[i].has_final = 0;
    }
    MEGA_CHECK_EQ(mega_vector_reset(vector, mask, seeds, &rows.out), MEGA_OK);
    check_all(vector);
}

static void play_through(const mega_vector_desc *desc, uint32_t steps) {
    mega_vector *vector = open_pair(desc);
    reset_all(vector, 3);
    play_in_step(vector, steps);
    reset_some(vector);
    play_in_step(vector, steps / 4);
    reset_all(vector, -1);
    play_in_step(vector, steps / 4);
    close_pair(vector);
}

static void test_threads(void) {
    static const uint32_t threads[] = {1, 2, 3, 5};
    for (uint32_t k = 0; k < 8; k++) {
        mega_vector_desc desc = short_episodes();
        desc.threads = threads[k % 4];
        desc.pin = k / 4 * (k + 1);
        desc.autoreset = k % 2 == 0 ? MEGA_AUTORESET_NEXT_STEP : MEGA_AUTORESET_SAME_STEP;
        desc.groups = 1 + k % 3;
        play_through(&desc, 200);
    }
}

static void test_settings(void) {
    for (uint32_t k = 0; k < 5; k++) {
        mega_vector_desc desc = short_episodes();
        desc.threads = 2;
        desc.autoreset = k % 2;
        desc.task.rgb = k == 0;
        desc.task.stack = k == 1 ? 1 : 3;
        desc.task.height = k == 2 ? 105 : 84;
        desc.task.episodic_life = k == 3;
        desc.task.life_loss_info = k == 4;
        desc.task.full_actions = k == 4;
        desc.task.no_maxpool = k == 1;
        play_through(&desc, 80);
    }
}

// EnvPool's episodes may go on with the game of the one before, in a vector as in a task.
static void test_envpool(void) {
    for (uint32_t k = 0; k < 4; k++) {
        mega_vector_desc desc = short_episodes();
        desc.autoreset = k % 2 == 0 ? MEGA_AUTORESET_NEXT_STEP : MEGA_AUTORESET_SAME_STEP;
        desc.task.envpool = 1;
        desc.task.episodic_life = k < 2;
        desc.task.max_episode_frames = 148;
        mega_vector *vector = open_pair(&desc);
        reset_all(vector, 3);
        play_in_step(vector, 250);
        MEGA_CHECK(model.members[0].episodes > 1);
        close_pair(vector);
    }
}

static void restart_groups(mega_vector *vector, uint32_t groups) {
    uint32_t first, count;
    for (uint32_t g = 0; g < groups; g++) {
        MEGA_CHECK_EQ(mega_vector_group_restart(vector, g), MEGA_OK);
    }
    MEGA_CHECK_EQ(mega_vector_group_restart(vector, 0), MEGA_ERROR_ORDER);
    for (uint32_t i = 0; i < model.desc.count; i++) {
        model_restart(&model, i);
    }
    for (uint32_t g = 0; g < groups; g++) {
        MEGA_CHECK_EQ(mega_vector_group_recv(vector, g, -1, &rows.out), MEGA_OK);
        count = mega_vector_group(vector, g, &first);
        for (uint32_t i = 0; i < count; i++) {
            rows_check(&rows, i, &model, first + i);
        }
    }
}

// Ended episodes stay as they are until somebody begins others: all of them by a restart, or some by a reset.
static void test_off(void) {
    for (uint32_t k = 0; k < 5; k++) {
        mega_vector_desc desc = short_episodes();
        desc.autoreset = MEGA_AUTORESET_OFF;
        desc.threads = 1 + k % 3;
        desc.groups = 1 + k % 4;
        desc.task.episodic_life = k == 1;
        desc.task.rgb = k == 2;
        desc.task.stack = k == 3 ? 1 : 3;
        mega_vector *vector = open_pair(&desc);
        MEGA_CHECK_EQ(mega_vector_group_restart(vector, 0), MEGA_ERROR_ORDER); // it was never reset
        reset_all(vector, 3);
        for (uint32_t t = 0; t < 12; t++) {
            play_in_step(vector, 5 + 2 * t);
            restart_groups(vector, desc.groups);
        }
        MEGA_CHECK_EQ(mega_vector_group_restart(vector, desc.groups), MEGA_ERROR_ARGUMENT);
        play_in_step(vector, 60);
        reset_some(vector);
        play_in_step(vector, 20);
        reset_all(vector, -1);
        play_in_step(vector, 60);
        close_pair(vector);
    }
}

static void test_different_games(void) {
    const mega_rom *list[COUNT];
    mega_vector_desc desc = short_episodes();
    for (uint32_t i = 0; i < COUNT; i++) {
        list[i] = roms.count == 0 || i % 4 == 0 ? builtin : roms.roms[(i * 37) % roms.count];
    }
    desc.roms = list;
    desc.rom_count = COUNT;
    desc.threads = 2;
    play_through(&desc, 100);
}

// Each game against a task of its own.
static void test_games(void) {
    for (uint32_t k = 0; k < roms.count; k += 9) {
        const mega_rom *one[1] = {roms.roms[k]};
        mega_vector_desc desc = short_episodes();
        if (mega_rom_get_info(one[0])->game < 0) {
            continue;
        }
        desc.roms = one;
        desc.count = 3;
        desc.threads = 2;
        desc.autoreset = k % 2;
        play_through(&desc, 60);
    }
}

static void test_no_observations(void) {
    mega_vector_desc desc = short_episodes();
    mega_vector *seeing = NULL, *blind = NULL;
    mega_vector_statistics a, b;
    const int32_t seeds[COUNT] = {1, 2, 3, 4, 5, 6, 7};
    const int32_t actions[COUNT] = {0, 1, 2, 0, 1, 2, 0};
    MEGA_CHECK_EQ(mega_vector_create(&desc, &seeing), MEGA_OK);
    desc.blind = 1;
    MEGA_CHECK_EQ(mega_vector_create(&desc, &blind), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_observation_size(blind), 0);
    MEGA_CHECK(mega_vector_observations(blind) == NULL);
    MEGA_CHECK_EQ(mega_vector_reset(seeing, NULL, seeds, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_reset(blind, NULL, seeds, NULL), MEGA_OK);
    for (uint32_t t = 0; t < 100; t++) {
        MEGA_CHECK_EQ(mega_vector_step(seeing, actions, NULL, NULL), MEGA_OK);
        MEGA_CHECK_EQ(mega_vector_step(blind, actions, NULL, NULL), MEGA_OK);
        for (uint32_t i = 0; i < COUNT; i++) {
            MEGA_CHECK_BYTES(mega_vector_ram(blind, i), mega_vector_ram(seeing, i), MEGA_RAM_SIZE);
        }
    }
    MEGA_CHECK_EQ(mega_vector_get_statistics(seeing, -1, &a), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_get_statistics(blind, -1, &b), MEGA_OK);
    MEGA_CHECK_BYTES(&a, &b, sizeof a);
    mega_vector_destroy(seeing);
    mega_vector_destroy(blind);
}

// ---- alternating groups --------------------------------------------------------------------------------

static void send_group(mega_vector *vector, uint32_t group) {
    int32_t actions[TEST_MEMBERS_MAX];
    uint32_t first;
    const uint32_t count = mega_vector_group(vector, group, &first);
    for (uint32_t i = 0; i < count; i++) {
        actions[i] = model_action(&model, first + i);
    }
    MEGA_CHECK_EQ(mega_vector_group_send(vector, group, actions, NULL), MEGA_OK);
}

static void receive_group(mega_vector *vector, uint32_t group, int32_t timeout_ms) {
    uint32_t first;
    const uint32_t count = mega_vector_group(vector, group, &first);
    mega_status status;
    do {
        status = mega_vector_group_recv(vector, group, timeout_ms, &rows.out);
    } while (status == MEGA_ERROR_TIMEOUT);
    MEGA_CHECK_EQ(status, MEGA_OK);
    for (uint32_t i = 0; i < count; i++) {
        model_step(&model, first + i);
        rows_check(&rows, i, &model, first + i);
    }
}

static void test_groups(void) {
    for (uint32_t k = 0; k < 6; k++) {
        mega_vector_desc desc = short_episodes();
        desc.groups = 1 + k % 3;
        desc.threads = 1 + k / 2;
        desc.autoreset = k % 2;
        mega_vector *vector = open_pair(&desc);
        reset_all(vector, 10);
        for (uint32_t g = 0; g < desc.groups; g++) {
            send_group(vector, g);
        }
        for (uint32_t t = 0; t < 120; t++) {
            receive_group(vector, t % desc.groups, k < 3 ? -1 : (int32_t)(t % 2));
            send_group(vector, t % desc.groups);
        }
        for (uint32_t t = 120; t < 120 + desc.groups; t++) {
            receive_group(vector, t % desc.groups, -1);
        }
        close_pair(vector);
    }
}

// ---- batches -------------------------------------------------------------------------------------------

// Receives a batch; every row is the next result of its environment.
static void receive_batch(mega_vector *vector, uint8_t *fresh, int32_t timeout_ms) {
    mega_status status;
    do {
        status = mega_vector_recv(vector, timeout_ms, &rows.out);
    } while (status == MEGA_ERROR_TIMEOUT);
    MEGA_CHECK_EQ(status, MEGA_OK);
    for (uint32_t row = 0; row < mega_vector_batch(vector); row++) {
        const uint32_t i = (uint32_t)rows.out.env_ids[row];
        if (fresh[i]) {
            fresh[i] = 0; // the result of the reset
        } else {
            model_step(&model, i);
        }
        rows_check(&rows, row, &model, i);
    }
}

static void play_batches(const mega_vector_desc *desc, uint32_t rounds, bool name_ids) {
    mega_vector *vector = open_pair(desc);
    uint8_t fresh[TEST_MEMBERS_MAX];
    int32_t seeds[TEST_MEMBERS_MAX], actions[TEST_MEMBERS_MAX], ids[TEST_MEMBERS_MAX];
    const uint32_t batch = mega_vector_batch(vector);
    for (uint32_t i = 0; i < desc->count; i++) {
        seeds[i] = (int32_t)(20 + i);
        fresh[i] = 1;
        model_reset(&model, i, seeds[i]);
    }
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, seeds, &rows.out), MEGA_OK);
    for (uint32_t row = 0; row < batch; row++) {
        fresh[rows.out.env_ids[row]] = 0;
        rows_check(&rows, row, &model, (uint32_t)rows.out.env_ids[row]);
    }
    for (uint32_t t = 0; t < rounds; t++) {
        for (uint32_t row = 0; row < batch; row++) {
            ids[row] = rows.out.env_ids[name_ids ? batch - 1 - row : row];
            actions[row] = model_action(&model, (uint32_t)ids[row]);
        }
        MEGA_CHECK_EQ(mega_vector_send(vector, name_ids ? ids : NULL, batch, actions, NULL), MEGA_OK);
        receive_batch(vector, fresh, t % 3 == 0 ? 0 : t % 3 == 1 ? 1 : -1);
    }
    for (uint32_t i = 0; i < desc->count && batch < desc->count; i++) {
        MEGA_CHECK(model.members[i].steps > 0);
    }
    // What is still outstanding is dropped, and counted.
    int32_t again[TEST_MEMBERS_MAX];
    memset(again, 0xFF, sizeof again);
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, again, NULL), MEGA_OK);
    mega_vector_destroy(vector);
    model_close(&model);
    rows_close(&rows);
}

static void test_batches(void) {
    for (uint32_t k = 0; k < 8; k++) {
        mega_vector_desc desc = short_episodes();
        desc.batch = 1 + k;
        desc.count = COUNT + (k > 6 ? 1 : 0);
        desc.threads = 1 + k % 4;
        desc.autoreset = k % 2;
        play_batches(&desc, 150, k % 3 == 0);
    }
}

int main(void) {
    MEGA_CHECK_EQ(mega_rom_builtin(&builtin), MEGA_OK);
    test_load_roms(&roms);
    printf("%u of %u images found\n", roms.count, roms.known);
    test_threads();
    test_settings();
    test_envpool();
    test_off();
    test_different_games();
    test_games();
    test_no_observations();
    test_groups();
    test_batches();
    test_release_roms(&roms);
    mega_rom_destroy(builtin);
    return mega_test_result();
}
