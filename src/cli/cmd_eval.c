// cmd_eval.c - `megacade eval`: plays episodes with the policy of a run.
#include "commands.h"
#include "json.h"
#include "load.h"
#include "report.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

typedef struct eval_command {
    mega_options options;
    mega_load load;
    mega_train_settings settings;
    const char *folder, *device, *policy;
    int64_t episodes, seed, threads;
    double sticky;
    bool json;
} eval_command;

static int make_settings(eval_command *command) {
    mega_message message;
    if (mega_run_read_settings(command->folder, &command->settings, &message) < 0) {
        return mega_report_failure("%s", message.text);
    }
    mega_train_settings *settings = &command->settings;
    if (command->device != NULL) {
        (void)snprintf(settings->device, sizeof settings->device, "%s", command->device);
    }
    if (command->policy != NULL &&
        mega_settings_set(&mega_train_table, settings, "eval_policy", command->policy, &message) < 0) {
        return mega_report_usage("%s", message.text);
    }
    settings->seed = mega_options_given(&command->options, "seed") ? command->seed : settings->seed;
    settings->threads =
        mega_options_given(&command->options, "threads") ? command->threads : settings->threads;
    settings->eval_sticky =
        mega_options_given(&command->options, "sticky") ? command->sticky : settings->eval_sticky;
    mega_train_shrink(settings);
    command->load.game = settings->game[0] == '\0' || command->load.rom != NULL ? NULL : settings->game;
    return mega_load_check_device(settings->device);
}

static void print_result(const eval_command *command, const mega_evaluation *result) {
    if (!command->json) {
        (void)printf("%u episodes: mean %.2f, deviation %.2f, lowest %.0f, highest %.0f\n", result->episodes,
                     result->mean, result->deviation, result->lowest, result->highest);
        return;
    }
    mega_json json = mega_json_begin(stdout);
    mega_json_text(&json, "game", command->settings.game[0] == '\0' ? "comet_catch" : command->settings.game);
    mega_json_int(&json, "episodes", result->episodes);
    mega_json_float(&json, "eval_mean", result->mean);
    mega_json_float(&json, "eval_deviation", result->deviation);
    mega_json_float(&json, "lowest", result->lowest);
    mega_json_float(&json, "highest", result->highest);
    mega_json_int(&json, "frames", (int64_t)result->frames);
    mega_json_end(&json);
}

static int evaluate(eval_command *command, const mega_rom *rom) {
    mega_trainer *trainer = NULL;
    mega_evaluation result;
    mega_message message;
    char path[MEGA_RUN_PATH];
    const bool done =
        mega_run_path(command->folder, "checkpoint", path, &message) == 0 &&
        mega_trainer_create(&command->settings, rom, NULL, &trainer, &message) == 0 &&
        mega_trainer_restore_network(trainer, path, &message) == 0 &&
        mega_trainer_evaluate(trainer, (uint32_t)command->episodes, UINT32_MAX, &result, &message) == 0;
    mega_trainer_destroy(trainer);
    if (!done) {
        return mega_report_failure("%s", message.text);
    }
    print_result(command, &result);
    return MEGA_EXIT_OK;
}

int mega_cmd_eval(int argc, char *const argv[]) {
    eval_command command;
    const char *words[1];
    int exit_code;
    memset(&command, 0, sizeof command);
    command.episodes = 10;
    command.options = (mega_options){
        .command = "eval",
        .summary = "Plays episodes with the policy of a run and prints their scores.",
        .usage = "megacade eval DIR [options]",
        .example = "  megacade eval run --episodes 100 --json",
        .words_max = 1,
        .words = words,
    };
    mega_options *options = &command.options;
    (void)mega_options_text(options, "rom", "FILE", &command.load.rom, "play this cartridge image");
    (void)mega_options_text(options, "roms", "FOLDER", &command.load.roms,
                            "look for the game's image only here");
    (void)mega_options_int(options, "episodes", "N", &command.episodes, 1, 100000, "episodes to play");
    (void)mega_options_text(options, "device", "D", &command.device,
                            "cpu, cuda or cuda:N, if not that of the run");
    (void)mega_options_text(options, "policy", "NAME", &command.policy,
                            "sample or greedy, if not as in the run");
    mega_options_float(options, "sticky", "P", &command.sticky, 0, 1, "sticky actions")->has_default = false;
    mega_options_int(options, "seed", "S", &command.seed, 0, UINT32_MAX, "of starts and actions")
        ->has_default = false;
    mega_options_int(options, "threads", "N", &command.threads, 0, 1024, "CPU threads")->has_default = false;
    (void)mega_options_flag(options, "json", &command.json, "print a JSON object");
    if (!mega_options_run(options, argc, argv, &exit_code)) {
        return exit_code;
    }
    if (options->word_count == 0) {
        return mega_report_usage("which run? 'megacade eval DIR' names its folder");
    }
    command.folder = words[0];
    options->word_count = 0;
    exit_code = make_settings(&command);
    mega_rom *rom = NULL;
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = mega_load_rom(&command.load, options, &rom);
    }
    if (exit_code == MEGA_EXIT_OK) {
        exit_code = evaluate(&command, rom);
    }
    mega_rom_destroy(rom);
    return exit_code;
}
