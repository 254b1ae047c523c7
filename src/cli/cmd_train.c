// cmd_train.c - `megacade train`: trains a policy and keeps it in a folder.
//
// Every setting of a run is an option. What holds is, in this order: the algorithm's defaults, the preset, options.
// A run that is resumed has the settings of its config.json, but for those options that are given again.
#include "commands.h"
#include "json.h"
#include "load.h"
#include "presets.h"
#include "progress.h"
#include "remote.h"
#include "report.h"
#include "run.h"
#include "run_curve.h"
#include "serve.h"
#include "share.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SETTINGS_MAX = 112,
    LABEL_SIZE = 96,
    EXIT_INTERRUPTED = 130
};
static const double dist_seconds = 60; // that processes wait for the others

typedef struct train_command {
    mega_options options;
    mega_load load;
    mega_train_settings settings;
    const char *values[SETTINGS_MAX]; // of options that are settings; NULL: not given
    char names[SETTINGS_MAX][32];     // with dashes
    const char *preset, *out, *dist_name;
    const char *reduce_name; // how gradients are averaged
    mega_dist *dist;
    uint32_t ranks; // with samplers, which dist->size does not count any more
    bool resume, json;
    mega_progress progress;
    char label[LABEL_SIZE];
    double start;
    uint64_t start_frames;
} train_command;

static volatile int stop_asked;
static void ask_to_stop(int signal_number) {
    (void)signal_number;
    stop_asked = 1;
}

// The first signal ends the run at its next good moment; the next one ends the process.
static void catch_signals(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ask_to_stop;
    action.sa_flags = (int)SA_RESETHAND;
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

// ---- settings ----

static bool is_named_otherwise(const char *name) { // the algorithm is a word
    return strcmp(name, "algo") == 0 || strcmp(name, "game") == 0;
}

static void add_settings(train_command *command) {
    for (size_t i = 0; i < mega_train_table.count; i++) {
        const mega_setting *setting = &mega_train_table.list[i];
        if (is_named_otherwise(setting->name)) {
            continue;
        }
        (void)snprintf(command->names[i], sizeof command->names[i], "%s", setting->name);
        for (char *c = command->names[i]; *c != '\0'; c++) {
            *c = *c == '_' ? '-' : *c;
        }
        (void)mega_options_text(&command->options, command->names[i],
                                setting->kind == MEGA_SETTING_TEXT || setting->kind == MEGA_SETTING_CHOICE
                                    ? "NAME"
                                : setting->kind == MEGA_SETTING_FLAG ? "YES"
                                                                     : "N",
                                &command->values[i], setting->help);
    }
}

static int find_algo(const char *word, uint32_t *algo) {
    for (*algo = 0; mega_algo_names[*algo] != NULL; (*algo)++) {
        if (strcmp(word, mega_algo_names[*algo]) == 0) {
            return MEGA_EXIT_OK;
        }
    }
    return mega_report_usage("there is no algorithm '%s'; there are a2c, vtrace, ppo and dqn", word);
}

static int set_options(train_command *command) {
    mega_message message;
    for (size_t i = 0; i < mega_train_table.count; i++) {
        if (command->values[i] != NULL &&
            mega_settings_set(&mega_train_table, &command->settings, mega_train_table.list[i].name,
                              command->values[i], &message) < 0) {
            return mega_report_usage("%s", message.text);
        }
    }
    if (command->load.game != NULL) {
        (void)snprintf(command->settings.game, sizeof command->settings.game, "%s", command->load.game);
    }
    return MEGA_EXIT_OK;
}

// The algorithm as a word, or the one that the preset names.
static int start_settings(train_command *command) {
    mega_message message;
    uint32_t algo = MEGA_ALGO_PPO;
    const char *word = command->options.word_count > 0 ? command->options.words[0] : NULL;
    if (word == NULL && command->preset == NULL) {
        return mega_report_usage("which algorithm? 'megacade train ppo', a2c, vtrace or dqn, or a --preset");
    }
    if (word != NULL && find_algo(word, &algo) != MEGA_EXIT_OK) {
        return MEGA_EXIT_USAGE;
    }
    if (command->preset != NULL && word == NULL && mega_preset_algo(command->preset, &algo, &message) < 0) {
        return mega_report_usage("%s", message.text);
    }
    mega_train_defaults(algo, &command->settings);
    if (command->preset != NULL && mega_preset_apply(command->preset, &command->settings, &message) < 0) {
        return mega_report_usage("%s", message.text);
    }
    if (word != NULL && command->settings.algo != algo) {
        return mega_report_usage("the preset %s is for %s, not for %s", command->preset,
                                 mega_algo_names[command->settings.algo], word);
    }
    return MEGA_EXIT_OK;
}

static int resumed_settings(train_command *command) {
    mega_message message;
    uint32_t algo;
    if (command->preset != NULL) {
        return mega_report_usage("a run that goes on has its own settings; leave --preset out");
    }
    if (mega_run_read_settings(command->out, &command->settings, &message) < 0) {
        return mega_report_failure("%s", message.text);
    }
    if (command->options.word_count > 0) {
        if (find_algo(command->options.words[0], &algo) != MEGA_EXIT_OK) {
            return MEGA_EXIT_USAGE;
        }
        command->settings.algo = algo; // the checkpoint tells if that is wrong
    }
    return MEGA_EXIT_OK;
}

static int make_settings(train_command *command) {
    mega_message message;
    if (command->out == NULL) {
        return mega_report_usage("where to? --out DIR names the folder of the run");
    }
    const int code = command->resume ? resumed_settings(command) : start_settings(command);
    if (code != MEGA_EXIT_OK || set_options(command) != MEGA_EXIT_OK) {
        return code != MEGA_EXIT_OK ? code : MEGA_EXIT_USAGE;
    }
    if (mega_train_check(&command->settings, &message) < 0 ||
        mega_share_check_samplers(&command->settings, command->dist->size, &message) < 0) {
        return mega_report_usage("%s", message.text);
    }
    return mega_load_check_device(command->settings.device);
}

// ---- what is shown ----

static void show_row(void *context, const mega_run_row *row) {
    train_command *command = context;
    if (command->json) {
        return;
    }
    if (command->progress.drawn) {
        (void)fputs("\r\x1b[K", stderr);
    }
    (void)printf("%12llu frames %9.1f s %11.0f fps   score %9.2f", (unsigned long long)row->count.frames,
                 row->seconds, row->raw_fps, row->count.score);
    if (isfinite(row->eval_mean)) {
        (void)printf("   evaluation %9.2f", row->eval_mean);
    }
    (void)putchar('\n');
    (void)fflush(stdout);
}

static void show_progress(void *context, const mega_train_count *count) {
    train_command *command = context;
    const double seconds = mega_seconds() - command->progress.start;
    if (command->start_frames == UINT64_MAX) {
        command->start_frames = count->frames;
    }
    (void)snprintf(command->label, sizeof command->label, "%.0f frames/s, score %.1f",
                   (double)(count->frames - command->start_frames) / (seconds > 0 ? seconds : 1),
                   count->score);
    mega_progress_update(&command->progress, count->frames);
}

static void show_reduce(void *context, const mega_reduce *reduce) {
    train_command *command = context;
    command->reduce_name = mega_reduce_name(reduce);
    if (command->json) {
        return;
    }
    const uint32_t learners = command->dist->size, samplers = command->ranks - learners;
    if (samplers > 0) {
        (void)printf("%u learner%s, %u sampler%s", learners, learners > 1 ? "s" : "", samplers,
                     samplers > 1 ? "s" : "");
    } else {
        (void)printf("%u process%s", learners, learners > 1 ? "es" : "");
    }
    (void)printf("; gradients go through %s\n", mega_reduce_about(reduce));
    (void)fflush(stdout);
}

static void print_result(const train_command *command, const mega_run_result *result) {
    static const char *const ends[] = {"frames", "score", "interrupted"};
    if (!command->json) {
        (void)printf("%s after %llu frames in %.1f s; the policy is in %s\n",
                     result->end == MEGA_RUN_INTERRUPTED ? "Interrupted" : "Done",
                     (unsigned long long)result->count.frames, result->seconds, command->out);
        return;
    }
    mega_json json = mega_json_begin(stdout);
    mega_json_text(&json, "algo", mega_algo_names[command->settings.algo]);
    mega_json_text(&json, "game", command->settings.game[0] == '\0' ? "comet_catch" : command->settings.game);
    mega_json_text(&json, "device", command->settings.device);
    mega_json_int(&json, "envs", command->settings.envs);
    mega_json_int(&json, "ranks", command->ranks);
    mega_json_int(&json, "samplers", command->settings.samplers);
    mega_json_text(&json, "reduce", command->reduce_name);
    mega_json_text(&json, "ended", ends[result->end]);
    mega_json_int(&json, "frames", (int64_t)result->count.frames);
    mega_json_int(&json, "updates", (int64_t)result->count.updates);
    mega_json_int(&json, "episodes", (int64_t)result->count.episodes);
    mega_json_float(&json, "seconds", result->seconds);
    mega_json_float(&json, "raw_fps", result->raw_fps);
    mega_json_float(&json, "score", result->count.score);
    mega_json_float(&json, "eval_mean", result->eval_mean);
    mega_json_float(&json, "eval_deviation", result->eval_deviation);
    mega_json_float(&json, "time_to_score_s", result->time_to_score_s);
    mega_json_end(&json);
}

// ---- the command ----

// A process that fails alone ends the others. Where all fail for the same reason at the same time, the first one's
// sentence is enough: the others let it come first.
static void report_alone(void *context, const mega_message *message) {
    const train_command *command = context;
    mega_dist *dist = command->dist;
    if (command->ranks == 1) {
        (void)mega_report_failure("%s", message->text);
        return;
    }
    if (dist->rank > 0) {
        (void)sleep(1);
    }
    (void)mega_report_failure("rank %u of %u: %s", dist->rank, command->ranks, message->text);
    dist->ops->abort(dist);
}

static int run_training(train_command *command, const mega_rom *rom) {
    mega_run_result result;
    mega_message message;
    const mega_run_desc desc = {
        .settings = &command->settings,
        .rom = rom,
        .dist = command->dist,
        .folder = command->out,
        .resume = command->resume,
        .start = command->start,
        .stop = &stop_asked,
        .on_row = show_row,
        .on_progress = show_progress,
        .on_reduce = show_reduce,
        .on_failure = report_alone,
        .context = command,
    };
    catch_signals();
    command->start_frames = UINT64_MAX;
    (void)snprintf(command->label, sizeof command->label, "training");
    command->progress = mega_progress_begin(command->label, (uint64_t)command->settings.frames);
    const int failed = mega_run(&desc, &result, &message);
    mega_progress_end(&command->progress);
    if (failed < 0) {
        if (result.failed_together && command->dist->rank == 0) {
            (void)mega_report_failure("%s", message.text);
        }
        return MEGA_EXIT_FAILURE;
    }
    if (command->dist->rank > 0) {
        return result.end == MEGA_RUN_INTERRUPTED ? EXIT_INTERRUPTED : MEGA_EXIT_OK;
    }
    if (mega_run_curve(command->out, command->settings.game, &message) < 0) {
        return mega_report_failure("%s", message.text);
    }
    print_result(command, &result);
    return result.end == MEGA_RUN_INTERRUPTED ? EXIT_INTERRUPTED : MEGA_EXIT_OK;
}

// Samplers part from those who learn and play for them, each in its own way to the end.
static int train_or_sample(train_command *command, const mega_rom *rom) {
    mega_dist *dist = command->dist;
    mega_message message;
    int exit_code = MEGA_EXIT_FAILURE;
    const uint32_t samplers = (uint32_t)command->settings.samplers;
    if (samplers == 0) {
        return run_training(command, rom);
    }
    if (mega_dist_part(dist, command->ranks - samplers, &message) < 0) {
        return dist->rank == 0 ? mega_report_failure("%s", message.text) : MEGA_EXIT_FAILURE;
    }
    if (dist->rank < command->ranks - samplers) {
        exit_code = run_training(command, rom);
        mega_remote_end(dist, exit_code);
        return exit_code;
    }
    catch_signals(); // learners hear of them
    if (mega_serve(&command->settings, rom, dist, &exit_code, &message) < 0) {
        report_alone(command, &message);
        return MEGA_EXIT_FAILURE;
    }
    return exit_code;
}

static int open_dist(train_command *command) {
    mega_message message;
    int kind = MEGA_DIST_AUTO;
    while (mega_dist_kind_names[kind] != NULL &&
           strcmp(mega_dist_kind_names[kind], command->dist_name) != 0) {
        kind++;
    }
    if (mega_dist_kind_names[kind] == NULL) {
        return mega_report_usage("--dist: '%s' is not auto, none, mpi or tcp", command->dist_name);
    }
    return mega_dist_open((mega_dist_kind)kind, dist_seconds, &command->dist, &message) < 0
               ? mega_report_failure("%s", message.text)
               : MEGA_EXIT_OK;
}

static int prepare(train_command *command, mega_rom **rom) {
    int exit_code = make_settings(command);
    if (exit_code != MEGA_EXIT_OK) {
        return exit_code;
    }
    command->load.game =
        command->settings.game[0] == '\0' || command->load.rom != NULL ? NULL : command->settings.game;
    command->options.word_count = 0; // was the algorithm
    exit_code = mega_load_rom(&command->load, &command->options, rom);
    if (exit_code == MEGA_EXIT_OK && command->load.rom != NULL) {
        // So that eval knows what to look for, or that it must be told.
        (void)snprintf(command->settings.game, sizeof command->settings.game, "%s",
                       mega_rom_get_info(*rom)->name);
    }
    return exit_code;
}

// All processes are about to do the same, or none does anything.
static int check_together(train_command *command, int exit_code, const mega_rom *rom) {
    mega_message message;
    mega_dist *dist = command->dist;
    (void)mega_message_set(&message, "%s", mega_report_kept());
    mega_report_speak();
    int result = mega_dist_agree(dist, exit_code == MEGA_EXIT_OK ? 0 : -1, &message);
    if (result == 0) {
        result = mega_dist_same(dist, "settings", &command->settings, sizeof command->settings, &message);
    }
    if (result == 0) {
        result = mega_dist_same(dist, "bytes in its image", mega_rom_get_bytes(rom),
                                mega_rom_get_info(rom)->size, &message);
    }
    if (result < 0 && dist->rank == 0) {
        (void)mega_report_failure("%s", message.text);
    }
    return result < 0 && exit_code == MEGA_EXIT_OK ? MEGA_EXIT_FAILURE : exit_code;
}

static int train_together(train_command *command) {
    mega_rom *rom = NULL;
    command->ranks = command->dist->size;
    if (command->ranks > 1) {
        mega_report_keep();
    }
    int exit_code = prepare(command, &rom);
    if (command->ranks > 1) {
        exit_code = check_together(command, exit_code, rom);
    }
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = train_or_sample(command, rom);
    }
    mega_rom_destroy(rom);
    return exit_code;
}

int mega_cmd_train(int argc, char *const argv[]) {
    static train_command command; // too large for the stack
    const char *words[1];
    bool list = false;
    int exit_code;
    memset(&command, 0, sizeof command);
    command.start = mega_run_seconds();
    command.options = (mega_options){
        .command = "train",
        .summary = "Trains a policy: environments, network and algorithm in one program.",
        .usage = "megacade train ALGO --out DIR [options]      ALGO is a2c, vtrace, ppo or dqn",
        .example = "  megacade train --preset demo --out run\n"
                   "  megacade train ppo --game pong --frames 40e6 --out pong --json\n"
                   "  megacade train --out pong --resume\n"
                   "  mpirun -np 4 megacade train a2c --game pong --envs 64 --out pong\n"
                   "  mpirun -np 3 megacade train a2c --game pong --envs 64 --samplers 2 --out pong",
        .words_max = 1,
        .words = words,
    };
    mega_load_add_rom(&command.load, &command.options);
    (void)mega_options_text(&command.options, "preset", "NAME", &command.preset,
                            "settings by name, or a file");
    (void)mega_options_flag(&command.options, "list-presets", &list, "list the presets");
    (void)mega_options_text(&command.options, "out", "DIR", &command.out, "folder of the run");
    (void)mega_options_flag(&command.options, "resume", &command.resume, "go on with the run in --out");
    (void)mega_options_flag(&command.options, "json", &command.json, "print one JSON object at the end");
    command.dist_name = "auto";
    command.reduce_name = "none";
    (void)mega_options_text(&command.options, "dist", "HOW", &command.dist_name,
                            "how processes find each other: auto, none, mpi or tcp");
    add_settings(&command);
    if (!mega_options_run(&command.options, argc, argv, &exit_code)) {
        return exit_code;
    }
    if (list) {
        mega_presets_list(stdout);
        return MEGA_EXIT_OK;
    }
    exit_code = open_dist(&command);
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = train_together(&command);
    }
    mega_dist_close(command.dist);
    return exit_code;
}
