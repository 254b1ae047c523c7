// cuda_vector_state.c - save states of environments on a GPU, in the format that all devices share.
#include <stdlib.h>
#include <string.h>

#include "cuda_vector.h"
#include "vector_format.h"

#define SHOW_BLOCK 256u

size_t cuda_vector_state_size(const mega_cuda_vector *vector) {
    return state_largest(&vector->games);
}

const mega_lane_setup *cuda_vector_setup(const mega_cuda_vector *vector, uint32_t env_id) {
    return vector->games.setups[vector->course_of[env_id]];
}

static const mega_lane_setup *setup_of(const mega_cuda_vector *vector, int32_t env_id) {
    return cuda_vector_setup(vector, (uint32_t)env_id);
}

// Where the parts of an environment lie, and how large they are; the order is that of the format.
typedef struct state_part {
    uint8_t *address;
    size_t size;
} state_part;

static void find_parts(const mega_cuda_vector *vector, uint32_t env_id, state_part parts[3]) {
    const mega_lane_setup *setup = setup_of(vector, (int32_t)env_id);
    const mega_batch *all = &vector->all;
    parts[0].address = all->cart_ram + (size_t)all->cart_ram_size * env_id;
    parts[0].size = state_extra_ram(setup->environment);
    parts[1].address = all->observations + (size_t)all->observation_size * env_id;
    parts[1].size = setup->observation_size;
    parts[2].address = all->pooled + (size_t)all->screen_size * env_id;
    parts[2].size = setup->screen_size;
}

// ---- saving --------------------------------------------------------------------------------------------

static void fill_core(const mega_cell *cell, const mega_tally *tally, mega_state_core *core) {
    memset(core, 0, sizeof(*core));
    core->session = cell->session;
    core->random = cell->random;
    core->noop_random = cell->task.noop_random;
    memcpy(&core->running, &tally->running, sizeof(core->running));
    core->sticky_action = cell->sticky_action;
    core->sticky_strength = cell->sticky_strength;
    core->lives = cell->task.lives;
    core->frames = cell->task.frames;
    core->failed = cell->failed;
    core->over = cell->over;
}

// mega_look leaves out rows of the pooled screen that repeat the one above.
static void fill_screen(const mega_lane_setup *setup, const mega_task_state *state, uint8_t *screen) {
    const uint32_t height = setup->settings.channels == 1 ? setup->environment->cartridge.height : 0;
    for (uint32_t y = 1; y < height && setup->screen_size != 0; y++) {
        if (state->repeats[y]) {
            memcpy(screen + MEGA_WIDTH * y, screen + MEGA_WIDTH * (y - 1), MEGA_WIDTH);
        }
    }
}

static mega_status save_one(mega_cuda_vector *vector, uint32_t env_id, uint8_t *to) {
    const mega_cuda_driver *cuda = vector->device->driver;
    const mega_lane_setup *setup = setup_of(vector, (int32_t)env_id);
    const mega_state_header header = state_header_of(setup);
    const size_t picture = state_picture_size(setup->environment);
    CUstream stream = vector->groups[0].stream;
    state_part parts[3];
    mega_state_core core;
    mega_cell cell;
    mega_tally tally;
    CUDA_TRY(cuda, cuMemcpyDtoH, &cell, CUDA_ADDRESS(vector->all.cells + env_id), sizeof(cell));
    CUDA_TRY(cuda, cuMemcpyDtoH, &tally, CUDA_ADDRESS(vector->all.tallies + env_id), sizeof(tally));
    fill_core(&cell, &tally, &core);
    memcpy(to, &header, sizeof(header));
    memcpy(to + sizeof(header), &core, sizeof(core));
    to += sizeof(header) + sizeof(core);
    find_parts(vector, env_id, parts);
    for (uint32_t i = 0; i < 3; to += parts[i].size, i++) {
        if (parts[i].size != 0) {
            CUDA_TRY(cuda, cuMemcpyDtoH, to, CUDA_ADDRESS(parts[i].address), parts[i].size);
        }
    }
    fill_screen(setup, &cell.task, to - parts[2].size);
    for (uint32_t ago = 0; ago < 2; ago++) {
        void *parameters[] = {&vector->all, &env_id, &ago, &vector->pixels};
        MEGA_TRY(cuda_vector_launch(vector, KERNEL_mega_show, stream, 1, SHOW_BLOCK, parameters));
        CUDA_TRY(cuda, cuStreamSynchronize, stream);
        CUDA_TRY(cuda, cuMemcpyDtoH, to + picture * ago, CUDA_ADDRESS(vector->pixels), picture);
    }
    return MEGA_OK;
}

// ---- restoring -----------------------------------------------------------------------------------------

static void take_core(mega_cell *cell, const mega_state_core *core) {
    cell->session = core->session;
    cell->random = core->random;
    cell->task.noop_random = core->noop_random;
    cell->sticky_action = core->sticky_action;
    cell->sticky_strength = core->sticky_strength;
    cell->task.lives = core->lives;
    cell->task.frames = core->frames;
    cell->failed = core->failed;
    cell->over = core->over;
    // Until it begins another episode it shows its pooled screen, not what the lane's own last step was.
    cell->step.left = core->over ? 4u : cell->step.left;
}

static mega_status send_row(mega_cuda_vector *vector, void *column, size_t size, uint32_t env_id,
                            int32_t value) {
    const uint8_t byte = (uint8_t)value;
    return cuda_vector_put(vector, (uint8_t *)column + size * env_id,
                           size == 1 ? (const void *)&byte : (const void *)&value, size);
}

// What the environment shows until its next step.
static mega_status send_rows(mega_cuda_vector *vector, uint32_t env_id, const mega_session *session) {
    const mega_columns *columns = &vector->all.columns;
    MEGA_TRY(send_row(vector, columns->rewards, 4, env_id, 0));
    MEGA_TRY(send_row(vector, columns->lives, 4, env_id, session->rules.lives));
    MEGA_TRY(send_row(vector, columns->frame_numbers, 4, env_id, (int32_t)session->frame_number));
    MEGA_TRY(
        send_row(vector, columns->episode_frame_numbers, 4, env_id, (int32_t)session->episode_frame_number));
    MEGA_TRY(send_row(vector, columns->terminations, 1, env_id, 0));
    MEGA_TRY(send_row(vector, columns->truncations, 1, env_id, 0));
    return send_row(vector, columns->episode_ends, 1, env_id, 0);
}

// Rows of a pooled gray screen that equal the one above.
static mega_status mark_repeats(const mega_lane_setup *setup, const uint8_t *pooled, mega_task_state *state) {
    uint8_t *screen = malloc(setup->screen_size + 1);
    if (screen == NULL) {
        return mega_fail_memory(setup->screen_size);
    }
    mega_task_view view;
    memset(&view, 0, sizeof(view));
    memcpy(screen, pooled, setup->screen_size);
    view.settings = &setup->settings;
    view.resizer = &setup->resizer;
    view.state = state;
    view.pooled = screen;
    task_mark_repeats(&view);
    free(screen);
    return MEGA_OK;
}

// The bytes have been checked.
static mega_status restore_one(mega_cuda_vector *vector, uint32_t env_id, const uint8_t *from) {
    const mega_cuda_driver *cuda = vector->device->driver;
    const mega_lane_setup *setup = setup_of(vector, (int32_t)env_id);
    const size_t pictures = 2 * state_picture_size(setup->environment);
    CUstream stream = vector->groups[0].stream;
    state_part parts[3];
    mega_state_core core;
    mega_cell cell;
    CUDA_TRY(cuda, cuMemcpyDtoH, &cell, CUDA_ADDRESS(vector->all.cells + env_id), sizeof(cell));
    memcpy(&core, from + sizeof(mega_state_header), sizeof(core));
    from += sizeof(mega_state_header) + sizeof(core);
    take_core(&cell, &core);
    find_parts(vector, env_id, parts);
    MEGA_TRY(mark_repeats(setup, from + parts[0].size + parts[1].size, &cell.task));
    MEGA_TRY(cuda_vector_put(vector, vector->all.cells + env_id, &cell, sizeof(cell)));
    MEGA_TRY(
        cuda_vector_put(vector, &vector->all.tallies[env_id].running, &core.running, sizeof(core.running)));
    for (uint32_t i = 0; i < 3; from += parts[i].size, i++) {
        if (parts[i].size != 0) {
            MEGA_TRY(cuda_vector_put(vector, parts[i].address, from, parts[i].size));
        }
    }
    MEGA_TRY(cuda_vector_put(vector, vector->pixels, from, pictures));
    void *parameters[] = {&vector->all, &env_id, &vector->pixels};
    MEGA_TRY(cuda_vector_launch(vector, KERNEL_mega_replace, stream, 1, SHOW_BLOCK, parameters));
    CUDA_TRY(cuda, cuStreamSynchronize, stream);
    MEGA_TRY(send_rows(vector, env_id, &core.session));
    vector->powered[env_id] = 1;
    vector->unstarted -= !vector->started[env_id];
    vector->started[env_id] = 1;
    return MEGA_OK;
}

// ---- public --------------------------------------------------------------------------------------------

static mega_status check_ids(mega_cuda_vector *vector, const int32_t *ids, uint32_t count) {
    vector->failed = -1;
    if (ids == NULL && count != 0) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "%u environments, and no list of them", count);
    }
    for (uint32_t k = 0; k < count; k++) {
        MEGA_TRY(cuda_vector_check_free(vector, ids[k]));
    }
    return MEGA_OK;
}

static mega_status save_inside(mega_cuda_vector *vector, const int32_t *ids, uint32_t count, uint8_t *bytes,
                               size_t each) {
    MEGA_TRY(cuda_vector_wait(vector));
    for (uint32_t k = 0; k < count; k++) {
        const size_t used = state_bytes(setup_of(vector, ids[k]));
        MEGA_TRY(save_one(vector, (uint32_t)ids[k], bytes + each * k));
        memset(bytes + each * k + used, 0, each - used);
    }
    return MEGA_OK;
}

mega_status cuda_vector_save(mega_cuda_vector *vector, const int32_t *env_ids, uint32_t count, void *bytes,
                             size_t size) {
    const size_t each = cuda_vector_state_size(vector);
    MEGA_TRY(check_ids(vector, env_ids, count));
    for (uint32_t k = 0; k < count; k++) {
        if (!vector->powered[env_ids[k]]) {
            return mega_fail(MEGA_ERROR_ORDER, "environment %d was never reset, so it has no state",
                             env_ids[k]);
        }
    }
    if ((bytes == NULL && count != 0) || size != each * count) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "%u states have %zu bytes, and there is room for %zu", count,
                         each * count, bytes == NULL ? 0 : size);
    }
    CUDA_INSIDE(vector, save_inside(vector, env_ids, count, bytes, each));
}

static mega_status restore_inside(mega_cuda_vector *vector, const int32_t *ids, uint32_t count,
                                  const uint8_t *bytes, size_t each) {
    MEGA_TRY(cuda_vector_wait(vector));
    for (uint32_t k = 0; k < count; k++) {
        MEGA_TRY(restore_one(vector, (uint32_t)ids[k], bytes + each * k));
    }
    return MEGA_OK;
}

mega_status cuda_vector_restore(mega_cuda_vector *vector, const int32_t *env_ids, uint32_t count,
                                const void *bytes, size_t size) {
    MEGA_TRY(check_ids(vector, env_ids, count));
    if (count != 0 && (bytes == NULL || size % count != 0)) {
        return mega_fail(MEGA_ERROR_STATE, "%zu bytes are not %u states", bytes == NULL ? 0 : size, count);
    }
    const size_t each = count != 0 ? size / count : 0;
    for (uint32_t k = 0; k < count; k++) {
        MEGA_TRY(state_check(setup_of(vector, env_ids[k]), (const uint8_t *)bytes + each * k, each));
    }
    CUDA_INSIDE(vector, restore_inside(vector, env_ids, count, bytes, each));
}
