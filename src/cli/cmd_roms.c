// cmd_roms.c - `megacade roms`: which cartridge images are there, and adding more.
#include "commands.h"
#include "json.h"
#include "load.h"
#include "out_file.h"
#include "report.h"
#include "rom_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    WORDS_MAX = 4096,
    IMPORT_DEPTH = 8
};

typedef struct rom_settings {
    const char *folder; // --roms, or NULL
    bool json;
    bool all;
} rom_settings;

static const char *game_name(int32_t game) {
    return mega_game_get_info(game)->name;
}

// ---- list --------------------------------------------------------------------------------------------

static void print_folder(const char *folder) {
    struct stat status;
    const bool exists = stat(folder, &status) == 0 && S_ISDIR(status.st_mode);
    (void)printf("  %s%s\n", folder, exists ? "" : " (does not exist)");
}

static void print_folders(const char *folder) {
    (void)printf("searched:\n");
    if (folder != NULL) {
        print_folder(folder);
        return;
    }
    const char *view;
    for (uint32_t i = 0; (view = mega_rom_search_path(i)) != NULL; i++) {
        print_folder(view);
    }
}

static void print_entry_json(const mega_rom_entry *entry, const char *status) {
    mega_json json = mega_json_begin(stdout);
    mega_json_text(&json, "game", game_name(entry->game));
    mega_json_text(&json, "status", status);
    mega_json_text(&json, "path", entry->path);
    mega_json_text(&json, "md5", entry->md5[0] != '\0' ? entry->md5 : NULL);
    mega_json_end(&json);
}

static int list_roms(const rom_settings *settings, const mega_rom_list *list) {
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const mega_rom_entry *entry = &list->items[i];
        if (!entry->right) {
            continue;
        }
        count++;
        if (settings->json) {
            print_entry_json(entry, "ok");
        } else {
            (void)printf("%-20s %s\n", game_name(entry->game), entry->path);
        }
    }
    if (!settings->json) {
        (void)printf("%zu image%s found; ", count, count == 1 ? "" : "s");
        print_folders(settings->folder);
        if (count == 0) {
            (void)printf("'megacade roms import PATH' adds images you own; the built-in game needs none\n");
        }
    }
    return MEGA_EXIT_OK;
}

// ---- verify ------------------------------------------------------------------------------------------

static const char *entry_status(const mega_rom_entry *entry) {
    return entry->right ? "ok" : entry->md5[0] == '\0' ? "unreadable" : "wrong md5";
}

static size_t print_missing(const rom_settings *settings, const mega_rom_list *list) {
    size_t missing = 0;
    for (uint32_t i = 0; i < mega_game_count(); i++) {
        const mega_game_info *game = mega_game_get_info((int32_t)i);
        if (game->builtin || mega_rom_list_find(list, (int32_t)i) != NULL) {
            continue;
        }
        missing++;
        if (settings->all && settings->json) {
            mega_json json = mega_json_begin(stdout);
            mega_json_text(&json, "game", game->name);
            mega_json_text(&json, "status", "missing");
            mega_json_text(&json, "path", NULL);
            mega_json_text(&json, "md5", game->md5);
            mega_json_end(&json);
        } else if (settings->all) {
            (void)printf("%-10s %-20s md5 %s\n", "missing", game->name, game->md5);
        }
    }
    return missing;
}

static int verify_roms(const rom_settings *settings, const mega_rom_list *list) {
    size_t wrong = 0;
    for (size_t i = 0; i < list->count; i++) {
        const mega_rom_entry *entry = &list->items[i];
        wrong += !entry->right;
        if (settings->json) {
            print_entry_json(entry, entry_status(entry));
        } else {
            (void)printf("%-10s %-20s %s\n", entry_status(entry), game_name(entry->game), entry->path);
        }
    }
    const size_t missing = print_missing(settings, list);
    if (!settings->json) {
        (void)printf("%zu right, %zu wrong, %zu games without an image\n", list->count - wrong, wrong,
                     missing);
    }
    if (wrong > 0) {
        return mega_report_failure("%zu file%s with a game's name %s not that game's image; 'megacade roms "
                                   "import PATH' replaces those in the user's folder",
                                   wrong, wrong == 1 ? "" : "s", wrong == 1 ? "is" : "are");
    }
    if (settings->all && missing > 0) {
        return mega_report_failure("%zu games have no image; 'megacade roms import PATH' adds images you own",
                                   missing);
    }
    return MEGA_EXIT_OK;
}

// ---- import ------------------------------------------------------------------------------------------

// Makes a folder and those above it.
static int make_folders(const char *folder, mega_message *message) {
    char path[4096];
    const size_t length = strlen(folder);
    if (length >= sizeof path) {
        return mega_message_set(message, "the path of the user's folder is too long");
    }
    memcpy(path, folder, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') {
            continue;
        }
        path[i] = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            return mega_message_set(message, "cannot make the folder %s: %s", path, strerror(errno));
        }
        path[i] = folder[i];
    }
    return 0;
}

static int write_image(const char *path, const mega_rom *rom, mega_message *message) {
    mega_out_file file;
    if (mega_out_file_open(&file, path, message) != 0) {
        return -1;
    }
    (void)fwrite(mega_rom_get_bytes(rom), 1, mega_rom_get_info(rom)->size, file.stream);
    return mega_out_file_commit(&file, message);
}

static bool has_md5(const char *path, const char *md5) {
    mega_rom *rom = NULL;
    const bool same = mega_rom_load(path, &rom) == MEGA_OK && strcmp(mega_rom_get_info(rom)->md5, md5) == 0;
    mega_rom_destroy(rom);
    return same;
}

// Copies one known image to FOLDER/NAME.bin, unless it is there already.
static int import_image(const mega_rom_entry *entry, const char *folder) {
    char path[4096];
    mega_message message;
    mega_rom *rom = NULL;
    const int length = snprintf(path, sizeof path, "%s/%s.bin", folder, game_name(entry->game));
    if (length < 0 || (size_t)length >= sizeof path) {
        return mega_report_failure("the path of the user's folder is too long");
    }
    if (has_md5(path, entry->md5)) {
        (void)printf("%-20s already there\n", game_name(entry->game));
        return MEGA_EXIT_OK;
    }
    const mega_status status = mega_rom_load(entry->path, &rom);
    if (status != MEGA_OK) {
        return mega_report_status(status);
    }
    const int failed = write_image(path, rom, &message);
    mega_rom_destroy(rom);
    if (failed) {
        return mega_report_failure("%s", message.text);
    }
    (void)printf("%-20s %s\n", game_name(entry->game), path);
    return MEGA_EXIT_OK;
}

// How many images from number `first` on are right.
static size_t count_right(const mega_rom_list *list, size_t first) {
    size_t count = 0;
    for (size_t i = first; i < list->count; i++) {
        count += list->items[i].right;
    }
    return count;
}

static int collect(mega_rom_list *list, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        return mega_report_failure("cannot read %s: %s", path, strerror(errno));
    }
    const size_t before = list->count;
    const bool is_folder = S_ISDIR(status.st_mode);
    const int result =
        is_folder ? mega_rom_list_add_folder(list, path, IMPORT_DEPTH) : mega_rom_list_add_file(list, path);
    if (result < 0) {
        return MEGA_EXIT_FAILURE;
    }
    if (count_right(list, before) == 0) {
        return mega_report_failure(is_folder ? "%s holds no image of a known game; 'megacade games --json' "
                                               "lists the md5 sums"
                                             : "%s is not an image of a known game; 'megacade games --json' "
                                               "lists the md5 sums",
                                   path);
    }
    return MEGA_EXIT_OK;
}

static int import_list(const mega_rom_list *list) {
    mega_message message;
    const char *view = mega_rom_user_folder();
    char *folder = view != NULL ? strdup(view) : NULL;
    if (folder == NULL) {
        return mega_report_failure("there is no user's folder for images; set HOME or XDG_DATA_HOME");
    }
    int exit_code = MEGA_EXIT_OK;
    if (make_folders(folder, &message) != 0) {
        exit_code = mega_report_failure("%s", message.text);
    }
    for (size_t i = 0; i < list->count && exit_code == MEGA_EXIT_OK; i++) {
        const mega_rom_entry *entry = &list->items[i];
        if (entry->right && mega_rom_list_find(list, entry->game) == entry->path) {
            exit_code = import_image(entry, folder);
        }
    }
    free(folder);
    return exit_code;
}

static int import_roms(const mega_options *options) {
    if (options->word_count < 2) {
        return mega_report_usage("roms import: give the files or folders to import from");
    }
    mega_rom_list list = {0};
    int exit_code = MEGA_EXIT_OK;
    for (size_t i = 1; i < options->word_count; i++) {
        const int code = collect(&list, options->words[i]);
        exit_code = code != MEGA_EXIT_OK ? code : exit_code;
    }
    if (count_right(&list, 0) > 0) {
        const int code = import_list(&list);
        exit_code = code != MEGA_EXIT_OK ? code : exit_code;
    }
    mega_rom_list_free(&list);
    return exit_code;
}

// ---- command -----------------------------------------------------------------------------------------

static int run(const rom_settings *settings, const mega_options *options) {
    const char *action = options->word_count > 0 ? options->words[0] : "list";
    if (strcmp(action, "import") == 0) {
        return import_roms(options);
    }
    const bool list_wanted = strcmp(action, "list") == 0;
    if (!list_wanted && strcmp(action, "verify") != 0) {
        return mega_report_usage("roms: '%s' is not one of list, import and verify", action);
    }
    if (options->word_count > 1) {
        return mega_report_usage("roms %s takes no further words; use --roms FOLDER to look elsewhere",
                                 action);
    }
    mega_rom_list list = {0};
    int exit_code = MEGA_EXIT_FAILURE;
    if (mega_rom_list_add_search_path(&list, settings->folder) == 0) {
        exit_code = (list_wanted ? list_roms : verify_roms)(settings, &list);
    }
    mega_rom_list_free(&list);
    return exit_code;
}

int mega_cmd_roms(int argc, char *const argv[]) {
    static const char *words[WORDS_MAX]; // a shell may expand a pattern to many files
    rom_settings settings = {0};
    int exit_code = MEGA_EXIT_OK;
    mega_options options = {
        .command = "roms",
        .usage = "megacade roms [list] [options]\n"
                 "       megacade roms import PATH...\n"
                 "       megacade roms verify [--all] [options]",
        .summary = "Images are known by content (md5), whatever they are called. They are looked for in\n"
                   "$MEGACADE_ROMS, in the user's data folder and in an installed ale_py package.\n\n"
                   "  list      what is found where\n"
                   "  import    copy known images from files and folders into the user's data folder\n"
                   "  verify    check everything that is found; files with a game's name must be that game",
        .example = "  megacade roms import ~/Downloads/roms\n  megacade roms verify",
        .words = words,
        .words_max = WORDS_MAX,
    };
    (void)mega_options_text(&options, "roms", "FOLDER", &settings.folder, "look only in this folder");
    (void)mega_options_flag(&options, "all", &settings.all, "verify: a game without an image is a failure");
    (void)mega_options_flag(&options, "json", &settings.json,
                            "list, verify: print one JSON object per image");
    if (!mega_options_run(&options, argc, argv, &exit_code)) {
        return exit_code;
    }
    return run(&settings, &options);
}
