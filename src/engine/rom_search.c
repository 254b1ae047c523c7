// rom_search.c - where images are looked for, and how a game's image is recognised among other files.
//
// Images are known by content: a file counts as a game's image when its md5 is the one in the catalogue,
// whatever its name. No process is started to find Python packages; their usual places are looked at.
#include "rom.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalogue.h"
#include "status.h"

#define FOLDERS_MAX 64
#define PATH_SIZE MEGA_ROM_PATH_SIZE

// ---- folders -----------------------------------------------------------------------------------------

// Folders in the order of the search, each once.
typedef struct folder_list {
    char *paths[FOLDERS_MAX];
    struct {
        dev_t device;
        ino_t inode;
    } ids[FOLDERS_MAX];
    uint32_t count;
} folder_list;

static void list_release(folder_list *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->paths[i]);
    }
    list->count = 0;
}

// Adds a folder unless it is there under this or another name. One that does not exist is kept: it is searched
// in vain, and a listing shows where images could be put.
static void list_add(folder_list *list, const char *path) {
    struct stat status;
    const int exists = stat(path, &status) == 0;
    if (list->count == FOLDERS_MAX || path[0] == '\0') {
        return;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->paths[i], path) == 0 ||
            (exists && list->ids[i].inode == status.st_ino && list->ids[i].device == status.st_dev)) {
            return;
        }
    }
    list->paths[list->count] = strdup(path);
    if (list->paths[list->count] != NULL) {
        list->ids[list->count].device = exists ? status.st_dev : 0;
        list->ids[list->count].inode = exists ? status.st_ino : 0;
        list->count++;
    }
}

static void list_add_glob(folder_list *list, const char *pattern) {
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            list_add(list, found.gl_pathv[i]);
        }
        globfree(&found);
    }
}

// Adds the images of the ale_py packages below a Python prefix ("/usr", a virtual environment).
static void list_add_prefix(folder_list *list, const char *prefix, const char *below) {
    char pattern[2 * PATH_SIZE];
    size_t length = 0;
    for (const char *c = prefix; *c != '\0'; c++) { // the prefix is no pattern
        if (length + 2 >= PATH_SIZE) {
            return;
        }
        if (strchr("*?[\\", *c) != NULL) {
            pattern[length++] = '\\';
        }
        pattern[length++] = *c;
    }
    snprintf(pattern + length, sizeof pattern - length, "/%s/ale_py/roms", below);
    list_add_glob(list, pattern);
}

static void list_add_python(folder_list *list, const char *prefix) {
    if (prefix != NULL && prefix[0] != '\0') {
        list_add_prefix(list, prefix, "lib/python3*/site-packages");
        list_add_prefix(list, prefix, "lib64/python3*/site-packages");
    }
}

// Cuts the last `count` names off a path. Returns 0 when it has not so many.
static int cut_names(char *path, int count) {
    for (; count > 0; count--) {
        char *slash = strrchr(path, '/');
        if (slash == NULL) {
            return 0;
        }
        *slash = '\0';
    }
    return 1;
}

// The Python that a shell would start: its prefix as found, and as what its links lead to.
static void list_add_python_on_path(folder_list *list) {
    const char *folders = getenv("PATH");
    while (folders != NULL && folders[0] != '\0') {
        const size_t length = strcspn(folders, ":");
        char program[PATH_SIZE], resolved[PATH_MAX];
        const int needed = snprintf(program, sizeof program, "%.*s/python3", (int)length, folders);
        if (length > 0 && needed < PATH_SIZE && access(program, X_OK) == 0) {
            if (realpath(program, resolved) == NULL) {
                resolved[0] = '\0';
            }
            if (cut_names(program, 2)) {
                list_add_python(list, program);
            }
            if (cut_names(resolved, 2)) {
                list_add_python(list, resolved);
            }
            return;
        }
        folders += length + (folders[length] == ':');
    }
}

static void copy_home(char *home, size_t size) {
    const char *variable = getenv("HOME");
    struct passwd entry, *found = NULL;
    char buffer[1024];
    if (variable == NULL || variable[0] == '\0') {
        variable = getpwuid_r(getuid(), &entry, buffer, sizeof buffer, &found) == 0 && found != NULL
                       ? entry.pw_dir
                       : ".";
    }
    snprintf(home, size, "%s", variable);
}

static void list_fill(folder_list *list) {
    char home[PATH_SIZE], local[PATH_SIZE + 16];
    list->count = 0;
    const char *folders = getenv("MEGACADE_ROMS");
    while (folders != NULL && folders[0] != '\0') {
        const size_t length = strcspn(folders, ":");
        char folder[PATH_SIZE];
        if (length < sizeof folder) {
            memcpy(folder, folders, length);
            folder[length] = '\0';
            list_add(list, folder);
        }
        folders += length + (folders[length] == ':');
    }
    list_add(list, mega_rom_user_folder());
    list_add_python(list, getenv("VIRTUAL_ENV"));
    list_add_python(list, ".venv");
    list_add_python_on_path(list);
    copy_home(home, sizeof home);
    snprintf(local, sizeof local, "%s/.local", home);
    list_add_python(list, local);
    list_add_prefix(list, "/usr", "lib/python3/dist-packages");
    list_add_prefix(list, "/usr/local", "lib/python3*/dist-packages");
}

const char *mega_rom_search_path(uint32_t index) {
    static _Thread_local char path[PATH_SIZE];
    folder_list list;
    list_fill(&list);
    const int found = index < list.count;
    if (found) {
        snprintf(path, sizeof path, "%s", list.paths[index]);
    }
    list_release(&list);
    return found ? path : NULL;
}

const char *mega_rom_user_folder(void) {
    static _Thread_local char path[PATH_SIZE + 64];
    char home[PATH_SIZE];
    const char *data = getenv("XDG_DATA_HOME");
    if (data != NULL && data[0] == '/') { // the specification says to ignore relative ones
        snprintf(path, sizeof path, "%.*s/megacade/roms", PATH_SIZE, data);
    } else {
        copy_home(home, sizeof home);
        snprintf(path, sizeof path, "%s/.local/share/megacade/roms", home);
    }
    return path;
}

// ---- files of a folder -------------------------------------------------------------------------------

// An image that is looked for.
typedef struct wanted {
    char name[MEGA_ROM_NAME_SIZE];
    const char *md5;
    char stranger[PATH_SIZE]; // a file that has the game's name but is not its image; "" if there was none
} wanted;

static const char *const extensions[] = {".bin", ".a26", ".rom", ".gz"};
#define EXTENSION_COUNT (sizeof extensions / sizeof extensions[0])

static int has_extension(const char *name) {
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < EXTENSION_COUNT; i++) {
        if (strcasecmp(dot, extensions[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

// Loads a file if it is the wanted image. A file that cannot be read is not; only what goes wrong with the
// right one is an error.
static mega_status try_file(const char *path, const wanted *game, mega_rom **out) {
    struct stat status;
    mega_image image;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || mega_image_read(path, &image) != MEGA_OK) {
        return MEGA_OK;
    }
    if (strcmp(image.md5, game->md5) != 0) {
        mega_image_release(&image);
        return MEGA_OK;
    }
    return mega_rom_from_image(&image, path, out);
}

// The file of the usual name first, so that the common case reads one file.
static mega_status try_usual_names(const char *folder, wanted *game, mega_rom **out) {
    char path[2 * PATH_SIZE];
    for (size_t i = 0; i < EXTENSION_COUNT && *out == NULL; i++) {
        snprintf(path, sizeof path, "%s/%s%s", folder, game->name, extensions[i]);
        MEGA_TRY(try_file(path, game, out));
        if (*out == NULL && game->stranger[0] == '\0' && access(path, R_OK) == 0) {
            snprintf(game->stranger, sizeof game->stranger, "%.*s", PATH_SIZE - 1, path);
        }
    }
    return MEGA_OK;
}

// Leaves *out NULL when the image is not in the folder.
static mega_status search_folder(const char *folder, wanted *game, mega_rom **out) {
    char path[2 * PATH_SIZE];
    mega_status status = try_usual_names(folder, game, out);
    DIR *entries = status == MEGA_OK && *out == NULL ? opendir(folder) : NULL;
    if (entries == NULL) {
        return status;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (has_extension(entry->d_name)) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            status = try_file(path, game, out);
        }
        if (status != MEGA_OK || *out != NULL) {
            break;
        }
    }
    closedir(entries);
    return status;
}

// ---- names -------------------------------------------------------------------------------------------

#define WORD_SIZE 64

// The letters and digits of a name, in lower case: "Ms. Pac-Man" becomes "mspacman".
static size_t copy_word(char *word, const char *name) {
    size_t length = 0;
    for (; *name != '\0' && length + 1 < WORD_SIZE; name++) {
        if (isalnum((unsigned char)*name)) {
            word[length++] = (char)tolower((unsigned char)*name);
        }
    }
    word[length] = '\0';
    return length;
}

// How many letters must be inserted, deleted or replaced to make one word of the other.
static size_t word_distance(const char *a, const char *b) {
    size_t row[WORD_SIZE];
    const size_t length = strlen(b);
    for (size_t j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            const size_t replaced = diagonal + (a[i] != b[j]);
            const size_t shorter = row[j] < row[j + 1] ? row[j] : row[j + 1];
            diagonal = row[j + 1];
            row[j + 1] = replaced < shorter + 1 ? replaced : shorter + 1;
        }
    }
    return row[length];
}

// The game whose name comes closest, or NULL if none is close.
static const char *suggest(const char *name) {
    char word[WORD_SIZE], other[WORD_SIZE];
    const size_t length = copy_word(word, name);
    size_t best = 2 + length / 4;
    const char *suggestion = NULL;
    for (int32_t i = 0; length > 0 && i < mega_catalogue_game_count; i++) {
        copy_word(other, mega_catalogue_games[i].name);
        size_t distance = word_distance(word, other);
        if (length >= 4 && distance > 1 && strstr(other, word) != NULL) {
            distance = 1; // "invaders"
        }
        if (distance < best) {
            best = distance;
            suggestion = mega_catalogue_games[i].name;
        }
    }
    return suggestion;
}

static mega_status fail_unknown(const char *name) {
    const char *suggestion = suggest(name);
    if (strchr(name, '/') != NULL || has_extension(name)) {
        return mega_fail(MEGA_ERROR_GAME, "unknown game '%s'; to play a file, give it with --rom", name);
    }
    if (suggestion != NULL) {
        return mega_fail(MEGA_ERROR_GAME, "unknown game '%s'; did you mean '%s'?", name, suggestion);
    }
    return mega_fail(MEGA_ERROR_GAME, "unknown game '%s'; `megacade games` lists those that are known", name);
}

// Fills in the name and md5 of a game, or of a known cartridge that has no rules.
static int look_up(const char *name, wanted *game) {
    const mega_game_facts *facts = mega_catalogue_game(mega_catalogue_find_name(name));
    const size_t length = strlen(name);
    memset(game, 0, sizeof *game);
    snprintf(game->name, sizeof game->name, "%s", name);
    if (facts != NULL) {
        game->md5 = facts->md5;
        return 1;
    }
    for (int32_t i = 0; length > 0 && i < mega_catalogue_cart_count; i++) {
        const mega_cart_facts *cart = &mega_catalogue_carts[i];
        if (strncmp(cart->file, name, length) == 0 && cart->file[length] == '.') {
            game->md5 = cart->md5;
            return 1;
        }
    }
    return 0;
}

// ---- find --------------------------------------------------------------------------------------------

static mega_status fail_not_found(const wanted *game, const char *folder) {
    char where[PATH_SIZE + 16] = "any folder searched";
    if (folder != NULL) {
        snprintf(where, sizeof where, "'%s'", folder);
    }
    if (game->stranger[0] != '\0') {
        return mega_fail(
            MEGA_ERROR_ROM_NOT_FOUND,
            "no ROM of '%s' in %s: '%s' is another image (its md5 is not %s); play it with --rom, or get "
            "the ROM with `pip install ale-py` or `megacade roms import FOLDER`",
            game->name, where, game->stranger, game->md5);
    }
    return mega_fail(
        MEGA_ERROR_ROM_NOT_FOUND,
        "no ROM of '%s' in %s; get it with `pip install ale-py` or `megacade roms import FOLDER`", game->name,
        where);
}

static mega_status find_in_folder(wanted *game, const char *folder, mega_rom **out) {
    struct stat status;
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode)) {
        return mega_fail(MEGA_ERROR_FILE,
                         "cannot look for '%s' in '%s': that is not a folder; name one that holds ROMs",
                         game->name, folder);
    }
    MEGA_TRY(search_folder(folder, game, out));
    return *out != NULL ? MEGA_OK : fail_not_found(game, folder);
}

static mega_status find_everywhere(wanted *game, mega_rom **out) {
    folder_list list;
    mega_status status = MEGA_OK;
    list_fill(&list);
    for (uint32_t i = 0; i < list.count && status == MEGA_OK && *out == NULL; i++) {
        status = search_folder(list.paths[i], game, out);
    }
    list_release(&list);
    return status == MEGA_OK && *out == NULL ? fail_not_found(game, NULL) : status;
}

mega_status mega_rom_find(const char *game, const char *folder, mega_rom **out) {
    wanted image;
    if (out == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_rom_find: out is NULL");
    }
    *out = NULL;
    if (game == NULL) {
        return mega_rom_builtin(out);
    }
    const mega_game_facts *facts = mega_catalogue_game(mega_catalogue_find_name(game));
    if (facts != NULL && facts->builtin) {
        return mega_rom_builtin(out);
    }
    if (!look_up(game, &image)) {
        return fail_unknown(game);
    }
    return folder != NULL ? find_in_folder(&image, folder, out) : find_everywhere(&image, out);
}
