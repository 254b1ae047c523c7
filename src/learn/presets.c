// presets.c - see presets.h.
#include "presets.h"

#include "nearest.h"

#include <string.h>

static bool is_path(const char *name) {
    const size_t length = strlen(name);
    return strchr(name, '/') != NULL || (length > 5 && strcmp(name + length - 5, ".conf") == 0);
}

static int unknown(const char *name, mega_message *message) {
    mega_nearest nearest = mega_nearest_begin(name);
    for (const mega_preset *preset = mega_preset_table; preset->name != NULL; preset++) {
        mega_nearest_offer(&nearest, preset->name);
    }
    if (nearest.best != NULL) {
        return mega_message_set(message, "there is no preset '%s'; did you mean %s?", name, nearest.best);
    }
    return mega_message_set(message, "there is no preset '%s'; 'megacade train --list-presets' lists them",
                            name);
}

int mega_preset_apply(const char *name, mega_train_settings *settings, mega_message *message) {
    if (is_path(name)) {
        return mega_settings_read_preset(&mega_train_table, settings, name, message);
    }
    for (const mega_preset *preset = mega_preset_table; preset->name != NULL; preset++) {
        if (strcmp(preset->name, name) == 0) {
            return mega_settings_parse_preset(&mega_train_table, settings, preset->text, strlen(preset->text),
                                              name, message);
        }
    }
    return unknown(name, message);
}

int mega_preset_algo(const char *name, uint32_t *algo, mega_message *message) {
    mega_train_settings settings;
    mega_train_defaults(MEGA_ALGO_PPO, &settings);
    const int result = mega_preset_apply(name, &settings, message);
    *algo = settings.algo;
    return result;
}

void mega_presets_list(FILE *out) {
    for (const mega_preset *preset = mega_preset_table; preset->name != NULL; preset++) {
        const char *line = preset->text[0] == '#' ? preset->text + 2 : "";
        (void)fprintf(out, "%-16s %.*s\n", preset->name, (int)strcspn(line, "\n"), line);
    }
}
