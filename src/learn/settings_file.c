// settings_file.c - see settings.h: presets and config.json.
#include "settings.h"

#include "in_file.h"
#include "json.h"
#include "json_reader.h"
#include "out_file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_SIZE = 64
};

// Where a reader is, for sentences.
typedef struct place {
    const char *name;
    size_t line;
} place;

static int fail_at(place place, const char *why, mega_message *message) {
    return mega_message_set(message, "%s:%zu: %s", place.name, place.line, why);
}

// Sets a value once; a failure gets the place in front of it.
static int set_once(const mega_settings *table, void *values, bool seen[MEGA_SETTINGS_MAX], const char *name,
                    const char *text, place place, mega_message *message) {
    mega_message why;
    const mega_setting *setting = mega_settings_find(table, name);
    assert(table->count <= MEGA_SETTINGS_MAX);
    if (setting != NULL && seen[setting - table->list]) {
        return mega_message_set(message, "%s:%zu: setting '%s' comes twice", place.name, place.line,
                                setting->name);
    }
    if (mega_settings_set(table, values, name, text, &why) != 0) {
        return fail_at(place, why.text, message);
    }
    seen[setting - table->list] = true;
    return 0;
}

// ---- presets -----------------------------------------------------------------------------------------

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

// Copies without blanks around it. False if it does not fit.
static bool copy_trimmed(const char *first, const char *end, char *text, size_t size) {
    while (first < end && is_blank(*first)) {
        first++;
    }
    while (first < end && is_blank(end[-1])) {
        end--;
    }
    const size_t length = (size_t)(end - first);
    if (length >= size) {
        return false;
    }
    memcpy(text, first, length);
    text[length] = '\0';
    return true;
}

// Where the line ends for us: at its end or at a comment.
static const char *comment_of(const char *first, const char *end) {
    for (const char *at = first; at < end; at++) {
        if (*at == '#' && (at == first || is_blank(at[-1]))) {
            return at;
        }
    }
    return end;
}

static int parse_line(const mega_settings *table, void *values, bool *seen, const char *first,
                      const char *end, place place, mega_message *message) {
    char name[NAME_SIZE], value[MEGA_SETTING_TEXT_SIZE];
    if (memchr(first, 0, (size_t)(end - first)) != NULL) {
        return fail_at(place, "a zero byte, which no text has", message);
    }
    end = comment_of(first, end);
    if (copy_trimmed(first, end, name, sizeof name) && name[0] == '\0') {
        return 0;
    }
    const char *equals = memchr(first, '=', (size_t)(end - first));
    if (equals == NULL) {
        return fail_at(place, "a line is 'name = value'", message);
    }
    if (!copy_trimmed(first, equals, name, sizeof name) ||
        !copy_trimmed(equals + 1, end, value, sizeof value)) {
        return fail_at(place, "this is too long", message);
    }
    return set_once(table, values, seen, name, value, place, message);
}

int mega_settings_parse_preset(const mega_settings *table, void *values, const char *text, size_t size,
                               const char *name, mega_message *message) {
    bool seen[MEGA_SETTINGS_MAX] = {false};
    const char *const end = text + size;
    place place = {name, 1};
    while (text < end) {
        const char *feed = memchr(text, '\n', (size_t)(end - text));
        const char *line_end = feed != NULL ? feed : end;
        if (parse_line(table, values, seen, text, line_end, place, message) != 0) {
            return -1;
        }
        text = feed != NULL ? feed + 1 : end;
        place.line++;
    }
    return 0;
}

int mega_settings_read_preset(const mega_settings *table, void *values, const char *path,
                              mega_message *message) {
    char *text = NULL;
    size_t size = 0;
    if (mega_file_read(path, MEGA_SETTINGS_FILE_MAX, &text, &size, message) != 0) {
        return -1;
    }
    const int status = mega_settings_parse_preset(table, values, text, size, path, message);
    free(text);
    return status;
}

// ---- config.json -------------------------------------------------------------------------------------

static void put_setting(mega_json *json, const mega_setting *setting, const void *values) {
    char text[MEGA_SETTING_TEXT_SIZE];
    int64_t number = 0;
    double real = 0.0;
    bool flag = false;
    const char *place = (const char *)values + setting->offset;
    switch (setting->kind) {
    case MEGA_SETTING_INT:
        memcpy(&number, place, sizeof number);
        mega_json_int(json, setting->name, number);
        break;
    case MEGA_SETTING_FLOAT:
        memcpy(&real, place, sizeof real);
        mega_json_float(json, setting->name, real);
        break;
    case MEGA_SETTING_FLAG:
        memcpy(&flag, place, sizeof flag);
        mega_json_bool(json, setting->name, flag);
        break;
    default:
        mega_settings_get(setting, values, text);
        mega_json_text(json, setting->name, text);
        break;
    }
}

int mega_settings_write_json(const mega_settings *table, const void *values, const mega_settings_extra *extra,
                             size_t extra_count, const char *path, mega_message *message) {
    mega_out_file file;
    if (mega_out_file_open(&file, path, message) != 0) {
        return -1;
    }
    mega_json json = mega_json_begin_lines(file.stream);
    for (size_t i = 0; i < extra_count; i++) {
        mega_json_text(&json, extra[i].key, extra[i].value);
    }
    for (size_t i = 0; i < table->count; i++) {
        put_setting(&json, &table->list[i], values);
    }
    mega_json_end(&json);
    return mega_out_file_commit(&file, message);
}

// Reads the value of a setting as text. Kinds of JSON and kinds of settings must agree.
static bool read_value(mega_json_reader *reader, const mega_setting *setting,
                       char text[MEGA_SETTING_TEXT_SIZE]) {
    bool flag = false;
    switch (setting->kind) {
    case MEGA_SETTING_INT:
    case MEGA_SETTING_FLOAT: return mega_json_read_number_text(reader, text);
    case MEGA_SETTING_FLAG:
        if (!mega_json_read_bool(reader, &flag)) {
            return false;
        }
        strcpy(text, flag ? "true" : "false");
        return true;
    default: return mega_json_read_text(reader, text, MEGA_SETTING_TEXT_SIZE);
    }
}

static bool is_extra(const mega_settings_extra *extra, size_t count, const char *key) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(extra[i].key, key) == 0) {
            return true;
        }
    }
    return false;
}

// Reads one value after its key.
static int read_entry(const mega_settings *table, void *values, bool *seen, mega_json_reader *reader,
                      const char *key, const char *name, mega_message *message) {
    char text[MEGA_SETTING_TEXT_SIZE] = "";
    const place place = {name, mega_json_reader_line(reader)};
    const mega_setting *setting = mega_settings_find(table, key);
    if (setting != NULL && !read_value(reader, setting, text)) {
        return mega_message_set(message, "%s:%zu: setting '%s': %s", name, place.line, setting->name,
                                reader->mistake);
    }
    return set_once(table, values, seen, key, text, place, message);
}

int mega_settings_parse_json(const mega_settings *table, void *values, const mega_settings_extra *extra,
                             size_t extra_count, const char *text, size_t size, const char *name,
                             mega_message *message) {
    bool seen[MEGA_SETTINGS_MAX] = {false};
    mega_json_reader reader = mega_json_reader_begin(text, size);
    for (bool more = mega_json_read_open(&reader, '{'); more; more = mega_json_read_more(&reader, '}')) {
        char key[NAME_SIZE], ignored[MEGA_SETTING_TEXT_SIZE];
        if (!mega_json_read_key(&reader, key, sizeof key)) {
            break;
        }
        if (is_extra(extra, extra_count, key)) {
            if (!mega_json_read_text(&reader, ignored, sizeof ignored)) {
                break;
            }
        } else if (read_entry(table, values, seen, &reader, key, name, message) != 0) {
            return -1;
        }
    }
    if (!mega_json_read_end(&reader)) {
        return fail_at((place){name, mega_json_reader_line(&reader)}, reader.mistake, message);
    }
    return 0;
}

int mega_settings_read_json(const mega_settings *table, void *values, const mega_settings_extra *extra,
                            size_t extra_count, const char *path, mega_message *message) {
    char *text = NULL;
    size_t size = 0;
    if (mega_file_read(path, MEGA_SETTINGS_FILE_MAX, &text, &size, message) != 0) {
        return -1;
    }
    const int status = mega_settings_parse_json(table, values, extra, extra_count, text, size, path, message);
    free(text);
    return status;
}
