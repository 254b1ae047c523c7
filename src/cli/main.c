// main.c - the program `megacade`: finds the subcommand and makes sure that the output arrived.
#include "commands.h"
#include "megacade.h"
#include "nearest.h"
#include "report.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct command {
    const char *name;
    int (*run)(int argc, char *const argv[]); // NULL: planned, not available in this version
    const char *summary;
} command;

static const command commands[] = {
    {"games", mega_cmd_games, "list the games, their actions and modes, and whether their image is there"},
    {"roms", mega_cmd_roms, "list, import and verify cartridge images"},
    {"trace", mega_cmd_trace, "play pseudo-random actions and print a hash of every state"},
    {"bench", mega_cmd_bench, "measure emulated frames per second"},
    {"record", mega_cmd_record, "write a screen or a game to a PNG, GIF or MP4 file"},
    {"translate", mega_cmd_translate, "show what becomes of a cartridge: C, machine code, coverage"},
    {"train", mega_cmd_train, "train a policy: a2c, vtrace or ppo"},
    {"eval", mega_cmd_eval, "play episodes with a trained policy and print their scores"},
    {"play", NULL, NULL},
};
enum {
    COMMAND_COUNT = sizeof commands / sizeof commands[0]
};

static void print_help(FILE *out) {
    (void)fputs("Usage: megacade COMMAND [options]\n\n"
                "Atari 2600 consoles for reinforcement learning.\n\nCommands:\n",
                out);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (commands[i].run != NULL) {
            (void)fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
        }
    }
    (void)fputs("\nOptions:\n"
                "  -h, --help   show this text; 'megacade COMMAND --help' shows that of a command\n"
                "  --version    show the version\n\n"
                "Example:\n"
                "  megacade record --out game.gif      (the built-in game needs no image)\n",
                out);
}

static const command *find_command(const char *name) {
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int unknown_command(const char *name) {
    mega_nearest nearest = mega_nearest_begin(name);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (commands[i].run != NULL) {
            mega_nearest_offer(&nearest, commands[i].name);
        }
    }
    if (nearest.best != NULL) {
        return mega_report_usage("there is no command '%s'; did you mean %s?", name, nearest.best);
    }
    return mega_report_usage("there is no command '%s'; 'megacade --help' lists them", name);
}

static int run_command(const char *name, int argc, char *const argv[]) {
    const command *found = find_command(name);
    if (found == NULL) {
        return unknown_command(name);
    }
    if (found->run == NULL) {
        return mega_report_usage("'%s' is not available in this version; 'megacade --help' lists what is",
                                 name);
    }
    return found->run(argc, argv);
}

static int dispatch(int argc, char *argv[]) {
    if (argc < 2) {
        print_help(stderr);
        return MEGA_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        (void)printf("megacade %s\n", mega_version());
        return MEGA_EXIT_OK;
    }
    const bool help = strcmp(name, "help") == 0;
    if (help && argc > 2) {
        char word[] = "--help";
        char *const words[] = {word};
        return run_command(argv[2], 1, words);
    }
    if (help || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(stdout);
        return MEGA_EXIT_OK;
    }
    if (name[0] == '-') {
        return mega_report_usage("there is no option '%s' before the command; 'megacade --help' explains",
                                 name);
    }
    return run_command(name, argc - 2, argv + 2);
}

// Whether all output arrived. A reader that went away, as in `megacade games | head`, wants no message.
static bool flush_output(void) {
    errno = 0;
    const bool failed_before = ferror(stdout) != 0;
    const bool failed_now = fflush(stdout) != 0;
    if ((failed_before || failed_now) && errno != EPIPE) {
        (void)mega_report_failure("cannot write to standard output: %s",
                                  errno != 0 ? strerror(errno) : "an earlier write failed");
    }
    return !failed_before && !failed_now;
}

int main(int argc, char *argv[]) {
    // A reader that goes away shows as a failed write instead of killing the program.
    (void)signal(SIGPIPE, SIG_IGN);
    const int exit_code = dispatch(argc, argv);
    const bool written = flush_output();
    return exit_code == MEGA_EXIT_OK && !written ? MEGA_EXIT_FAILURE : exit_code;
}
