// settings.h - settings of a run: a table says what there is, a struct of the caller holds the values.
//
//     typedef struct my_settings { int64_t envs; double rate; uint32_t kind; bool clip; char net[64]; } my_settings;
//     static const char *const kinds[] = {"a2c", "ppo", NULL};
//     static const mega_setting list[] = {
//         {.name = "envs", .kind = MEGA_SETTING_INT, .offset = offsetof(my_settings, envs), .min = 1, .max = 1e6,
//          .help = "environments"},
//         {.name = "net", .kind = MEGA_SETTING_TEXT, .offset = offsetof(my_settings, net), .size = 64}, ...};
//     static const mega_settings table = {list, sizeof list / sizeof list[0]};
//
// Values come as text (options, preset files) or from a config.json. All of them go through one door, which says
// which setting, which value and what is allowed. Functions that fail in the middle may have set some values.
#ifndef SETTINGS_H
#define SETTINGS_H
#include "message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum mega_setting_kind {
    MEGA_SETTING_INT,    // int64_t; text may have an exponent ("1e6"), if the value is whole
    MEGA_SETTING_FLOAT,  // double
    MEGA_SETTING_TEXT,   // char[size]
    MEGA_SETTING_CHOICE, // uint32_t, a place in `choices`
    MEGA_SETTING_FLAG    // bool; text: true, false, yes, no, on, off, 1, 0
} mega_setting_kind;

typedef struct mega_setting {
    const char *name; // lower case with underscores; dashes are read as underscores
    mega_setting_kind kind;
    size_t offset;              // in the struct
    size_t size;                // TEXT: of the array, with the zero at the end
    double min;                 // INT and FLOAT: both are allowed
    double max;                 // below 2^53 for INT, unless it is INT64_MAX
    const char *const *choices; // CHOICE: ends with NULL
    const char *help;           // a line for --help; NULL: not listed
    const char *source;         // where the value usually comes from ("Mnih et al. 2016"); may be NULL
} mega_setting;

typedef struct mega_settings {
    const mega_setting *list;
    size_t count;
} mega_settings;

enum {
    MEGA_SETTING_TEXT_SIZE = 512,    // enough for any value as text; `size` is at most this
    MEGA_SETTINGS_MAX = 256,         // entries of a table
    MEGA_SETTINGS_FILE_MAX = 1 << 20 // bytes of files that are read
};

// The setting of that name, or NULL.
const mega_setting *mega_settings_find(const mega_settings *table, const char *name);
// Sets a value from its text. Fails with a sentence about the name (and the nearest one that exists) or the value.
int mega_settings_set(const mega_settings *table, void *values, const char *name, const char *text,
                      mega_message *message);
// The value as text that mega_settings_set understands.
void mega_settings_get(const mega_setting *setting, const void *values, char text[MEGA_SETTING_TEXT_SIZE]);

// A preset: lines `name = value`; blank lines, and whatever follows a # at the start of a line or after a blank, say
// nothing. No name comes twice. Failures name the file and the line.
int mega_settings_read_preset(const mega_settings *table, void *values, const char *path,
                              mega_message *message);
// The same for a text in memory, of which `name` is said in failures.
int mega_settings_parse_preset(const mega_settings *table, void *values, const char *text, size_t size,
                               const char *name, mega_message *message);

// Writes all settings to a config.json: one object, a line per setting. `extra` are strings that come first (version,
// game); may be NULL.
typedef struct mega_settings_extra {
    const char *key;
    const char *value;
} mega_settings_extra;
int mega_settings_write_json(const mega_settings *table, const void *values, const mega_settings_extra *extra,
                             size_t extra_count, const char *path, mega_message *message);
// Reads it back. Settings that the file does not have keep their values; keys that are no setting must be strings among
// `extra`, whose values are not used. Nothing else is allowed in the file.
int mega_settings_read_json(const mega_settings *table, void *values, const mega_settings_extra *extra,
                            size_t extra_count, const char *path, mega_message *message);
// The same for a text in memory, of which `name` is said in failures. The text need not end with a zero.
int mega_settings_parse_json(const mega_settings *table, void *values, const mega_settings_extra *extra,
                             size_t extra_count, const char *text, size_t size, const char *name,
                             mega_message *message);

// A list for --help: name, value, what is allowed, help, source.
void mega_settings_list(const mega_settings *table, const void *values, FILE *out);

#endif
