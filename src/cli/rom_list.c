// rom_list.c - see rom_list.h.
#include "rom_list.h"

#include "megacade.h"
#include "report.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum {
    IMAGE_SIZE_MAX = 512 * 1024,
    IMAGE_SIZE_STEP = 1024
};

// Whether the part of a name from the last dot on ("" when it has none) is usual for images.
static bool is_image_extension(const char *text) {
    static const char *const usual[] = {".bin", ".a26", ".rom", ".gz"};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (strcasecmp(text, usual[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static const char *extension(const char *path) {
    const char *base = base_name(path);
    const char *dot = strrchr(base, '.');
    return dot != NULL ? dot : base + strlen(base);
}

// The game that a file is named after ("roms/pong.bin"), or -1.
static int32_t game_of_name(const char *path) {
    char name[64];
    const char *base = base_name(path);
    const char *dot = extension(path);
    const size_t length = (size_t)(dot - base);
    if (length >= sizeof name || !is_image_extension(dot)) {
        return -1;
    }
    memcpy(name, base, length);
    name[length] = '\0';
    return mega_game_find(name);
}

static int append(mega_rom_list *list, const char *path, int32_t game, bool right, const char *md5) {
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity == 0 ? 128 : 2 * list->capacity;
        mega_rom_entry *items = realloc(list->items, capacity * sizeof *items);
        if (items == NULL) {
            (void)mega_report_failure("out of memory");
            return -1;
        }
        list->items = items;
        list->capacity = capacity;
    }
    mega_rom_entry *entry = &list->items[list->count];
    *entry = (mega_rom_entry){.game = game, .right = right};
    (void)snprintf(entry->md5, sizeof entry->md5, "%s", md5);
    entry->path = strdup(path);
    if (entry->path == NULL) {
        (void)mega_report_failure("out of memory");
        return -1;
    }
    list->count++;
    return right ? 1 : 0;
}

int mega_rom_list_add_file(mega_rom_list *list, const char *path) {
    const int32_t named = game_of_name(path);
    mega_rom *rom = NULL;
    int result = 0;
    if (mega_rom_load(path, &rom) != MEGA_OK) {
        return named >= 0 ? append(list, path, named, false, "") : 0;
    }
    // Images without rules of their own are given those of the game they are named after, so the md5 decides.
    const mega_rom_info *info = mega_rom_get_info(rom);
    const mega_game_info *game = mega_game_get_info(info->game);
    if (game != NULL && strcmp(game->md5, info->md5) == 0) {
        result = append(list, path, info->game, true, info->md5);
    } else if (named >= 0) {
        result = append(list, path, named, false, info->md5);
    }
    mega_rom_destroy(rom);
    return result;
}

// Whether a file in a folder is worth reading: by its name, or by a size that images have.
static bool is_candidate(const char *path, const struct stat *status) {
    if (!S_ISREG(status->st_mode)) {
        return false;
    }
    return is_image_extension(extension(path)) || (status->st_size > 0 && status->st_size <= IMAGE_SIZE_MAX &&
                                                   status->st_size % IMAGE_SIZE_STEP == 0);
}

static int add_folder_entry(mega_rom_list *list, const char *folder, const char *name, uint32_t depth) {
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path == NULL) {
        (void)mega_report_failure("out of memory");
        return -1;
    }
    const size_t length = strlen(folder);
    const bool slash = length > 0 && folder[length - 1] == '/';
    (void)snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
    struct stat status;
    int result = 0;
    if (stat(path, &status) == 0) {
        if (S_ISDIR(status.st_mode) && depth > 0) {
            result = mega_rom_list_add_folder(list, path, depth - 1);
        } else if (is_candidate(path, &status)) {
            result = mega_rom_list_add_file(list, path);
        }
    }
    free(path);
    return result;
}

static int not_hidden(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

int mega_rom_list_add_folder(mega_rom_list *list, const char *folder, uint32_t depth) {
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, not_hidden, alphasort);
    int result = 0;
    for (int i = 0; i < count; i++) {
        if (result >= 0) {
            result = add_folder_entry(list, folder, entries[i]->d_name, depth);
        }
        free(entries[i]);
    }
    free(entries);
    return result < 0 ? -1 : 0;
}

int mega_rom_list_add_search_path(mega_rom_list *list, const char *folder) {
    struct stat status;
    if (folder != NULL) {
        if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode)) {
            (void)mega_report_failure("--roms: %s is not a folder", folder);
            return -1;
        }
        return mega_rom_list_add_folder(list, folder, 0);
    }
    const char *view;
    for (uint32_t i = 0; (view = mega_rom_search_path(i)) != NULL; i++) {
        char *copy = strdup(view); // the view ends with the next call into the library
        if (copy == NULL) {
            (void)mega_report_failure("out of memory");
            return -1;
        }
        const int result = mega_rom_list_add_folder(list, copy, 0);
        free(copy);
        if (result < 0) {
            return -1;
        }
    }
    return 0;
}

const char *mega_rom_list_find(const mega_rom_list *list, int32_t game) {
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].game == game && list->items[i].right) {
            return list->items[i].path;
        }
    }
    return NULL;
}

void mega_rom_list_free(mega_rom_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].path);
    }
    free(list->items);
    *list = (mega_rom_list){0};
}
