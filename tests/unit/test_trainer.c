// test_trainer.c - training runs: the same twice, the same after a checkpoint, whatever the number of groups; and what
// becomes of checkpoints that do not fit, and of gradients that are not finite.
#include "trainer.h"

#include "mega_test.h"
#include "mega_test_files.h"

#include <math.h>
#include <stdlib.h>

enum {
    ITERATIONS = 6,
    SAVED_AFTER = 3
};

static mega_train_settings small_settings(uint32_t algo) {
    mega_train_settings settings;
    mega_train_defaults(algo, &settings);
    (void)snprintf(settings.network, sizeof settings.network, "conv 8x8/4, fc 32");
    settings.height = settings.width = 44;
    settings.stack = 2;
    settings.frames = 100000;
    settings.seed = 5;
    settings.threads = 2;
    settings.envs = 6;
    settings.steps = algo == MEGA_ALGO_PPO ? 20 : 5;
    settings.batches = algo == MEGA_ALGO_VTRACE ? 3 : 1;
    settings.steps_per_update = 2;
    settings.minibatches = 2;
    settings.epochs = 2;
    settings.max_episode_frames = 90; // so that episodes end
    settings.plain = true;
    return settings;
}

static mega_trainer *make_trainer(const mega_train_settings *settings) {
    mega_rom *rom = NULL;
    mega_trainer *trainer = NULL;
    mega_message message = {""};
    MEGA_CHECK_EQ(mega_rom_builtin(&rom), MEGA_OK);
    MEGA_CHECK_EQ(mega_trainer_create(settings, rom, &trainer, &message), 0);
    mega_rom_destroy(rom);
    if (trainer == NULL) {
        fprintf(stderr, "%s\n", message.text);
        exit(1);
    }
    return trainer;
}

static void iterate(mega_trainer *trainer, uint32_t times) {
    mega_message message = {""};
    for (uint32_t i = 0; i < times; i++) {
        MEGA_CHECK_EQ(mega_trainer_iterate(trainer, &message), 0);
    }
}

static float *parameters_of(mega_trainer *trainer, size_t *count) {
    mega_message message;
    *count = mega_trainer_network(trainer)->parameter_count;
    float *parameters = malloc(*count * sizeof *parameters);
    MEGA_CHECK_EQ(mega_trainer_parameters(trainer, parameters, &message), 0);
    return parameters;
}

static void check_same(mega_trainer *a, mega_trainer *b) {
    size_t count, other_count;
    float *left = parameters_of(a, &count), *right = parameters_of(b, &other_count);
    const mega_train_count here = mega_trainer_count(a), there = mega_trainer_count(b);
    MEGA_CHECK_EQ(count, other_count);
    MEGA_CHECK_BYTES(left, right, count * sizeof *left);
    MEGA_CHECK_EQ(here.frames, there.frames);
    MEGA_CHECK_EQ(here.updates, there.updates);
    MEGA_CHECK_EQ(here.samples, there.samples);
    MEGA_CHECK_EQ(here.episodes, there.episodes);
    MEGA_CHECK(here.score == there.score || (isnan(here.score) && isnan(there.score)));
    free(left);
    free(right);
}

// ---- the same run ----

static void test_runs_repeat(uint32_t algo) {
    const mega_train_settings settings = small_settings(algo);
    mega_train_settings other = settings;
    other.groups = 3;
    mega_message message;
    mega_trainer *trainer = make_trainer(&settings), *again = make_trainer(&settings),
                 *grouped = make_trainer(&other);
    mega_trainer *const all[] = {trainer, again, grouped};
    for (size_t i = 0; i < 3; i++) {
        MEGA_CHECK_EQ(mega_trainer_start(all[i], &message), 0);
        iterate(all[i], ITERATIONS * 4);
    }
    MEGA_CHECK(mega_trainer_count(trainer).updates > 0);
    MEGA_CHECK(mega_trainer_count(trainer).episodes > 0);
    check_same(trainer, again);
    check_same(trainer, grouped);
    for (size_t i = 0; i < 3; i++) {
        mega_trainer_destroy(all[i]);
    }
}

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

// A run that was saved and goes on in another trainer ends like one that was never interrupted, means included. The
// random starts and evaluations in between change nothing.
static void test_resume(uint32_t algo, uint32_t saved_after) {
    mega_train_settings settings = small_settings(algo);
    settings.random_steps = 40;
    const char *path = mega_test_path("checkpoint");
    mega_message message = {""};
    mega_evaluation evaluation;
    mega_train_means means, other_means, unsaved_means;
    mega_trainer *whole = make_trainer(&settings), *resumed = make_trainer(&settings),
                 *unsaved = make_trainer(&settings);
    MEGA_CHECK(mega_trainer_start(whole, &message) == 0 && mega_trainer_start(unsaved, &message) == 0);
    iterate(unsaved, saved_after + ITERATIONS - 1);
    iterate(whole, saved_after);
    MEGA_CHECK_EQ(mega_trainer_save(whole, path, &message), 0);
    MEGA_CHECK_EQ(mega_trainer_evaluate(whole, 3, 1, &evaluation, &message), 0);
    iterate(whole, ITERATIONS - 1);
    MEGA_CHECK_EQ(mega_trainer_restore(resumed, path, &message), 0);
    iterate(resumed, ITERATIONS - 1);
    check_same(whole, resumed);
    MEGA_CHECK_EQ(mega_trainer_means(whole, &means, &message), 0);
    MEGA_CHECK_EQ(mega_trainer_means(resumed, &other_means, &message), 0);
    MEGA_CHECK_EQ(mega_trainer_means(unsaved, &unsaved_means, &message), 0);
    MEGA_CHECK_BYTES(&means, &other_means, sizeof means);
    MEGA_CHECK_BYTES(&means, &unsaved_means, sizeof means);
    mega_trainer_destroy(whole);
    mega_trainer_destroy(resumed);
    mega_trainer_destroy(unsaved);
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
        test_runs_repeat(algo);
        test_resume(algo, 1);
        test_resume(algo, SAVED_AFTER);
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
