// test_trainer.c - training runs: the same twice, the same after a checkpoint, whatever the number of groups; and what
// becomes of checkpoints that do not fit, and of gradients that are not finite.
#include "mega_test_trainer.h"

static void test_seeds_differ(void) {
    const mega_train_settings settings = small_settings(MEGA_ALGO_A2C);
    mega_train_settings other = settings;
    other.seed = 6;
    mega_message message;
    size_t count;
    mega_trainer *a = make_trainer(&settings), *b = make_trainer(&other);
    MEGA_CHECK(mega_trainer_start(a, &message) == 0 && mega_trainer_start(b, &message) == 0);
    float *left = parameters_of(a, &count), *right = parameters_of(b, &count);
    MEGA_CHECK(memcmp(left, right, count * sizeof *left) != 0);
    free(left);
    free(right);
    mega_trainer_destroy(a);
    mega_trainer_destroy(b);
}

// However many steps it looks back on.
static void test_long_history(void) {
    mega_train_settings settings = small_settings(MEGA_ALGO_VTRACE);
    const char *path = mega_test_path("checkpoint");
    mega_message message = {""};
    settings.steps = 70;
    mega_trainer *whole = make_trainer(&settings), *resumed = make_trainer(&settings);
    MEGA_CHECK_EQ(mega_trainer_start(whole, &message), 0);
    iterate(whole, 36);
    MEGA_CHECK_EQ(mega_trainer_save(whole, path, &message), 0);
    MEGA_CHECK_EQ(mega_trainer_restore(resumed, path, &message), 0);
    iterate(whole, 2);
    iterate(resumed, 2);
    MEGA_CHECK_EQ(mega_trainer_count(whole).updates, 4);
    check_same(whole, resumed);
    mega_trainer_destroy(whole);
    mega_trainer_destroy(resumed);
}

// The first iteration has the whole learning rate, the last one more than none.
static void test_schedule(void) {
    mega_train_settings settings = small_settings(MEGA_ALGO_A2C);
    mega_message message = {""};
    mega_train_means means;
    settings.frames = 2 * settings.envs * settings.steps * settings.frame_skip;
    mega_trainer *trainer = make_trainer(&settings);
    MEGA_CHECK_EQ(mega_trainer_start(trainer, &message), 0);
    iterate(trainer, 1);
    MEGA_CHECK(mega_trainer_means(trainer, &means, &message) == 0 &&
               means.learning_rate == settings.learning_rate);
    iterate(trainer, 1);
    MEGA_CHECK(mega_trainer_means(trainer, &means, &message) == 0 &&
               fabs(means.learning_rate - settings.learning_rate / 2) < 1e-9);
    mega_trainer_destroy(trainer);
}

static void test_evaluations_repeat(void) {
    const mega_train_settings settings = small_settings(MEGA_ALGO_A2C);
    mega_message message;
    mega_evaluation first, second, other;
    mega_trainer *trainer = make_trainer(&settings);
    MEGA_CHECK_EQ(mega_trainer_start(trainer, &message), 0);
    MEGA_CHECK_EQ(mega_trainer_evaluate(trainer, 8, 1, &first, &message), 0);
    MEGA_CHECK_EQ(mega_trainer_evaluate(trainer, 8, 2, &other, &message), 0);
    MEGA_CHECK_EQ(mega_trainer_evaluate(trainer, 8, 1, &second, &message), 0);
    MEGA_CHECK_EQ(first.episodes, 8);
    MEGA_CHECK(first.lowest <= first.mean && first.mean <= first.highest);
    MEGA_CHECK_BYTES(&first, &second, sizeof first);
    mega_trainer_destroy(trainer);
}

// ---- what does not fit ----

static void test_other_settings(void) {
    const mega_train_settings settings = small_settings(MEGA_ALGO_A2C);
    mega_train_settings other = settings;
    const char *path = mega_test_path("checkpoint");
    mega_message message = {""};
    other.learning_rate = 0.5;
    mega_trainer *trainer = make_trainer(&settings), *stranger = make_trainer(&other);
    MEGA_CHECK_EQ(mega_trainer_start(trainer, &message), 0);
    MEGA_CHECK_EQ(mega_trainer_save(trainer, path, &message), 0);
    MEGA_CHECK_EQ(mega_trainer_restore(stranger, path, &message), -1);
    MEGA_CHECK(strstr(message.text, "learning_rate") != NULL);
    mega_trainer_destroy(stranger);
    other = settings;
    other.frames = 5; // may differ
    stranger = make_trainer(&other);
    MEGA_CHECK_EQ(mega_trainer_restore(stranger, path, &message), 0);
    mega_trainer_destroy(stranger);
    mega_trainer_destroy(trainer);
}

static void test_sizes(void) {
    mega_train_settings settings = small_settings(MEGA_ALGO_VTRACE);
    mega_message message = {""};
    settings.envs = 7;
    MEGA_CHECK_EQ(mega_train_check(&settings, &message), -1);
    MEGA_CHECK(strstr(message.text, "6 can") != NULL);
    settings = small_settings(MEGA_ALGO_PPO);
    settings.minibatches = 7;
    MEGA_CHECK_EQ(mega_train_check(&settings, &message), -1);
    MEGA_CHECK(strstr(message.text, "7 environments can") != NULL);
    settings = small_settings(MEGA_ALGO_A2C);
    settings.groups = 7;
    MEGA_CHECK_EQ(mega_train_check(&settings, &message), -1);
}

static void test_not_finite(void) {
    mega_train_settings settings = small_settings(MEGA_ALGO_A2C);
    mega_message message = {""};
    settings.learning_rate = 1e38;
    settings.max_gradient = 0;
    mega_trainer *trainer = make_trainer(&settings);
    MEGA_CHECK_EQ(mega_trainer_start(trainer, &message), 0);
    iterate(trainer, 5);
    size_t count;
    mega_train_means means;
    float *parameters = parameters_of(trainer, &count);
    uint32_t broken = 0;
    for (size_t i = 0; i < count; i++) {
        broken += isnan(parameters[i]) ? 1 : 0;
    }
    MEGA_CHECK_EQ(broken, 0); // the last good ones
    free(parameters);
    MEGA_CHECK_EQ(mega_trainer_means(trainer, &means, &message), -1);
    MEGA_CHECK(strstr(message.text, "not finite") != NULL);
    MEGA_CHECK_EQ(mega_trainer_save(trainer, mega_test_path("broken"), &message), -1);
    mega_trainer_destroy(trainer);
}

int main(void) {
    for (uint32_t algo = MEGA_ALGO_A2C; algo <= MEGA_ALGO_PPO; algo++) {
        check_runs_repeat(small_settings(algo));
        check_resume(small_settings(algo), 1);
        check_resume(small_settings(algo), SAVED_AFTER);
    }
    test_seeds_differ();
    test_long_history();
    test_schedule();
    test_evaluations_repeat();
    test_other_settings();
    test_sizes();
    test_not_finite();
    mega_test_remove_files();
    return mega_test_result();
}
