// game_api.c - the games and actions of the public interface. Constant data from the catalogue.
#include "megacade.h"

#include <pthread.h>

#include "catalogue.h"
#include "mega_games.h"

// The catalogue lies below the public header and has structs of its own; these are their public faces, written
// once before the first is handed out.
static mega_game_info infos[MEGA_GAME_COUNT];
static pthread_once_t infos_once = PTHREAD_ONCE_INIT;

static void fill_infos(void) {
    for (int32_t i = 0; i < MEGA_GAME_COUNT; i++) {
        const mega_game_facts *facts = mega_catalogue_game(i);
        mega_game_info *info = &infos[i];
        info->name = facts->name;
        info->title = facts->title;
        info->gym_id = facts->gym_id;
        info->md5 = facts->md5;
        info->minimal_actions = facts->minimal_actions;
        info->legal_actions = facts->legal_actions;
        info->modes = facts->modes;
        info->mode_count = facts->mode_count;
        info->difficulties = facts->difficulties;
        info->difficulty_count = facts->difficulty_count;
        info->builtin = facts->builtin;
    }
}

uint32_t mega_game_count(void) {
    return MEGA_GAME_COUNT;
}

const mega_game_info *mega_game_get_info(int32_t index) {
    if (index < 0 || index >= MEGA_GAME_COUNT) {
        return NULL;
    }
    pthread_once(&infos_once, fill_infos);
    return &infos[index];
}

int32_t mega_game_find(const char *name) {
    return mega_catalogue_find_name(name);
}

const char *mega_action_name(uint32_t action) {
    static const char *const names[MEGA_ACTION_COUNT] = {
        "NOOP",     "FIRE",     "UP",          "RIGHT",      "LEFT",          "DOWN",
        "UPRIGHT",  "UPLEFT",   "DOWNRIGHT",   "DOWNLEFT",   "UPFIRE",        "RIGHTFIRE",
        "LEFTFIRE", "DOWNFIRE", "UPRIGHTFIRE", "UPLEFTFIRE", "DOWNRIGHTFIRE", "DOWNLEFTFIRE",
    };
    return action < MEGA_ACTION_COUNT ? names[action] : NULL;
}
