// vector_games.h - the description of a vector, checked, and the games that it names. Host code.
#ifndef VECTOR_GAMES_H
#define VECTOR_GAMES_H
#include "lane.h"

// The games of a vector, each with the preprocessing that all share.
typedef struct mega_vector_games {
    mega_lane_setup **setups; // one for each game
    uint32_t count;
    size_t observation_size;            // bytes, of any of them
    uint8_t actions[MEGA_ACTION_COUNT]; // what a caller's index means
    uint32_t action_count;
} mega_vector_games;

// All but the description's struct_size.
mega_status vector_check_desc(const mega_vector_desc *desc);
// Episodes of a vector with this MEGA_AUTORESET_* begin when the caller says so.
mega_status vector_check_restart(uint32_t autoreset);
mega_status vector_games_open(mega_vector_games *games, const mega_vector_desc *desc);
void vector_games_close(mega_vector_games *games);
// The setup of a game, made when it is first asked for.
mega_status vector_games_find(mega_vector_games *games, const mega_vector_desc *desc, const mega_rom *rom,
                              mega_lane_setup **out);

#endif
