// options.c - see options.h.
#include "options.h"

#include "json.h"
#include "nearest.h"
#include "report.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- numbers -----------------------------------------------------------------------------------------

bool mega_parse_int(const char *text, int64_t min, int64_t max, int64_t *out) {
    const char *digits = *text == '-' || *text == '+' ? text + 1 : text;
    if (!isdigit((unsigned char)*digits)) {
        return false;
    }
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (errno != 0 || *end != '\0' || value < min || value > max) {
        return false;
    }
    *out = value;
    return true;
}

bool mega_parse_float(const char *text, double min, double max, double *out) {
    // strtod also takes blanks, hexadecimal numbers, "inf" and "nan"; only these characters make a number.
    if (*text == '\0' || strspn(text, "+-.0123456789eE") != strlen(text)) {
        return false;
    }
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value) || value < min || value > max) {
        return false;
    }
    *out = value;
    return true;
}

// ---- making the list ---------------------------------------------------------------------------------

static mega_option *add(mega_options *options, const char *name, mega_option_kind kind,
                        const char *value_name, void *target, const char *help) {
    assert(options->count < MEGA_OPTIONS_MAX);
    mega_option *option = &options->items[options->count++];
    *option = (mega_option){.name = name,
                            .kind = kind,
                            .value_name = value_name,
                            .help = help,
                            .target = target,
                            .has_default = kind != MEGA_OPTION_FLAG};
    return option;
}

mega_option *mega_options_flag(mega_options *options, const char *name, bool *target, const char *help) {
    return add(options, name, MEGA_OPTION_FLAG, NULL, target, help);
}

mega_option *mega_options_int(mega_options *options, const char *name, const char *value_name,
                              int64_t *target, int64_t min, int64_t max, const char *help) {
    mega_option *option = add(options, name, MEGA_OPTION_INT, value_name, target, help);
    option->int_min = min;
    option->int_max = max;
    return option;
}

mega_option *mega_options_float(mega_options *options, const char *name, const char *value_name,
                                double *target, double min, double max, const char *help) {
    mega_option *option = add(options, name, MEGA_OPTION_FLOAT, value_name, target, help);
    option->float_min = min;
    option->float_max = max;
    return option;
}

mega_option *mega_options_text(mega_options *options, const char *name, const char *value_name,
                               const char **target, const char *help) {
    mega_option *option = add(options, name, MEGA_OPTION_TEXT, value_name, (void *)target, help);
    option->has_default = *target != NULL;
    return option;
}

bool mega_options_given(const mega_options *options, const char *name) {
    for (size_t i = 0; i < options->count; i++) {
        if (strcmp(options->items[i].name, name) == 0) {
            return options->items[i].given;
        }
    }
    assert(0 && "an option of that name is in the list");
    return false;
}

// ---- help --------------------------------------------------------------------------------------------

static void print_default(const mega_option *option, FILE *out) {
    char number[MEGA_NUMBER_SIZE];
    switch (option->kind) {
    case MEGA_OPTION_FLAG: break;
    case MEGA_OPTION_INT:
        (void)fprintf(out, " (default %" PRId64 ")", *(const int64_t *)option->target);
        break;
    case MEGA_OPTION_FLOAT:
        mega_number_text(*(const double *)option->target, number);
        (void)fprintf(out, " (default %s)", number);
        break;
    case MEGA_OPTION_TEXT: (void)fprintf(out, " (default %s)", *(const char *const *)option->target); break;
    }
}

static void print_option(const mega_option *option, FILE *out) {
    char left[64];
    const char *value = option->value_name == NULL ? "" : option->value_name;
    const char *blank = option->value_name == NULL ? "" : " ";
    if (option->letter != 0) {
        (void)snprintf(left, sizeof left, "-%c, --%s%s%s", option->letter, option->name, blank, value);
    } else {
        (void)snprintf(left, sizeof left, "--%s%s%s", option->name, blank, value);
    }
    (void)fprintf(out, "  %-28s %s", left, option->help);
    if (option->has_default) {
        print_default(option, out);
    }
    (void)fputc('\n', out);
}

void mega_options_help(const mega_options *options, FILE *out) {
    (void)fprintf(out, "Usage: %s\n\n%s\n\nOptions:\n", options->usage, options->summary);
    for (size_t i = 0; i < options->count; i++) {
        print_option(&options->items[i], out);
    }
    (void)fprintf(out, "  %-28s %s\n", "-h, --help", "show this text");
    (void)fprintf(out, "\nExample:\n%s\n", options->example);
}

// ---- parsing -----------------------------------------------------------------------------------------

static mega_option *find_long(mega_options *options, const char *name, size_t length) {
    for (size_t i = 0; i < options->count; i++) {
        mega_option *option = &options->items[i];
        if (strlen(option->name) == length && memcmp(option->name, name, length) == 0) {
            return option;
        }
    }
    return NULL;
}

static mega_option *find_letter(mega_options *options, char letter) {
    for (size_t i = 0; i < options->count; i++) {
        if (options->items[i].letter != 0 && options->items[i].letter == letter) {
            return &options->items[i];
        }
    }
    return NULL;
}

static int unknown_option(const mega_options *options, const char *word, mega_message *message) {
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *typed = name + strspn(name, "-");
    mega_nearest nearest = mega_nearest_begin(typed);
    for (size_t i = 0; i < options->count; i++) {
        mega_nearest_offer(&nearest, options->items[i].name);
    }
    if (nearest.best != NULL) {
        return mega_message_set(message, "%s has no option %s; did you mean --%s?", options->command, name,
                                nearest.best);
    }
    return mega_message_set(message, "%s has no option %s; 'megacade %s --help' lists them", options->command,
                            name, options->command);
}

static int set_number(const mega_option *option, const char *text, mega_message *message) {
    if (option->kind == MEGA_OPTION_INT) {
        if (mega_parse_int(text, option->int_min, option->int_max, option->target)) {
            return 0;
        }
        if (option->int_max == INT64_MAX && option->int_min >= 0) {
            return mega_message_set(message, "--%s: '%s' is not a whole number of at least %" PRId64,
                                    option->name, text, option->int_min);
        }
        return mega_message_set(message, "--%s: '%s' is not a whole number from %" PRId64 " to %" PRId64,
                                option->name, text, option->int_min, option->int_max);
    }
    if (mega_parse_float(text, option->float_min, option->float_max, option->target)) {
        return 0;
    }
    return mega_message_set(message, "--%s: '%s' is not a number from %g to %g", option->name, text,
                            option->float_min, option->float_max);
}

static int set_value(mega_option *option, const char *text, mega_message *message) {
    option->given = true;
    if (option->kind == MEGA_OPTION_TEXT) {
        if (*text == '\0') {
            return mega_message_set(message, "--%s: the value is empty", option->name);
        }
        *(const char **)option->target = text;
        return 0;
    }
    return set_number(option, text, message);
}

static int add_word(mega_options *options, const char *word, mega_message *message) {
    if (options->word_count == options->words_max) {
        return mega_message_set(message,
                                "%s does not know what to do with '%s'; 'megacade %s --help' tells "
                                "what it takes",
                                options->command, word, options->command);
    }
    options->words[options->word_count++] = word;
    return 0;
}

// Handles the option at argv[0] and says in *used how many words it took.
static int parse_option(mega_options *options, int argc, char *const argv[], int *used,
                        mega_message *message) {
    const char *word = argv[0];
    const bool is_long = word[1] == '-';
    const char *name = word + (is_long ? 2 : 1);
    const char *equals = is_long ? strchr(name, '=') : NULL;
    const size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    mega_option *option = is_long       ? find_long(options, name, length)
                          : length == 1 ? find_letter(options, *name)
                                        : NULL;
    *used = 1;
    if (option == NULL) {
        return unknown_option(options, word, message);
    }
    if (option->kind == MEGA_OPTION_FLAG) {
        option->given = true;
        *(bool *)option->target = true;
        return equals == NULL ? 0 : mega_message_set(message, "--%s takes no value", option->name);
    }
    if (equals != NULL) {
        return set_value(option, equals + 1, message);
    }
    if (argc < 2) {
        return mega_message_set(message, "--%s needs a value (%s)", option->name, option->value_name);
    }
    *used = 2;
    return set_value(option, argv[1], message);
}

int mega_options_parse(mega_options *options, int argc, char *const argv[], mega_message *message) {
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return MEGA_PARSE_HELP;
        }
    }
    bool only_words = false;
    int used = 0;
    for (int i = 0; i < argc; i += used) {
        used = 1;
        int status = 0;
        if (!only_words && strcmp(argv[i], "--") == 0) {
            only_words = true;
        } else if (!only_words && argv[i][0] == '-' && argv[i][1] != '\0') {
            status = parse_option(options, argc - i, argv + i, &used, message);
        } else {
            status = add_word(options, argv[i], message);
        }
        if (status != 0) {
            return MEGA_PARSE_ERROR;
        }
    }
    return MEGA_PARSE_OK;
}

bool mega_options_run(mega_options *options, int argc, char *const argv[], int *exit_code) {
    mega_message message;
    switch (mega_options_parse(options, argc, argv, &message)) {
    case MEGA_PARSE_OK: return true;
    case MEGA_PARSE_HELP:
        mega_options_help(options, stdout);
        *exit_code = MEGA_EXIT_OK;
        return false;
    default: *exit_code = mega_report_usage("%s", message.text); return false;
    }
}
