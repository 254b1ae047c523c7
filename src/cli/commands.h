// commands.h - the subcommands of the program. Each gets the words after its name and returns an exit code.
#ifndef COMMANDS_H
#define COMMANDS_H

int mega_cmd_games(int argc, char *const argv[]);
int mega_cmd_roms(int argc, char *const argv[]);
int mega_cmd_trace(int argc, char *const argv[]);
int mega_cmd_bench(int argc, char *const argv[]);
int mega_cmd_record(int argc, char *const argv[]);
int mega_cmd_translate(int argc, char *const argv[]);
int mega_cmd_train(int argc, char *const argv[]);
int mega_cmd_eval(int argc, char *const argv[]);

#endif
