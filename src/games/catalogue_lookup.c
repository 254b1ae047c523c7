// catalogue_lookup.c - finding an entry of the catalogue. A hundred entries, looked up when a game is
// loaded: a linear scan is enough.
#include "catalogue.h"

#include <stddef.h>
#include <string.h>

const mega_game_facts *mega_catalogue_game(int32_t game) {
    return game >= 0 && game < mega_catalogue_game_count ? &mega_catalogue_games[game] : NULL;
}

int32_t mega_catalogue_find_name(const char *name) {
    for (int32_t i = 0; name != NULL && i < mega_catalogue_game_count; i++) {
        if (strcmp(mega_catalogue_games[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int32_t mega_catalogue_find_md5(const char *md5) {
    for (int32_t i = 0; md5 != NULL && i < mega_catalogue_game_count; i++) {
        if (strcmp(mega_catalogue_games[i].md5, md5) == 0) {
            return i;
        }
    }
    return -1;
}

const mega_cart_facts *mega_catalogue_find_cart(const char *md5) {
    for (int32_t i = 0; md5 != NULL && i < mega_catalogue_cart_count; i++) {
        if (strcmp(mega_catalogue_carts[i].md5, md5) == 0) {
            return &mega_catalogue_carts[i];
        }
    }
    return NULL;
}
