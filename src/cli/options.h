// options.h - a small typed parser for the command line of one subcommand.
//
// A subcommand lists its options, each bound to a variable that holds the default and receives the value:
//
//     mega_options options = {.command = "bench", .usage = "megacade bench [options]", ...};
//     int64_t envs = 1;
//     mega_options_int(&options, "envs", "N", &envs, 1, 1 << 20, "environments");
//     switch (mega_options_parse(&options, argc, argv, &message)) ...
//
// "--name value", "--name=value", a letter as "-o value", and "--" before words that are not options.
#ifndef OPTIONS_H
#define OPTIONS_H
#include "message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    MEGA_OPTIONS_MAX = 128
};

typedef enum mega_option_kind {
    MEGA_OPTION_FLAG,
    MEGA_OPTION_INT,
    MEGA_OPTION_FLOAT,
    MEGA_OPTION_TEXT
} mega_option_kind;

typedef struct mega_option {
    const char *name; // without dashes
    char letter;      // short form, or 0
    bool given;       // it was on the command line
    bool has_default; // the help shows the variable's value
    mega_option_kind kind;
    const char *value_name; // "N", "FILE"; NULL for flags
    const char *help;
    void *target; // bool, int64_t, double or const char *, by kind
    int64_t int_min, int_max;
    double float_min, float_max;
} mega_option;

typedef struct mega_options {
    const char *command; // "bench"
    const char *summary; // what the command does, in a sentence
    const char *usage;   // the line or lines after "Usage:"
    const char *example; // complete command lines
    size_t words_max;    // how many words that are not options are allowed
    const char **words;  // storage for them
    size_t word_count;
    size_t count;
    mega_option items[MEGA_OPTIONS_MAX];
} mega_options;

// Adds an option. Names, help and targets are borrowed. The returned pointer is for small changes (letter,
// has_default) and lives as long as `options`.
mega_option *mega_options_flag(mega_options *options, const char *name, bool *target, const char *help);
mega_option *mega_options_int(mega_options *options, const char *name, const char *value_name,
                              int64_t *target, int64_t min, int64_t max, const char *help);
mega_option *mega_options_float(mega_options *options, const char *name, const char *value_name,
                                double *target, double min, double max, const char *help);
// A target of NULL text means that there is no default.
mega_option *mega_options_text(mega_options *options, const char *name, const char *value_name,
                               const char **target, const char *help);

enum {
    MEGA_PARSE_ERROR = -1,
    MEGA_PARSE_OK = 0,
    MEGA_PARSE_HELP = 1
};
// Reads argv[0..argc), which starts after the command's name. MEGA_PARSE_HELP means that --help was asked
// for; after MEGA_PARSE_ERROR the message says what is wrong with which word.
int mega_options_parse(mega_options *options, int argc, char *const argv[], mega_message *message);
// As parse, and prints help and errors. True means go on; otherwise *exit_code is set.
bool mega_options_run(mega_options *options, int argc, char *const argv[], int *exit_code);
// Whether the option of that name was on the command line.
bool mega_options_given(const mega_options *options, const char *name);
void mega_options_help(const mega_options *options, FILE *out);

// A whole decimal number and nothing else; false when `text` is none or is out of range.
bool mega_parse_int(const char *text, int64_t min, int64_t max, int64_t *out);
// A finite decimal number in the range and nothing else.
bool mega_parse_float(const char *text, double min, double max, double *out);

#endif
