// vector_games.c - see vector_games.h.
#include "vector_games.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

#define COUNT_MAX (1u << 24)
#define THREADS_MAX 1024u
#define EPISODES_MAX (1u << 24)
#define STARTS_MAX 65536u

// ---- description ---------------------------------------------------------------------------------------

static mega_status check_numbers(const mega_vector_desc *desc) {
    if (desc->count == 0 || desc->count > COUNT_MAX) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "%u environments; expected 1 to %u", desc->count, COUNT_MAX);
    }
    if (desc->batch > desc->count) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "a batch of %u of %u environments", desc->batch, desc->count);
    }
    if (desc->threads > THREADS_MAX) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "%u threads; expected at most %u", desc->threads, THREADS_MAX);
    }
    if (desc->groups > desc->count || (desc->groups > 1 && desc->batch != 0 && desc->batch != desc->count)) {
        return mega_fail(MEGA_ERROR_ARGUMENT,
                         "%u groups of %u environments, and a batch of %u; groups need a batch "
                         "of all",
                         desc->groups, desc->count, desc->batch);
    }
    if (desc->autoreset > MEGA_AUTORESET_OFF) {
        return mega_fail(MEGA_ERROR_ARGUMENT,
                         "autoreset is %u, expected MEGA_AUTORESET_NEXT_STEP, "
                         "MEGA_AUTORESET_SAME_STEP or MEGA_AUTORESET_OFF",
                         desc->autoreset);
    }
    if (desc->episode_log > EPISODES_MAX) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "episode_log is %u, expected at most %u", desc->episode_log,
                         EPISODES_MAX);
    }
    if (desc->start_states > STARTS_MAX) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "start_states is %u, expected at most %u", desc->start_states,
                         STARTS_MAX);
    }
    return MEGA_OK;
}

mega_status vector_check_restart(uint32_t autoreset) {
    return autoreset == MEGA_AUTORESET_OFF
               ? MEGA_OK
               : mega_fail(MEGA_ERROR_ORDER, "episodes of this vector begin by themselves; a restart is for "
                                             "vectors with MEGA_AUTORESET_OFF");
}

mega_status vector_check_desc(const mega_vector_desc *desc) {
    MEGA_TRY(check_numbers(desc));
    if (desc->roms == NULL || (desc->rom_count != 1 && desc->rom_count != desc->count)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "%u images for %u environments; expected 1 or one for each",
                         desc->roms == NULL ? 0 : desc->rom_count, desc->count);
    }
    for (uint32_t i = 0; i < desc->rom_count; i++) {
        if (desc->roms[i] == NULL) {
            return mega_fail(MEGA_ERROR_ARGUMENT, "image %u is missing", i);
        }
    }
    return MEGA_OK;
}

// ---- games ---------------------------------------------------------------------------------------------

static bool is_of(const mega_lane_setup *setup, const mega_rom *rom) {
    const mega_setup *environment = setup->environment;
    const int32_t game = environment->facts != NULL ? rom->info.game : -1;
    return environment->settings.game == game && strcmp(environment->image_md5, rom->md5) == 0;
}

mega_status vector_games_find(mega_vector_games *games, const mega_vector_desc *desc, const mega_rom *rom,
                              mega_lane_setup **out) {
    for (uint32_t i = 0; i < games->count; i++) {
        if (is_of(games->setups[i], rom)) {
            *out = games->setups[i];
            return MEGA_OK;
        }
    }
    MEGA_TRY(lane_setup_open(&desc->task, rom, !desc->blind, out));
    games->setups[games->count++] = *out;
    return MEGA_OK;
}

mega_status vector_games_open(mega_vector_games *games, const mega_vector_desc *desc) {
    mega_lane_setup *setup;
    games->setups = calloc(desc->rom_count, sizeof(*games->setups));
    if (games->setups == NULL) {
        return mega_fail_memory(desc->rom_count * sizeof(*games->setups));
    }
    for (uint32_t i = 0; i < desc->rom_count; i++) {
        MEGA_TRY(vector_games_find(games, desc, desc->roms[i], &setup));
    }
    for (uint32_t i = 0; i < games->count; i++) {
        setup_wait(games->setups[i]->environment);
    }
    setup = games->setups[0];
    games->observation_size = setup->observation_size;
    if (games->count == 1) {
        games->action_count = setup->action_count;
        memcpy(games->actions, setup->actions, sizeof(games->actions));
    } else {
        for (games->action_count = 0; games->action_count < MEGA_ACTION_COUNT; games->action_count++) {
            games->actions[games->action_count] = (uint8_t)games->action_count;
        }
    }
    return MEGA_OK;
}

void vector_games_close(mega_vector_games *games) {
    for (uint32_t i = 0; i < games->count; i++) {
        lane_setup_close(games->setups[i]);
    }
    free(games->setups);
    games->setups = NULL;
    games->count = 0;
}
