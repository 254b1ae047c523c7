// test_trainer_q.c - runs of Q-learners, with each switch: the same twice, whatever the number of groups and threads, the
// same after a checkpoint with its replay memory, also while it is filling and after it has wrapped; and what bad
// settings and bad files get.
#include "checkpoint.h"
#include "mega_test_trainer.h"
#include "optimizer.h"

#include <unistd.h>

static mega_train_settings q_settings(void) {
    mega_train_settings s = small_settings(MEGA_ALGO_DQN);
    s.steps = 2;
    s.batch = 8;
    s.replay = 240;
    s.learn_start = 120;
    s.train_every = 6;
    s.target_every = 48;
    s.explore_last = 0.2;
    s.explore_frames = 2000;
    s.lives = MEGA_LIVES_TERMINAL;
    s.frames = 10000;
    s.learning_rate = 1e-2;
    return s;
}

static mega_train_settings rainbow_settings(void) {
    mega_train_settings s = q_settings();
    s.double_q = s.dueling = s.prioritised = true;
    s.n_steps = 3;
    s.atoms = 11;
    s.v_min = -2;
    s.v_max = 2;
    s.optimizer = MEGA_OPTIMIZER_ADAM;
    s.learning_rate = 1e-3;
    return s;
}

// Before the first update, while the memory fills, and after it has wrapped.
static void check_all(const mega_train_settings *settings) {
    check_runs_repeat(*settings);
    check_resume(*settings, 2);
    check_resume(*settings, 12);
    check_resume(*settings, 40);
}

static void test_switches(void) {
    mega_train_settings s = q_settings();
    check_all(&s);
    s = rainbow_settings();
    check_all(&s);
    s.noisy = true;
    s.explore_first = s.explore_last = 0;
    check_all(&s);
}

static void test_concurrent(void) {
    mega_train_settings s = q_settings();
    s.concurrent = true;
    check_runs_repeat(s);
    check_resume(s, 2);
    check_resume(s, 8);
    s = rainbow_settings();
    s.concurrent = true;
    check_runs_repeat(s);
    check_resume(s, 8);
}

// As many updates as transitions ask for, in turn or at the same time, once there is something to learn from.
static void test_counts(void) {
    mega_train_settings s = q_settings();
    mega_message message = {""};
    for (int concurrent = 0; concurrent < 2; concurrent++) {
        s.concurrent = concurrent != 0;
        mega_trainer *trainer = make_trainer(&s);
        MEGA_CHECK_EQ(mega_trainer_start(trainer, &message), 0);
        while (mega_trainer_count(trainer).steps * 6 < 480) {
            iterate(trainer, 1);
        }
        const mega_train_count count = mega_trainer_count(trainer);
        // In turn from transition 120 on; at once in whole periods of 48 that begin at 144 or later.
        MEGA_CHECK_EQ(count.updates, concurrent ? (480 - 144) / 6 : (480 - 120) / 6);
        MEGA_CHECK_EQ(count.samples, count.updates * 8);
        mega_trainer_destroy(trainer);
    }
}

static void test_means(void) {
    const mega_train_settings s = q_settings();
    mega_message message = {""};
    mega_train_means means;
    mega_trainer *trainer = make_trainer(&s);
    MEGA_CHECK_EQ(mega_trainer_start(trainer, &message), 0);
    iterate(trainer, 4);
    MEGA_CHECK(mega_trainer_means(trainer, &means, &message) == 0 && means.exploration == 1);
    iterate(trainer, 60);
    MEGA_CHECK_EQ(mega_trainer_means(trainer, &means, &message), 0);
    MEGA_CHECK(fabs(means.exploration - 0.2) < 1e-9 && isfinite(means.q) && isfinite(means.value_loss));
    MEGA_CHECK(isnan(means.entropy) && isnan(means.policy_loss));
    mega_trainer_destroy(trainer);
}

static void check_refused(const mega_train_settings *s, const char *word) {
    mega_message message = {""};
    MEGA_CHECK_EQ(mega_train_check(s, &message), -1);
    MEGA_CHECK(strstr(message.text, word) != NULL);
}

static void test_bad_settings(void) {
    mega_train_settings s = q_settings();
    s.learn_start = 10;
    check_refused(&s, "learn_start of 24");
    s = q_settings();
    s.concurrent = true;
    s.target_every = 50;
    check_refused(&s, "48 is");
    s.target_every = 48;
    s.noisy = true;
    check_refused(&s, "noisy = false");
    s = rainbow_settings();
    s.v_min = 5;
    check_refused(&s, "v_min");
    s = q_settings();
    s.replay = 1000000000;
    s.envs = 6;
    mega_rom *rom = NULL;
    mega_trainer *trainer = NULL;
    mega_message message = {""};
    MEGA_CHECK_EQ(mega_rom_builtin(&rom), MEGA_OK);
    MEGA_CHECK_EQ(mega_trainer_create(&s, rom, NULL, &trainer, &message), -1);
    MEGA_CHECK(strstr(message.text, "replay") != NULL);
    mega_rom_destroy(rom);
}

static void test_cut_file(void) {
    const mega_train_settings s = q_settings();
    const char *path = mega_test_path("cut");
    mega_message message = {""};
    mega_trainer *trainer = make_trainer(&s);
    MEGA_CHECK_EQ(mega_trainer_start(trainer, &message), 0);
    iterate(trainer, 20);
    MEGA_CHECK_EQ(mega_trainer_save(trainer, path, &message), 0);
    FILE *file = fopen(path, "rb+");
    MEGA_CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    const long size = ftell(file);
    (void)fclose(file);
    MEGA_CHECK_EQ(truncate(path, size / 2), 0);
    MEGA_CHECK_EQ(mega_trainer_restore(trainer, path, &message), -1);
    MEGA_CHECK(message.text[0] != '\0');
    mega_trainer_destroy(trainer);
}

// A checkpoint whose sections are sound but for one, which is filled with a byte.
static void copy_spoilt(const char *from, const char *to, const char *spoilt, uint8_t byte) {
    mega_message message = {""};
    mega_checkpoint_reader *reader = NULL;
    mega_checkpoint_writer *writer = NULL;
    MEGA_CHECK_EQ(mega_checkpoint_reader_open(from, &reader, &message), 0);
    MEGA_CHECK_EQ(mega_checkpoint_writer_open(to, &writer, &message), 0);
    for (uint32_t i = 0; i < mega_checkpoint_count(reader); i++) {
        const mega_checkpoint_section section = mega_checkpoint_section_at(reader, i);
        void *bytes = malloc(section.size);
        MEGA_CHECK_EQ(mega_checkpoint_read(reader, section.name, bytes, section.size, &message), 0);
        if (strcmp(section.name, spoilt) == 0) {
            memset(bytes, byte, section.size);
        }
        MEGA_CHECK_EQ(mega_checkpoint_add(writer, section.name, bytes, section.size, true, &message), 0);
        free(bytes);
    }
    MEGA_CHECK_EQ(mega_checkpoint_commit(writer, &message), 0);
    mega_checkpoint_reader_close(reader);
}

// What the sums of a file cannot tell: numbers that would be read from outside of an array, or spoil all draws.
static void test_impossible_numbers(void) {
    static const struct {
        const char *section;
        uint8_t byte;
        const char *word;
    } cases[] = {{"replay.actions", 0x7F, "replay.actions"},
                 {"replay.actions", 0xFF, "replay.actions"},
                 {"replay.priorities", 0xFF, "replay.priorities"},
                 {"replay.max_priority", 0xBF, "priority"},
                 {"state", 0xEE, "steps"}};
    const mega_train_settings s = rainbow_settings();
    const char *path = mega_test_path("sound");
    mega_message message = {""};
    mega_trainer *trainer = make_trainer(&s);
    MEGA_CHECK_EQ(mega_trainer_start(trainer, &message), 0);
    iterate(trainer, 20);
    MEGA_CHECK_EQ(mega_trainer_save(trainer, path, &message), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char spoilt[4096];
        (void)snprintf(spoilt, sizeof spoilt, "%s.spoilt", path);
        copy_spoilt(path, spoilt, cases[i].section, cases[i].byte);
        MEGA_CHECK_EQ(mega_trainer_restore(trainer, spoilt, &message), -1);
        MEGA_CHECK(strstr(message.text, cases[i].word) != NULL);
        (void)remove(spoilt);
    }
    MEGA_CHECK_EQ(mega_trainer_restore(trainer, path, &message), 0);
    mega_trainer_destroy(trainer);
}

int main(void) {
    test_switches();
    test_concurrent();
    test_counts();
    test_means();
    test_bad_settings();
    test_cut_file();
    test_impossible_numbers();
    mega_test_remove_files();
    return mega_test_result();
}
