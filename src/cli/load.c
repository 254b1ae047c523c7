// load.c - see load.h.
#include "load.h"

#include "nearest.h"
#include "report.h"

#include <inttypes.h>
#include <string.h>

void mega_load_add_rom(mega_load *load, mega_options *options) {
    (void)mega_options_text(options, "game", "NAME", &load->game, "the game, if not given as a word");
    (void)mega_options_text(options, "rom", "FILE", &load->rom, "play this cartridge image");
    (void)mega_options_text(options, "roms", "FOLDER", &load->roms, "look for the game's image only here");
}

void mega_load_add_play(mega_load *load, mega_options *options) {
    mega_option *option;
    option = mega_options_int(options, "mode", "M", &load->mode, 0, INT32_MAX, "game mode");
    option->has_default = false;
    option = mega_options_int(options, "difficulty", "D", &load->difficulty, 0, 255, "difficulty");
    option->has_default = false;
    (void)mega_options_float(options, "sticky", "P", &load->sticky, 0.0, 1.0,
                             "probability that a frame repeats the action before");
}

void mega_load_add_translate(mega_load *load, mega_options *options) {
    (void)mega_options_flag(options, "no-translate", &load->interpret,
                            "interpret the cartridge; results are the same");
}

uint8_t mega_load_translate(const mega_load *load, uint8_t usual) {
    return load->interpret ? (uint8_t)MEGA_TRANSLATE_OFF : usual;
}

int32_t mega_load_game_index(const char *name, int *exit_code) {
    const int32_t index = mega_game_find(name);
    if (index >= 0) {
        return index;
    }
    mega_nearest nearest = mega_nearest_begin(name);
    for (uint32_t i = 0; i < mega_game_count(); i++) {
        mega_nearest_offer(&nearest, mega_game_get_info((int32_t)i)->name);
    }
    if (nearest.best != NULL) {
        *exit_code = mega_report_usage("unknown game '%s'; did you mean '%s'?", name, nearest.best);
    } else {
        *exit_code =
            mega_report_usage("unknown game '%s'; 'megacade games' lists those that are known", name);
    }
    return -1;
}

static bool looks_like_file(const char *name) {
    const size_t length = strlen(name);
    return strchr(name, '/') != NULL || (length > 4 && strcmp(name + length - 4, ".bin") == 0);
}

// Sorts out --game, --rom and the first word, of which only one may name what to play.
static int choose(mega_load *load, const mega_options *options) {
    const char *word = options->word_count > 0 ? options->words[0] : NULL;
    const int named = (word != NULL) + (load->game != NULL) + (load->rom != NULL);
    if (named > 1) {
        return mega_report_usage("%s: give one of GAME, --game and --rom", options->command);
    }
    if (word != NULL) {
        *(looks_like_file(word) ? &load->rom : &load->game) = word;
    }
    if (load->rom != NULL && load->roms != NULL) {
        return mega_report_usage("%s: --roms is for games by name; leave it out with --rom",
                                 options->command);
    }
    return MEGA_EXIT_OK;
}

int mega_load_rom(mega_load *load, const mega_options *options, mega_rom **out) {
    *out = NULL;
    const int exit_code = choose(load, options);
    if (exit_code != MEGA_EXIT_OK) {
        return exit_code;
    }
    mega_status status;
    if (load->rom != NULL) {
        status = mega_rom_load(load->rom, out);
    } else if (load->game == NULL) {
        status = mega_rom_builtin(out);
    } else {
        status = mega_rom_find(load->game, load->roms, out);
    }
    return status == MEGA_OK ? MEGA_EXIT_OK : mega_report_status(status);
}

bool mega_load_changes_game(const mega_options *options) {
    return mega_options_given(options, "mode") || mega_options_given(options, "difficulty");
}

int mega_load_env(const mega_load *load, const mega_options *options, const mega_env_desc *desc,
                  uint32_t resets, const mega_rom *rom, mega_env **out) {
    mega_env *env = NULL;
    *out = NULL;
    mega_status status = mega_env_create(desc, rom, &env);
    if (status == MEGA_OK && mega_options_given(options, "difficulty")) {
        status = mega_env_set_difficulty(env, (uint32_t)load->difficulty);
    }
    if (status == MEGA_OK && mega_options_given(options, "mode")) {
        status = mega_env_set_mode(env, (int32_t)load->mode);
    }
    const uint32_t count = resets + (mega_load_changes_game(options) ? 1u : 0u);
    for (uint32_t i = 0; i < count && status == MEGA_OK; i++) {
        status = mega_env_reset(env);
    }
    if (status != MEGA_OK) {
        const int exit_code = mega_report_status(status);
        mega_env_destroy(env);
        return exit_code;
    }
    *out = env;
    return MEGA_EXIT_OK;
}

uint32_t mega_load_action_list(uint32_t mask, uint32_t actions[MEGA_ACTION_COUNT]) {
    uint32_t count = 0;
    for (uint32_t action = 0; action < MEGA_ACTION_COUNT; action++) {
        if (mask >> action & 1u) {
            actions[count++] = action;
        }
    }
    return count;
}

static const uint32_t all_actions = (1u << MEGA_ACTION_COUNT) - 1u;

uint32_t mega_load_minimal_actions(const mega_rom *rom) {
    const mega_game_info *game = mega_game_get_info(mega_rom_get_info(rom)->game);
    return game != NULL ? game->minimal_actions : all_actions;
}

uint32_t mega_load_legal_actions(const mega_rom *rom) {
    const mega_game_info *game = mega_game_get_info(mega_rom_get_info(rom)->game);
    return game != NULL ? game->legal_actions : all_actions;
}

int mega_load_check_device(const char *device) {
    if (strcmp(device, "cpu") == 0 ||
        (strncmp(device, "cuda", 4) == 0 && (device[4] == '\0' || device[4] == ':'))) {
        return MEGA_EXIT_OK;
    }
    return mega_report_usage("--device: '%s' is not a device; use cpu, cuda or cuda:1", device);
}
