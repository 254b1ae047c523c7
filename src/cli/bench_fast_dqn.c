// bench_fast_dqn.c - see bench_fast_dqn.h.
//
// As in the paper (section 5.1) a short run is timed and multiplied, and exploration is 0.1 from the beginning: the share
// that 98 % of a whole run have, and the one that asks the network most often.
#include "bench_fast_dqn.h"

#include "json.h"
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    KINDS = 4, // neither, concurrent, synchronized, both
    CONCURRENT = 1,
    SYNCHRONIZED = 2,
    ROWS = 4,
    UPDATE_EVERY = 4 // steps
};
static const int64_t samplers[ROWS] = {1, 2, 4, 8};
static const char *const kind_names[KINDS] = {"standard", "concurrent", "synchronized", "both"};
// Table 1 of the paper: hours, on a Core i7-7700K and a GTX 1080. One sampler has nobody to be synchronized with.
static const double paper_hours[ROWS][KINDS] = {{25.08, 20.64, 0, 0},
                                                {19.10, 14.00, 19.32, 14.72},
                                                {16.84, 12.14, 15.74, 11.08},
                                                {16.92, 11.68, 14.60, 9.02}};
static const double run_frames = 200e6;

typedef struct fast_dqn_cell {
    double hours; // 0: there is no such variant
    double fps;
    double updates_per_second;
    double seconds;
} fast_dqn_cell;

static void set_variant(mega_train_settings *s, int row, int kind, bool shares_cores) {
    const bool is_concurrent = (kind & CONCURRENT) != 0, is_synchronized = (kind & SYNCHRONIZED) != 0;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    s->envs = samplers[row];
    s->groups = is_synchronized ? 1 : samplers[row]; // those who are not have a pass of their own
    s->steps = samplers[row] < UPDATE_EVERY ? UPDATE_EVERY / samplers[row] : 1;
    s->concurrent = is_concurrent;
    s->explore_first = s->explore_last = 0.1;
    if (shares_cores) {
        s->threads = is_concurrent && cores > 1 ? cores / 2 : 0;
    }
}

static int measure_variant(const mega_bench_learn *bench, int row, int kind, bool shares_cores,
                           mega_bench_timing *timings, fast_dqn_cell *cell) {
    char label[64];
    mega_message message;
    mega_bench_learn variant = *bench;
    set_variant(&variant.settings, row, kind, shares_cores);
    if (mega_train_check(&variant.settings, &message) < 0) {
        return mega_report_usage("%s", message.text);
    }
    (void)snprintf(label, sizeof label, "%" PRId64 " %s", samplers[row], kind_names[kind]);
    const int exit_code = mega_bench_learn_measure(&variant, label, timings);
    if (exit_code == MEGA_EXIT_OK) {
        const mega_bench_timing *median = &timings[(bench->repeat - 1) / 2];
        cell->fps = median->fps;
        cell->seconds = median->seconds;
        cell->updates_per_second = (double)median->updates / median->seconds;
        cell->hours = run_frames / median->fps / 3600;
    }
    return exit_code;
}

static void print_json(const mega_bench_learn *bench, int row, int kind, const fast_dqn_cell *cell,
                       const fast_dqn_cell *baseline) {
    const mega_train_settings *s = &bench->settings;
    mega_json json = mega_json_begin(stdout);
    mega_json_text(&json, "table", "fast-dqn");
    mega_json_text(&json, "game", mega_rom_get_info(bench->rom)->name);
    mega_json_text(&json, "device", s->device);
    mega_json_text(&json, "env_device", s->env_device[0] != '\0' ? s->env_device : s->device);
    mega_json_int(&json, "samplers", samplers[row]);
    mega_json_bool(&json, "concurrent", (kind & CONCURRENT) != 0);
    mega_json_bool(&json, "synchronized", (kind & SYNCHRONIZED) != 0);
    mega_json_float(&json, "seconds", cell->seconds);
    mega_json_float(&json, "raw_fps", cell->fps);
    mega_json_float(&json, "updates_per_second", cell->updates_per_second);
    mega_json_float(&json, "hours", cell->hours);
    mega_json_float(&json, "speedup", baseline->hours / cell->hours);
    mega_json_float(&json, "paper_hours", paper_hours[row][kind]);
    mega_json_float(&json, "paper_speedup", paper_hours[0][0] / paper_hours[row][kind]);
    mega_json_text(&json, "version", mega_version());
    mega_json_end(&json);
    (void)fflush(stdout);
}

static void print_table(const mega_bench_learn *bench, const fast_dqn_cell cells[ROWS][KINDS]) {
    const mega_train_settings *s = &bench->settings;
    (void)printf("Fast DQN, table 1: %s, network on %s, environments on %s\n"
                 "hours for 200 million frames, speed-up over the first (the paper's)\n%-9s",
                 mega_rom_get_info(bench->rom)->name, s->device,
                 s->env_device[0] != '\0' ? s->env_device : s->device, "samplers");
    for (int kind = 0; kind < KINDS; kind++) {
        (void)printf("%-21s", kind_names[kind]);
    }
    for (int row = 0; row < ROWS; row++) {
        (void)printf("\n%-9" PRId64, samplers[row]);
        for (int kind = 0; kind < KINDS; kind++) {
            char text[64] = "-";
            if (cells[row][kind].hours > 0) {
                (void)snprintf(text, sizeof text, "%.2f h %.2f (%.2f)", cells[row][kind].hours,
                               cells[0][0].hours / cells[row][kind].hours,
                               paper_hours[0][0] / paper_hours[row][kind]);
            }
            (void)printf("%-21s", text);
        }
    }
    (void)printf("\n");
}

int mega_bench_fast_dqn_run(mega_bench_learn *bench, bool shares_cores) {
    fast_dqn_cell cells[ROWS][KINDS] = {{{0}}};
    mega_bench_timing *timings = calloc((size_t)bench->repeat, sizeof *timings);
    int exit_code = timings == NULL ? mega_report_failure("out of memory") : MEGA_EXIT_OK;
    for (int row = 0; row < ROWS; row++) {
        for (int kind = 0; kind < KINDS && exit_code == MEGA_EXIT_OK; kind++) {
            if (paper_hours[row][kind] > 0) {
                exit_code = measure_variant(bench, row, kind, shares_cores, timings, &cells[row][kind]);
                if (exit_code == MEGA_EXIT_OK && bench->json) {
                    print_json(bench, row, kind, &cells[row][kind], &cells[0][0]);
                }
            }
        }
    }
    if (exit_code == MEGA_EXIT_OK && !bench->json) {
        print_table(bench, (const fast_dqn_cell(*)[KINDS])cells);
    }
    free(timings);
    return exit_code;
}
