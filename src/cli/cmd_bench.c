// cmd_bench.c - `megacade bench`: emulated frames per second of a vector with random play.
//
// Environment i is seeded with i and plays its own stream of actions, so what happens does not depend on the
// number of threads. The first steps are hashed and not timed: the checksum shows a fast wrong answer.
#include "bench_fast_dqn.h"
#include "commands.h"
#include "json.h"
#include "load.h"
#include "presets.h"
#include "progress.h"
#include "report.h"
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    CHECK_STEPS = 32,  // steps of each environment in the checksum
    CHECK_ENVS = 4096, // of more, only so many show their observations, and only the last
    REPEAT_MAX = 1000,
    SIDE_MAX = 1024, // of an observation
    THREADS_MAX = 1024,
    ALIGNED_REPEATS = 8 // steps of a GPU with the same action
};
static const double chunk_seconds = 0.05; // of work between two looks at the clock

typedef struct bench_run {
    mega_load load;
    mega_options options;
    // settings
    int64_t groups; // of a network's load
    int64_t envs, threads, frame_skip, repeat, warmup;
    double seconds;
    const char *device;
    const char *load_name;
    const char *obs;
    const char *autoreset;
    const char *algo, *preset, *env_device, *resets; // of a network's load
    const char *table;
    const char *alone;
    bool next_step; // episodes begin in place of a step
    bool plain, json;
    bool aligned;           // all environments do the same
    uint32_t height, width; // of the observation; 0 for ram and none
    // the run; arrays have an entry for each environment
    mega_rom *rom;
    mega_vector *vector;
    mega_stream *streams;
    int32_t *actions;
    int32_t *rewards;
    uint64_t *hashes;
    uint64_t checksum;
    double start_seconds; // until all environments are at the beginning of an episode
    int turn;             // the file of --alone, opened, or -1
} bench_run;

typedef struct bench_timing {
    double seconds;
    uint64_t steps;  // of each environment
    uint64_t resets; // of all
    double fps;
    double lanes; // of a GPU's warps that are useful, or 0
} bench_timing;

// ---- playing -----------------------------------------------------------------------------------------

static void put_little_endian(uint64_t value, uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

// Adds what the last step showed. Without an observation the RAM is looked at. Gigabytes of observations would take
// longer than the bench.
static void hash_step(const bench_run *bench, bool is_last) {
    const size_t size = mega_vector_observation_size(bench->vector);
    const bool looks = bench->envs <= CHECK_ENVS || is_last;
    const uint8_t *const observations = looks ? mega_vector_observations(bench->vector) : NULL;
    for (uint32_t i = 0; i < (uint32_t)bench->envs; i++) {
        uint8_t bytes[4];
        uint64_t hash = bench->hashes[i];
        put_little_endian((uint32_t)bench->rewards[i], bytes, sizeof bytes);
        if (looks && i < CHECK_ENVS) {
            hash = observations != NULL ? mega_fnv(hash, observations + i * size, size)
                                        : mega_fnv(hash, mega_vector_ram(bench->vector, i), MEGA_RAM_SIZE);
        }
        bench->hashes[i] = mega_fnv(hash, bytes, sizeof bytes);
    }
}

// One step with actions of the host's choice.
static mega_status step_from_host(const bench_run *bench) {
    const mega_vector_out out = {.rewards = bench->rewards};
    uint32_t choices = 0;
    (void)mega_vector_actions(bench->vector, &choices);
    for (int64_t i = 0; i < bench->envs; i++) {
        bench->actions[i] = (int32_t)mega_stream_below(&bench->streams[i], choices);
    }
    return mega_vector_step(bench->vector, bench->actions, NULL, &out);
}

// The same on a GPU, without a look at the results: it draws the actions itself, or repeats those of the host.
static int run_device_rounds(const bench_run *bench, uint64_t rounds) {
    for (uint64_t round = 0; round < rounds; round++) {
        const uint32_t wait = round + 1 < rounds ? (uint32_t)MEGA_STEP_NO_WAIT : 0u;
        const mega_status status =
            bench->aligned && round % ALIGNED_REPEATS == 0
                ? step_from_host(bench)
                : mega_vector_step_device(bench->vector,
                                          (bench->aligned ? 0u : (uint32_t)MEGA_STEP_SAMPLE) | wait, NULL);
        if (status != MEGA_OK) {
            return mega_report_status(status);
        }
    }
    return MEGA_EXIT_OK;
}

// Steps every environment `rounds` times. Returns an exit code.
static int run_rounds(const bench_run *bench, uint64_t rounds, bool hashing) {
    if (strcmp(bench->device, "cpu") != 0 && !hashing) {
        return run_device_rounds(bench, rounds);
    }
    for (uint64_t round = 0; round < rounds; round++) {
        const mega_status status = step_from_host(bench);
        if (status != MEGA_OK) {
            return mega_report_status(status);
        }
        if (hashing) {
            hash_step(bench, round + 1 == rounds);
        }
    }
    return MEGA_EXIT_OK;
}

// ---- taking turns ------------------------------------------------------------------------------------

// Programs that share a file warm up together, and each is measured while all others wait or have ended.
// A change from LOCK_SH to LOCK_EX first gives up what is held, so that two that wait for each other's warm-up both go on.
static int take_turn(bench_run *bench, int operation) {
    if (bench->alone == NULL) {
        return MEGA_EXIT_OK;
    }
    if (bench->turn < 0) {
        bench->turn = open(bench->alone, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    }
    int result = -1;
    do {
        result = bench->turn >= 0 ? flock(bench->turn, operation) : -1;
    } while (result < 0 && errno == EINTR);
    return result == 0 ? MEGA_EXIT_OK : mega_report_failure("--alone: %s: %s", bench->alone, strerror(errno));
}

// ---- setting up --------------------------------------------------------------------------------------

// Reads "none", "ram" or "84x84" (height, width).
static int read_obs(bench_run *bench) {
    char height[8];
    int64_t h = 0;
    int64_t w = 0;
    if (strcmp(bench->obs, "ram") == 0 || strcmp(bench->obs, "none") == 0) {
        return MEGA_EXIT_OK;
    }
    const size_t length = strcspn(bench->obs, "x");
    (void)snprintf(height, sizeof height, "%.*s", (int)(length < 7 ? length : 7), bench->obs);
    if (bench->obs[length] == '\0' || !mega_parse_int(height, 1, SIDE_MAX, &h) ||
        !mega_parse_int(bench->obs + length + 1, 1, SIDE_MAX, &w)) {
        return mega_report_usage("--obs: '%s' is not none, ram or HEIGHTxWIDTH with sides from 1 to %d",
                                 bench->obs, SIDE_MAX);
    }
    bench->height = (uint32_t)h;
    bench->width = (uint32_t)w;
    return MEGA_EXIT_OK;
}

static bool has_network(const bench_run *bench) {
    return bench->table != NULL || strcmp(bench->load_name, "infer") == 0 ||
           strcmp(bench->load_name, "train") == 0;
}

// A table sets what its variants differ in.
static int check_table(bench_run *bench) {
    static const char *const own[] = {"load", "algo", "envs", "groups"};
    if (strcmp(bench->table, "fast-dqn") != 0) {
        return mega_report_usage("--table: '%s' is not a table; use fast-dqn", bench->table);
    }
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (mega_options_given(&bench->options, own[i])) {
            return mega_report_usage("--%s: --table sets it", own[i]);
        }
    }
    bench->load_name = "train";
    bench->preset = bench->preset == NULL ? "fast-dqn" : bench->preset;
    return MEGA_EXIT_OK;
}

static int check_settings(bench_run *bench) {
    if (bench->table != NULL && check_table(bench) != MEGA_EXIT_OK) {
        return MEGA_EXIT_USAGE;
    }
    if (!has_network(bench) && strcmp(bench->load_name, "emulate") != 0) {
        return mega_report_usage("--load: '%s' is not a load; use emulate, infer or train", bench->load_name);
    }
    if (has_network(bench) && (bench->aligned || bench->plain || bench->alone != NULL ||
                               mega_options_given(&bench->options, "autoreset"))) {
        return mega_report_usage("--aligned, --alone, --plain and --autoreset are for --load emulate");
    }
    bench->next_step = strcmp(bench->autoreset, "next") == 0;
    if (!bench->next_step && strcmp(bench->autoreset, "same") != 0) {
        return mega_report_usage("--autoreset: '%s' is not same or next", bench->autoreset);
    }
    if (bench->threads > bench->envs) {
        return mega_report_usage("--threads: %" PRId64 " threads cannot share %" PRId64 " environments; use "
                                 "more with --envs",
                                 bench->threads, bench->envs);
    }
    return read_obs(bench);
}

static int open_vector(bench_run *bench) {
    bench->start_seconds = -mega_seconds();
    const mega_rom *const roms[] = {bench->rom};
    const mega_vector_desc desc = {
        .struct_size = sizeof desc,
        .count = (uint32_t)bench->envs,
        .threads = (uint32_t)bench->threads,
        .autoreset = bench->next_step ? MEGA_AUTORESET_NEXT_STEP : MEGA_AUTORESET_SAME_STEP,
        .blind = bench->height == 0,
        .roms = roms,
        .rom_count = 1,
        .device = bench->device,
        .task =
            {
                .struct_size = sizeof desc.task,
                .frame_skip = (uint32_t)bench->frame_skip,
                .height = bench->height,
                .width = bench->width,
                .plain = bench->plain,
                .translate = mega_load_translate(&bench->load, MEGA_TRANSLATE_NOW),
            },
    };
    const mega_status status = mega_vector_create(&desc, &bench->vector);
    return status == MEGA_OK ? MEGA_EXIT_OK : mega_report_status(status);
}

// Environment i gets seed i, or all get the same.
static int reset_vector(bench_run *bench) {
    const size_t envs = (size_t)bench->envs;
    bench->streams = calloc(envs, sizeof *bench->streams);
    bench->actions = calloc(envs, sizeof *bench->actions);
    bench->rewards = calloc(envs, sizeof *bench->rewards);
    bench->hashes = calloc(envs, sizeof *bench->hashes);
    if (bench->streams == NULL || bench->actions == NULL || bench->rewards == NULL || bench->hashes == NULL) {
        return mega_report_failure("out of memory for %" PRId64 " environments; use fewer --envs",
                                   bench->envs);
    }
    for (size_t i = 0; i < envs; i++) {
        bench->streams[i].state = bench->aligned ? 0 : i;
        bench->hashes[i] = MEGA_FNV_START;
        bench->actions[i] = bench->aligned ? 0 : (int32_t)i;
    }
    const mega_status status = mega_vector_reset(bench->vector, NULL, bench->actions, NULL);
    bench->start_seconds += mega_seconds();
    return status == MEGA_OK ? MEGA_EXIT_OK : mega_report_status(status);
}

static void close_run(bench_run *bench) {
    mega_vector_destroy(bench->vector);
    if (bench->turn >= 0) { // the others' turn begins when the device has nothing more to do for this one
        (void)close(bench->turn);
    }
    mega_rom_destroy(bench->rom);
    free(bench->streams);
    free(bench->actions);
    free(bench->rewards);
    free(bench->hashes);
}

// ---- measuring ---------------------------------------------------------------------------------------

static uint64_t count_resets(const bench_run *bench) {
    mega_vector_statistics statistics;
    return mega_vector_get_statistics(bench->vector, -1, &statistics) == MEGA_OK ? statistics.episodes : 0;
}

// Instructions that lanes needed and that warps executed; 0 where they are not counted.
static void count_lanes(const bench_run *bench, uint64_t counts[2]) {
    counts[0] = counts[1] = 0;
    if (strcmp(bench->device, "cpu") != 0) {
        (void)mega_vector_get_lanes(bench->vector, &counts[0], &counts[1]);
    }
}

// Runs the hashed steps; they are the first part of the warm-up.
static int run_check(bench_run *bench) {
    int exit_code = run_rounds(bench, CHECK_STEPS, true);
    if (exit_code == MEGA_EXIT_OK && bench->warmup > CHECK_STEPS) {
        exit_code = run_rounds(bench, (uint64_t)bench->warmup - CHECK_STEPS, false);
    }
    bench->checksum = MEGA_FNV_START;
    for (int64_t i = 0; i < bench->envs; i++) {
        uint8_t bytes[8];
        put_little_endian(bench->hashes[i], bytes, sizeof bytes);
        bench->checksum = mega_fnv(bench->checksum, bytes, sizeof bytes);
    }
    return exit_code;
}

// Runs for about `seconds` and measures. *chunk holds the rounds between two looks at the clock, and is
// adapted to the speed.
static int run_timed(const bench_run *bench, double seconds, uint64_t *chunk, mega_progress *progress,
                     bench_timing *timing) {
    const uint64_t resets = count_resets(bench);
    uint64_t before[2], after[2];
    count_lanes(bench, before);
    const double start = mega_seconds();
    timing->steps = 0;
    do {
        const int exit_code = run_rounds(bench, *chunk, false);
        if (exit_code != MEGA_EXIT_OK) {
            return exit_code;
        }
        timing->steps += *chunk;
        timing->seconds = mega_seconds() - start;
        const double rounds = (double)timing->steps / timing->seconds * chunk_seconds;
        *chunk = rounds < 1.0 ? 1 : rounds > 1e9 ? 1000000000 : (uint64_t)rounds;
        mega_progress_update(progress, (uint64_t)(1000.0 * (mega_seconds() - progress->start)));
    } while (timing->seconds < seconds);
    timing->resets = count_resets(bench) - resets;
    count_lanes(bench, after);
    timing->lanes =
        after[1] > before[1] ? (double)(after[0] - before[0]) / (double)(after[1] - before[1]) : 0.0;
    const double played = (double)timing->steps * (double)bench->envs;
    timing->fps = (double)bench->frame_skip * (played - (bench->next_step ? (double)timing->resets : 0.0)) /
                  timing->seconds;
    return MEGA_EXIT_OK;
}

static int compare_timings(const void *a, const void *b) {
    const bench_timing *const x = a;
    const bench_timing *const y = b;
    return (x->fps > y->fps) - (x->fps < y->fps);
}

static void print_json(const bench_run *bench, const bench_timing *median, const bench_timing *best) {
    char checksum[17];
    (void)snprintf(checksum, sizeof checksum, "%016" PRIx64, bench->checksum);
    mega_json json = mega_json_begin(stdout);
    mega_json_text(&json, "game", mega_rom_get_info(bench->rom)->name);
    mega_json_text(&json, "device", bench->device);
    mega_json_text(&json, "load", bench->load_name);
    mega_json_int(&json, "envs", bench->envs);
    mega_json_int(&json, "threads", bench->threads);
    mega_json_int(&json, "frame_skip", bench->frame_skip);
    mega_json_text(&json, "obs", bench->obs);
    mega_json_text(&json, "autoreset", bench->autoreset);
    mega_json_bool(&json, "aligned", bench->aligned);
    mega_json_bool(&json, "plain", bench->plain);
    mega_json_bool(&json, "translate", !bench->load.interpret && !bench->plain);
    mega_json_float(&json, "seconds", median->seconds);
    mega_json_float(&json, "raw_fps", median->fps);
    mega_json_float(&json, "best_fps", best->fps);
    mega_json_int(&json, "repeat", bench->repeat);
    mega_json_int(&json, "steps", (int64_t)median->steps);
    mega_json_int(&json, "resets", (int64_t)median->resets);
    if (median->lanes > 0.0) {
        mega_json_float(&json, "useful_lanes", median->lanes);
    }
    mega_json_float(&json, "start_seconds", bench->start_seconds);
    mega_json_text(&json, "checksum", checksum);
    mega_json_text(&json, "version", mega_version());
    mega_json_end(&json);
}

static void print_table(const bench_run *bench, const bench_timing *median, const bench_timing *best) {
    (void)printf("game        %s\n", mega_rom_get_info(bench->rom)->name);
    (void)printf("device      %s, %" PRId64 " thread%s%s\n", bench->device, bench->threads,
                 bench->threads == 1 ? "" : "s",
                 bench->plain            ? ", no fast paths"
                 : bench->load.interpret ? ", interpreted"
                                         : "");
    (void)printf("load        %s, %" PRId64 " environments, frame skip %" PRId64 ", observation %s\n",
                 bench->load_name, bench->envs, bench->frame_skip, bench->obs);
    (void)printf("frames/s    %.0f (median of %" PRId64 "), %.0f (best)\n", median->fps, bench->repeat,
                 best->fps);
    (void)printf("run         %.2f s, %" PRIu64 " steps of each environment, %" PRIu64 " resets\n",
                 median->seconds, median->steps, median->resets);
    (void)printf("start       %.2f s\n", bench->start_seconds);
    if (median->lanes > 0.0) {
        (void)printf("lanes       %.1f of 32 are useful\n", median->lanes);
    }
    (void)printf("checksum    %016" PRIx64 "\n", bench->checksum);
}

static int measure(bench_run *bench) {
    bench_timing *timings = calloc((size_t)bench->repeat, sizeof *timings);
    if (timings == NULL) {
        return mega_report_failure("out of memory");
    }
    const double warm_up = bench->seconds < 4.0 ? bench->seconds / 4.0 : 1.0;
    const double total = warm_up + bench->seconds * (double)bench->repeat;
    uint64_t chunk = 1;
    bench_timing ignored;
    int exit_code = run_check(bench);
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = take_turn(bench, LOCK_EX);
    }
    mega_progress progress = mega_progress_begin("bench", (uint64_t)(1000.0 * total));
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = run_timed(bench, warm_up, &chunk, &progress, &ignored);
    }
    for (int64_t i = 0; i < bench->repeat && exit_code == MEGA_EXIT_OK; i++) {
        exit_code = run_timed(bench, bench->seconds, &chunk, &progress, &timings[i]);
    }
    mega_progress_end(&progress);
    if (exit_code == MEGA_EXIT_OK) {
        qsort(timings, (size_t)bench->repeat, sizeof *timings, compare_timings);
        (bench->json ? print_json : print_table)(bench, &timings[(bench->repeat - 1) / 2],
                                                 &timings[bench->repeat - 1]);
    }
    free(timings);
    return exit_code;
}

// ---- loads with a network ----------------------------------------------------------------------------

// What the options say, over the preset, over the algorithm's defaults.
static int make_settings(const bench_run *bench, mega_train_settings *settings) {
    mega_message message = {""};
    uint32_t algo = 0;
    while (mega_algo_names[algo] != NULL && strcmp(mega_algo_names[algo], bench->algo) != 0) {
        algo++;
    }
    if (mega_algo_names[algo] == NULL) {
        return mega_report_usage("--algo: '%s' is not an algorithm; use a2c, vtrace, ppo or dqn",
                                 bench->algo);
    }
    if (bench->preset != NULL && !mega_options_given(&bench->options, "algo") &&
        mega_preset_algo(bench->preset, &algo, &message) < 0) {
        return mega_report_usage("%s", message.text);
    }
    mega_train_defaults(algo, settings);
    if (bench->preset != NULL && mega_preset_apply(bench->preset, settings, &message) < 0) {
        return mega_report_usage("%s", message.text);
    }
    if (bench->preset == NULL || mega_options_given(&bench->options, "envs")) {
        settings->envs = bench->envs;
    }
    if (bench->height != 0 && (bench->preset == NULL || mega_options_given(&bench->options, "obs"))) {
        settings->height = bench->height;
        settings->width = bench->width;
    }
    settings->frame_skip = bench->frame_skip;
    settings->threads = bench->threads;
    (void)snprintf(settings->device, sizeof settings->device, "%s", bench->device);
    if (mega_options_given(&bench->options, "groups")) {
        settings->groups = bench->groups;
    }
    if (bench->env_device != NULL) {
        (void)snprintf(settings->env_device, sizeof settings->env_device, "%s", bench->env_device);
    }
    if (bench->resets != NULL &&
        mega_settings_set(&mega_train_table, settings, "resets", bench->resets, &message) < 0) {
        return mega_report_usage("--resets: %s", message.text);
    }
    if (bench->table != NULL && settings->algo != MEGA_ALGO_DQN) {
        return mega_report_usage("--preset: '%s' is not for dqn, which the table is about", bench->preset);
    }
    return mega_train_check(settings, &message) < 0 ? mega_report_usage("%s", message.text) : MEGA_EXIT_OK;
}

static int measure_network(bench_run *bench) {
    mega_bench_learn learn = {
        .warmup = bench->warmup,
        .seconds = bench->seconds,
        .repeat = bench->repeat,
        .json = bench->json,
    };
    int exit_code = mega_load_check_device(bench->device);
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = check_settings(bench);
    }
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = make_settings(bench, &learn.settings);
    }
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = mega_load_rom(&bench->load, &bench->options, &bench->rom);
    }
    learn.rom = bench->rom;
    learn.trains = strcmp(bench->load_name, "train") == 0;
    if (exit_code != MEGA_EXIT_OK) {
        return exit_code;
    }
    if (bench->table != NULL) {
        // Both the network and the environments need cores, unless the network is on a GPU.
        const bool chooses = !mega_options_given(&bench->options, "threads");
        learn.settings.threads = chooses ? 0 : bench->threads;
        return mega_bench_fast_dqn_run(&learn, chooses && strcmp(bench->device, "cpu") == 0);
    }
    return mega_bench_learn_run(&learn);
}

// ---- command -----------------------------------------------------------------------------------------

static void add_options(bench_run *bench) {
    mega_options *options = &bench->options;
    mega_load_add_rom(&bench->load, options);
    mega_load_add_translate(&bench->load, options);
    (void)mega_options_text(options, "device", "D", &bench->device, "where to run: cpu, cuda or cuda:1");
    (void)mega_options_int(options, "envs", "N", &bench->envs, 1, 1 << 24, "environments");
    (void)mega_options_int(options, "warmup", "STEPS", &bench->warmup, 0, 1000000,
                           "steps of each environment that are not timed");
    (void)mega_options_int(options, "threads", "T", &bench->threads, 1, THREADS_MAX,
                           "threads that share the environments");
    (void)mega_options_text(options, "load", "L", &bench->load_name,
                            "what to measure: emulate, infer or train");
    (void)mega_options_text(options, "algo", "A", &bench->algo,
                            "for infer and train: a2c, vtrace, ppo or dqn");
    (void)mega_options_text(options, "preset", "NAME", &bench->preset, "likewise: settings by name");
    (void)mega_options_int(options, "groups", "G", &bench->groups, 1, 64,
                           "likewise: groups that play while the network looks at another");
    (void)mega_options_text(options, "env-device", "D", &bench->env_device,
                            "likewise: cpu, for environments beside a network on a GPU");
    (void)mega_options_text(options, "resets", "R", &bench->resets,
                            "likewise: now, or in the learner's pause");
    (void)mega_options_text(options, "table", "NAME", &bench->table,
                            "variants side by side: fast-dqn, the 14 of that paper's table 1");
    (void)mega_options_float(options, "seconds", "T", &bench->seconds, 0.001, 86400.0, "length of a run");
    (void)mega_options_int(options, "repeat", "R", &bench->repeat, 1, REPEAT_MAX, "runs; the median counts");
    (void)mega_options_int(options, "frame-skip", "K", &bench->frame_skip, 1, 1 << 10, "frames per step");
    (void)mega_options_text(options, "obs", "WHAT", &bench->obs,
                            "observation: HEIGHTxWIDTH (gray, 4 frames), ram or none");
    (void)mega_options_text(options, "autoreset", "WHEN", &bench->autoreset,
                            "episodes begin in the step that ends one (same) or the next");
    (void)mega_options_text(options, "alone", "FILE", &bench->alone,
                            "warm up beside others with this file, be measured in turns");
    (void)mega_options_flag(options, "aligned", &bench->aligned, "one seed and the same actions for all");
    (void)mega_options_flag(options, "plain", &bench->plain, "without fast paths");
    (void)mega_options_flag(options, "json", &bench->json, "print one JSON object");
}

static int set_up(bench_run *bench) {
    int exit_code = mega_load_check_device(bench->device);
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = check_settings(bench);
    }
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = mega_load_rom(&bench->load, &bench->options, &bench->rom);
    }
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = take_turn(bench, LOCK_SH);
    }
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = open_vector(bench);
    }
    return exit_code == MEGA_EXIT_OK ? reset_vector(bench) : exit_code;
}

int mega_cmd_bench(int argc, char *const argv[]) {
    const char *words[1];
    int exit_code = MEGA_EXIT_OK;
    bench_run bench = {
        .options =
            {
                .command = "bench",
                .usage = "megacade bench [GAME] [options]",
                .summary =
                    "Plays random actions and counts emulated frames per second (steps x frame skip x\n"
                    "environments; resets do not count). The checksum depends on the game and\n"
                    "the settings only: two builds that print different ones do not play the same game.",
                .example = "  megacade bench --game pong --envs 64 --threads 4 --seconds 5 --repeat 5 --json",
                .words = words,
                .words_max = 1,
            },
        .envs = 16,
        .threads = 1,
        .frame_skip = 4,
        .repeat = 1,
        .seconds = 5.0,
        .device = "cpu",
        .load_name = "emulate",
        .algo = "a2c",
        .obs = "84x84",
        .autoreset = "same",
        .turn = -1,
    };
    add_options(&bench);
    if (!mega_options_run(&bench.options, argc, argv, &exit_code)) {
        return exit_code;
    }
    if (has_network(&bench)) {
        exit_code = measure_network(&bench);
    } else {
        exit_code = set_up(&bench);
        if (exit_code == MEGA_EXIT_OK) {
            exit_code = measure(&bench);
        }
    }
    close_run(&bench);
    return exit_code;
}
