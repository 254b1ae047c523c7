// cuda_vector_step.c - reset, step and groups of a vector on a GPU: which kernels run, in which order.
#include <math.h>
#include <string.h>

#include "cuda_vector.h"

// As in kernels.cu.
#define STEP_THREADS 1024u
#define LOOK_BLOCK 224u
#define START_BLOCK 64u
#define PLAIN_BLOCK 256u
#define LIST_BLOCKS 1024u // of kernels that go through a list of unknown length

// ---- common ground -------------------------------------------------------------------------------------

mega_status cuda_vector_check_idle(const mega_cuda_vector *vector) {
    for (uint32_t g = 0; g < vector->group_count; g++) {
        if (vector->groups[g].running) {
            return mega_fail(MEGA_ERROR_ORDER, "results are outstanding; receive them first");
        }
    }
    return MEGA_OK;
}

mega_status cuda_vector_check_free(const mega_cuda_vector *vector, int32_t env_id) {
    if (env_id < 0 || (uint32_t)env_id >= vector->count) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "environment %d is not one of 0 to %u", env_id,
                         vector->count - 1);
    }
    for (uint32_t g = 0; g < vector->group_count; g++) {
        const mega_cuda_group *group = &vector->groups[g];
        if (group->running && (uint32_t)env_id - group->batch.first < group->batch.count) {
            return mega_fail(MEGA_ERROR_ORDER,
                             "the result of environment %d is outstanding; receive it first", env_id);
        }
    }
    return MEGA_OK;
}

static mega_status check_started(const mega_cuda_vector *vector) {
    return vector->unstarted == 0
               ? MEGA_OK
               : mega_fail(MEGA_ERROR_ORDER, "%u environments were never reset; call mega_vector_reset first",
                           vector->unstarted);
}

mega_status cuda_vector_wait(mega_cuda_vector *vector) {
    for (uint32_t g = 0; g < vector->group_count; g++) {
        CUDA_TRY(vector->device->driver, cuStreamSynchronize, vector->groups[g].stream);
    }
    return MEGA_OK;
}

mega_status cuda_vector_put(mega_cuda_vector *vector, void *to, const void *from, size_t size) {
    CUDA_TRY(vector->device->driver, cuMemcpyHtoD, CUDA_ADDRESS(to), from, size);
    CUDA_TRY(vector->device->driver, cuStreamSynchronize, NULL);
    return MEGA_OK;
}

mega_status cuda_vector_launch(mega_cuda_vector *vector, uint32_t kernel, CUstream stream, uint32_t blocks,
                               uint32_t threads, void **parameters) {
    CUDA_TRY(vector->device->driver, cuLaunchKernel, vector->kernels[kernel], blocks, 1, 1, threads, 1, 1, 0,
             stream, parameters, NULL);
    return MEGA_OK;
}

// ---- kernels of a group --------------------------------------------------------------------------------

static uint32_t blocks_for(uint32_t threads, uint32_t block) {
    return (threads + block - 1) / block;
}

// A thread for each environment.
static mega_status for_each(mega_cuda_vector *vector, mega_cuda_group *group, uint32_t kernel) {
    void *parameters[] = {&group->batch};
    return cuda_vector_launch(vector, kernel, group->stream, blocks_for(group->batch.count, PLAIN_BLOCK),
                              PLAIN_BLOCK, parameters);
}

// Blocks, or threads, for those on the roster.
static mega_status for_begun(mega_cuda_vector *vector, mega_cuda_group *group, CUstream stream,
                             uint32_t kernel, uint32_t block) {
    void *parameters[] = {&group->batch};
    const uint32_t blocks = group->batch.count < LIST_BLOCKS ? group->batch.count : LIST_BLOCKS;
    return cuda_vector_launch(vector, kernel, stream, blocks, block, parameters);
}

static mega_status clear_roster(mega_cuda_vector *vector, mega_cuda_group *group) {
    CUDA_TRY(vector->device->driver, cuMemsetD32Async, CUDA_ADDRESS(group->batch.roster.count), 0,
             1 + (size_t)group->batch.course_count, group->stream);
    return MEGA_OK;
}

static mega_status begin_work(mega_cuda_vector *vector, mega_cuda_group *group) {
    if (!group->unread) {
        CUDA_TRY(vector->device->driver, cuMemsetD32Async, CUDA_ADDRESS(group->batch.failed), UINT32_MAX, 1,
                 group->stream);
    }
    group->unread = true;
    return clear_roster(vector, group);
}

// Those of the roster that play one game, or all of them where nothing is translated.
static mega_status start_part(mega_cuda_vector *vector, const mega_cuda_group *group, CUstream stream,
                              CUfunction program, uint32_t from, uint32_t until) {
    mega_batch part = group->batch;
    void *parameters[] = {&part};
    part.from = from;
    part.lanes = until - from;
    part.starts = 1;
    if (part.lanes != 0) {
        CUDA_TRY(vector->device->driver, cuLaunchKernel,
                 program != NULL ? program : vector->kernels[KERNEL_mega_start_episodes],
                 blocks_for(part.lanes, START_BLOCK), 1, 1, START_BLOCK, 1, 1, 0, stream, parameters, NULL);
    }
    return MEGA_OK;
}

// Those on the roster whose episode begins in a start state are there afterwards, and nobody plays for them.
static mega_status copy_starts(mega_cuda_vector *vector, mega_cuda_group *group, CUstream stream) {
    void *parameters[] = {&group->batch, &vector->starts};
    const uint32_t blocks = group->batch.count < LIST_BLOCKS ? group->batch.count : LIST_BLOCKS;
    return vector->starts.count == 0
               ? MEGA_OK
               : cuda_vector_launch(vector, KERNEL_mega_copy_starts, stream, blocks, PLAIN_BLOCK, parameters);
}

// Those on the roster play to the beginning of an episode.
static mega_status start_episodes(mega_cuda_vector *vector, mega_cuda_group *group, CUstream stream) {
    const mega_cuda_driver *cuda = vector->device->driver;
    const mega_cuda_parts *parts = &group->starts;
    MEGA_TRY(copy_starts(vector, group, stream));
    if (parts->count == 0) {
        const CUfunction translated = vector->translated ? vector->programs[0].step : NULL;
        MEGA_TRY(start_part(vector, group, stream, translated, 0, group->batch.lanes));
    } else {
        MEGA_TRY(cuda_parts_fork(cuda, parts, stream));
        for (uint32_t i = 0; i < vector->games.count; i++) {
            MEGA_TRY(start_part(vector, group, parts->streams[i % parts->count], vector->programs[i].step,
                                group->first_lane[i], group->first_lane[i + 1]));
        }
        MEGA_TRY(cuda_parts_join(cuda, parts, stream));
    }
    return for_begun(vector, group, stream, KERNEL_mega_prepare_begun, PLAIN_BLOCK);
}

static mega_status look(mega_cuda_vector *vector, mega_cuda_group *group) {
    void *parameters[] = {&group->batch};
    if (group->batch.observation_size == 0) {
        return MEGA_OK;
    }
    if (vector->unusual) {
        return for_each(vector, group, KERNEL_mega_observe);
    }
    return cuda_vector_launch(vector, KERNEL_mega_look, group->stream, group->batch.count, LOOK_BLOCK,
                              parameters);
}

static mega_status look_begun(mega_cuda_vector *vector, mega_cuda_group *group) {
    if (group->batch.observation_size == 0) {
        return MEGA_OK;
    }
    return vector->unusual ? for_begun(vector, group, group->stream, KERNEL_mega_observe_begun, PLAIN_BLOCK)
                           : for_begun(vector, group, group->stream, KERNEL_mega_look_begun, LOOK_BLOCK);
}

// ---- work of a group -----------------------------------------------------------------------------------

static mega_status run_reset(mega_cuda_vector *vector, mega_cuda_group *group) {
    MEGA_TRY(begin_work(vector, group));
    MEGA_TRY(for_each(vector, group, KERNEL_mega_take_orders));
    MEGA_TRY(start_episodes(vector, group, group->stream));
    MEGA_TRY(look_begun(vector, group));
    return for_each(vector, group, KERNEL_mega_settle_orders);
}

// Warps of a block begin their frames together, because a multiprocessor's cache of instructions is small; so each
// gets one block, or as few as possible.
static uint32_t step_threads(const mega_cuda_vector *vector, uint32_t lanes) {
    const uint32_t processors = (uint32_t)vector->device->processors;
    const uint32_t share = (lanes + processors - 1u) / processors;
    return share < STEP_THREADS ? (share + 31u) / 32u * 32u : STEP_THREADS;
}

// The part of a group that plays one game, or all of it where nothing is translated.
static mega_status step_part(mega_cuda_vector *vector, mega_cuda_group *group, CUstream stream,
                             CUfunction kernel, uint32_t from, uint32_t until) {
    mega_batch part = group->batch;
    void *parameters[] = {&part};
    part.env_of_lane += from;
    part.lanes = until - from;
    const uint32_t threads = step_threads(vector, part.lanes);
    if (part.lanes != 0) {
        CUDA_TRY(vector->device->driver, cuLaunchKernel, kernel, blocks_for(part.lanes, threads), 1, 1,
                 threads, 1, 1, 0, stream, parameters, NULL);
    }
    return MEGA_OK;
}

// The kernel that steps a game: its own, if it has one.
static CUfunction step_kernel(const mega_cuda_vector *vector, uint32_t game) {
    const CUfunction translated = vector->translated ? vector->programs[game].step : NULL;
    return translated != NULL ? translated : vector->kernels[KERNEL_mega_step];
}

static mega_status step_lanes(mega_cuda_vector *vector, mega_cuda_group *group) {
    const mega_cuda_driver *cuda = vector->device->driver;
    const mega_cuda_parts *parts = &group->steps;
    if (parts->count == 0) {
        return step_part(vector, group, group->stream, step_kernel(vector, 0), 0, group->batch.lanes);
    }
    MEGA_TRY(cuda_parts_fork(cuda, parts, group->stream));
    for (uint32_t i = 0; i < vector->games.count; i++) {
        MEGA_TRY(step_part(vector, group, parts->streams[i % parts->count], step_kernel(vector, i),
                           group->first_lane[i], group->first_lane[i + 1]));
    }
    return cuda_parts_join(cuda, parts, group->stream);
}

// What the learner chose; and those whose episode is over come onto the roster.
static mega_status take_actions(mega_cuda_vector *vector, mega_cuda_group *group) {
    void *parameters[] = {&group->batch, &vector->numbers};
    return cuda_vector_launch(vector, KERNEL_mega_take_actions, group->stream,
                              blocks_for(group->batch.count, PLAIN_BLOCK), PLAIN_BLOCK, parameters);
}

// Those whose episode is over are not played: what their last step came to would be told once more.
static mega_status forget_results(mega_cuda_vector *vector, mega_cuda_group *group) {
    const mega_batch *batch = &group->batch;
    CUDA_TRY(vector->device->driver, cuMemsetD8Async, CUDA_ADDRESS(batch->results + batch->first), 0,
             batch->count * sizeof *batch->results, group->stream);
    return MEGA_OK;
}

// Some step while others, whose episode was over, begin a new one, or stand still.
static mega_status run_frames(mega_cuda_vector *vector, mega_cuda_group *group) {
    const mega_cuda_driver *cuda = vector->device->driver;
    MEGA_TRY(take_actions(vector, group));
    if (vector->autoreset == MEGA_AUTORESET_OFF) {
        MEGA_TRY(forget_results(vector, group));
        MEGA_TRY(step_lanes(vector, group));
        return look(vector, group);
    }
    CUDA_TRY(cuda, cuEventRecord, group->forked, group->stream);
    CUDA_TRY(cuda, cuStreamWaitEvent, group->side, group->forked, 0);
    MEGA_TRY(start_episodes(vector, group, group->side));
    CUDA_TRY(cuda, cuEventRecord, group->joined, group->side);
    MEGA_TRY(step_lanes(vector, group));
    CUDA_TRY(cuda, cuStreamWaitEvent, group->stream, group->joined, 0);
    return look(vector, group);
}

static mega_status run_step(mega_cuda_vector *vector, mega_cuda_group *group, bool strengths) {
    group->batch.step = vector->steps;
    group->batch.strengths = strengths ? vector->strengths : NULL;
    MEGA_TRY(begin_work(vector, group));
    MEGA_TRY(run_frames(vector, group));
    if (!group->batch.same_step) {
        return for_each(vector, group, KERNEL_mega_settle_steps);
    }
    MEGA_TRY(clear_roster(vector, group));
    MEGA_TRY(for_each(vector, group, KERNEL_mega_settle_steps));
    if (group->batch.observation_size != 0) {
        MEGA_TRY(for_begun(vector, group, group->stream, KERNEL_mega_keep_finals, PLAIN_BLOCK));
    }
    MEGA_TRY(start_episodes(vector, group, group->stream));
    MEGA_TRY(look_begun(vector, group));
    return for_begun(vector, group, group->stream, KERNEL_mega_settle_begun, PLAIN_BLOCK);
}

static mega_status clear_columns(mega_cuda_vector *vector, const mega_cuda_group *group) {
    const mega_cuda_driver *cuda = vector->device->driver;
    const mega_columns *columns = &group->batch.columns;
    const uint32_t first = group->batch.first, count = group->batch.count;
    uint8_t *const bytes[] = {columns->terminations, columns->truncations, columns->episode_ends};
    CUDA_TRY(cuda, cuMemsetD32Async, CUDA_ADDRESS(columns->rewards + first), 0, count, group->stream);
    for (uint32_t i = 0; i < 3; i++) {
        CUDA_TRY(cuda, cuMemsetD8Async, CUDA_ADDRESS(bytes[i] + first), 0, count, group->stream);
    }
    return MEGA_OK;
}

// As the end of a step that also resets.
static mega_status run_restart(mega_cuda_vector *vector, mega_cuda_group *group) {
    MEGA_TRY(begin_work(vector, group));
    MEGA_TRY(clear_columns(vector, group));
    MEGA_TRY(take_actions(vector, group));
    MEGA_TRY(start_episodes(vector, group, group->stream));
    MEGA_TRY(look_begun(vector, group));
    return for_begun(vector, group, group->stream, KERNEL_mega_settle_begun, PLAIN_BLOCK);
}

// ---- results -------------------------------------------------------------------------------------------

static mega_status copy_column(mega_cuda_vector *vector, const mega_cuda_group *group, void *to,
                               const void *from, size_t size, uint32_t row) {
    if (to != NULL && size != 0) {
        CUDA_TRY(vector->device->driver, cuMemcpyDtoHAsync, (uint8_t *)to + size * row,
                 CUDA_ADDRESS(from) + size * group->batch.first, size * group->batch.count, group->stream);
    }
    return MEGA_OK;
}

static mega_status copy_finals(mega_cuda_vector *vector, const mega_cuda_group *group, uint8_t *to,
                               uint32_t row) {
    const mega_cuda_driver *cuda = vector->device->driver;
    const uint8_t *finals = group->batch.columns.final_observations;
    const size_t size = group->batch.observation_size;
    if (to == NULL || finals == NULL || size == 0) {
        return MEGA_OK;
    }
    CUDA_TRY(cuda, cuMemcpyDtoH, vector->host_ends, CUDA_ADDRESS(group->batch.columns.episode_ends),
             vector->count);
    for (uint32_t i = 0; i < group->batch.count; i++) {
        if (vector->host_ends[group->batch.first + i]) {
            CUDA_TRY(cuda, cuMemcpyDtoH, to + size * (row + i),
                     CUDA_ADDRESS(finals) + size * (group->batch.first + i), size);
        }
    }
    return MEGA_OK;
}

// The rows of a group, the first of them at `row`; waits for its work.
static mega_status copy_rows(mega_cuda_vector *vector, mega_cuda_group *group, const mega_vector_out *out,
                             uint32_t row) {
    const mega_columns *columns = &group->batch.columns;
    // A copy to ordinary memory that waits for a kernel keeps the threads of other vectors out of the driver meanwhile.
    CUDA_TRY(vector->device->driver, cuStreamSynchronize, group->stream);
    if (out == NULL) {
        return MEGA_OK;
    }
    const mega_batch *batch = &group->batch;
    MEGA_TRY(
        copy_column(vector, group, out->observations, batch->observations, batch->observation_size, row));
    MEGA_TRY(copy_column(vector, group, out->rewards, columns->rewards, 4, row));
    MEGA_TRY(copy_column(vector, group, out->lives, columns->lives, 4, row));
    MEGA_TRY(copy_column(vector, group, out->frame_numbers, columns->frame_numbers, 4, row));
    MEGA_TRY(copy_column(vector, group, out->episode_frame_numbers, columns->episode_frame_numbers, 4, row));
    MEGA_TRY(copy_column(vector, group, out->terminations, columns->terminations, 1, row));
    MEGA_TRY(copy_column(vector, group, out->truncations, columns->truncations, 1, row));
    MEGA_TRY(copy_column(vector, group, out->episode_ends, columns->episode_ends, 1, row));
    CUDA_TRY(vector->device->driver, cuStreamSynchronize, group->stream);
    for (uint32_t i = 0; out->env_ids != NULL && i < batch->count; i++) {
        out->env_ids[row + i] = (int32_t)(batch->first + i);
    }
    return copy_finals(vector, group, out->final_observations, row);
}

// Notes which environment failed, if one did.
static mega_status collect(mega_cuda_vector *vector, mega_cuda_group *group) {
    uint32_t failed = UINT32_MAX;
    CUDA_TRY(vector->device->driver, cuMemcpyDtoH, &failed, CUDA_ADDRESS(group->batch.failed),
             sizeof(failed));
    group->unread = false;
    if (failed < vector->count && (vector->failed < 0 || failed < (uint32_t)vector->failed)) {
        vector->failed = (int32_t)failed;
    }
    return MEGA_OK;
}

static mega_status verdict(mega_cuda_vector *vector) {
    mega_cell cell;
    if (vector->failed < 0) {
        return MEGA_OK;
    }
    CUDA_TRY(vector->device->driver, cuMemcpyDtoH, &cell, CUDA_ADDRESS(vector->all.cells + vector->failed),
             sizeof(cell));
    if (cell.session.console.cpu.jammed) {
        return mega_fail(MEGA_ERROR_JAMMED,
                         "environment %d: the program jammed the processor at $%04X; reset the environment",
                         vector->failed, cell.session.console.cpu.pc);
    }
    return mega_fail(MEGA_ERROR_MODE, "environment %d: mode %d could not be selected", vector->failed,
                     cell.session.mode);
}

static mega_status finish_all(mega_cuda_vector *vector, const mega_vector_out *out) {
    for (uint32_t g = 0; g < vector->group_count; g++) {
        mega_cuda_group *group = &vector->groups[g];
        MEGA_TRY(copy_rows(vector, group, out, group->batch.first));
        MEGA_TRY(collect(vector, group));
    }
    return verdict(vector);
}

// ---- reset ---------------------------------------------------------------------------------------------

static mega_status set_orders(mega_cuda_vector *vector, const uint8_t *mask, const int32_t *seeds) {
    for (uint32_t i = 0; mask != NULL && i < vector->count; i++) {
        if (mask[i] == 0 && !vector->started[i]) {
            return mega_fail(MEGA_ERROR_ORDER, "environment %u was never reset; the first reset is of all",
                             i);
        }
    }
    for (uint32_t i = 0; i < vector->count; i++) {
        const bool chosen = mask == NULL || mask[i] != 0, seeded = seeds != NULL && seeds[i] >= 0;
        vector->host_orders[i] = !chosen                         ? MEGA_ORDER_NONE
                                 : seeded || !vector->powered[i] ? MEGA_ORDER_POWER
                                                                 : MEGA_ORDER_RESET;
        vector->host_seeds[i] = seeded ? seeds[i] : (int32_t)(vector->seed + i);
        vector->started[i] = 1;
        vector->powered[i] = vector->powered[i] || chosen;
    }
    vector->unstarted = 0;
    MEGA_TRY(cuda_vector_put(vector, vector->orders, vector->host_orders, vector->count));
    return cuda_vector_put(vector, vector->seeds, vector->host_seeds, 4 * (size_t)vector->count);
}

static mega_status reset_inside(mega_cuda_vector *vector, const uint8_t *mask, const int32_t *seeds,
                                const mega_vector_out *out) {
    // Results that were not received are dropped.
    MEGA_TRY(cuda_vector_wait(vector));
    for (uint32_t g = 0; g < vector->group_count; g++) {
        vector->groups[g].running = vector->groups[g].unread = false;
    }
    MEGA_TRY(set_orders(vector, mask, seeds));
    for (uint32_t g = 0; g < vector->group_count; g++) {
        MEGA_TRY(run_reset(vector, &vector->groups[g]));
    }
    return finish_all(vector, out);
}

mega_status cuda_vector_reset(mega_cuda_vector *vector, const uint8_t *mask, const int32_t *seeds,
                              const mega_vector_out *out) {
    vector->failed = -1;
    CUDA_INSIDE(vector, reset_inside(vector, mask, seeds, out));
}

// ---- step ----------------------------------------------------------------------------------------------

static mega_status send_actions(mega_cuda_vector *vector, const mega_cuda_group *group,
                                const int32_t *actions, const float *strengths) {
    const mega_cuda_driver *cuda = vector->device->driver;
    const uint32_t first = group->batch.first, count = group->batch.count;
    if (actions == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "a step needs %u actions", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (actions[i] < 0 || (uint32_t)actions[i] >= vector->games.action_count) {
            return mega_fail(MEGA_ERROR_ACTION, "action %d of environment %u is not one of 0 to %u",
                             actions[i], first + i, vector->games.action_count - 1);
        }
        if (strengths != NULL && isnan(strengths[i])) {
            return mega_fail(MEGA_ERROR_ARGUMENT, "the paddle strength of environment %u is not a number",
                             first + i);
        }
    }
    CUDA_TRY(cuda, cuMemcpyHtoDAsync, CUDA_ADDRESS(vector->indices + first), actions, 4 * (size_t)count,
             group->stream);
    if (strengths != NULL) {
        CUDA_TRY(cuda, cuMemcpyHtoDAsync, CUDA_ADDRESS(vector->strengths + first), strengths,
                 4 * (size_t)count, group->stream);
    }
    return MEGA_OK;
}

static mega_status step_inside(mega_cuda_vector *vector, const int32_t *actions, const float *strengths,
                               const mega_vector_out *out) {
    // All actions are looked at before anything is played.
    for (uint32_t g = 0; g < vector->group_count; g++) {
        const uint32_t first = vector->groups[g].batch.first;
        MEGA_TRY(send_actions(vector, &vector->groups[g], actions != NULL ? actions + first : NULL,
                              strengths != NULL ? strengths + first : NULL));
    }
    for (uint32_t g = 0; g < vector->group_count; g++) {
        MEGA_TRY(run_step(vector, &vector->groups[g], strengths != NULL));
    }
    vector->steps++;
    return finish_all(vector, out);
}

mega_status cuda_vector_step(mega_cuda_vector *vector, const int32_t *actions, const float *strengths,
                             const mega_vector_out *out) {
    vector->failed = -1;
    MEGA_TRY(cuda_vector_check_idle(vector));
    MEGA_TRY(check_started(vector));
    CUDA_INSIDE(vector, step_inside(vector, actions, strengths, out));
}

static mega_status sample(mega_cuda_vector *vector, mega_cuda_group *group) {
    uint32_t seed = vector->seed, step = (uint32_t)vector->steps;
    void *parameters[] = {&group->batch, &vector->indices, &seed, &step};
    return cuda_vector_launch(vector, KERNEL_mega_sample, group->stream,
                              blocks_for(group->batch.count, PLAIN_BLOCK), PLAIN_BLOCK, parameters);
}

static mega_status step_device_inside(mega_cuda_vector *vector, uint32_t flags, const mega_vector_out *out) {
    for (uint32_t g = 0; g < vector->group_count; g++) {
        if ((flags & MEGA_STEP_SAMPLE) != 0) {
            MEGA_TRY(sample(vector, &vector->groups[g]));
        }
        MEGA_TRY(run_step(vector, &vector->groups[g], false));
    }
    vector->steps++;
    return (flags & MEGA_STEP_NO_WAIT) != 0 ? MEGA_OK : finish_all(vector, out);
}

mega_status cuda_vector_step_device(mega_cuda_vector *vector, uint32_t flags, const mega_vector_out *out) {
    vector->failed = -1;
    if ((flags & ~(uint32_t)(MEGA_STEP_SAMPLE | MEGA_STEP_NO_WAIT)) != 0 ||
        ((flags & MEGA_STEP_NO_WAIT) != 0 && out != NULL)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "flags of %u with%s results are not possible", flags,
                         out != NULL ? "" : "out");
    }
    if (vector->group_count != 1 && (flags & MEGA_STEP_SAMPLE) == 0) {
        return mega_fail(MEGA_ERROR_ARGUMENT,
                         "actions in the GPU's memory need a vector of one group, not %u",
                         vector->group_count);
    }
    MEGA_TRY(cuda_vector_check_idle(vector));
    MEGA_TRY(check_started(vector));
    CUDA_INSIDE(vector, step_device_inside(vector, flags, out));
}

// ---- send and receive ----------------------------------------------------------------------------------

mega_status cuda_vector_check_group(const mega_cuda_vector *vector, uint32_t group) {
    return group < vector->group_count ? MEGA_OK
                                       : mega_fail(MEGA_ERROR_ARGUMENT, "group %u is not one of 0 to %u",
                                                   group, vector->group_count - 1);
}

static mega_status group_send_inside(mega_cuda_vector *vector, mega_cuda_group *group, const int32_t *actions,
                                     const float *strengths) {
    MEGA_TRY(send_actions(vector, group, actions, strengths));
    group->running = true;
    MEGA_TRY(run_step(vector, group, strengths != NULL));
    vector->steps++;
    return MEGA_OK;
}

mega_status cuda_vector_group_send(mega_cuda_vector *vector, uint32_t group, const int32_t *actions,
                                   const float *strengths) {
    vector->failed = -1;
    MEGA_TRY(cuda_vector_check_group(vector, group));
    MEGA_TRY(check_started(vector));
    if (vector->groups[group].running) {
        return mega_fail(MEGA_ERROR_ORDER, "results of group %u are outstanding; receive them first", group);
    }
    CUDA_INSIDE(vector, group_send_inside(vector, &vector->groups[group], actions, strengths));
}

static mega_status group_step_inside(mega_cuda_vector *vector, mega_cuda_group *group, CUstream stream) {
    MEGA_TRY(cuda_vector_order(vector, group, stream, group->stream));
    MEGA_TRY(run_step(vector, group, false));
    vector->steps++;
    return MEGA_OK;
}

mega_status cuda_vector_group_step_device(mega_cuda_vector *vector, uint32_t group, void *stream) {
    vector->failed = -1;
    MEGA_TRY(cuda_vector_check_group(vector, group));
    MEGA_TRY(check_started(vector));
    if (vector->groups[group].running) {
        return mega_fail(MEGA_ERROR_ORDER, "results of group %u are outstanding; receive them first", group);
    }
    CUDA_INSIDE(vector, group_step_inside(vector, &vector->groups[group], stream));
}

// The group can be asked to restart.
static mega_status check_restart(const mega_cuda_vector *vector, uint32_t group) {
    MEGA_TRY(cuda_vector_check_group(vector, group));
    MEGA_TRY(check_started(vector));
    MEGA_TRY(vector_check_restart(vector->autoreset));
    return !vector->groups[group].running
               ? MEGA_OK
               : mega_fail(MEGA_ERROR_ORDER, "results of group %u are outstanding; receive them first",
                           group);
}

static mega_status group_restart_inside(mega_cuda_vector *vector, mega_cuda_group *group) {
    group->running = true;
    return run_restart(vector, group);
}

mega_status cuda_vector_group_restart(mega_cuda_vector *vector, uint32_t group) {
    vector->failed = -1;
    MEGA_TRY(check_restart(vector, group));
    CUDA_INSIDE(vector, group_restart_inside(vector, &vector->groups[group]));
}

static mega_status group_restart_device_inside(mega_cuda_vector *vector, mega_cuda_group *group,
                                               CUstream stream) {
    MEGA_TRY(cuda_vector_order(vector, group, stream, group->stream));
    return run_restart(vector, group);
}

mega_status cuda_vector_group_restart_device(mega_cuda_vector *vector, uint32_t group, void *stream) {
    vector->failed = -1;
    MEGA_TRY(check_restart(vector, group));
    CUDA_INSIDE(vector, group_restart_device_inside(vector, &vector->groups[group], stream));
}

mega_status cuda_vector_finish(mega_cuda_vector *vector) {
    vector->failed = -1;
    MEGA_TRY(cuda_vector_check_idle(vector));
    CUDA_INSIDE(vector, finish_all(vector, NULL));
}

static mega_status group_recv_inside(mega_cuda_vector *vector, mega_cuda_group *group,
                                     const mega_vector_out *out) {
    MEGA_TRY(copy_rows(vector, group, out, 0));
    group->running = false;
    MEGA_TRY(collect(vector, group));
    return verdict(vector);
}

// A step on the GPU takes milliseconds, so a timeout is not looked at.
mega_status cuda_vector_group_recv(mega_cuda_vector *vector, uint32_t group, int32_t timeout_ms,
                                   const mega_vector_out *out) {
    (void)timeout_ms;
    vector->failed = -1;
    MEGA_TRY(cuda_vector_check_group(vector, group));
    if (!vector->groups[group].running) {
        return mega_fail(MEGA_ERROR_ORDER, "nothing was sent to group %u", group);
    }
    CUDA_INSIDE(vector, group_recv_inside(vector, &vector->groups[group], out));
}

// All environments at once: what send and recv can mean where a batch is all of them.
mega_status cuda_vector_send(mega_cuda_vector *vector, const int32_t *env_ids, uint32_t count,
                             const int32_t *actions, const float *strengths) {
    vector->failed = -1;
    for (uint32_t i = 0; env_ids != NULL && i < count; i++) {
        if (env_ids[i] != (int32_t)i) {
            return mega_fail(MEGA_ERROR_ARGUMENT,
                             "on a GPU all environments are sent, in order; number %u is %d", i, env_ids[i]);
        }
    }
    if (count != vector->count || vector->group_count != 1) {
        return mega_fail(MEGA_ERROR_ARGUMENT,
                         "%u environments are sent in %u groups; on a GPU send takes all %u, in one group",
                         count, vector->group_count, vector->count);
    }
    return cuda_vector_group_send(vector, 0, actions, strengths);
}

mega_status cuda_vector_recv(mega_cuda_vector *vector, int32_t timeout_ms, const mega_vector_out *out) {
    vector->failed = -1;
    if (vector->group_count != 1 || !vector->groups[0].running) {
        return mega_fail(MEGA_ERROR_ORDER, "a batch has %u results, and 0 are outstanding", vector->count);
    }
    return cuda_vector_group_recv(vector, 0, timeout_ms, out);
}
