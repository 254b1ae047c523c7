// cmd_bench.c - `megacade bench`: emulated frames per second with random play.
//
// Environment i is seeded with i and plays its own stream of actions, so what happens does not depend on the
// number of threads. The first steps are hashed and not timed: the checksum shows a fast wrong answer.
#include "commands.h"
#include "json.h"
#include "load.h"
#include "progress.h"
#include "report.h"
#include "stream.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHECK_STEPS = 32,        // steps of each environment in the checksum
    EPISODE_FRAMES = 108000, // as mega_task's default
    REPEAT_MAX = 1000,
    SIDE_MAX = 1024, // of an observation
    THREADS_MAX = 1024
};
static const double chunk_seconds = 0.05; // of work between two looks at the clock

// One environment: a task when frames are observed, else a bare console.
typedef struct bench_lane {
    mega_task *task;
    mega_env *env;
    mega_stream stream;
    uint64_t hash;
    uint64_t resets;
    uint8_t *observation; // a view into bench.observations
} bench_lane;

typedef struct bench_run {
    mega_load load;
    mega_options options;
    // settings
    int64_t envs, threads, frame_skip, repeat;
    double seconds;
    const char *device;
    const char *load_name;
    const char *obs;
    bool plain, json;
    uint32_t height, width; // of the observation; 0 for ram and none
    bool ram;
    // the run
    mega_rom *rom;
    bench_lane *lanes;
    uint8_t *observations;
    size_t observation_size;
    uint32_t actions[MEGA_ACTION_COUNT];
    uint32_t action_count;
    uint64_t checksum;
} bench_run;

// A thread's share of a chunk of work.
typedef struct bench_share {
    const bench_run *bench;
    bench_lane *lanes;
    size_t count;
    uint64_t rounds; // steps of each lane
    bool hashing;
    mega_status status;
    char error[512]; // the library's sentences belong to the thread
    pthread_t thread;
} bench_share;

typedef struct bench_timing {
    double seconds;
    uint64_t steps;  // of each environment
    uint64_t resets; // of all
    double fps;
} bench_timing;

// ---- lanes -------------------------------------------------------------------------------------------

static mega_status step_task(const bench_run *bench, bench_lane *lane, int32_t *reward) {
    mega_task_result result = {0};
    const uint32_t action = mega_stream_below(&lane->stream, mega_task_action_count(lane->task));
    mega_status status =
        mega_task_step(lane->task, action, 1.0f, lane->observation, bench->observation_size, &result);
    *reward = result.reward;
    if (status == MEGA_OK && result.episode_over) {
        lane->resets++;
        status = mega_task_reset(lane->task, -1, lane->observation, bench->observation_size, NULL);
    }
    return status;
}

static mega_status step_env(const bench_run *bench, bench_lane *lane, int32_t *reward) {
    const uint32_t action = bench->actions[mega_stream_below(&lane->stream, bench->action_count)];
    mega_status status = mega_env_act(lane->env, action, 1.0f, reward);
    if (status == MEGA_OK && mega_env_game_over(lane->env)) {
        lane->resets++;
        status = mega_env_reset(lane->env);
    }
    if (bench->ram) {
        memcpy(lane->observation, mega_env_ram(lane->env), MEGA_RAM_SIZE);
    }
    return status;
}

static void put_little_endian(uint64_t value, uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

// Adds what the last step showed. Without an observation the RAM is looked at all the same.
static void hash_lane(const bench_run *bench, bench_lane *lane, int32_t reward) {
    uint8_t bytes[4];
    put_little_endian((uint32_t)reward, bytes, sizeof bytes);
    if (lane->env != NULL) {
        lane->hash = mega_fnv(lane->hash, mega_env_ram(lane->env), MEGA_RAM_SIZE);
    } else {
        lane->hash = mega_fnv(lane->hash, lane->observation, bench->observation_size);
    }
    lane->hash = mega_fnv(lane->hash, bytes, sizeof bytes);
}

static mega_status step_share(bench_share *share) {
    for (uint64_t round = 0; round < share->rounds; round++) {
        for (size_t i = 0; i < share->count; i++) {
            bench_lane *const lane = &share->lanes[i];
            int32_t reward = 0;
            const mega_status status = lane->task != NULL ? step_task(share->bench, lane, &reward)
                                                          : step_env(share->bench, lane, &reward);
            if (status != MEGA_OK) {
                return status;
            }
            if (share->hashing) {
                hash_lane(share->bench, lane, reward);
            }
        }
    }
    return MEGA_OK;
}

static void *run_share(void *argument) {
    bench_share *const share = argument;
    share->status = step_share(share);
    if (share->status != MEGA_OK) {
        (void)snprintf(share->error, sizeof share->error, "%s", mega_last_error());
    }
    return NULL;
}

// Steps every lane `rounds` times, each thread a contiguous range. Returns an exit code.
static int run_rounds(const bench_run *bench, uint64_t rounds, bool hashing) {
    const size_t threads = (size_t)bench->threads;
    const size_t envs = (size_t)bench->envs;
    bench_share *shares = calloc(threads, sizeof *shares);
    if (shares == NULL) {
        return mega_report_failure("out of memory");
    }
    size_t started = 1;
    int exit_code = MEGA_EXIT_OK;
    for (size_t i = 0; i < threads; i++) {
        const size_t first = envs * i / threads;
        shares[i].bench = bench;
        shares[i].lanes = bench->lanes + first;
        shares[i].count = envs * (i + 1) / threads - first;
        shares[i].rounds = rounds;
        shares[i].hashing = hashing;
        if (i > 0 && pthread_create(&shares[i].thread, NULL, run_share, &shares[i]) != 0) {
            exit_code = mega_report_failure("cannot start thread %zu; use fewer with --threads", i + 1);
            break;
        }
        started = i + 1;
    }
    (void)run_share(&shares[0]);
    for (size_t i = 1; i < started; i++) {
        (void)pthread_join(shares[i].thread, NULL);
    }
    for (size_t i = 0; i < started && exit_code == MEGA_EXIT_OK; i++) {
        if (shares[i].status != MEGA_OK) {
            exit_code = mega_report_failure("%s", shares[i].error);
        }
    }
    free(shares);
    return exit_code;
}

// ---- setting up --------------------------------------------------------------------------------------

// Reads "none", "ram" or "84x84" (height, width).
static int read_obs(bench_run *bench) {
    char height[8];
    int64_t h = 0;
    int64_t w = 0;
    bench->ram = strcmp(bench->obs, "ram") == 0;
    if (bench->ram || strcmp(bench->obs, "none") == 0) {
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

static int check_settings(bench_run *bench) {
    if (strcmp(bench->load_name, "infer") == 0 || strcmp(bench->load_name, "train") == 0) {
        return mega_report_usage("--load %s is not available in this version; use emulate", bench->load_name);
    }
    if (strcmp(bench->load_name, "emulate") != 0) {
        return mega_report_usage("--load: '%s' is not a load; use emulate", bench->load_name);
    }
    if (bench->threads > bench->envs) {
        return mega_report_usage("--threads: %" PRId64 " threads cannot share %" PRId64 " environments; use "
                                 "more with --envs",
                                 bench->threads, bench->envs);
    }
    return read_obs(bench);
}

static mega_status open_lane(const bench_run *bench, bench_lane *lane, uint32_t index) {
    lane->stream.state = index;
    lane->hash = MEGA_FNV_START;
    if (bench->height == 0) {
        const mega_env_desc desc = {
            .struct_size = sizeof desc,
            .seed = (int32_t)index,
            .frame_skip = (uint32_t)bench->frame_skip,
            .max_episode_frames = EPISODE_FRAMES,
            .plain = bench->plain,
        };
        return mega_env_create(&desc, bench->rom, &lane->env);
    }
    const mega_task_desc desc = {
        .struct_size = sizeof desc,
        .frame_skip = (uint32_t)bench->frame_skip,
        .height = bench->height,
        .width = bench->width,
        .max_episode_frames = EPISODE_FRAMES,
        .plain = bench->plain,
    };
    return mega_task_create(&desc, bench->rom, &lane->task);
}

// The observations of all lanes lie in one array, as a learner would have them.
static int open_observations(bench_run *bench) {
    bench->observation_size = bench->ram           ? MEGA_RAM_SIZE
                              : bench->height != 0 ? mega_task_observation_size(bench->lanes[0].task)
                                                   : 0;
    if (bench->observation_size == 0) {
        return MEGA_EXIT_OK;
    }
    bench->observations = calloc((size_t)bench->envs, bench->observation_size);
    if (bench->observations == NULL) {
        return mega_report_failure("out of memory for %" PRId64 " observations of %zu bytes; use fewer "
                                   "--envs",
                                   bench->envs, bench->observation_size);
    }
    for (size_t i = 0; i < (size_t)bench->envs; i++) {
        bench->lanes[i].observation = bench->observations + i * bench->observation_size;
    }
    return MEGA_EXIT_OK;
}

static int reset_tasks(bench_run *bench) {
    for (size_t i = 0; i < (size_t)bench->envs && bench->height != 0; i++) {
        bench_lane *const lane = &bench->lanes[i];
        const mega_status status =
            mega_task_reset(lane->task, (int64_t)i, lane->observation, bench->observation_size, NULL);
        if (status != MEGA_OK) {
            return mega_report_status(status);
        }
    }
    return MEGA_EXIT_OK;
}

static int open_lanes(bench_run *bench) {
    bench->lanes = calloc((size_t)bench->envs, sizeof *bench->lanes);
    if (bench->lanes == NULL) {
        return mega_report_failure("out of memory for %" PRId64 " environments; use fewer --envs",
                                   bench->envs);
    }
    bench->action_count = mega_load_action_list(mega_load_minimal_actions(bench->rom), bench->actions);
    for (uint32_t i = 0; i < (uint32_t)bench->envs; i++) {
        const mega_status status = open_lane(bench, &bench->lanes[i], i);
        if (status != MEGA_OK) {
            return mega_report_status(status);
        }
    }
    const int exit_code = open_observations(bench);
    return exit_code == MEGA_EXIT_OK ? reset_tasks(bench) : exit_code;
}

static void close_lanes(bench_run *bench) {
    for (size_t i = 0; bench->lanes != NULL && i < (size_t)bench->envs; i++) {
        mega_task_destroy(bench->lanes[i].task);
        mega_env_destroy(bench->lanes[i].env);
    }
    free(bench->lanes);
    free(bench->observations);
    mega_rom_destroy(bench->rom);
}

// ---- measuring ---------------------------------------------------------------------------------------

static uint64_t count_resets(const bench_run *bench) {
    uint64_t resets = 0;
    for (size_t i = 0; i < (size_t)bench->envs; i++) {
        resets += bench->lanes[i].resets;
    }
    return resets;
}

// Runs the hashed steps; they are the first part of the warm-up.
static int run_check(bench_run *bench) {
    const int exit_code = run_rounds(bench, CHECK_STEPS, true);
    bench->checksum = MEGA_FNV_START;
    for (size_t i = 0; i < (size_t)bench->envs; i++) {
        uint8_t bytes[8];
        put_little_endian(bench->lanes[i].hash, bytes, sizeof bytes);
        bench->checksum = mega_fnv(bench->checksum, bytes, sizeof bytes);
    }
    return exit_code;
}

// Runs for about `seconds` and measures. *chunk holds the rounds between two looks at the clock, and is
// adapted to the speed.
static int run_timed(const bench_run *bench, double seconds, uint64_t *chunk, mega_progress *progress,
                     bench_timing *timing) {
    const uint64_t resets = count_resets(bench);
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
    timing->fps = (double)timing->steps * (double)bench->frame_skip * (double)bench->envs / timing->seconds;
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
    mega_json_bool(&json, "plain", bench->plain);
    mega_json_float(&json, "seconds", median->seconds);
    mega_json_float(&json, "raw_fps", median->fps);
    mega_json_float(&json, "best_fps", best->fps);
    mega_json_int(&json, "repeat", bench->repeat);
    mega_json_int(&json, "steps", (int64_t)median->steps);
    mega_json_int(&json, "resets", (int64_t)median->resets);
    mega_json_text(&json, "checksum", checksum);
    mega_json_text(&json, "version", mega_version());
    mega_json_end(&json);
}

static void print_table(const bench_run *bench, const bench_timing *median, const bench_timing *best) {
    (void)printf("game        %s\n", mega_rom_get_info(bench->rom)->name);
    (void)printf("device      %s, %" PRId64 " thread%s%s\n", bench->device, bench->threads,
                 bench->threads == 1 ? "" : "s", bench->plain ? ", no fast paths" : "");
    (void)printf("load        %s, %" PRId64 " environments, frame skip %" PRId64 ", observation %s\n",
                 bench->load_name, bench->envs, bench->frame_skip, bench->obs);
    (void)printf("frames/s    %.0f (median of %" PRId64 "), %.0f (best)\n", median->fps, bench->repeat,
                 best->fps);
    (void)printf("run         %.2f s, %" PRIu64 " steps of each environment, %" PRIu64 " resets\n",
                 median->seconds, median->steps, median->resets);
    (void)printf("checksum    %016" PRIx64 "\n", bench->checksum);
}

static int measure(bench_run *bench) {
    bench_timing *timings = calloc((size_t)bench->repeat, sizeof *timings);
    if (timings == NULL) {
        return mega_report_failure("out of memory");
    }
    const double warm_up = bench->seconds < 4.0 ? bench->seconds / 4.0 : 1.0;
    const double total = warm_up + bench->seconds * (double)bench->repeat;
    mega_progress progress = mega_progress_begin("bench", (uint64_t)(1000.0 * total));
    uint64_t chunk = 1;
    bench_timing ignored;
    int exit_code = run_check(bench);
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

// ---- command -----------------------------------------------------------------------------------------

static void add_options(bench_run *bench) {
    mega_options *options = &bench->options;
    mega_load_add_rom(&bench->load, options);
    (void)mega_options_text(options, "device", "D", &bench->device, "where to run: cpu");
    (void)mega_options_int(options, "envs", "N", &bench->envs, 1, 1 << 24, "environments");
    (void)mega_options_int(options, "threads", "T", &bench->threads, 1, THREADS_MAX,
                           "threads that share the environments");
    (void)mega_options_text(options, "load", "L", &bench->load_name, "what to measure: emulate");
    (void)mega_options_float(options, "seconds", "T", &bench->seconds, 0.001, 86400.0, "length of a run");
    (void)mega_options_int(options, "repeat", "R", &bench->repeat, 1, REPEAT_MAX, "runs; the median counts");
    (void)mega_options_int(options, "frame-skip", "K", &bench->frame_skip, 1, 1 << 10, "frames per step");
    (void)mega_options_text(options, "obs", "WHAT", &bench->obs,
                            "observation: HEIGHTxWIDTH (gray, 4 frames), ram or none");
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
    return exit_code == MEGA_EXIT_OK ? open_lanes(bench) : exit_code;
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
                    "environments; frames of resets do not count). The checksum depends on the game and\n"
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
        .obs = "84x84",
    };
    add_options(&bench);
    if (!mega_options_run(&bench.options, argc, argv, &exit_code)) {
        return exit_code;
    }
    exit_code = set_up(&bench);
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = measure(&bench);
    }
    close_lanes(&bench);
    return exit_code;
}
