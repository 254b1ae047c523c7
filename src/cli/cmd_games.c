// cmd_games.c - `megacade games`: what can be played.
#include "commands.h"
#include "json.h"
#include "load.h"
#include "report.h"
#include "rom_list.h"

#include <inttypes.h>

static uint32_t count_actions(uint32_t mask) {
    uint32_t actions[MEGA_ACTION_COUNT];
    return mega_load_action_list(mask, actions);
}

// "built in", the path of the image, or NULL.
static const char *rom_place(const mega_rom_list *list, int32_t game) {
    return mega_game_get_info(game)->builtin ? "built in" : mega_rom_list_find(list, game);
}

static void print_json_actions(mega_json *json, const char *key, uint32_t mask) {
    uint32_t actions[MEGA_ACTION_COUNT];
    const uint32_t count = mega_load_action_list(mask, actions);
    mega_json_array_begin(json, key);
    for (uint32_t i = 0; i < count; i++) {
        mega_json_text(json, NULL, mega_action_name(actions[i]));
    }
    mega_json_array_end(json);
}

static void print_json(const mega_game_info *game, const char *place) {
    mega_json json = mega_json_begin(stdout);
    mega_json_text(&json, "name", game->name);
    mega_json_text(&json, "title", game->title);
    mega_json_text(&json, "gym_id", game->gym_id);
    mega_json_text(&json, "md5", game->md5);
    print_json_actions(&json, "minimal_actions", game->minimal_actions);
    print_json_actions(&json, "legal_actions", game->legal_actions);
    mega_json_array_begin(&json, "modes");
    for (uint32_t i = 0; i < game->mode_count; i++) {
        mega_json_int(&json, NULL, game->modes[i]);
    }
    mega_json_array_end(&json);
    mega_json_array_begin(&json, "difficulties");
    for (uint32_t i = 0; i < game->difficulty_count; i++) {
        mega_json_int(&json, NULL, game->difficulties[i]);
    }
    mega_json_array_end(&json);
    mega_json_bool(&json, "builtin", game->builtin != 0);
    mega_json_bool(&json, "found", place != NULL);
    mega_json_text(&json, "rom", game->builtin ? NULL : place);
    mega_json_end(&json);
}

static void print_actions(const char *label, uint32_t mask) {
    uint32_t actions[MEGA_ACTION_COUNT];
    const uint32_t count = mega_load_action_list(mask, actions);
    (void)printf("%-16s %" PRIu32 ":", label, count);
    for (uint32_t i = 0; i < count; i++) {
        (void)printf(" %s", mega_action_name(actions[i]));
    }
    (void)putchar('\n');
}

static void print_detail(const mega_game_info *game, const char *place) {
    (void)printf("%-16s %s\n%-16s %s\n", "name", game->name, "title", game->title);
    (void)printf("%-16s %s\n%-16s %s\n", "Gymnasium id", game->gym_id, "md5", game->md5);
    print_actions("minimal actions", game->minimal_actions);
    print_actions("legal actions", game->legal_actions);
    (void)printf("%-16s", "modes");
    for (uint32_t i = 0; i < game->mode_count; i++) {
        (void)printf(" %" PRId32 "%s", game->modes[i], i == 0 ? " (default)" : "");
    }
    (void)printf("\n%-16s", "difficulties");
    for (uint32_t i = 0; i < game->difficulty_count; i++) {
        (void)printf(" %u", (unsigned)game->difficulties[i]);
    }
    (void)printf("\n%-16s %s\n", "image",
                 place != NULL ? place : "not found; 'megacade roms import PATH' adds images you own");
}

static void print_table(const mega_rom_list *list) {
    uint32_t found = 0;
    (void)printf("%-20s %-36s %7s %5s %12s  %s\n", "NAME", "TITLE", "ACTIONS", "MODES", "DIFFICULTIES",
                 "IMAGE");
    for (uint32_t i = 0; i < mega_game_count(); i++) {
        const mega_game_info *game = mega_game_get_info((int32_t)i);
        const char *place = rom_place(list, (int32_t)i);
        found += place != NULL;
        (void)printf("%-20s %-36s %7" PRIu32 " %5" PRIu32 " %12" PRIu32 "  %s\n", game->name, game->title,
                     count_actions(game->minimal_actions), game->mode_count, game->difficulty_count,
                     game->builtin   ? "built in"
                     : place != NULL ? "yes"
                                     : "-");
    }
    (void)printf("%" PRIu32 " games, %" PRIu32 " can be played\n", mega_game_count(), found);
}

static void print_games(const mega_rom_list *list, int32_t game, bool json) {
    if (game >= 0) {
        (json ? print_json : print_detail)(mega_game_get_info(game), rom_place(list, game));
    } else if (json) {
        for (uint32_t i = 0; i < mega_game_count(); i++) {
            print_json(mega_game_get_info((int32_t)i), rom_place(list, (int32_t)i));
        }
    } else {
        print_table(list);
    }
}

int mega_cmd_games(int argc, char *const argv[]) {
    const char *words[1];
    const char *folder = NULL;
    bool json = false;
    int exit_code = MEGA_EXIT_OK;
    mega_options options = {
        .command = "games",
        .usage = "megacade games [GAME] [options]",
        .summary = "Lists the games that rules are known for, or shows one of them in detail.",
        .example = "  megacade games\n  megacade games pong\n  megacade games --json",
        .words = words,
        .words_max = 1,
    };
    (void)mega_options_text(&options, "roms", "FOLDER", &folder, "look for images only here");
    (void)mega_options_flag(&options, "json", &json, "print one JSON object per game");
    if (!mega_options_run(&options, argc, argv, &exit_code)) {
        return exit_code;
    }
    const int32_t game = options.word_count > 0 ? mega_load_game_index(words[0], &exit_code) : -1;
    if (exit_code != MEGA_EXIT_OK) {
        return exit_code;
    }
    mega_rom_list list = {0};
    if (mega_rom_list_add_search_path(&list, folder) < 0) {
        exit_code = MEGA_EXIT_FAILURE;
    } else {
        print_games(&list, game, json);
    }
    mega_rom_list_free(&list);
    return exit_code;
}
