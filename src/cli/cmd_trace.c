// cmd_trace.c - `megacade trace`: plays pseudo-random actions and prints one line per act.
//
// The lines are the format in which implementations are compared:
//     kind n action reward lives over trunc frame eframe ram screen [audio]
// kind is R right after a reset and A after an act, n counts acts, over is the end by the game's rules and
// trunc that by a limit; ram, screen and audio are hashes. Lines that start with # are comments.
#include "commands.h"
#include "json.h"
#include "load.h"
#include "out_file.h"
#include "progress.h"
#include "report.h"
#include "stream.h"
#include "trace_vector.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ACTIONS_MAX = 256
};

typedef struct trace_run {
    mega_load load;
    mega_options options;
    // settings
    int64_t frames, seed, ale_seed, frame_skip, hold, max_episode_frames, extra_resets, reset_every, envs;
    double strength;
    bool life_truncation, averaging, audio, plain;
    const char *actions_text;
    const char *device;
    const char *out_path;
    // the run
    uint32_t actions[ACTIONS_MAX];
    uint32_t action_count;
    mega_rom *rom;
    mega_env *env;       // NULL when a vector plays
    trace_vector vector; // zero when an environment of its own plays
    uint32_t height;
    uint8_t *screen;
    size_t screen_size;
    mega_out_file file;
    FILE *out;
} trace_run;

static void add_options(trace_run *run) {
    mega_options *options = &run->options;
    mega_load_add_rom(&run->load, options);
    mega_options_int(options, "frames", "N", &run->frames, 0, INT64_MAX, "how many times to act")->letter =
        'n';
    (void)mega_options_int(options, "seed", "S", &run->seed, INT64_MIN, INT64_MAX,
                           "seed of the action stream");
    (void)mega_options_int(options, "ale-seed", "S", &run->ale_seed, INT32_MIN, INT32_MAX,
                           "seed of the environment's generator");
    mega_load_add_play(&run->load, options);
    mega_load_add_translate(&run->load, options);
    (void)mega_options_int(options, "frame-skip", "K", &run->frame_skip, 1, 1 << 20, "frames per act");
    (void)mega_options_text(options, "actions", "SET", &run->actions_text,
                            "legal, minimal, or numbers as in 0,1,4");
    (void)mega_options_int(options, "hold", "H", &run->hold, 1, INT64_MAX, "acts per drawn action");
    (void)mega_options_float(options, "strength", "X", &run->strength, -1e6, 1e6,
                             "strength of a paddle's movement");
    (void)mega_options_int(options, "max-episode-frames", "N", &run->max_episode_frames, 0, INT32_MAX,
                           "cut episodes after N frames; 0 never");
    (void)mega_options_flag(options, "life-truncation", &run->life_truncation,
                            "cut episodes when a life is lost");
    (void)mega_options_flag(options, "averaging", &run->averaging, "blend screens with the frame before");
    (void)mega_options_flag(options, "audio", &run->audio, "also print a hash of the sound");
    (void)mega_options_int(options, "extra-resets", "N", &run->extra_resets, 0, 1 << 20,
                           "resets before play");
    (void)mega_options_int(options, "reset-every", "K", &run->reset_every, 0, INT64_MAX,
                           "also reset after every K acts; 0 never");
    (void)mega_options_text(options, "device", "D", &run->device, "where to run: cpu, cuda or cuda:1");
    (void)mega_options_int(options, "envs", "E", &run->envs, 1, INT32_MAX,
                           "environments; the first is shown");
    (void)mega_options_flag(options, "plain", &run->plain, "without fast paths");
    mega_options_text(options, "out", "FILE", &run->out_path, "write here, not to standard output")->letter =
        'o';
}

// ---- setting up --------------------------------------------------------------------------------------

// Reads "0,1,4". Returns an exit code.
static int read_action_list(trace_run *run) {
    const char *text = run->actions_text;
    run->action_count = 0;
    for (;;) {
        char number[16];
        int64_t action;
        const size_t length = strcspn(text, ",");
        (void)snprintf(number, sizeof number, "%.*s", (int)(length < 15 ? length : 15), text);
        if (!mega_parse_int(number, 0, MEGA_ACTION_COUNT - 1, &action)) {
            return mega_report_usage("--actions: '%s' is not an action from 0 to %d, nor 'legal' or "
                                     "'minimal'",
                                     number, MEGA_ACTION_COUNT - 1);
        }
        if (run->action_count == ACTIONS_MAX) {
            return mega_report_usage("--actions: more than %d actions", ACTIONS_MAX);
        }
        run->actions[run->action_count++] = (uint32_t)action;
        if (text[length] == '\0') {
            return MEGA_EXIT_OK;
        }
        text += length + 1;
    }
}

static int choose_actions(trace_run *run) {
    if (strcmp(run->actions_text, "legal") == 0) {
        run->action_count = mega_load_action_list(mega_load_legal_actions(run->rom), run->actions);
    } else if (strcmp(run->actions_text, "minimal") == 0) {
        run->action_count = mega_load_action_list(mega_load_minimal_actions(run->rom), run->actions);
    } else {
        return read_action_list(run);
    }
    return MEGA_EXIT_OK;
}

static mega_env_desc describe_env(const trace_run *run, int64_t number) {
    const mega_env_desc desc = {
        .struct_size = sizeof desc,
        .seed = (int32_t)(uint32_t)(run->ale_seed + number),
        .frame_skip = (uint32_t)run->frame_skip,
        .sticky = (float)run->load.sticky,
        .max_episode_frames = (int32_t)run->max_episode_frames,
        .truncate_on_life_loss = run->life_truncation,
        .color_averaging = run->averaging,
        .sound = run->audio,
        .plain = run->plain,
        .translate = mega_load_translate(&run->load, MEGA_TRANSLATE_AUTO),
    };
    return desc;
}

static int open_env(trace_run *run) {
    const mega_env_desc desc = describe_env(run, 0);
    return mega_load_env(&run->load, &run->options, &desc, (uint32_t)run->extra_resets, run->rom, &run->env);
}

// Puts the environments into the vector; the first is kept.
static int fill_vector(trace_run *run) {
    trace_vector *trace = &run->vector;
    const uint32_t resets = (uint32_t)run->extra_resets;
    mega_env_desc desc = describe_env(run, 0);
    desc.frame_skip = 1;
    int exit_code = mega_load_env(&run->load, &run->options, &desc, 0, run->rom, &trace->frames);
    for (int64_t i = run->envs - 1; exit_code == MEGA_EXIT_OK && i >= 0; i--) {
        desc = describe_env(run, i);
        mega_env_destroy(trace->first);
        exit_code = mega_load_env(&run->load, &run->options, &desc, resets, run->rom, &trace->first);
        if (exit_code == MEGA_EXIT_OK) {
            const mega_status status = mega_vector_set_env(trace->vector, (uint32_t)i, trace->first);
            exit_code = status == MEGA_OK ? MEGA_EXIT_OK : mega_report_status(status);
        }
    }
    if (exit_code == MEGA_EXIT_OK) {
        trace_vector_begin(trace);
    }
    return exit_code;
}

static int open_vector(trace_run *run) {
    const mega_rom *const roms[] = {run->rom};
    const mega_vector_desc desc = {
        .struct_size = sizeof desc,
        .count = (uint32_t)run->envs,
        .blind = 1,
        .roms = roms,
        .rom_count = 1,
        .device = run->device,
        .task =
            {
                .struct_size = sizeof desc.task,
                .frame_skip = 1,
                .noop_max = -1,
                .max_episode_frames = INT32_MAX,
                .sticky = (float)run->load.sticky,
                .no_fire_reset = 1,
                .no_reward_clipping = 1,
                .full_actions = 1,
                .plain = run->plain,
                .translate = mega_load_translate(&run->load, MEGA_TRANSLATE_AUTO),
            },
    };
    if (run->life_truncation || run->averaging || run->audio) {
        return mega_report_usage("trace: --%s is for one environment on the CPU; leave out --device and "
                                 "--envs",
                                 run->life_truncation ? "life-truncation"
                                 : run->averaging     ? "averaging"
                                                      : "audio");
    }
    run->vector.frame_skip = (uint32_t)run->frame_skip;
    run->vector.frames_max = (uint32_t)run->max_episode_frames;
    const mega_status status = trace_vector_open(&run->vector, &desc, run->seed, (float)run->strength);
    if (status == MEGA_ERROR_MEMORY) {
        return mega_report_failure("out of memory for %" PRId64 " environments; use fewer --envs", run->envs);
    }
    return status == MEGA_OK ? fill_vector(run) : mega_report_status(status);
}

static bool is_vector(const trace_run *run) {
    return run->envs != 1 || strcmp(run->device, "cpu") != 0;
}

static int open_player(trace_run *run) {
    const int exit_code = is_vector(run) ? open_vector(run) : open_env(run);
    if (exit_code != MEGA_EXIT_OK) {
        return exit_code;
    }
    run->height = mega_rom_get_info(run->rom)->screen_height;
    run->screen_size = (size_t)run->height * MEGA_SCREEN_WIDTH;
    run->screen = malloc(run->screen_size);
    return run->screen != NULL ? MEGA_EXIT_OK : mega_report_failure("out of memory");
}

static int open_output(trace_run *run) {
    mega_message message;
    run->out = stdout;
    if (run->out_path == NULL) {
        return MEGA_EXIT_OK;
    }
    if (mega_out_file_open(&run->file, run->out_path, &message) != 0) {
        return mega_report_failure("%s", message.text);
    }
    run->out = run->file.stream;
    return MEGA_EXIT_OK;
}

static int set_up(trace_run *run) {
    int exit_code = mega_load_check_device(run->device);
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = mega_load_rom(&run->load, &run->options, &run->rom);
    }
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = choose_actions(run);
    }
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = open_player(run);
    }
    return exit_code == MEGA_EXIT_OK ? open_output(run) : exit_code;
}

// ---- the lines ---------------------------------------------------------------------------------------

// The value of an option that may be left out, as text.
static const char *optional_text(const trace_run *run, const char *name, int64_t value, char text[24]) {
    if (!mega_options_given(&run->options, name)) {
        return "None";
    }
    (void)snprintf(text, 24, "%" PRId64, value);
    return text;
}

static void print_header(const trace_run *run) {
    FILE *out = run->out;
    const mega_rom_info *info = mega_rom_get_info(run->rom);
    char mode[24];
    char difficulty[24];
    char sticky[MEGA_NUMBER_SIZE];
    char strength[MEGA_NUMBER_SIZE];
    mega_number_text(run->load.sticky, sticky);
    mega_number_text(run->strength, strength);
    (void)fprintf(out, "# megacade %s game=%s md5=%s screen=%" PRIu32 "x%d\n", mega_version(), info->name,
                  info->md5, run->height, MEGA_SCREEN_WIDTH);
    (void)fprintf(out,
                  "# acts=%" PRId64 " seed=%" PRId64 " ale_seed=%" PRId64 " mode=%s difficulty=%s "
                  "frame_skip=%" PRId64 " sticky=%s hold=%" PRId64 " strength=%s\n",
                  run->frames, run->seed, run->ale_seed, optional_text(run, "mode", run->load.mode, mode),
                  optional_text(run, "difficulty", run->load.difficulty, difficulty), run->frame_skip, sticky,
                  run->hold, strength);
    (void)fprintf(out,
                  "# max_episode_frames=%" PRId64 " life_truncation=%d averaging=%d audio=%d "
                  "resets_before_play=%" PRId64 " reset_every=%" PRId64 "\n",
                  run->max_episode_frames, run->life_truncation, run->averaging, run->audio,
                  run->extra_resets + mega_load_changes_game(&run->options), run->reset_every);
    (void)fputs("# actions=", out);
    for (uint32_t i = 0; i < run->action_count; i++) {
        (void)fprintf(out, "%s%" PRIu32, i == 0 ? "" : ",", run->actions[i]);
    }
    (void)fprintf(out, "\n# kind n action reward lives over trunc frame eframe ram screen%s\n",
                  run->audio ? " audio" : "");
}

// Prints what follows the reward. Returns an exit code.
static int print_state(trace_run *run, const trace_row *row) {
    mega_vector *vector = run->vector.vector;
    const mega_status status = run->env != NULL
                                   ? mega_env_screen(run->env, run->screen, run->screen_size)
                                   : mega_vector_screen(vector, 0, run->screen, run->screen_size);
    const uint8_t *ram = run->env != NULL ? mega_env_ram(run->env) : mega_vector_ram(vector, 0);
    if (status != MEGA_OK || ram == NULL) {
        return mega_report_status(status != MEGA_OK ? status : MEGA_ERROR_CUDA);
    }
    (void)fprintf(run->out, " %" PRId32 " %d %d %" PRIu32 " %" PRIu32 " %016" PRIx64 " %016" PRIx64,
                  row->lives, row->over, row->cut, row->frame_number, row->episode_frame_number,
                  mega_fnv(MEGA_FNV_START, ram, MEGA_RAM_SIZE),
                  mega_fnv(MEGA_FNV_START, run->screen, run->screen_size));
    if (run->audio) {
        (void)fprintf(run->out, " %016" PRIx64,
                      mega_fnv(MEGA_FNV_START, mega_env_audio(run->env), MEGA_AUDIO_SIZE));
    }
    (void)fputc('\n', run->out);
    return MEGA_EXIT_OK;
}

static int print_reset(trace_run *run, int64_t acts, const trace_row *row) {
    (void)fprintf(run->out, "R %" PRId64 " - -", acts);
    return print_state(run, row);
}

static mega_status act(trace_run *run, uint32_t action, trace_row *row) {
    mega_status status;
    if (run->env == NULL) {
        status = trace_vector_act(&run->vector, action, (float)run->strength);
        *row = run->vector.row;
    } else {
        status = mega_env_act(run->env, action, (float)run->strength, &row->reward);
        trace_row_read(run->env, row);
    }
    return status;
}

static mega_status reset(trace_run *run, trace_row *row) {
    mega_status status;
    if (run->env == NULL) {
        status = trace_vector_reset(&run->vector);
        *row = run->vector.row;
    } else {
        status = mega_env_reset(run->env);
        trace_row_read(run->env, row);
    }
    return status;
}

// One act and, where the episode ends, the reset after it.
static int play_act(trace_run *run, int64_t acts, uint32_t action) {
    trace_row row;
    mega_status status = act(run, action, &row);
    if (status != MEGA_OK) {
        return mega_report_status(status);
    }
    (void)fprintf(run->out, "A %" PRId64 " %" PRIu32 " %" PRId32, acts, action, row.reward);
    const int exit_code = print_state(run, &row);
    const bool due = run->reset_every != 0 && acts % run->reset_every == 0;
    if (exit_code != MEGA_EXIT_OK || (!due && !row.over && !row.cut)) {
        return exit_code;
    }
    status = reset(run, &row);
    return status == MEGA_OK ? print_reset(run, acts, &row) : mega_report_status(status);
}

static int play(trace_run *run) {
    mega_stream stream = {(uint64_t)run->seed};
    mega_progress progress = mega_progress_begin("trace", (uint64_t)run->frames);
    uint32_t action = 0;
    trace_row row;
    print_header(run);
    trace_row_read(run->env != NULL ? run->env : run->vector.first, &row);
    int exit_code = print_reset(run, 0, &row);
    // A stream that no longer takes data ends the run; who opened it reports that.
    for (int64_t i = 0; i < run->frames && exit_code == MEGA_EXIT_OK && !ferror(run->out); i++) {
        if (i % run->hold == 0) {
            action = run->actions[mega_stream_below(&stream, run->action_count)];
        }
        exit_code = play_act(run, i + 1, action);
        mega_progress_update(&progress, (uint64_t)i);
    }
    mega_progress_end(&progress);
    return exit_code;
}

static int finish(trace_run *run, int exit_code) {
    mega_message message;
    if (exit_code != MEGA_EXIT_OK) {
        mega_out_file_abort(&run->file);
    } else if (run->file.path != NULL && mega_out_file_commit(&run->file, &message) != 0) {
        exit_code = mega_report_failure("%s", message.text);
    }
    free(run->screen);
    mega_env_destroy(run->env);
    trace_vector_close(&run->vector);
    mega_rom_destroy(run->rom);
    return exit_code;
}

int mega_cmd_trace(int argc, char *const argv[]) {
    const char *words[1];
    int exit_code = MEGA_EXIT_OK;
    trace_run run = {
        .options =
            {
                .command = "trace",
                .usage = "megacade trace [GAME] [options]",
                .summary =
                    "Plays a pseudo-random stream of actions and prints one line per act with hashes of\n"
                    "RAM and screen, so that two implementations can be compared line by line. GAME is a\n"
                    "name or an image file; without it the built-in game is played.",
                .example = "  megacade trace pong --seed 1 --frames 1000 -o pong.txt",
                .words = words,
                .words_max = 1,
            },
        .frames = 1000,
        .frame_skip = 1,
        .hold = 1,
        .envs = 1,
        .strength = 1.0,
        .actions_text = "legal",
        .device = "cpu",
    };
    add_options(&run);
    if (!mega_options_run(&run.options, argc, argv, &exit_code)) {
        return exit_code;
    }
    exit_code = set_up(&run);
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = play(&run);
    }
    return finish(&run, exit_code);
}
