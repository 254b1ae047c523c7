// games_shim.c - makes the rules, which are inline functions, callable from test_games.py.
#include "mega_games.h"

void shim_construct(int32_t game, mega_rules *rules) {
    mega_rules_construct(game, rules);
}
void shim_reset(int32_t game, mega_rules *rules) {
    mega_rules_reset(game, rules);
}
void shim_step(int32_t game, mega_rules *rules, const uint8_t *ram, const uint8_t *cart_ram) {
    mega_memory memory = {ram, cart_ram};
    mega_rules_step(game, rules, memory);
}
int32_t shim_select(int32_t game, mega_rules *rules, const uint8_t *ram, const uint8_t *cart_ram,
                    int32_t mode, int32_t *amount) {
    mega_memory memory = {ram, cart_ram};
    const mega_request request = mega_rules_select(game, rules, memory, mode);
    *amount = request.amount;
    return request.kind;
}
uint32_t shim_unsaved_vars(int32_t game) {
    return mega_rules_unsaved_vars(game);
}
int32_t shim_game_count(void) {
    return MEGA_GAME_COUNT;
}
