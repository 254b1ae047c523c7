// vector_look.c - views, screens, RAM and statistics of a vector. Runs in the caller's thread.
#include <string.h>

#include "screen.h"
#include "status.h"
#include "vector.h"

// ---- numbers and views ---------------------------------------------------------------------------------

int32_t cpu_vector_failed(const mega_cpu_vector *vector) {
    return vector->failed;
}
uint32_t cpu_vector_count(const mega_cpu_vector *vector) {
    return vector->count;
}
uint32_t cpu_vector_batch(const mega_cpu_vector *vector) {
    return vector->batch;
}
uint32_t cpu_vector_threads(const mega_cpu_vector *vector) {
    return vector->hands;
}
size_t cpu_vector_observation_size(const mega_cpu_vector *vector) {
    return vector->games.observation_size;
}

uint32_t cpu_vector_group(const mega_cpu_vector *vector, uint32_t group, uint32_t *first) {
    const mega_round *round = group < vector->group_count ? &vector->groups[group].round : NULL;
    if (first != NULL) {
        *first = round != NULL ? round->first : 0;
    }
    return round != NULL ? round->count : 0;
}

const uint8_t *cpu_vector_actions(const mega_cpu_vector *vector, uint32_t *count) {
    if (count != NULL) {
        *count = vector->games.action_count;
    }
    return vector->games.actions;
}

const uint8_t *cpu_vector_observations(const mega_cpu_vector *vector) {
    return vector->games.observation_size != 0 ? vector->observations : NULL;
}

uint32_t cpu_vector_outstanding(const mega_cpu_vector *vector) {
    uint32_t count = vector->queued;
    for (uint32_t g = 0; g < vector->group_count; g++) {
        count += vector->groups[g].running ? vector->groups[g].round.count : 0;
    }
    return count;
}

const uint8_t *cpu_vector_ram(const mega_cpu_vector *vector, uint32_t env_id) {
    return vector_check_free(vector, (int32_t)env_id) == MEGA_OK
               ? vector->members[env_id].lane.environment.session.console.riot.ram
               : NULL;
}

uint32_t cpu_vector_screen_height(const mega_cpu_vector *vector, uint32_t env_id) {
    return env_id < vector->count ? vector->members[env_id].lane.environment.setup->cartridge.height : 0;
}

// ---- RAM and screen ------------------------------------------------------------------------------------

mega_status cpu_vector_set_ram(mega_cpu_vector *vector, uint32_t env_id, uint32_t index, uint32_t value) {
    MEGA_TRY(vector_check_free(vector, (int32_t)env_id));
    if (index >= MEGA_RAM_SIZE || value > 255) {
        return mega_fail(MEGA_ERROR_ARGUMENT,
                         "RAM byte %u = %u; there are bytes 0 to 127 with values 0 to 255", index, value);
    }
    vector->members[env_id].lane.environment.session.console.riot.ram[index] = (uint8_t)value;
    return MEGA_OK;
}

mega_status cpu_vector_screen(mega_cpu_vector *vector, uint32_t env_id, uint8_t *pixels, size_t size) {
    MEGA_TRY(vector_check_free(vector, (int32_t)env_id));
    mega_lane *lane = &vector->members[env_id].lane;
    MEGA_TRY(screen_check(lane->environment.setup, pixels, size, 1));
    lane_bind(lane, vector->scratch[0]);
    memcpy(pixels, lane->environment.setup->play->picture(&lane->environment.stage, 0), size);
    lane_unbind(lane);
    return MEGA_OK;
}

mega_status cpu_vector_screen_rgb(mega_cpu_vector *vector, uint32_t env_id, uint8_t *pixels, size_t size) {
    MEGA_TRY(vector_check_free(vector, (int32_t)env_id));
    const mega_setup *setup = vector->members[env_id].lane.environment.setup;
    MEGA_TRY(screen_check(setup, pixels, size, 3));
    MEGA_TRY(cpu_vector_screen(vector, env_id, screen_indices(pixels, size), size / 3));
    screen_to_rgb(setup, pixels, size);
    return MEGA_OK;
}

// ---- statistics ----------------------------------------------------------------------------------------

mega_status cpu_vector_get_statistics(const mega_cpu_vector *vector, int32_t env_id,
                                      mega_vector_statistics *out) {
    if (out == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_vector_get_statistics needs a place for its result");
    }
    memset(out, 0, sizeof(*out));
    if (env_id == -1) {
        *out = vector->total;
        return MEGA_OK;
    }
    MEGA_TRY(vector_check_free(vector, env_id));
    *out = vector->members[env_id].statistics;
    return MEGA_OK;
}

uint32_t cpu_vector_drain_episodes(mega_cpu_vector *vector, mega_episode *episodes, uint32_t capacity) {
    uint32_t taken = 0;
    for (; episodes != NULL && taken < capacity && vector->episode_count > 0; taken++) {
        const uint64_t oldest = vector->episode_next - vector->episode_count--;
        episodes[taken] = vector->episodes[oldest % vector->episode_capacity];
    }
    return taken;
}
