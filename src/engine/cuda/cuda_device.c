// cuda_device.c - names of devices, opening them, their facts and their memory.
#include "cuda_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_DIGITS 4

// ---- names -------------------------------------------------------------------------------------------

mega_status cuda_device_parse(const char *text, bool *is_cuda, int32_t *index) {
    *is_cuda = false;
    *index = 0;
    if (text != NULL && strcmp(text, "cpu") == 0) {
        return MEGA_OK;
    }
    if (text == NULL || strncmp(text, "cuda", 4) != 0 || (text[4] != '\0' && text[4] != ':')) {
        return mega_fail(
            MEGA_ERROR_ARGUMENT,
            "unknown device \"%s\"; expected \"cpu\", \"cuda\" or a numbered GPU as in \"cuda:1\"",
            text != NULL ? text : "");
    }
    if (text[4] == ':') {
        const char *digits = text + 5;
        const size_t count = strspn(digits, "0123456789");
        if (count == 0 || count > INDEX_DIGITS || digits[count] != '\0') {
            return mega_fail(
                MEGA_ERROR_ARGUMENT,
                "device \"%s\" has no GPU's number after the colon; expected \"cuda:0\", \"cuda:1\" "
                "and so on",
                text);
        }
        *index = (int32_t)strtol(digits, NULL, 10);
    }
    *is_cuda = true;
    return MEGA_OK;
}

// ---- opening -----------------------------------------------------------------------------------------

static mega_status check_index(const mega_cuda_driver *driver, int32_t index) {
    int count = 0;
    CUDA_TRY(driver, cuDeviceGetCount, &count);
    if (index >= 0 && index < count) {
        return MEGA_OK;
    }
    if (count == 1) {
        return mega_fail(MEGA_ERROR_CUDA, "no GPU has number %d: there is one, \"cuda:0\"", index);
    }
    return mega_fail(MEGA_ERROR_CUDA, "no GPU has number %d: there are %d, \"cuda:0\" to \"cuda:%d\"", index,
                     count, count - 1);
}

static mega_status read_facts(mega_cuda_device *device) {
    const mega_cuda_driver *driver = device->driver;
    int32_t major = 0, minor = 0;
    size_t memory_size = 0;
    const struct {
        CUdevice_attribute which;
        int32_t *value;
    } facts[] = {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &device->processors},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &device->threads},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, &device->registers},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &device->shared_size},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &device->shared_size_of_block},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &device->l2_size},
    };
    CUDA_TRY(driver, cuDeviceGetName, device->name, (int)sizeof device->name, device->handle);
    CUDA_TRY(driver, cuDeviceTotalMem, &memory_size, device->handle);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        CUDA_TRY(driver, cuDeviceGetAttribute, facts[i].value, facts[i].which, device->handle);
    }
    device->capability = 10 * major + minor;
    device->memory_size = memory_size;
    return MEGA_OK;
}

static mega_status open_device(mega_cuda_device *device, int32_t index) {
    MEGA_TRY(cuda_driver_get(&device->driver));
    MEGA_TRY(check_index(device->driver, index));
    device->index = index;
    CUDA_TRY(device->driver, cuDeviceGet, &device->handle, index);
    MEGA_TRY(read_facts(device));
    CUDA_TRY(device->driver, cuDevicePrimaryCtxRetain, &device->context,
             device->handle); // last: to be given back
    return MEGA_OK;
}

mega_status cuda_device_open(int32_t index, mega_cuda_device **out) {
    *out = NULL;
    mega_cuda_device *device = calloc(1, sizeof *device);
    if (device == NULL) {
        return mega_fail_memory(sizeof *device);
    }
    const mega_status status = open_device(device, index);
    if (status != MEGA_OK) {
        free(device);
        return status;
    }
    *out = device;
    return MEGA_OK;
}

void cuda_device_close(mega_cuda_device *device) {
    if (device != NULL) {
        device->driver->cuDevicePrimaryCtxRelease(device->handle);
        free(device);
    }
}

mega_status cuda_device_enter(const mega_cuda_device *device) {
    CUDA_TRY(device->driver, cuCtxPushCurrent, device->context);
    return MEGA_OK;
}

void cuda_device_leave(const mega_cuda_device *device) {
    CUcontext context;
    device->driver->cuCtxPopCurrent(&context);
}

// ---- memory ------------------------------------------------------------------------------------------

#define SIZE_TEXT_SIZE 32

static const char *size_text(char text[SIZE_TEXT_SIZE], uint64_t size) {
    if (size >= (uint64_t)1 << 30) {
        snprintf(text, SIZE_TEXT_SIZE, "%.1f GiB", (double)size / (1 << 30));
    } else if (size >= 1 << 20) {
        snprintf(text, SIZE_TEXT_SIZE, "%.1f MiB", (double)size / (1 << 20));
    } else {
        snprintf(text, SIZE_TEXT_SIZE, "%u bytes", (unsigned)size);
    }
    return text;
}

static mega_status fail_memory(const mega_cuda_device *device, size_t size, const char *purpose) {
    char asked[SIZE_TEXT_SIZE], left[SIZE_TEXT_SIZE], all[SIZE_TEXT_SIZE];
    size_t free_size = 0, total_size = 0;
    CUDA_TRY(device->driver, cuMemGetInfo, &free_size, &total_size);
    return mega_fail(
        MEGA_ERROR_CUDA_MEMORY,
        "not enough GPU memory for %s: %s were asked for, and of the %s of cuda:%d %s are free; use fewer "
        "environments, or end other programs that `nvidia-smi` lists",
        purpose, size_text(asked, size), size_text(all, total_size), device->index,
        size_text(left, free_size));
}

mega_status cuda_device_alloc(const mega_cuda_device *device, size_t size, const char *purpose,
                              CUdeviceptr *out) {
    *out = 0;
    const CUresult result = device->driver->cuMemAlloc(out, size);
    if (result == CUDA_SUCCESS) {
        return MEGA_OK;
    }
    *out = 0;
    return result == CUDA_ERROR_OUT_OF_MEMORY ? fail_memory(device, size, purpose)
                                              : cuda_fail(device->driver, result, "cuMemAlloc");
}
