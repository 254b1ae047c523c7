// cuda_vector_stream.c - a vector and the streams of others on the same GPU: who waits for whom.
#include "cuda_vector.h"

// An event may be recorded again when somebody waits for it already, so a group's own will do.
mega_status cuda_vector_order(const mega_cuda_vector *vector, const mega_cuda_group *group, CUstream before,
                              CUstream after) {
    CUDA_TRY(vector->device->driver, cuEventRecord, group->forked, before);
    CUDA_TRY(vector->device->driver, cuStreamWaitEvent, after, group->forked, 0);
    return MEGA_OK;
}

static mega_status wait_inside(mega_cuda_vector *vector, CUstream stream) {
    for (uint32_t g = 0; g < vector->group_count; g++) {
        MEGA_TRY(cuda_vector_order(vector, &vector->groups[g], stream, vector->groups[g].stream));
    }
    return MEGA_OK;
}

mega_status cuda_vector_wait_for_stream(mega_cuda_vector *vector, void *stream) {
    CUDA_INSIDE(vector, wait_inside(vector, stream));
}

static mega_status make_wait_inside(mega_cuda_vector *vector, CUstream stream) {
    for (uint32_t g = 0; g < vector->group_count; g++) {
        const mega_cuda_group *group = &vector->groups[g];
        if (!group->running) {
            MEGA_TRY(cuda_vector_order(vector, group, group->stream, stream));
        }
    }
    return MEGA_OK;
}

mega_status cuda_vector_make_stream_wait(mega_cuda_vector *vector, void *stream) {
    CUDA_INSIDE(vector, make_wait_inside(vector, stream));
}

mega_status cuda_vector_group_make_stream_wait(mega_cuda_vector *vector, uint32_t group, void *stream) {
    MEGA_TRY(cuda_vector_check_group(vector, group));
    CUDA_INSIDE(vector,
                cuda_vector_order(vector, &vector->groups[group], vector->groups[group].stream, stream));
}

static mega_status take_inside(mega_cuda_vector *vector, const void *actions, size_t pitch) {
    const mega_cuda_driver *cuda = vector->device->driver;
    CUstream stream = vector->groups[0].stream;
    if (pitch == sizeof(int32_t)) {
        CUDA_TRY(cuda, cuMemcpyDtoDAsync, CUDA_ADDRESS(vector->indices), CUDA_ADDRESS(actions),
                 sizeof(int32_t) * vector->count, stream);
        return MEGA_OK;
    }
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = CUDA_ADDRESS(actions),
                                .srcPitch = pitch,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = CUDA_ADDRESS(vector->indices),
                                .dstPitch = sizeof(int32_t),
                                .WidthInBytes = sizeof(int32_t),
                                .Height = vector->count};
    CUDA_TRY(cuda, cuMemcpy2DAsync, &copy, stream);
    return MEGA_OK;
}

mega_status cuda_vector_take_actions(mega_cuda_vector *vector, const void *actions, size_t pitch) {
    if (actions == NULL || pitch < sizeof(int32_t)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "actions need an address and 4 bytes or more each, not %zu",
                         pitch);
    }
    if (vector->group_count != 1) {
        return mega_fail(MEGA_ERROR_ARGUMENT,
                         "actions in the GPU's memory need a vector of one group, not %u",
                         vector->group_count);
    }
    MEGA_TRY(cuda_vector_check_idle(vector));
    CUDA_INSIDE(vector, take_inside(vector, actions, pitch));
}
