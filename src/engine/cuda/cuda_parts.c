// cuda_parts.c - streams for kernels that run at the same time.
#include "cuda_parts.h"

mega_status cuda_parts_open(const mega_cuda_driver *cuda, uint32_t count, mega_cuda_parts *parts) {
    CUDA_TRY(cuda, cuEventCreate, &parts->forked, CU_EVENT_DISABLE_TIMING);
    for (; parts->count < count && parts->count < CUDA_PARTS; parts->count++) {
        CUDA_TRY(cuda, cuStreamCreate, &parts->streams[parts->count], CU_STREAM_NON_BLOCKING);
        CUDA_TRY(cuda, cuEventCreate, &parts->done[parts->count], CU_EVENT_DISABLE_TIMING);
    }
    return MEGA_OK;
}

void cuda_parts_close(const mega_cuda_driver *cuda, mega_cuda_parts *parts) {
    for (uint32_t i = 0; i < CUDA_PARTS; i++) {
        if (parts->streams[i] != NULL) {
            cuda->cuStreamDestroy(parts->streams[i]);
        }
        if (parts->done[i] != NULL) {
            cuda->cuEventDestroy(parts->done[i]);
        }
    }
    if (parts->forked != NULL) {
        cuda->cuEventDestroy(parts->forked);
    }
}

mega_status cuda_parts_fork(const mega_cuda_driver *cuda, const mega_cuda_parts *parts, CUstream stream) {
    CUDA_TRY(cuda, cuEventRecord, parts->forked, stream);
    for (uint32_t i = 0; i < parts->count; i++) {
        CUDA_TRY(cuda, cuStreamWaitEvent, parts->streams[i], parts->forked, 0);
    }
    return MEGA_OK;
}

mega_status cuda_parts_join(const mega_cuda_driver *cuda, const mega_cuda_parts *parts, CUstream stream) {
    for (uint32_t i = 0; i < parts->count; i++) {
        CUDA_TRY(cuda, cuEventRecord, parts->done[i], parts->streams[i]);
        CUDA_TRY(cuda, cuStreamWaitEvent, stream, parts->done[i], 0);
    }
    return MEGA_OK;
}
