// bench_learn.c - see bench_learn.h.
#include "bench_learn.h"

#include "json.h"
#include "progress.h"
#include "report.h"
#include "trainer.h"

#include <inttypes.h>
#include <stdlib.h>

static int advance(mega_trainer *trainer, bool trains) {
    mega_message message;
    if ((trains ? mega_trainer_iterate(trainer, &message) : mega_trainer_play(trainer, 1, &message)) < 0) {
        return mega_report_failure("%s", message.text);
    }
    return MEGA_EXIT_OK;
}

static int time_once(mega_trainer *trainer, const mega_bench_learn *bench, mega_progress *progress,
                     mega_bench_timing *timing) {
    const mega_train_count before = mega_trainer_count(trainer);
    const double start = mega_seconds();
    mega_message message;
    do {
        const int exit_code = advance(trainer, bench->trains);
        if (exit_code != MEGA_EXIT_OK) {
            return exit_code;
        }
        mega_progress_update(progress, (uint64_t)(1000.0 * (mega_seconds() - progress->start)));
    } while (mega_seconds() - start < bench->seconds);
    mega_train_means means;
    if (mega_trainer_means(trainer, &means, &message) < 0) { // waits for a GPU
        return mega_report_failure("%s", message.text);
    }
    const mega_train_count after = mega_trainer_count(trainer);
    timing->seconds = mega_seconds() - start;
    timing->frames = after.frames - before.frames;
    timing->updates = after.updates - before.updates;
    timing->fps = (double)timing->frames / timing->seconds;
    return MEGA_EXIT_OK;
}

static int compare_timings(const void *a, const void *b) {
    const mega_bench_timing *const x = a;
    const mega_bench_timing *const y = b;
    return (x->fps > y->fps) - (x->fps < y->fps);
}

static void print_json(const mega_bench_learn *bench, const mega_bench_timing *median,
                       const mega_bench_timing *best) {
    const mega_train_settings *settings = &bench->settings;
    char obs[48];
    (void)snprintf(obs, sizeof obs, "%" PRId64 "x%" PRId64, settings->height, settings->width);
    mega_json json = mega_json_begin(stdout);
    mega_json_text(&json, "game", mega_rom_get_info(bench->rom)->name);
    mega_json_text(&json, "device", settings->device);
    mega_json_text(&json, "load", bench->trains ? "train" : "infer");
    mega_json_text(&json, "algo", mega_algo_names[settings->algo]);
    mega_json_text(&json, "network", settings->network);
    mega_json_int(&json, "envs", settings->envs);
    mega_json_int(&json, "threads", settings->threads);
    mega_json_int(&json, "frame_skip", settings->frame_skip);
    mega_json_text(&json, "obs", obs);
    mega_json_float(&json, "seconds", median->seconds);
    mega_json_float(&json, "raw_fps", median->fps);
    mega_json_float(&json, "best_fps", best->fps);
    mega_json_float(&json, "updates_per_second", (double)median->updates / median->seconds);
    mega_json_int(&json, "repeat", bench->repeat);
    mega_json_text(&json, "version", mega_version());
    mega_json_end(&json);
}

static void print_table(const mega_bench_learn *bench, const mega_bench_timing *median,
                        const mega_bench_timing *best) {
    const mega_train_settings *settings = &bench->settings;
    (void)printf("game        %s\n", mega_rom_get_info(bench->rom)->name);
    (void)printf("device      %s\n", settings->device);
    (void)printf("load        %s, %s, network %s, %" PRId64 " environments\n",
                 bench->trains ? "train" : "infer", mega_algo_names[settings->algo], settings->network,
                 settings->envs);
    (void)printf("frames/s    %.0f (median of %" PRId64 "), %.0f (best)\n", median->fps, bench->repeat,
                 best->fps);
    (void)printf("updates/s   %.1f\n", (double)median->updates / median->seconds);
}

// Updates of a Q-learner begin when its memory has something to draw.
static bool is_warm(const mega_trainer *trainer, const mega_bench_learn *bench) {
    const mega_train_settings *settings = &bench->settings;
    const uint64_t steps = mega_trainer_count(trainer).steps;
    const bool waits = bench->trains && settings->algo == MEGA_ALGO_DQN;
    return steps >= (uint64_t)bench->warmup &&
           (!waits || steps * (uint64_t)settings->envs >= (uint64_t)settings->learn_start);
}

static int measure(mega_trainer *trainer, const mega_bench_learn *bench, const char *label,
                   mega_bench_timing *timings) {
    mega_progress progress =
        mega_progress_begin(label, (uint64_t)(1000.0 * bench->seconds * (double)bench->repeat));
    int exit_code = advance(trainer, bench->trains);
    while (exit_code == MEGA_EXIT_OK && !is_warm(trainer, bench)) {
        exit_code = advance(trainer, bench->trains);
    }
    progress.start = mega_seconds();
    for (int64_t i = 0; i < bench->repeat && exit_code == MEGA_EXIT_OK; i++) {
        exit_code = time_once(trainer, bench, &progress, &timings[i]);
    }
    mega_progress_end(&progress);
    return exit_code;
}

int mega_bench_learn_measure(mega_bench_learn *bench, const char *label, mega_bench_timing *timings) {
    mega_message message;
    mega_trainer *trainer = NULL;
    int exit_code = MEGA_EXIT_OK;
    bench->settings.frames = INT64_C(1) << 52; // the step size stays what it is
    if (mega_trainer_create(&bench->settings, bench->rom, NULL, &trainer, &message) < 0 ||
        mega_trainer_start(trainer, &message) < 0) {
        exit_code = mega_report_failure("%s", message.text);
    }
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = measure(trainer, bench, label, timings);
    }
    if (exit_code == MEGA_EXIT_OK) {
        qsort(timings, (size_t)bench->repeat, sizeof *timings, compare_timings);
    }
    mega_trainer_destroy(trainer);
    return exit_code;
}

int mega_bench_learn_run(mega_bench_learn *bench) {
    mega_bench_timing *timings = calloc((size_t)bench->repeat, sizeof *timings);
    int exit_code = timings == NULL ? mega_report_failure("out of memory")
                                    : mega_bench_learn_measure(bench, "bench", timings);
    if (exit_code == MEGA_EXIT_OK) {
        (bench->json ? print_json : print_table)(bench, &timings[(bench->repeat - 1) / 2],
                                                 &timings[bench->repeat - 1]);
    }
    free(timings);
    return exit_code;
}
