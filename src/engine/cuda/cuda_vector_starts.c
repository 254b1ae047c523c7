// cuda_vector_starts.c - start states of a vector on a GPU: a vector of one environment on the CPU makes those of each pool,
// and they are kept in the GPU's memory for mega_copy_starts.
#include <stdlib.h>
#include <string.h>

#include "cuda_vector.h"
#include "vector.h"
#include "vector_format.h"

#define ALIGNMENT 64u // of the parts of a start state

// ---- pools ---------------------------------------------------------------------------------------------

static const mega_rom *rom_of(const mega_vector_desc *desc, uint32_t env_id) {
    return desc->roms[desc->rom_count == 1 ? 0 : env_id];
}

// The default mode and its number make two pools of one kind.
static mega_status find_pool(mega_cuda_vector *vector, const mega_vector_desc *desc, uint32_t env_id) {
    mega_cuda_pool own = {.first = env_id, .mode = MEGA_MODE_DEFAULT};
    MEGA_TRY(vector_games_find(&vector->games, desc, rom_of(desc, env_id), &own.setup));
    own.mode = desc->modes != NULL ? desc->modes[env_id] : own.mode;
    own.difficulty = desc->difficulties != NULL ? desc->difficulties[env_id] : 0;
    uint32_t number = 0;
    while (number < vector->pool_count &&
           (vector->pools[number].setup != own.setup || vector->pools[number].mode != own.mode ||
            vector->pools[number].difficulty != own.difficulty)) {
        number++;
    }
    if (number == vector->pool_count) {
        vector->pools[vector->pool_count++] = own;
    }
    vector->pool_of[env_id] = number;
    return MEGA_OK;
}

static uint32_t align(size_t size) {
    return (uint32_t)((size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

// Where the parts of a state are, with room for the largest of each.
static void plan_parts(mega_cuda_vector *vector) {
    mega_starts *starts = &vector->starts;
    size_t ram = 0, picture = 0;
    for (uint32_t i = 0; i < vector->games.count; i++) {
        const mega_setup *setup = vector->games.setups[i]->environment;
        ram = state_extra_ram(setup) > ram ? state_extra_ram(setup) : ram;
        picture = state_picture_size(setup) > picture ? state_picture_size(setup) : picture;
    }
    starts->ram = align(sizeof(mega_start_state));
    starts->shown = starts->ram + align(ram);
    starts->stride = starts->shown + align(2 * picture);
}

mega_status cuda_vector_plan_starts(mega_cuda_vector *vector, const mega_vector_desc *desc) {
    if (desc->start_states == 0) {
        return MEGA_OK;
    }
    vector->starts.count = desc->start_states;
    vector->pools = calloc(vector->count, sizeof(*vector->pools));
    vector->pool_of = calloc(vector->count, sizeof(*vector->pool_of));
    if (vector->pools == NULL || vector->pool_of == NULL) {
        return mega_fail_memory(vector->count * (sizeof(*vector->pools) + sizeof(*vector->pool_of)));
    }
    for (uint32_t i = 0; i < vector->count; i++) {
        MEGA_TRY(find_pool(vector, desc, i));
    }
    plan_parts(vector);
    return MEGA_OK;
}

size_t cuda_vector_bytes_of_starts(const mega_cuda_vector *vector) {
    return (size_t)vector->pool_count * vector->starts.count * vector->starts.stride;
}

// ---- sending -------------------------------------------------------------------------------------------

// From a saved state (vector_format.h) what a start needs of it.
static void pack_state(const mega_starts *starts, const mega_lane_setup *setup, const uint8_t *saved,
                       uint8_t *to) {
    const size_t ram = state_extra_ram(setup->environment);
    const size_t pictures = 2 * state_picture_size(setup->environment);
    mega_state_core core;
    memcpy(&core, saved + sizeof(mega_state_header), sizeof(core));
    const mega_start_state state = {
        .session = core.session,
        .sticky_action = core.sticky_action,
        .sticky_strength = core.sticky_strength,
        .lives = core.lives,
        .frames = core.frames,
        .failed = core.failed,
    };
    memset(to, 0, starts->stride);
    memcpy(to, &state, sizeof(state));
    memcpy(to + starts->ram, saved + sizeof(mega_state_header) + sizeof(core), ram);
    memcpy(to + starts->shown, saved + state_bytes(setup) - pictures, pictures);
}

// One at a time: there may be more of them than the host has memory for once more.
static mega_status send_states(mega_cuda_vector *vector, const mega_cpu_vector *maker, uint8_t *to,
                               uint8_t *room) {
    const mega_starts *starts = &vector->starts;
    const size_t each = state_largest(&maker->games);
    for (uint32_t k = 0; k < starts->count; k++) {
        pack_state(starts, maker->members[0].lane.setup, maker->starts + each * k, room);
        MEGA_TRY(cuda_vector_put(vector, to + (size_t)starts->stride * k, room, starts->stride));
    }
    return MEGA_OK;
}

static mega_status send_pool(mega_cuda_vector *vector, const mega_vector_desc *desc,
                             const mega_cuda_pool *pool, uint8_t *to, uint8_t *room) {
    const mega_rom *rom = rom_of(desc, pool->first);
    mega_vector_desc own = *desc;
    mega_vector *maker;
    own.device = NULL;
    own.count = own.rom_count = own.threads = 1;
    own.roms = &rom;
    own.modes = &pool->mode;
    own.difficulties = &pool->difficulty;
    own.batch = own.pin = own.groups = own.episode_log = 0;
    own.task.translate = MEGA_TRANSLATE_OFF; // for so few episodes no compiler is waited for
    MEGA_TRY(cpu_vector_create(&own, &maker));
    const mega_status status = send_states(vector, (const mega_cpu_vector *)maker, to, room);
    mega_vector_destroy(maker);
    return status;
}

static mega_status send_pools(mega_cuda_vector *vector, const mega_vector_desc *desc, uint8_t *states) {
    const size_t size = (size_t)vector->starts.stride * vector->starts.count;
    uint8_t *room = malloc(vector->starts.stride);
    mega_status status = room != NULL ? MEGA_OK : mega_fail_memory(vector->starts.stride);
    for (uint32_t i = 0; i < vector->pool_count && status == MEGA_OK; i++) {
        status = send_pool(vector, desc, &vector->pools[i], states + size * i, room);
    }
    free(room);
    return status;
}

mega_status cuda_vector_send_starts(mega_cuda_vector *vector, const mega_vector_desc *desc) {
    const size_t size = vector->count * sizeof(uint32_t);
    mega_status status = MEGA_OK;
    if (vector->starts.count == 0) {
        return MEGA_OK;
    }
    uint8_t *states = cuda_vector_take(vector, cuda_vector_bytes_of_starts(vector), &status);
    uint32_t *pool_of = cuda_vector_take(vector, size, &status);
    MEGA_TRY(status);
    vector->starts.states = states;
    vector->starts.pool_of = pool_of;
    MEGA_TRY(cuda_vector_put(vector, pool_of, vector->pool_of, size));
    return send_pools(vector, desc, states);
}
