// mega_test_trainer.h - training runs on the built-in game: the same twice, and the same after a checkpoint.
#ifndef MEGA_TEST_TRAINER_H
#define MEGA_TEST_TRAINER_H
#include "trainer.h"

#include "mega_test.h"
#include "mega_test_files.h"

#include <math.h>
#include <stdlib.h>

enum {
    ITERATIONS = 6,
    SAVED_AFTER = 3
};

static inline mega_train_settings small_settings(uint32_t algo) {
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

static inline mega_trainer *make_trainer(const mega_train_settings *settings) {
    mega_rom *rom = NULL;
    mega_trainer *trainer = NULL;
    mega_message message = {""};
    MEGA_CHECK_EQ(mega_rom_builtin(&rom), MEGA_OK);
    MEGA_CHECK_EQ(mega_trainer_create(settings, rom, NULL, &trainer, &message), 0);
    mega_rom_destroy(rom);
    if (trainer == NULL) {
        fprintf(stderr, "%s\n", message.text);
        exit(1);
    }
    return trainer;
}

static inline void iterate(mega_trainer *trainer, uint32_t times) {
    mega_message message = {""};
    for (uint32_t i = 0; i < times; i++) {
        MEGA_CHECK_EQ(mega_trainer_iterate(trainer, &message), 0);
    }
}

static inline float *parameters_of(mega_trainer *trainer, size_t *count) {
    mega_message message;
    *count = mega_trainer_network(trainer)->parameter_count;
    float *parameters = malloc(*count * sizeof *parameters);
    MEGA_CHECK_EQ(mega_trainer_parameters(trainer, parameters, &message), 0);
    return parameters;
}

static inline void check_same(mega_trainer *a, mega_trainer *b) {
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

// Twice the same, and with groups and with other numbers of threads, too.
static inline void check_runs_repeat(mega_train_settings settings) {
    mega_train_settings other = settings;
    other.groups = 3;
    other.threads = 1;
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

// A run that was saved and goes on in another trainer ends like one that was never interrupted, means included. The
// random starts and evaluations in between change nothing.
static inline void check_resume(mega_train_settings settings, uint32_t saved_after) {
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

#endif
