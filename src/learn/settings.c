// settings.c - see settings.h: values from and to text, and the list of them.
#include "settings.h"

#include "json.h"
#include "nearest.h"
#include "utf8.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_SIZE = 64,
    ALLOWED_SIZE = 256,
    WHOLE_BITS = 53 // of a double: above, whole numbers are not exact
};

static const char *const flag_words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};

// ---- names -------------------------------------------------------------------------------------------

const mega_setting *mega_settings_find(const mega_settings *table, const char *name) {
    char plain[NAME_SIZE];
    const size_t length = strlen(name);
    if (length >= sizeof plain) {
        return NULL;
    }
    for (size_t i = 0; i <= length; i++) {
        plain[i] = name[i] == '-' ? '_' : name[i];
    }
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->list[i].name, plain) == 0) {
            return &table->list[i];
        }
    }
    return NULL;
}

static int unknown_name(const mega_settings *table, const char *name, mega_message *message) {
    mega_nearest nearest = mega_nearest_begin(name);
    for (size_t i = 0; i < table->count; i++) {
        mega_nearest_offer(&nearest, table->list[i].name);
    }
    if (nearest.best != NULL) {
        return mega_message_set(message, "there is no setting '%.64s'; did you mean '%s'?", name,
                                nearest.best);
    }
    return mega_message_set(message, "there is no setting '%.64s'", name);
}

// ---- what is allowed ---------------------------------------------------------------------------------

static void list_choices(const char *const *choices, char text[ALLOWED_SIZE]) {
    size_t used = 0;
    text[0] = '\0';
    for (; *choices != NULL && used < ALLOWED_SIZE; choices++) {
        const int length = snprintf(text + used, ALLOWED_SIZE - used, "%s%s", used > 0 ? ", " : "", *choices);
        used += (size_t)length;
    }
}

// "1 to 64", "at least 1", "at most 64", or nothing.
static void list_range(const mega_setting *setting, char text[ALLOWED_SIZE]) {
    const bool int_kind = setting->kind == MEGA_SETTING_INT;
    const bool low = isfinite(setting->min) && !(int_kind && setting->min <= (double)INT64_MIN);
    const bool high = isfinite(setting->max) && !(int_kind && setting->max >= (double)INT64_MAX);
    if (low && high) {
        (void)snprintf(text, ALLOWED_SIZE, "%.16g to %.16g", setting->min, setting->max);
    } else if (low || high) {
        (void)snprintf(text, ALLOWED_SIZE, "at %s %.16g", low ? "least" : "most",
                       low ? setting->min : setting->max);
    } else {
        text[0] = '\0';
    }
}

static int refuse_number(const mega_setting *setting, const char *text, mega_message *message) {
    char range[ALLOWED_SIZE];
    list_range(setting, range);
    return mega_message_set(message, "setting '%s' cannot be '%.64s': it is a %s%s%s", setting->name, text,
                            setting->kind == MEGA_SETTING_INT ? "whole number" : "number",
                            *range != '\0' ? ", " : "", range);
}

static int refuse_choice(const mega_setting *setting, const char *text, mega_message *message) {
    char allowed[ALLOWED_SIZE];
    mega_nearest nearest = mega_nearest_begin(text);
    list_choices(setting->choices, allowed);
    for (const char *const *choice = setting->choices; *choice != NULL; choice++) {
        mega_nearest_offer(&nearest, *choice);
    }
    if (nearest.best != NULL) {
        return mega_message_set(message,
                                "setting '%s' cannot be '%.64s': it is one of %s; did you mean '%s'?",
                                setting->name, text, allowed, nearest.best);
    }
    return mega_message_set(message, "setting '%s' cannot be '%.64s': it is one of %s", setting->name, text,
                            allowed);
}

// ---- values from text --------------------------------------------------------------------------------

// Decimal numbers only: no blanks, no hexadecimal digits, no names such as "inf".
static bool parse_number(const char *text, double *number) {
    char *end = NULL;
    if (*text == '\0' || strspn(text, "+-.0123456789eE") != strlen(text)) {
        return false;
    }
    *number = strtod(text, &end);
    return *end == '\0' && isfinite(*number);
}

static bool parse_int(const char *text, int64_t *number) {
    char *end = NULL;
    double value = 0.0;
    if (!parse_number(text, &value)) {
        return false;
    }
    if (strpbrk(text, ".eE") == NULL) {
        errno = 0;
        *number = strtoll(text, &end, 10);
        return *end == '\0' && errno == 0;
    }
    if (value != floor(value) || fabs(value) > (double)(1ll << WHOLE_BITS)) {
        return false;
    }
    *number = (int64_t)value;
    return true;
}

static bool in_range(const mega_setting *setting, double value) {
    return value >= setting->min && value <= setting->max;
}

static int set_int(const mega_setting *setting, void *place, const char *text, mega_message *message) {
    int64_t value = 0;
    if (!parse_int(text, &value) || !in_range(setting, (double)value)) {
        return refuse_number(setting, text, message);
    }
    memcpy(place, &value, sizeof value);
    return 0;
}

static int set_float(const mega_setting *setting, void *place, const char *text, mega_message *message) {
    double value = 0.0;
    if (!parse_number(text, &value) || !in_range(setting, value)) {
        return refuse_number(setting, text, message);
    }
    memcpy(place, &value, sizeof value);
    return 0;
}

static int set_text(const mega_setting *setting, void *place, const char *text, mega_message *message) {
    const size_t length = strlen(text);
    assert(setting->size > 0 && setting->size <= MEGA_SETTING_TEXT_SIZE);
    if (length >= setting->size) {
        return mega_message_set(message, "setting '%s' is too long: it has at most %zu bytes", setting->name,
                                setting->size - 1);
    }
    for (size_t i = 0; i < length;) {
        const size_t step = mega_utf8_length(text + i, length - i);
        if (step == 0 || (unsigned char)text[i] < ' ' || text[i] == 0x7F) {
            return mega_message_set(message, "setting '%s' has bytes that are no text", setting->name);
        }
        i += step;
    }
    memset(place, 0, setting->size); // so that equal settings are equal bytes
    memcpy(place, text, length);
    return 0;
}

static int set_choice(const mega_setting *setting, void *place, const char *text, mega_message *message) {
    for (uint32_t i = 0; setting->choices[i] != NULL; i++) {
        if (strcmp(setting->choices[i], text) == 0) {
            memcpy(place, &i, sizeof i);
            return 0;
        }
    }
    return refuse_choice(setting, text, message);
}

static int set_flag(const mega_setting *setting, void *place, const char *text, mega_message *message) {
    for (size_t i = 0; i < sizeof flag_words / sizeof flag_words[0]; i++) {
        if (strcmp(flag_words[i], text) == 0) {
            const bool value = i % 2 == 1;
            memcpy(place, &value, sizeof value);
            return 0;
        }
    }
    return mega_message_set(message, "setting '%s' cannot be '%.64s': it is true or false", setting->name,
                            text);
}

int mega_settings_set(const mega_settings *table, void *values, const char *name, const char *text,
                      mega_message *message) {
    const mega_setting *setting = mega_settings_find(table, name);
    if (setting == NULL) {
        return unknown_name(table, name, message);
    }
    void *place = (char *)values + setting->offset;
    switch (setting->kind) {
    case MEGA_SETTING_INT: return set_int(setting, place, text, message);
    case MEGA_SETTING_FLOAT: return set_float(setting, place, text, message);
    case MEGA_SETTING_TEXT: return set_text(setting, place, text, message);
    case MEGA_SETTING_CHOICE: return set_choice(setting, place, text, message);
    default: return set_flag(setting, place, text, message);
    }
}

// ---- values to text ----------------------------------------------------------------------------------

void mega_settings_get(const mega_setting *setting, const void *values, char text[MEGA_SETTING_TEXT_SIZE]) {
    const char *place = (const char *)values + setting->offset;
    int64_t number = 0;
    double real = 0.0;
    uint32_t choice = 0;
    bool flag = false;
    switch (setting->kind) {
    case MEGA_SETTING_INT:
        memcpy(&number, place, sizeof number);
        (void)snprintf(text, MEGA_SETTING_TEXT_SIZE, "%" PRId64, number);
        break;
    case MEGA_SETTING_FLOAT:
        memcpy(&real, place, sizeof real);
        mega_number_text(real, text);
        break;
    case MEGA_SETTING_TEXT: (void)snprintf(text, MEGA_SETTING_TEXT_SIZE, "%s", place); break;
    case MEGA_SETTING_CHOICE:
        memcpy(&choice, place, sizeof choice);
        (void)snprintf(text, MEGA_SETTING_TEXT_SIZE, "%s", setting->choices[choice]);
        break;
    default:
        memcpy(&flag, place, sizeof flag);
        (void)snprintf(text, MEGA_SETTING_TEXT_SIZE, "%s", flag ? "true" : "false");
        break;
    }
}

static void allowed_text(const mega_setting *setting, char text[ALLOWED_SIZE]) {
    text[0] = '\0';
    if (setting->kind == MEGA_SETTING_CHOICE) {
        list_choices(setting->choices, text);
    } else if (setting->kind == MEGA_SETTING_INT || setting->kind == MEGA_SETTING_FLOAT) {
        list_range(setting, text);
    }
}

static void list_one(const mega_setting *setting, const void *values, int name_width, int value_width,
                     FILE *out) {
    char value[MEGA_SETTING_TEXT_SIZE], allowed[ALLOWED_SIZE];
    const char *source = setting->source != NULL ? setting->source : "";
    mega_settings_get(setting, values, value);
    allowed_text(setting, allowed);
    (void)fprintf(out, "  %-*s  %-*s  %s", name_width, setting->name, value_width, value, setting->help);
    if (*allowed != '\0' || *source != '\0') {
        (void)fprintf(out, " (%s%s%s)", allowed, *allowed != '\0' && *source != '\0' ? "; " : "", source);
    }
    (void)fputc('\n', out);
}

void mega_settings_list(const mega_settings *table, const void *values, FILE *out) {
    size_t name_width = 0, value_width = 0;
    for (size_t i = 0; i < table->count; i++) {
        char value[MEGA_SETTING_TEXT_SIZE];
        if (table->list[i].help != NULL) {
            mega_settings_get(&table->list[i], values, value);
            const size_t name_length = strlen(table->list[i].name), value_length = strlen(value);
            name_width = name_length > name_width ? name_length : name_width;
            // A long value moves its own line only.
            value_width = value_length > value_width && value_length <= 24 ? value_length : value_width;
        }
    }
    for (size_t i = 0; i < table->count; i++) {
        if (table->list[i].help != NULL) {
            list_one(&table->list[i], values, (int)name_width, (int)value_width, out);
        }
    }
}
