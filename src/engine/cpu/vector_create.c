// vector_create.c - makes a vector: description, memory, threads.
#include <stdlib.h>
#include <string.h>

#include "affinity.h"
#include "aligned.h"
#include "status.h"
#include "vector.h"

#define COUNT_MAX (1u << 24)
#define THREADS_MAX 1024u
#define EPISODES_MAX (1u << 24)

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
    if (desc->autoreset > MEGA_AUTORESET_SAME_STEP) {
        return mega_fail(MEGA_ERROR_ARGUMENT,
                         "autoreset is %u, expected MEGA_AUTORESET_NEXT_STEP or "
                         "MEGA_AUTORESET_SAME_STEP",
                         desc->autoreset);
    }
    if (desc->episode_log > EPISODES_MAX) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "episode_log is %u, expected at most %u", desc->episode_log,
                         EPISODES_MAX);
    }
    return MEGA_OK;
}

static mega_status check_desc(const mega_vector_desc *desc) {
    if (desc == NULL || desc->struct_size != sizeof(*desc)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_vector_desc.struct_size is %u, expected %zu",
                         desc == NULL ? 0 : desc->struct_size, sizeof(*desc));
    }
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

// The setup of a game, made when it is first asked for.
static mega_status find_setup(mega_vector *vector, const mega_vector_desc *desc, const mega_rom *rom,
                              mega_lane_setup **out) {
    for (uint32_t i = 0; i < vector->setup_count; i++) {
        if (is_of(vector->setups[i], rom)) {
            *out = vector->setups[i];
            return MEGA_OK;
        }
    }
    MEGA_TRY(lane_setup_open(&desc->task, rom, !desc->blind, out));
    vector->setups[vector->setup_count++] = *out;
    return MEGA_OK;
}

static mega_status open_setups(mega_vector *vector, const mega_vector_desc *desc) {
    mega_lane_setup *setup;
    vector->setups = calloc(desc->rom_count, sizeof(*vector->setups));
    if (vector->setups == NULL) {
        return mega_fail_memory(desc->rom_count * sizeof(*vector->setups));
    }
    for (uint32_t i = 0; i < desc->rom_count; i++) {
        MEGA_TRY(find_setup(vector, desc, desc->roms[i], &setup));
    }
    for (uint32_t i = 0; i < vector->setup_count; i++) {
        setup_wait(vector->setups[i]->environment);
    }
    setup = vector->setups[0];
    vector->observation_size = setup->observation_size;
    if (vector->setup_count == 1) {
        vector->action_count = setup->action_count;
        memcpy(vector->actions, setup->actions, sizeof(vector->actions));
    } else {
        for (vector->action_count = 0; vector->action_count < MEGA_ACTION_COUNT; vector->action_count++) {
            vector->actions[vector->action_count] = (uint8_t)vector->action_count;
        }
    }
    return MEGA_OK;
}

// ---- memory --------------------------------------------------------------------------------------------

static void *take(size_t count, size_t size, mega_status *status) {
    void *memory = *status == MEGA_OK ? aligned_zeros(count, size) : NULL;
    if (memory == NULL && *status == MEGA_OK) {
        *status =
            mega_fail(MEGA_ERROR_MEMORY, "out of memory: cannot allocate %zu times %zu bytes", count, size);
    }
    return memory;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

// Games differ in the height of their screens. Stores begin on pages of their own, so that what is not used
// of one is never touched.
static void find_strides(mega_vector *vector) {
    for (uint32_t i = 0; i < vector->setup_count; i++) {
        vector->screen_stride = larger(vector->screen_stride, vector->setups[i]->screen_size);
        vector->store_stride = larger(vector->store_stride, vector->setups[i]->store_size);
    }
    vector->screen_stride = (vector->screen_stride + 63) / 64 * 64;
    vector->store_stride = (vector->store_stride + 4095) / 4096 * 4096;
}

static mega_status take_memory(mega_vector *vector) {
    const uint32_t count = vector->count, hands = vector->hands, slots = ring_size(count);
    const bool finals = vector->autoreset == MEGA_AUTORESET_SAME_STEP && vector->observation_size != 0;
    mega_status status = MEGA_OK;
    find_strides(vector);
    vector->members = take(count, sizeof(*vector->members), &status);
    vector->groups = take(vector->group_count, sizeof(*vector->groups), &status);
    vector->ranges = take((size_t)vector->group_count * hands, sizeof(*vector->ranges), &status);
    vector->slots = take(2 * (size_t)slots, sizeof(*vector->slots), &status);
    vector->observations = take(count, vector->observation_size, &status);
    vector->finals = finals ? take(count, vector->observation_size, &status) : NULL;
    vector->pooled = take(count, vector->screen_stride, &status);
    vector->stores = take(count, vector->store_stride, &status);
    vector->state = take(1, vector_largest_state(vector), &status);
    vector->last_ids = take(vector->batch, sizeof(*vector->last_ids), &status);
    vector->episodes = take(vector->episode_capacity, sizeof(*vector->episodes), &status);
    vector->scratch = take(hands, sizeof(*vector->scratch), &status);
    return status;
}

static mega_status open_scratch(mega_vector *vector) {
    uint32_t cart_ram = 0;
    for (uint32_t i = 0; i < vector->setup_count; i++) {
        const uint32_t size = vector->setups[i]->environment->cartridge.ram_size;
        cart_ram = size > cart_ram ? size : cart_ram;
    }
    for (uint32_t i = 0; i < vector->hands; i++) {
        MEGA_TRY(scratch_open(cart_ram, &vector->scratch[i]));
    }
    return MEGA_OK;
}

static void divide_work(mega_vector *vector) {
    const uint32_t hands = vector->hands;
    const uint64_t count = vector->count, groups = vector->group_count;
    const uint32_t size = ring_size(vector->count);
    for (uint32_t g = 0; g < groups; g++) {
        const uint32_t first = (uint32_t)(count * g / groups), end = (uint32_t)(count * (g + 1) / groups);
        round_divide(&vector->groups[g].round, vector->ranges + (size_t)g * hands, hands, first, end - first);
    }
    ring_init(&vector->jobs, vector->slots, size);
    ring_init(&vector->results, vector->slots + size, size);
    for (uint32_t i = 0; i < vector->batch; i++) {
        vector->last_ids[i] = (int32_t)i;
    }
}

mega_status vector_open_member(mega_vector *vector, const mega_vector_desc *desc, uint32_t i) {
    mega_lane_setup *setup;
    mega_lane *lane = &vector->members[i].lane;
    MEGA_TRY(find_setup(vector, desc, desc->roms[desc->rom_count == 1 ? 0 : i], &setup));
    const mega_lane_memory memory = {vector->pooled + vector->screen_stride * i,
                                     vector->observations + vector->observation_size * i,
                                     vector->stores + vector->store_stride * i};
    MEGA_TRY(lane_open(lane, setup, &memory));
    if (desc->modes != NULL && desc->modes[i] != MEGA_MODE_DEFAULT) {
        MEGA_TRY(setup_check_mode(setup->environment, desc->modes[i]));
        lane->mode = desc->modes[i];
    }
    // 0 is in force in every game, also in one that does not list it.
    if (desc->difficulties != NULL && desc->difficulties[i] != 0) {
        MEGA_TRY(setup_check_difficulty(setup->environment, desc->difficulties[i]));
        lane->difficulty = desc->difficulties[i];
    }
    return MEGA_OK;
}

// ---- public --------------------------------------------------------------------------------------------

static void fill_numbers(mega_vector *vector, const mega_vector_desc *desc) {
    vector->count = desc->count;
    vector->batch = desc->batch != 0 ? desc->batch : desc->count;
    vector->hands = desc->threads != 0 ? desc->threads : affinity_cores();
    vector->hands = vector->hands > vector->batch ? vector->batch : vector->hands;
    vector->autoreset = desc->autoreset;
    vector->seed = desc->seed;
    vector->group_count = desc->groups != 0 ? desc->groups : 1;
    vector->episode_capacity = desc->episode_log != 0 ? desc->episode_log
                               : desc->count > 1024   ? desc->count
                                                      : 1024;
    vector->unstarted = desc->count;
    vector->failed = -1;
}

static mega_status open_parts(mega_vector *vector, const mega_vector_desc *desc) {
    fill_numbers(vector, desc);
    MEGA_TRY(open_setups(vector, desc));
    MEGA_TRY(take_memory(vector));
    MEGA_TRY(open_scratch(vector));
    divide_work(vector);
    for (uint32_t i = 0; i < vector->count; i++) {
        MEGA_TRY(vector_open_member(vector, desc, i));
    }
    MEGA_TRY(vector_make_starts(vector, desc));
    return crew_open(&vector->crew, vector->hands, desc->pin, vector_run_one, vector);
}

mega_status mega_vector_create(const mega_vector_desc *desc, mega_vector **out) {
    if (out == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_vector_create needs a place for its result");
    }
    *out = NULL;
    MEGA_TRY(check_desc(desc));
    mega_vector *vector = aligned_zeros(1, sizeof(*vector));
    if (vector == NULL) {
        return mega_fail_memory(sizeof(*vector));
    }
    const mega_status status = open_parts(vector, desc);
    if (status != MEGA_OK) {
        mega_vector_destroy(vector);
        return status;
    }
    *out = vector;
    return MEGA_OK;
}

static void close_parts(mega_vector *vector) {
    for (uint32_t i = 0; vector->members != NULL && i < vector->count; i++) {
        lane_close(&vector->members[i].lane);
    }
    for (uint32_t i = 0; vector->scratch != NULL && i < vector->hands; i++) {
        free(vector->scratch[i]);
    }
    for (uint32_t i = 0; i < vector->setup_count; i++) {
        lane_setup_close(vector->setups[i]);
    }
    free(vector->setups);
    aligned_free(vector->members);
    aligned_free(vector->groups);
    aligned_free(vector->ranges);
    aligned_free(vector->slots);
    aligned_free(vector->observations);
    aligned_free(vector->finals);
    aligned_free(vector->pooled);
    aligned_free(vector->stores);
    aligned_free(vector->state);
    free(vector->starts);
    aligned_free(vector->last_ids);
    aligned_free(vector->episodes);
    aligned_free(vector->scratch);
    aligned_free(vector);
}

void mega_vector_destroy(mega_vector *vector) {
    if (vector == NULL) {
        return;
    }
    // In a child process the work stayed with the parent.
    if (vector->crew.hands != NULL && !crew_is_stranded(&vector->crew)) {
        vector_discard(vector);
    }
    crew_close(&vector->crew);
    close_parts(vector);
}
