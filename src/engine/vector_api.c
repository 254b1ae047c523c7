// vector_api.c - the functions of megacade.h, section vector: each asks the vector's engine.
#include <stdlib.h>

#include "cuda_compile.h"
#include "cuda_device.h"
#include "status.h"
#include "vector_engine.h"

// ---- create and destroy --------------------------------------------------------------------------------

mega_status mega_vector_create(const mega_vector_desc *desc, mega_vector **out) {
    bool on_gpu = false;
    int32_t index;
    if (out == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_vector_create needs a place for its result");
    }
    *out = NULL;
    if (desc == NULL || desc->struct_size != sizeof(*desc)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_vector_desc.struct_size is %u, expected %zu",
                         desc == NULL ? 0 : desc->struct_size, sizeof(*desc));
    }
    if (desc->device != NULL) {
        MEGA_TRY(cuda_device_parse(desc->device, &on_gpu, &index));
    }
    return on_gpu ? cuda_vector_create(desc, out) : cpu_vector_create(desc, out);
}

static int is_cuda(const mega_vector *vector) {
    return vector->engine == MEGA_ENGINE_CUDA;
}

void mega_vector_destroy(mega_vector *vector) {
    if (vector == NULL) {
        return;
    }
    if (is_cuda(vector)) {
        cuda_vector_destroy((mega_cuda_vector *)vector);
    } else {
        cpu_vector_destroy((mega_cpu_vector *)vector);
    }
}

// ---- what both have ------------------------------------------------------------------------------------

mega_status mega_vector_reset(mega_vector *vector, const uint8_t *mask, const int32_t *seeds,
                              const mega_vector_out *out) {
    return is_cuda(vector) ? cuda_vector_reset((mega_cuda_vector *)vector, mask, seeds, out)
                           : cpu_vector_reset((mega_cpu_vector *)vector, mask, seeds, out);
}
mega_status mega_vector_step(mega_vector *vector, const int32_t *actions, const float *strengths,
                             const mega_vector_out *out) {
    return is_cuda(vector) ? cuda_vector_step((mega_cuda_vector *)vector, actions, strengths, out)
                           : cpu_vector_step((mega_cpu_vector *)vector, actions, strengths, out);
}
mega_status mega_vector_send(mega_vector *vector, const int32_t *env_ids, uint32_t count,
                             const int32_t *actions, const float *strengths) {
    return is_cuda(vector) ? cuda_vector_send((mega_cuda_vector *)vector, env_ids, count, actions, strengths)
                           : cpu_vector_send((mega_cpu_vector *)vector, env_ids, count, actions, strengths);
}
mega_status mega_vector_recv(mega_vector *vector, int32_t timeout_ms, const mega_vector_out *out) {
    return is_cuda(vector) ? cuda_vector_recv((mega_cuda_vector *)vector, timeout_ms, out)
                           : cpu_vector_recv((mega_cpu_vector *)vector, timeout_ms, out);
}
mega_status mega_vector_group_send(mega_vector *vector, uint32_t group, const int32_t *actions,
                                   const float *strengths) {
    return is_cuda(vector) ? cuda_vector_group_send((mega_cuda_vector *)vector, group, actions, strengths)
                           : cpu_vector_group_send((mega_cpu_vector *)vector, group, actions, strengths);
}
mega_status mega_vector_group_recv(mega_vector *vector, uint32_t group, int32_t timeout_ms,
                                   const mega_vector_out *out) {
    return is_cuda(vector) ? cuda_vector_group_recv((mega_cuda_vector *)vector, group, timeout_ms, out)
                           : cpu_vector_group_recv((mega_cpu_vector *)vector, group, timeout_ms, out);
}
mega_status mega_vector_group_restart(mega_vector *vector, uint32_t group) {
    return is_cuda(vector) ? cuda_vector_group_restart((mega_cuda_vector *)vector, group)
                           : cpu_vector_group_restart((mega_cpu_vector *)vector, group);
}
int32_t mega_vector_failed(const mega_vector *vector) {
    return is_cuda(vector) ? cuda_vector_failed((const mega_cuda_vector *)vector)
                           : cpu_vector_failed((const mega_cpu_vector *)vector);
}
uint32_t mega_vector_count(const mega_vector *vector) {
    return is_cuda(vector) ? cuda_vector_count((const mega_cuda_vector *)vector)
                           : cpu_vector_count((const mega_cpu_vector *)vector);
}
uint32_t mega_vector_batch(const mega_vector *vector) {
    return is_cuda(vector) ? cuda_vector_batch((const mega_cuda_vector *)vector)
                           : cpu_vector_batch((const mega_cpu_vector *)vector);
}
uint32_t mega_vector_threads(const mega_vector *vector) {
    return is_cuda(vector) ? cuda_vector_threads((const mega_cuda_vector *)vector)
                           : cpu_vector_threads((const mega_cpu_vector *)vector);
}
uint32_t mega_vector_group(const mega_vector *vector, uint32_t group, uint32_t *first) {
    return is_cuda(vector) ? cuda_vector_group((const mega_cuda_vector *)vector, group, first)
                           : cpu_vector_group((const mega_cpu_vector *)vector, group, first);
}
const uint8_t *mega_vector_actions(const mega_vector *vector, uint32_t *count) {
    return is_cuda(vector) ? cuda_vector_actions((const mega_cuda_vector *)vector, count)
                           : cpu_vector_actions((const mega_cpu_vector *)vector, count);
}
size_t mega_vector_observation_size(const mega_vector *vector) {
    return is_cuda(vector) ? cuda_vector_observation_size((const mega_cuda_vector *)vector)
                           : cpu_vector_observation_size((const mega_cpu_vector *)vector);
}
uint32_t mega_vector_outstanding(const mega_vector *vector) {
    return is_cuda(vector) ? cuda_vector_outstanding((const mega_cuda_vector *)vector)
                           : cpu_vector_outstanding((const mega_cpu_vector *)vector);
}
const uint8_t *mega_vector_observations(const mega_vector *vector) {
    return is_cuda(vector) ? cuda_vector_observations((const mega_cuda_vector *)vector)
                           : cpu_vector_observations((const mega_cpu_vector *)vector);
}
const uint8_t *mega_vector_ram(const mega_vector *vector, uint32_t env_id) {
    return is_cuda(vector) ? cuda_vector_ram((const mega_cuda_vector *)vector, env_id)
                           : cpu_vector_ram((const mega_cpu_vector *)vector, env_id);
}
mega_status mega_vector_set_ram(mega_vector *vector, uint32_t env_id, uint32_t index, uint32_t value) {
    return is_cuda(vector) ? cuda_vector_set_ram((mega_cuda_vector *)vector, env_id, index, value)
                           : cpu_vector_set_ram((mega_cpu_vector *)vector, env_id, index, value);
}
uint32_t mega_vector_screen_height(const mega_vector *vector, uint32_t env_id) {
    return is_cuda(vector) ? cuda_vector_screen_height((const mega_cuda_vector *)vector, env_id)
                           : cpu_vector_screen_height((const mega_cpu_vector *)vector, env_id);
}
mega_status mega_vector_screen(mega_vector *vector, uint32_t env_id, uint8_t *pixels, size_t size) {
    return is_cuda(vector) ? cuda_vector_screen((mega_cuda_vector *)vector, env_id, pixels, size)
                           : cpu_vector_screen((mega_cpu_vector *)vector, env_id, pixels, size);
}
mega_status mega_vector_screen_rgb(mega_vector *vector, uint32_t env_id, uint8_t *pixels, size_t size) {
    return is_cuda(vector) ? cuda_vector_screen_rgb((mega_cuda_vector *)vector, env_id, pixels, size)
                           : cpu_vector_screen_rgb((mega_cpu_vector *)vector, env_id, pixels, size);
}
size_t mega_vector_state_size(const mega_vector *vector) {
    return is_cuda(vector) ? cuda_vector_state_size((const mega_cuda_vector *)vector)
                           : cpu_vector_state_size((const mega_cpu_vector *)vector);
}
mega_status mega_vector_save(mega_vector *vector, const int32_t *env_ids, uint32_t count, void *bytes,
                             size_t size) {
    return is_cuda(vector) ? cuda_vector_save((mega_cuda_vector *)vector, env_ids, count, bytes, size)
                           : cpu_vector_save((mega_cpu_vector *)vector, env_ids, count, bytes, size);
}
mega_status mega_vector_restore(mega_vector *vector, const int32_t *env_ids, uint32_t count,
                                const void *bytes, size_t size) {
    return is_cuda(vector) ? cuda_vector_restore((mega_cuda_vector *)vector, env_ids, count, bytes, size)
                           : cpu_vector_restore((mega_cpu_vector *)vector, env_ids, count, bytes, size);
}
mega_status mega_vector_get_statistics(const mega_vector *vector, int32_t env_id,
                                       mega_vector_statistics *out) {
    return is_cuda(vector) ? cuda_vector_get_statistics((const mega_cuda_vector *)vector, env_id, out)
                           : cpu_vector_get_statistics((const mega_cpu_vector *)vector, env_id, out);
}
uint32_t mega_vector_drain_episodes(mega_vector *vector, mega_episode *episodes, uint32_t capacity) {
    return is_cuda(vector) ? cuda_vector_drain_episodes((mega_cuda_vector *)vector, episodes, capacity)
                           : cpu_vector_drain_episodes((mega_cpu_vector *)vector, episodes, capacity);
}

const struct mega_lane_setup *vector_setup(const mega_vector *vector, uint32_t env_id) {
    return is_cuda(vector) ? cuda_vector_setup((const mega_cuda_vector *)vector, env_id)
                           : cpu_vector_setup((const mega_cpu_vector *)vector, env_id);
}

// ---- between engines -----------------------------------------------------------------------------------

// Through saved states: first all are read, so that either all are taken or, if one does not fit, none.
// Inside one vector they go one by one, since one that was written may be read next.
static mega_status copy_as_bytes(mega_vector *to, const int32_t *to_ids, mega_vector *from,
                                 const int32_t *from_ids, uint32_t count) {
    const uint32_t part = to == from && count > 1 ? 1 : count;
    const size_t size = mega_vector_state_size(from) * part;
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL) {
        return mega_fail_memory(size);
    }
    mega_status status = MEGA_OK;
    for (uint32_t k = 0; status == MEGA_OK && k < count; k += part) {
        status = mega_vector_save(from, from_ids != NULL ? from_ids + k : NULL, part, bytes, size);
        if (status == MEGA_OK) {
            status = mega_vector_restore(to, to_ids != NULL ? to_ids + k : NULL, part, bytes, size);
        }
    }
    free(bytes);
    return status;
}

mega_status mega_vector_copy(mega_vector *to, const int32_t *to_ids, mega_vector *from,
                             const int32_t *from_ids, uint32_t count) {
    if (!is_cuda(to) && !is_cuda(from)) {
        return cpu_vector_copy((mega_cpu_vector *)to, to_ids, (mega_cpu_vector *)from, from_ids, count);
    }
    return copy_as_bytes(to, to_ids, from, from_ids, count);
}

// ---- what only a GPU has -------------------------------------------------------------------------------

static mega_status fail_cpu(void) {
    return mega_fail(MEGA_ERROR_ARGUMENT, "this vector is on the CPU; make it with device \"cuda\"");
}

mega_status mega_vector_get_device_view(mega_vector *vector, mega_vector_device_view *out) {
    return is_cuda(vector) ? cuda_vector_get_device_view((mega_cuda_vector *)vector, out) : fail_cpu();
}

mega_status mega_vector_step_device(mega_vector *vector, uint32_t flags, const mega_vector_out *out) {
    return is_cuda(vector) ? cuda_vector_step_device((mega_cuda_vector *)vector, flags, out) : fail_cpu();
}

mega_status mega_vector_group_step_device(mega_vector *vector, uint32_t group, void *stream) {
    return is_cuda(vector) ? cuda_vector_group_step_device((mega_cuda_vector *)vector, group, stream)
                           : fail_cpu();
}

mega_status mega_vector_group_restart_device(mega_vector *vector, uint32_t group, void *stream) {
    return is_cuda(vector) ? cuda_vector_group_restart_device((mega_cuda_vector *)vector, group, stream)
                           : fail_cpu();
}

mega_status mega_vector_group_make_stream_wait(mega_vector *vector, uint32_t group, void *stream) {
    return is_cuda(vector) ? cuda_vector_group_make_stream_wait((mega_cuda_vector *)vector, group, stream)
                           : fail_cpu();
}

mega_status mega_vector_finish(mega_vector *vector) {
    return is_cuda(vector) ? cuda_vector_finish((mega_cuda_vector *)vector) : fail_cpu();
}

mega_status mega_vector_get_lanes(mega_vector *vector, uint64_t *needed, uint64_t *executed) {
    return is_cuda(vector) ? cuda_vector_get_lanes((mega_cuda_vector *)vector, needed, executed) : fail_cpu();
}

mega_status mega_vector_wait_for_stream(mega_vector *vector, void *stream) {
    return is_cuda(vector) ? cuda_vector_wait_for_stream((mega_cuda_vector *)vector, stream) : fail_cpu();
}

mega_status mega_vector_make_stream_wait(mega_vector *vector, void *stream) {
    return is_cuda(vector) ? cuda_vector_make_stream_wait((mega_cuda_vector *)vector, stream) : fail_cpu();
}

mega_status mega_vector_take_actions(mega_vector *vector, const void *actions, size_t pitch) {
    return is_cuda(vector) ? cuda_vector_take_actions((mega_cuda_vector *)vector, actions, pitch)
                           : fail_cpu();
}

mega_status mega_vector_read(mega_vector *vector, const void *address, void *bytes, size_t size) {
    return is_cuda(vector) ? cuda_vector_read((mega_cuda_vector *)vector, address, bytes, size) : fail_cpu();
}

mega_status mega_cuda_add_folder(const char *folder) {
    return cuda_compiler_add_folder(folder);
}
