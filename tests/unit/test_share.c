// test_share.c - how the settings of a run are divided between processes, and what cannot be divided.
#include "share.h"

#include "mega_test.h"

#include <stdbool.h>

static mega_dist ranks_of(uint32_t size, uint32_t rank) {
    const mega_dist dist = {.rank = rank, .size = size, .local_rank = rank % 2, .local_size = 2};
    return dist;
}

static mega_train_settings settings_of(uint32_t algo) {
    mega_train_settings settings;
    memset(&settings, 0, sizeof settings);
    mega_train_defaults(algo, &settings);
    settings.envs = 32;
    return settings;
}

static void test_alone(void) {
    const mega_train_settings all = settings_of(MEGA_ALGO_PPO);
    mega_train_settings own;
    mega_message message = {""};
    MEGA_CHECK_EQ(mega_share_of(&all, NULL, &own, &message), 0);
    MEGA_CHECK_BYTES(&all, &own, sizeof all);
    const mega_dist one = {.rank = 0, .size = 1, .local_rank = 0, .local_size = 1};
    MEGA_CHECK_EQ(mega_share_of(&all, &one, &own, &message), 0);
    MEGA_CHECK_BYTES(&all, &own, sizeof all);
}

static void test_parts(void) {
    mega_train_settings all = settings_of(MEGA_ALGO_DQN), own;
    mega_message message = {""};
    const mega_dist dist = ranks_of(4, 3);
    all.groups = 16;
    all.replay = 1000001;
    (void)snprintf(all.device, sizeof all.device, "cuda");
    MEGA_CHECK_EQ(mega_share_of(&all, &dist, &own, &message), 0);
    MEGA_CHECK_EQ(own.envs, 8);
    MEGA_CHECK_EQ(own.groups, 8);
    MEGA_CHECK_EQ(own.batch, 8);
    MEGA_CHECK_EQ(own.train_every, 1);
    MEGA_CHECK_EQ(own.target_every, 2500);
    MEGA_CHECK_EQ(own.replay, 250001);
    MEGA_CHECK_EQ(own.learn_start, 12500);
    MEGA_CHECK_EQ(own.frames, all.frames); // of the whole run
    MEGA_CHECK(strcmp(own.device, "cuda:1") == 0);
    MEGA_CHECK(own.threads >= 1);
    (void)snprintf(all.device, sizeof all.device, "cuda:0"); // named by its number: shared
    MEGA_CHECK_EQ(mega_share_of(&all, &dist, &own, &message), 0);
    MEGA_CHECK(strcmp(own.device, "cuda:0") == 0);
}

static void check_refused(const mega_train_settings *all, uint32_t size, const char *words) {
    mega_train_settings own;
    mega_message message = {""};
    const mega_dist dist = ranks_of(size, 0);
    MEGA_CHECK_EQ(mega_share_of(all, &dist, &own, &message), -1);
    if (strstr(message.text, words) == NULL) {
        fprintf(stderr, "%s\n", message.text);
        MEGA_FAIL(words);
    }
}

static void test_refused(void) {
    mega_train_settings all = settings_of(MEGA_ALGO_A2C);
    check_refused(&all, 33, "more than 32 environments");
    check_refused(&all, 5, "envs of 32 cannot be shared by 5 processes; 30 can");
    all.envs = 4;
    check_refused(&all, 3, "3 can");
    all = settings_of(MEGA_ALGO_DQN);
    all.batch = 33;
    check_refused(&all, 2, "batch of 33");
    all = settings_of(MEGA_ALGO_DQN);
    all.train_every = 4;
    check_refused(&all, 8, "train_every of 4 cannot be shared by 8 processes; 8 can");
    all = settings_of(MEGA_ALGO_PPO);
    all.envs = 4;
    all.steps = 3;
    all.minibatches = 4;
    check_refused(&all, 4, "minibatches");
}

int main(void) {
    test_alone();
    test_parts();
    test_refused();
    return mega_test_result();
}
