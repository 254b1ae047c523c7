// cuda_driver.c - finds and opens the CUDA driver, and puts its errors into words.
#include "cuda_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"

#define LIBRARY "libcuda.so.1"
#define WAY_OUT "; device \"cpu\" works without one"

#define ENTRY(name, symbol, parameters) {#symbol, offsetof(mega_cuda_driver, name)},
static const mega_library_entry functions[] = {CUDA_FUNCTIONS(ENTRY)};
static const mega_library_entry graph_functions[] = {CUDA_GRAPH_FUNCTIONS(ENTRY)};
#undef ENTRY

// What the process has opened. A library cannot be opened twice, so this is the engine's only kind of global:
// it is written once, under the lock.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mega_cuda_driver opened;
static bool is_opened;

// ---- opening -----------------------------------------------------------------------------------------

static mega_status open_library(void **library) {
    const char *chosen = getenv("MEGACADE_LIBCUDA");
    const bool is_chosen = chosen != NULL && chosen[0] != '\0';
    const char *name = is_chosen ? chosen : LIBRARY;
    *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (*library != NULL) {
        return MEGA_OK;
    }
    const char *reason = dlerror();
    if (reason != NULL && strstr(reason, "No such file") == NULL) {
        return mega_fail(MEGA_ERROR_CUDA, "the NVIDIA driver cannot be loaded: %s" WAY_OUT, reason);
    }
    if (!is_chosen) {
        *library = dlopen("/usr/lib/wsl/lib/" LIBRARY, RTLD_NOW | RTLD_LOCAL); // where Windows puts it
    }
    if (*library == NULL) {
        return mega_fail(MEGA_ERROR_CUDA, "no NVIDIA driver: %s was not found" WAY_OUT, name);
    }
    return MEGA_OK;
}

static mega_status fail_no_gpu(void) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (visible != NULL) {
        return mega_fail(
            MEGA_ERROR_CUDA,
            "no GPU: the NVIDIA driver finds none with CUDA_VISIBLE_DEVICES=\"%s\"; unset it, or use "
            "device \"cpu\"",
            visible);
    }
    return mega_fail(MEGA_ERROR_CUDA,
                     "no GPU: the NVIDIA driver finds none; see whether `nvidia-smi` lists one, "
                     "or use device \"cpu\"");
}

static mega_status check_version(mega_cuda_driver *driver) {
    const CUresult result = driver->cuDriverGetVersion(&driver->version);
    if (result != CUDA_SUCCESS) {
        return cuda_fail(driver, result, "cuDriverGetVersion");
    }
    if (driver->version < MEGA_CUDA_DRIVER_OLDEST) {
        return mega_fail(
            MEGA_ERROR_CUDA,
            "the NVIDIA driver is too old: it supports CUDA %d.%d, and %d.%d is needed; update it to "
            "525 or newer, or use device \"cpu\"",
            driver->version / 1000, driver->version % 1000 / 10, MEGA_CUDA_DRIVER_OLDEST / 1000,
            MEGA_CUDA_DRIVER_OLDEST % 1000 / 10);
    }
    return MEGA_OK;
}

static mega_status start(const mega_cuda_driver *driver) {
    int count = 0;
    const CUresult result = driver->cuInit(0);
    if (result == CUDA_ERROR_NO_DEVICE) {
        return fail_no_gpu();
    }
    if (result != CUDA_SUCCESS) {
        return cuda_fail(driver, result, "cuInit");
    }
    CUDA_TRY(driver, cuDeviceGetCount, &count);
    return count > 0 ? MEGA_OK : fail_no_gpu();
}

static mega_status open_driver(mega_cuda_driver *driver) {
    void *library;
    MEGA_TRY(open_library(&library));
    const char *lacking = library_fill(library, functions, sizeof functions / sizeof functions[0], driver);
    driver->has_graphs = library_fill(library, graph_functions,
                                      sizeof graph_functions / sizeof graph_functions[0], driver) == NULL;
    // The version comes first: an old driver also lacks functions, and its age is the better reason.
    if (driver->cuDriverGetVersion != NULL && driver->cuGetErrorName != NULL &&
        driver->cuGetErrorString != NULL) {
        MEGA_TRY(check_version(driver));
    }
    if (lacking != NULL) {
        return mega_fail(MEGA_ERROR_CUDA,
                         "the NVIDIA driver lacks %s; update it to 525 or newer, or use device \"cpu\"",
                         lacking);
    }
    return start(driver); // the library stays open also on failure: a driver cannot be taken back
}

mega_status cuda_driver_get(const mega_cuda_driver **out) {
    mega_status status = MEGA_OK;
    *out = NULL;
    pthread_mutex_lock(&lock);
    if (!is_opened) {
        mega_cuda_driver driver = {0};
        status = open_driver(&driver);
        if (status == MEGA_OK) {
            opened = driver;
            is_opened = true;
        }
    }
    pthread_mutex_unlock(&lock);
    if (status == MEGA_OK) {
        *out = &opened;
    }
    return status;
}

// ---- errors ------------------------------------------------------------------------------------------

// After these the process can do nothing more with the device.
static bool is_lost(CUresult result) {
    switch ((int)result) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_UNKNOWN: return true;
    default: return false;
    }
}

mega_status cuda_fail(const mega_cuda_driver *driver, CUresult result, const char *call) {
    const char *name = NULL, *text = NULL;
    if (driver->cuGetErrorName(result, &name) != CUDA_SUCCESS || name == NULL) {
        name = "an unknown error";
    }
    if (driver->cuGetErrorString(result, &text) != CUDA_SUCCESS || text == NULL) {
        text = "no description";
    }
    if (is_lost(result)) {
        return mega_fail(
            MEGA_ERROR_CUDA_LOST,
            "the GPU failed: %s ended with %s (%s); this process cannot use it any more, start the "
            "program again",
            call, name, text);
    }
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        return mega_fail(
            MEGA_ERROR_CUDA_MEMORY,
            "out of GPU memory in %s; use fewer environments, or end other programs that `nvidia-smi` "
            "lists",
            call);
    }
    if (result == CUDA_ERROR_STUB_LIBRARY) {
        return mega_fail(MEGA_ERROR_CUDA,
                         "no NVIDIA driver: the " LIBRARY
                         " that was found is the toolkit's, made only for linking; "
                         "take the folder \"stubs\" out of LD_LIBRARY_PATH, or use device \"cpu\"");
    }
    if (result == CUDA_ERROR_NOT_INITIALIZED) {
        return mega_fail(
            MEGA_ERROR_CUDA,
            "%s ended with %s (%s); a process cannot use a GPU that its parent used before the fork: "
            "start it afresh (Python: multiprocessing's \"spawn\")",
            call, name, text);
    }
    return mega_fail(MEGA_ERROR_CUDA, "%s ended with %s (%s, code %d)", call, name, text, (int)result);
}
