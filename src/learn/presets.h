// presets.h - settings by name: the files of presets/, which are part of the program, and files of users.
#ifndef PRESETS_H
#define PRESETS_H
#include "train_settings.h"

typedef struct mega_preset {
    const char *name;
    const char *text; // of its file; the first line, a comment, says what it is
} mega_preset;

extern const mega_preset mega_preset_table[]; // ends with NULL

// Sets what a preset sets. `name` is one of the table's, or the path of a file (with a slash or ending in .conf).
int mega_preset_apply(const char *name, mega_train_settings *settings, mega_message *message);
// The algorithm that it is for.
int mega_preset_algo(const char *name, uint32_t *algo, mega_message *message);
// A line for each.
void mega_presets_list(FILE *out);

#endif
