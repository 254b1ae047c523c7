// fake_cuda.c - a CUDA driver without a GPU, for tests: $MEGACADE_LIBCUDA names it. Memory is the host's. A
// launch is counted and, for a kernel of kernels.cu, done at once (fake_kernels.c). What it pretends is read
// from the environment at each call:
//
//     FAKE_CUDA_DEVICES     how many GPUs there are (1); 0: cuInit finds none
//     FAKE_CUDA_FIRST       the first of them is the machine's number so and so (0)
//     FAKE_CUDA_VERSION     the driver's version (13000)
//     FAKE_CUDA_CAPABILITY  compute capability times ten (90)
//     FAKE_CUDA_MEMORY      bytes of a GPU (1 GiB)
//     FAKE_CUDA_INIT        what cuInit returns (0)
//     FAKE_CUDA_LOAD        what cuModuleLoadDataEx returns (0)
//     FAKE_CUDA_LOST_AFTER  so many calls that reach the GPU succeed; then it is lost
//
// One thread at a time, but for the calls that only ask. Work is done when it is asked for, but for that of other
// libraries that say so (fake_cuda_pend): until it is done, streams are busy.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_driver.h"
#include "fake_kernels.h"

#define EXPORT __attribute__((visibility("default")))
#define HEADER 64 // keeps the size of an allocation and the alignment of what follows

static char handles[16]; // addresses of their own for whatever needs one
static size_t used_size;
static int contexts, depth, modules, streams, events;
static unsigned long calls;
static long launches;

// What tests may ask.
EXPORT long fake_cuda_launches(void);
EXPORT long fake_cuda_calls(void);
EXPORT long fake_cuda_held(void);
EXPORT long fake_cuda_waiting_stream(void);
EXPORT long fake_cuda_recorded_stream(void);

long fake_cuda_launches(void) {
    return launches;
}

// Those that FAKE_CUDA_LOST_AFTER counts.
long fake_cuda_calls(void) {
    return (long)calls;
}

// The last stream of somebody else that waited for an event, or recorded one; -1 if there was none. Asking forgets it.
static long waiting_stream = -1, recorded_stream = -1;

static long forget(long *stream) {
    const long last = *stream;
    *stream = -1;
    return last;
}
long fake_cuda_waiting_stream(void) {
    return forget(&waiting_stream);
}
long fake_cuda_recorded_stream(void) {
    return forget(&recorded_stream);
}

// What another library has under way on the GPU: one more, or one less.
EXPORT void fake_cuda_pend(int change);
static atomic_int pending;
void fake_cuda_pend(int change) {
    atomic_fetch_add(&pending, change);
}

// How many objects and bytes were taken and not given back.
long fake_cuda_held(void) {
    return (long)used_size + contexts + depth + modules + streams + events;
}

static void note(CUstream stream, long *last) {
    if (stream != (CUstream)(void *)&handles[3]) {
        *last = (long)(uintptr_t)stream;
    }
}

static long setting(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text != NULL ? strtol(text, NULL, 10) : otherwise;
}

// What a call that reaches the GPU returns.
static CUresult reach(void) {
    const long limit = setting("FAKE_CUDA_LOST_AFTER", -1);
    if (limit >= 0 && calls >= (unsigned long)limit) {
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    }
    calls++;
    return depth > 0 ? CUDA_SUCCESS : 201; // CUDA_ERROR_INVALID_CONTEXT
}

#define REACH()                           \
    do {                                  \
        const CUresult reached = reach(); \
        if (reached != CUDA_SUCCESS) {    \
            return reached;               \
        }                                 \
    } while (0)

// Declares what it is about to define, as -Wmissing-prototypes would have it.
#define DEFINE(name, parameters)     \
    EXPORT CUresult name parameters; \
    CUresult name parameters

// ---- devices -----------------------------------------------------------------------------------------

DEFINE(cuInit, (unsigned int flags)) {
    (void)flags;
    const long result = setting("FAKE_CUDA_INIT", CUDA_SUCCESS);
    return result == CUDA_SUCCESS && setting("FAKE_CUDA_DEVICES", 1) == 0 ? CUDA_ERROR_NO_DEVICE
                                                                          : (CUresult)result;
}
DEFINE(cuDriverGetVersion, (int *version)) {
    *version = (int)setting("FAKE_CUDA_VERSION", 13000);
    return CUDA_SUCCESS;
}
DEFINE(cuGetErrorName, (CUresult result, const char **name)) {
    switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return CUDA_SUCCESS;
    case CUDA_ERROR_NOT_INITIALIZED: *name = "CUDA_ERROR_NOT_INITIALIZED"; return CUDA_SUCCESS;
    case CUDA_ERROR_NOT_FOUND: *name = "CUDA_ERROR_NOT_FOUND"; return CUDA_SUCCESS;
    case CUDA_ERROR_ILLEGAL_ADDRESS: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return CUDA_SUCCESS;
    case CUDA_ERROR_UNKNOWN: *name = "CUDA_ERROR_UNKNOWN"; return CUDA_SUCCESS;
    case CUDA_ERROR_NO_BINARY_FOR_GPU: *name = "CUDA_ERROR_NO_BINARY_FOR_GPU"; return CUDA_SUCCESS;
    default: *name = NULL; return CUDA_ERROR_INVALID_VALUE;
    }
}
DEFINE(cuGetErrorString, (CUresult result, const char **text)) {
    *text = result == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : NULL;
    return *text != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
DEFINE(cuDeviceGetCount, (int *count)) {
    *count = (int)setting("FAKE_CUDA_DEVICES", 1);
    return CUDA_SUCCESS;
}
DEFINE(cuDeviceGet, (CUdevice * device, int index)) {
    *device = index;
    return index < setting("FAKE_CUDA_DEVICES", 1) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
DEFINE(cuDeviceGetName, (char *name, int size, CUdevice device)) {
    static const char fake[] = "Fake GPU";
    (void)device;
    if (size < (int)sizeof fake) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(name, fake, sizeof fake);
    return CUDA_SUCCESS;
}
DEFINE(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device)) {
    memset(uuid, 0, sizeof *uuid);
    uuid->bytes[15] = (char)(setting("FAKE_CUDA_FIRST", 0) + device);
    return CUDA_SUCCESS;
}
DEFINE(cuDeviceGetAttribute, (int *value, CUdevice_attribute which, CUdevice device)) {
    (void)device;
    const long capability = setting("FAKE_CUDA_CAPABILITY", 90);
    switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = (int)capability / 10; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = (int)capability % 10; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 4; break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: *value = 2048; break;
    default: *value = 65536; break;
    }
    return CUDA_SUCCESS;
}
DEFINE(cuDeviceTotalMem_v2, (size_t * size, CUdevice device)) {
    (void)device;
    *size = (size_t)setting("FAKE_CUDA_MEMORY", 1L << 30);
    return CUDA_SUCCESS;
}

// ---- contexts ----------------------------------------------------------------------------------------

DEFINE(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device)) {
    (void)device;
    contexts++;
    *context = (CUcontext)(void *)&handles[0];
    return CUDA_SUCCESS;
}
DEFINE(cuDevicePrimaryCtxRelease_v2, (CUdevice device)) {
    (void)device;
    contexts--;
    return CUDA_SUCCESS;
}
DEFINE(cuCtxPushCurrent_v2, (CUcontext context)) {
    (void)context;
    depth++;
    return CUDA_SUCCESS;
}
DEFINE(cuCtxPopCurrent_v2, (CUcontext * context)) {
    *context = (CUcontext)(void *)&handles[0];
    depth--;
    return CUDA_SUCCESS;
}
DEFINE(cuCtxSetCurrent, (CUcontext context)) {
    (void)context;
    return CUDA_SUCCESS;
}

// ---- code --------------------------------------------------------------------------------------------

DEFINE(cuModuleLoadDataEx,
       (CUmodule * module, const void *image, unsigned int count, CUjit_option *options, void **values)) {
    (void)count, (void)options, (void)values;
    REACH();
    // An ELF file, a fat binary, or PTX text.
    static const unsigned char fat[4] = {0x50, 0xED, 0x55, 0xBA};
    const char *bytes = image;
    if (memcmp(bytes, "\177ELF", 4) != 0 && memcmp(bytes, fat, 4) != 0 && strstr(bytes, ".version") == NULL) {
        return CUDA_ERROR_INVALID_IMAGE;
    }
    const long result = setting("FAKE_CUDA_LOAD", CUDA_SUCCESS);
    if (result == CUDA_SUCCESS) {
        modules++;
        *module = (CUmodule)(void *)&handles[1];
    }
    return (CUresult)result;
}
DEFINE(cuModuleUnload, (CUmodule module)) {
    (void)module;
    modules--;
    return CUDA_SUCCESS;
}
DEFINE(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name)) {
    (void)module;
    const void *kernel = fake_kernel_find(name);
    *function = (CUfunction)(uintptr_t)(kernel != NULL ? kernel : &handles[2]);
    return strcmp(name, "missing") == 0 ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
DEFINE(cuModuleGetGlobal_v2, (CUdeviceptr * address, size_t *size, CUmodule module, const char *name)) {
    (void)module;
    *address = (CUdeviceptr)(uintptr_t)fake_layout;
    *size = sizeof fake_layout;
    // That of step.cu is the beginning of that of kernels.cu.
    const int known = strcmp(name, "mega_layout") == 0 || strcmp(name, "mega_step_layout") == 0;
    return known ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
DEFINE(cuFuncGetAttribute, (int *value, CUfunction_attribute which, CUfunction function)) {
    (void)function;
    *value = which == CU_FUNC_ATTRIBUTE_NUM_REGS ? 32 : 0;
    return CUDA_SUCCESS;
}
DEFINE(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute which, int value)) {
    (void)function, (void)which, (void)value;
    return CUDA_SUCCESS;
}
DEFINE(cuOccupancyMaxActiveBlocksPerMultiprocessor,
       (int *count, CUfunction function, int block_size, size_t shared_size)) {
    (void)function, (void)shared_size;
    *count = 2048 / block_size;
    return CUDA_SUCCESS;
}
DEFINE(cuLaunchKernel, (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z,
                        unsigned int shared_size, CUstream stream, void **parameters, void **extra)) {
    (void)shared_size, (void)stream, (void)extra;
    REACH();
    if (grid_x * grid_y * grid_z == 0 || block_x * block_y * block_z == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    launches++;
    fake_kernel_run((const void *)function, parameters);
    return CUDA_SUCCESS;
}

// ---- memory ------------------------------------------------------------------------------------------

static void *pointer(CUdeviceptr address) {
    return (void *)(uintptr_t)address;
}

DEFINE(cuMemGetInfo_v2, (size_t * free_size, size_t *total_size)) {
    REACH();
    *total_size = (size_t)setting("FAKE_CUDA_MEMORY", 1L << 30);
    *free_size = *total_size - used_size;
    return CUDA_SUCCESS;
}
DEFINE(cuMemAlloc_v2, (CUdeviceptr * address, size_t size)) {
    REACH();
    if (size == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (size > (size_t)setting("FAKE_CUDA_MEMORY", 1L << 30) - used_size) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    char *block = malloc(HEADER + size);
    if (block == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(block, &size, sizeof size);
    used_size += size;
    *address = (CUdeviceptr)(uintptr_t)(block + HEADER);
    return CUDA_SUCCESS;
}
DEFINE(cuMemFree_v2, (CUdeviceptr address)) {
    size_t size;
    if (address == 0) {
        return CUDA_SUCCESS;
    }
    char *block = (char *)pointer(address) - HEADER;
    memcpy(&size, block, sizeof size);
    used_size -= size;
    free(block);
    return CUDA_SUCCESS;
}
DEFINE(cuMemHostAlloc, (void **address, size_t size, unsigned int flags)) {
    (void)flags;
    *address = malloc(size);
    return *address != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
DEFINE(cuMemFreeHost, (void *address)) {
    free(address);
    return CUDA_SUCCESS;
}
DEFINE(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t size)) {
    REACH();
    memcpy(pointer(to), from, size);
    return CUDA_SUCCESS;
}
DEFINE(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t size)) {
    REACH();
    memcpy(to, pointer(from), size);
    return CUDA_SUCCESS;
}
DEFINE(cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, size_t size)) {
    REACH();
    memcpy(pointer(to), pointer(from), size);
    return CUDA_SUCCESS;
}
DEFINE(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t size, CUstream stream)) {
    (void)stream;
    return cuMemcpyHtoD_v2(to, from, size);
}
DEFINE(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t size, CUstream stream)) {
    (void)stream;
    return cuMemcpyDtoH_v2(to, from, size);
}
DEFINE(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)) {
    (void)stream;
    return cuMemcpyDtoD_v2(to, from, size);
}
DEFINE(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream)) {
    (void)stream;
    REACH();
    if (copy->srcMemoryType != CU_MEMORYTYPE_DEVICE || copy->dstMemoryType != CU_MEMORYTYPE_DEVICE ||
        copy->WidthInBytes > copy->srcPitch || copy->WidthInBytes > copy->dstPitch) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < copy->Height; i++) {
        memcpy(pointer(copy->dstDevice + i * copy->dstPitch), pointer(copy->srcDevice + i * copy->srcPitch),
               copy->WidthInBytes);
    }
    return CUDA_SUCCESS;
}
DEFINE(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t size, CUstream stream)) {
    (void)stream;
    REACH();
    memset(pointer(to), value, size);
    return CUDA_SUCCESS;
}
DEFINE(cuMemsetD32Async, (CUdeviceptr to, unsigned int value, size_t count, CUstream stream)) {
    (void)stream;
    REACH();
    for (size_t i = 0; i < count; i++) {
        memcpy((char *)pointer(to) + 4 * i, &value, 4);
    }
    return CUDA_SUCCESS;
}

// ---- streams and events ------------------------------------------------------------------------------

static CUresult wait_for_all(void) {
    const struct timespec time = {0, 1000000};
    while (atomic_load(&pending) > 0) {
        (void)nanosleep(&time, NULL);
    }
    return reach();
}

static CUresult ask_for_all(void) {
    const CUresult reached = reach();
    return reached == CUDA_SUCCESS && atomic_load(&pending) > 0 ? CUDA_ERROR_NOT_READY : reached;
}

DEFINE(cuStreamCreate, (CUstream * stream, unsigned int flags)) {
    (void)flags;
    REACH();
    streams++;
    *stream = (CUstream)(void *)&handles[3];
    return CUDA_SUCCESS;
}
DEFINE(cuStreamDestroy_v2, (CUstream stream)) {
    (void)stream;
    streams--;
    return CUDA_SUCCESS;
}
DEFINE(cuStreamSynchronize, (CUstream stream)) {
    (void)stream;
    return wait_for_all();
}
DEFINE(cuStreamQuery, (CUstream stream)) {
    (void)stream;
    return ask_for_all();
}
DEFINE(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags)) {
    (void)event, (void)flags;
    note(stream, &waiting_stream);
    return reach();
}
DEFINE(cuEventCreate, (CUevent * event, unsigned int flags)) {
    (void)flags;
    REACH();
    events++;
    *event = (CUevent)(void *)&handles[4];
    return CUDA_SUCCESS;
}
DEFINE(cuEventDestroy_v2, (CUevent event)) {
    (void)event;
    events--;
    return CUDA_SUCCESS;
}
DEFINE(cuEventRecord, (CUevent event, CUstream stream)) {
    (void)event;
    note(stream, &recorded_stream);
    return reach();
}
DEFINE(cuEventSynchronize, (CUevent event)) {
    (void)event;
    return wait_for_all();
}
DEFINE(cuEventQuery, (CUevent event)) {
    (void)event;
    return ask_for_all();
}
DEFINE(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end)) {
    (void)start, (void)end;
    *milliseconds = 0.0f;
    return reach();
}
