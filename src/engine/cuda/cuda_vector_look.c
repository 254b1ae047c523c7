// cuda_vector_look.c - views, screens, RAM and statistics of a vector on a GPU.
#include <stdlib.h>
#include <string.h>

#include "cuda_vector.h"
#include "screen.h"

#define SHOW_BLOCK 256u

// ---- numbers -------------------------------------------------------------------------------------------

int32_t cuda_vector_failed(const mega_cuda_vector *vector) {
    return vector->failed;
}
uint32_t cuda_vector_count(const mega_cuda_vector *vector) {
    return vector->count;
}
uint32_t cuda_vector_batch(const mega_cuda_vector *vector) {
    return vector->count;
}
uint32_t cuda_vector_threads(const mega_cuda_vector *vector) {
    (void)vector;
    return 1;
}
size_t cuda_vector_observation_size(const mega_cuda_vector *vector) {
    return vector->games.observation_size;
}
uint32_t cuda_vector_screen_height(const mega_cuda_vector *vector, uint32_t env_id) {
    return env_id < vector->count
               ? vector->games.setups[vector->course_of[env_id]]->environment->cartridge.height
               : 0;
}

uint32_t cuda_vector_group(const mega_cuda_vector *vector, uint32_t group, uint32_t *first) {
    const mega_batch *batch = group < vector->group_count ? &vector->groups[group].batch : NULL;
    if (first != NULL) {
        *first = batch != NULL ? batch->first : 0;
    }
    return batch != NULL ? batch->count : 0;
}

const uint8_t *cuda_vector_actions(const mega_cuda_vector *vector, uint32_t *count) {
    if (count != NULL) {
        *count = vector->games.action_count;
    }
    return vector->games.actions;
}

uint32_t cuda_vector_outstanding(const mega_cuda_vector *vector) {
    uint32_t count = 0;
    for (uint32_t g = 0; g < vector->group_count; g++) {
        count += vector->groups[g].running ? vector->groups[g].batch.count : 0;
    }
    return count;
}

static mega_status get_lanes_inside(mega_cuda_vector *vector, uint64_t *needed, uint64_t *executed) {
    uint64_t counts[2] = {0, 0};
    MEGA_TRY(cuda_vector_wait(vector));
    if (vector->counts) {
        CUDA_TRY(vector->device->driver, cuMemcpyDtoH, counts, CUDA_ADDRESS(vector->all.counts),
                 sizeof counts);
    }
    *needed = counts[0];
    *executed = counts[1];
    return MEGA_OK;
}

mega_status cuda_vector_get_lanes(mega_cuda_vector *vector, uint64_t *needed, uint64_t *executed) {
    if (needed == NULL || executed == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_vector_get_lanes needs places for both of its results");
    }
    CUDA_INSIDE(vector, get_lanes_inside(vector, needed, executed));
}

mega_status cuda_vector_get_device_view(mega_cuda_vector *vector, mega_vector_device_view *out) {
    const mega_columns *columns = &vector->all.columns;
    if (out == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_vector_get_device_view needs a place for its result");
    }
    memset(out, 0, sizeof(*out));
    out->observations = vector->all.observations;
    out->final_observations = columns->final_observations;
    out->rewards = columns->rewards;
    out->lives = columns->lives;
    out->frame_numbers = columns->frame_numbers;
    out->episode_frame_numbers = columns->episode_frame_numbers;
    out->terminations = columns->terminations;
    out->truncations = columns->truncations;
    out->episode_ends = columns->episode_ends;
    out->actions = vector->indices;
    out->stream = vector->groups[0].stream;
    out->device = vector->device->index;
    return MEGA_OK;
}

// ---- copies --------------------------------------------------------------------------------------------

static mega_status copy_to_host(const mega_cuda_vector *vector, void *to, const void *from, size_t size) {
    const mega_cuda_driver *cuda = vector->device->driver;
    for (uint32_t g = 0; g < vector->group_count; g++) {
        if (!vector->groups[g].running) {
            CUDA_TRY(cuda, cuStreamSynchronize, vector->groups[g].stream);
        }
    }
    CUDA_TRY(cuda, cuMemcpyDtoH, to, CUDA_ADDRESS(from), size);
    return MEGA_OK;
}

static mega_status fetch(const mega_cuda_vector *vector, void *to, const void *from, size_t size) {
    CUDA_INSIDE(vector, copy_to_host(vector, to, from, size));
}

mega_status cuda_vector_read(mega_cuda_vector *vector, const void *address, void *bytes, size_t size) {
    if (size == 0) {
        return MEGA_OK;
    }
    if (address == NULL || bytes == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_vector_read needs two addresses");
    }
    return fetch(vector, bytes, address, size);
}

// The vector's own memory for such copies is behind pointers, so it may be written although the vector is
// const.
const uint8_t *cuda_vector_observations(const mega_cuda_vector *vector) {
    const size_t size = vector->games.observation_size * vector->count;
    if (size == 0) {
        return NULL;
    }
    if (vector->observations == NULL) {
        ((mega_cuda_vector *)(uintptr_t)vector)->observations = malloc(size);
    }
    if (vector->observations == NULL ||
        fetch(vector, vector->observations, vector->all.observations, size) != MEGA_OK) {
        return NULL;
    }
    return vector->observations;
}

const uint8_t *cuda_vector_ram(const mega_cuda_vector *vector, uint32_t env_id) {
    if (cuda_vector_check_free(vector, (int32_t)env_id) != MEGA_OK) {
        return NULL;
    }
    uint8_t *ram = vector->ram + (size_t)MEGA_RAM_SIZE * env_id;
    const mega_cell *cell = vector->all.cells + env_id;
    return fetch(vector, ram, cell->session.console.riot.ram, MEGA_RAM_SIZE) == MEGA_OK ? ram : NULL;
}

static mega_status write_byte(mega_cuda_vector *vector, uint8_t *to, uint8_t value) {
    MEGA_TRY(cuda_vector_wait(vector));
    return cuda_vector_put(vector, to, &value, 1);
}

mega_status cuda_vector_set_ram(mega_cuda_vector *vector, uint32_t env_id, uint32_t index, uint32_t value) {
    MEGA_TRY(cuda_vector_check_free(vector, (int32_t)env_id));
    if (index >= MEGA_RAM_SIZE || value > 255) {
        return mega_fail(MEGA_ERROR_ARGUMENT,
                         "RAM byte %u = %u; there are bytes 0 to 127 with values 0 to 255", index, value);
    }
    uint8_t *ram = vector->all.cells[env_id].session.console.riot.ram;
    CUDA_INSIDE(vector, write_byte(vector, ram + index, (uint8_t)value));
}

// ---- screens -------------------------------------------------------------------------------------------

static mega_status show(mega_cuda_vector *vector, uint32_t env_id, uint8_t *pixels, size_t size) {
    uint32_t frames_ago = 0;
    CUstream stream = vector->groups[0].stream;
    void *parameters[] = {&vector->all, &env_id, &frames_ago, &vector->pixels};
    MEGA_TRY(cuda_vector_wait(vector));
    MEGA_TRY(cuda_vector_launch(vector, KERNEL_mega_show, stream, 1, SHOW_BLOCK, parameters));
    CUDA_TRY(vector->device->driver, cuStreamSynchronize, stream);
    CUDA_TRY(vector->device->driver, cuMemcpyDtoH, pixels, CUDA_ADDRESS(vector->pixels), size);
    return MEGA_OK;
}

static const mega_setup *setup_of(const mega_cuda_vector *vector, uint32_t env_id) {
    return vector->games.setups[vector->course_of[env_id]]->environment;
}

mega_status cuda_vector_screen(mega_cuda_vector *vector, uint32_t env_id, uint8_t *pixels, size_t size) {
    MEGA_TRY(cuda_vector_check_free(vector, (int32_t)env_id));
    MEGA_TRY(screen_check(setup_of(vector, env_id), pixels, size, 1));
    CUDA_INSIDE(vector, show(vector, env_id, pixels, size));
}

mega_status cuda_vector_screen_rgb(mega_cuda_vector *vector, uint32_t env_id, uint8_t *pixels, size_t size) {
    MEGA_TRY(cuda_vector_check_free(vector, (int32_t)env_id));
    MEGA_TRY(screen_check(setup_of(vector, env_id), pixels, size, 3));
    MEGA_TRY(cuda_vector_screen(vector, env_id, screen_indices(pixels, size), size / 3));
    screen_to_rgb(setup_of(vector, env_id), pixels, size);
    return MEGA_OK;
}

// ---- statistics ----------------------------------------------------------------------------------------

static int by_step_and_environment(const void *a, const void *b) {
    const mega_notice *left = a, *right = b;
    if (left->step != right->step) {
        return left->step < right->step ? -1 : 1;
    }
    return left->ending.env_id < right->ending.env_id ? -1 : 1;
}

// Takes the notices of finished episodes from the GPU into the ring. They come in any order within a step.
static mega_status take_notices(mega_cuda_vector *vector) {
    const mega_batch *all = &vector->all;
    uint32_t count = 0;
    MEGA_TRY(copy_to_host(vector, &count, all->notice_count, sizeof(count)));
    uint32_t fresh = count - vector->noticed;
    if (fresh == 0) {
        return MEGA_OK;
    }
    fresh = fresh < all->notice_room ? fresh : all->notice_room;
    mega_notice *notices = malloc(all->notice_room * sizeof(*notices));
    if (notices == NULL) {
        return mega_fail_memory(all->notice_room * sizeof(*notices));
    }
    const mega_status status =
        copy_to_host(vector, notices, all->notices, all->notice_room * sizeof(*notices));
    if (status == MEGA_OK) {
        vector->noticed = count;
        mega_notice *sorted = malloc(fresh * sizeof(*sorted));
        for (uint32_t i = 0; sorted != NULL && i < fresh; i++) {
            sorted[i] = notices[(count - fresh + i) % all->notice_room];
        }
        if (sorted != NULL) {
            qsort(sorted, fresh, sizeof(*sorted), by_step_and_environment);
        }
        for (uint32_t i = 0; sorted != NULL && i < fresh; i++) {
            memcpy(&vector->last_episode, &sorted[i].ending, sizeof(mega_episode));
            vector->episodes[vector->episode_next++ % vector->episode_capacity] = vector->last_episode;
            vector->episode_count += vector->episode_count < vector->episode_capacity;
        }
        free(sorted);
    }
    free(notices);
    return status;
}

static mega_status sum_up(mega_cuda_vector *vector, mega_vector_statistics *out) {
    const size_t size = vector->count * sizeof(mega_tally);
    mega_tally *tallies = malloc(size);
    if (tallies == NULL) {
        return mega_fail_memory(size);
    }
    mega_status status = take_notices(vector);
    if (status == MEGA_OK) {
        status = copy_to_host(vector, tallies, vector->all.tallies, size);
    }
    for (uint32_t i = 0; status == MEGA_OK && i < vector->count; i++) {
        out->episodes += tallies[i].episodes;
        out->score_sum = (int64_t)((uint64_t)out->score_sum + (uint64_t)tallies[i].score_sum);
        out->steps_sum += tallies[i].steps_sum;
        out->frames_sum += tallies[i].frames_sum;
    }
    out->last = vector->last_episode;
    free(tallies);
    return status;
}

mega_status cuda_vector_get_statistics(const mega_cuda_vector *vector, int32_t env_id,
                                       mega_vector_statistics *out) {
    if (out == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_vector_get_statistics needs a place for its result");
    }
    memset(out, 0, sizeof(*out));
    if (env_id == -1) {
        CUDA_INSIDE(vector, sum_up((mega_cuda_vector *)(uintptr_t)vector, out));
    }
    MEGA_TRY(cuda_vector_check_free(vector, env_id));
    return fetch(vector, out, vector->all.tallies + env_id, sizeof(*out));
}

static mega_status take_notices_inside(mega_cuda_vector *vector) {
    CUDA_INSIDE(vector, take_notices(vector));
}

uint32_t cuda_vector_drain_episodes(mega_cuda_vector *vector, mega_episode *episodes, uint32_t capacity) {
    uint32_t taken = 0;
    if (take_notices_inside(vector) != MEGA_OK) {
        return 0;
    }
    for (; episodes != NULL && taken < capacity && vector->episode_count > 0; taken++) {
        const uint64_t oldest = vector->episode_next - vector->episode_count--;
        episodes[taken] = vector->episodes[oldest % vector->episode_capacity];
    }
    return taken;
}
