// vector_starts.c - start states: episodes that are made once, at creation, and copied by every reset.
//
// Environments with the same game, mode and difficulty share a pool of them.
#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "vector.h"
#include "vector_format.h"

static bool is_alike(const mega_lane *a, const mega_lane *b) {
    return a->setup == b->setup && a->mode == b->mode && a->difficulty == b->difficulty;
}

// Numbers the pools. firsts[pool] is the first environment of each.
static void find_pools(mega_cpu_vector *vector, uint32_t *firsts) {
    for (uint32_t i = 0; i < vector->count; i++) {
        uint32_t pool = 0;
        while (pool < vector->start_pool_count &&
               !is_alike(&vector->members[i].lane, &vector->members[firsts[pool]].lane)) {
            pool++;
        }
        if (pool == vector->start_pool_count) {
            firsts[vector->start_pool_count++] = i;
        }
        vector->members[i].start_pool = pool;
    }
}

static uint8_t *start_of(const mega_cpu_vector *vector, uint32_t pool, uint32_t k) {
    return vector->starts + ((size_t)pool * vector->start_count + k) * state_largest(&vector->games);
}

// Plays the starts of a pool in its first environment, which is as new afterwards.
static mega_status play_starts(mega_cpu_vector *vector, const mega_vector_desc *desc, uint32_t env_id) {
    mega_member *member = &vector->members[env_id];
    const uint32_t pool = member->start_pool;
    const char *name = desc->roms[desc->rom_count == 1 ? 0 : env_id]->info.name;
    for (uint32_t k = 0; k < vector->start_count; k++) {
        lane_bind(&member->lane, vector->scratch[0]);
        (void)lane_power_on(&member->lane, desc->start_seed + k);
        const mega_status status = lane_start_episode(&member->lane, true);
        lane_unbind(&member->lane);
        if (status != MEGA_OK) {
            return mega_fail(status, "start state %u of %s: %s", k, name, mega_last_error());
        }
        vector_save_member(vector, env_id, start_of(vector, pool, k));
    }
    lane_close(&member->lane);
    memset(vector->pooled + vector->screen_stride * env_id, 0, vector->screen_stride);
    memset(vector->stores + vector->store_stride * env_id, 0, vector->store_stride);
    if (vector->games.observation_size != 0) {
        memset(vector->observations + vector->games.observation_size * env_id, 0,
               vector->games.observation_size);
    }
    return vector_open_member(vector, desc, env_id);
}

mega_status vector_make_starts(mega_cpu_vector *vector, const mega_vector_desc *desc) {
    if (desc->start_states == 0) {
        return MEGA_OK;
    }
    const size_t each = state_largest(&vector->games);
    uint32_t *firsts = malloc(vector->count * sizeof(*firsts));
    if (firsts == NULL) {
        return mega_fail_memory(vector->count * sizeof(*firsts));
    }
    find_pools(vector, firsts);
    vector->starts = calloc((size_t)vector->start_pool_count * desc->start_states, each);
    mega_status status =
        vector->starts != NULL
            ? MEGA_OK
            : mega_fail(MEGA_ERROR_MEMORY,
                        "out of memory: cannot allocate %u times %u start states of %zu bytes",
                        vector->start_pool_count, desc->start_states, each);
    vector->start_count = desc->start_states;
    for (uint32_t pool = 0; pool < vector->start_pool_count && status == MEGA_OK; pool++) {
        status = play_starts(vector, desc, firsts[pool]);
    }
    free(firsts);
    return status;
}

// The generators are the environment's own: they draw which start it is, and the sticky actions after it.
void vector_copy_start(const mega_cpu_vector *vector, mega_member *member) {
    mega_lane *lane = &member->lane;
    const uint32_t k = mega_mt_below(&lane->task.noop_random, vector->start_count);
    const mega_mt19937 random = lane->environment.random, noop_random = lane->task.noop_random;
    vector_restore_bound(member, start_of(vector, member->start_pool, k));
    lane->environment.random = random;
    lane->task.noop_random = noop_random;
}
