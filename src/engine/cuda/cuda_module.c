// cuda_module.c - where the code of a program comes from.
#include "cuda_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_compile.h"
#include "embedded.h"

#define JIT_LOG_SIZE 512

// ---- loading -----------------------------------------------------------------------------------------

// The code is made for other GPUs or by a newer compiler; other code may fit.
static bool is_misfit(CUresult result) {
    return result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_INVALID_IMAGE ||
           result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
}

static mega_status load_code(const mega_cuda_device *device, const char *program, const char *maker,
                             const void *code, CUmodule *out) {
    const mega_cuda_driver *cuda = device->driver;
    char log[JIT_LOG_SIZE] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    const CUresult result = cuda->cuModuleLoadDataEx(out, code, 2, options, values);
    if (result == CUDA_SUCCESS) {
        return MEGA_OK;
    }
    *out = NULL;
    if (!is_misfit(result)) {
        return cuda_fail(cuda, result, "cuModuleLoadDataEx");
    }
    return mega_fail(
        MEGA_ERROR_CUDA_COMPILE,
        "the driver (CUDA %d.%d) does not take %s as made by %s for sm_%d (code %d%s%s); update the "
        "driver, or name an older NVRTC in MEGACADE_NVRTC",
        cuda->version / 1000, cuda->version % 1000 / 10, program, maker, device->capability, (int)result,
        log[0] != '\0' ? ": " : "", log);
}

// Leaves *out NULL when no embedded binary fits.
static mega_status load_embedded(const mega_cuda_device *device, const mega_cuda_request *request,
                                 CUmodule *out) {
    if (request->text != NULL || request->header_name != NULL || request->define_count > 0) {
        return MEGA_OK;
    }
    for (const mega_embedded_binary *binary = embedded_binaries; binary->name != NULL; binary++) {
        if (strcmp(binary->name, request->program) == 0) {
            const CUresult result = device->driver->cuModuleLoadDataEx(out, binary->bytes, 0, NULL, NULL);
            if (result != CUDA_SUCCESS) {
                *out = NULL;
                return is_misfit(result) ? MEGA_OK : cuda_fail(device->driver, result, "cuModuleLoadDataEx");
            }
        }
    }
    return MEGA_OK;
}

// ---- making ------------------------------------------------------------------------------------------

static void tell(const mega_cuda_device *device, const mega_cuda_request *request) {
    char sentence[256];
    if (request->progress != NULL) {
        snprintf(sentence, sizeof sentence, "compiling %s for sm_%d", request->program, device->capability);
        request->progress(request->progress_context, sentence);
    }
}

// From the cache, else from the compiler.
static mega_status do_job(const mega_cuda_device *device, const mega_cuda_request *request,
                          const mega_cuda_compiler *compiler, const mega_cuda_job *job, mega_code *out) {
    char key[MEGA_SHA256_TEXT_SIZE];
    MEGA_TRY(cuda_compile_key(compiler, job, key));
    if (code_cache_load(key, out)) {
        return MEGA_OK;
    }
    tell(device, request);
    MEGA_TRY(cuda_compile(compiler, job, out));
    code_cache_save(key, out); // else it is compiled again next time
    return MEGA_OK;
}

static mega_status make_code(const mega_cuda_device *device, const mega_cuda_request *request,
                             const mega_cuda_compiler *compiler, const char *text, mega_code *out) {
    const char *line_info = getenv("MEGACADE_CUDA_LINEINFO");
    const uint32_t count = embedded_count + (request->header_name != NULL);
    const char **headers = malloc(2 * (size_t)count * sizeof(*headers));
    if (headers == NULL) {
        return mega_fail_memory(2 * (size_t)count * sizeof(*headers));
    }
    memcpy(headers, embedded_names, embedded_count * sizeof(*headers));
    memcpy(headers + count, embedded_texts, embedded_count * sizeof(*headers));
    if (request->header_name != NULL) {
        headers[embedded_count] = request->header_name;
        headers[count + embedded_count] = request->header_text;
    }
    const mega_cuda_job job = {
        .name = request->program,
        .text = text,
        .header_names = headers,
        .header_texts = headers + count,
        .header_count = count,
        .defines = request->defines,
        .define_count = request->define_count,
        .capability = device->capability,
        .line_info = line_info != NULL && strcmp(line_info, "1") == 0,
    };
    const mega_status status = do_job(device, request, compiler, &job, out);
    free(headers);
    return status;
}

static mega_status open_module(const mega_cuda_device *device, const mega_cuda_request *request,
                               const char *text, CUmodule *out) {
    const mega_cuda_compiler *compiler;
    mega_code code;
    MEGA_TRY(load_embedded(device, request, out));
    if (*out != NULL) {
        return MEGA_OK;
    }
    MEGA_TRY(cuda_compiler_get(device->driver->version, &compiler));
    MEGA_TRY(make_code(device, request, compiler, text, &code));
    const mega_status status =
        load_code(device, request->program, cuda_compiler_name(compiler), code.bytes, out);
    code_release(&code);
    return status;
}

mega_status cuda_module_open(const mega_cuda_device *device, const mega_cuda_request *request,
                             CUmodule *out) {
    *out = NULL;
    const char *text = request->text != NULL ? request->text : embedded_find(request->program);
    if (text == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "no GPU program is named '%s'", request->program);
    }
    MEGA_TRY(cuda_device_enter(device));
    const mega_status status = open_module(device, request, text, out);
    cuda_device_leave(device);
    return status;
}

void cuda_module_close(const mega_cuda_device *device, CUmodule module) {
    if (module != NULL && cuda_device_enter(device) == MEGA_OK) {
        device->driver->cuModuleUnload(module);
        cuda_device_leave(device);
    }
}

mega_status cuda_module_kernel(const mega_cuda_device *device, CUmodule module, const char *name,
                               CUfunction *out) {
    *out = NULL;
    const CUresult result = device->driver->cuModuleGetFunction(out, module, name);
    if (result == CUDA_SUCCESS) {
        return MEGA_OK;
    }
    *out = NULL;
    return result == CUDA_ERROR_NOT_FOUND
               ? mega_fail(MEGA_ERROR_CUDA, "the GPU program has no kernel '%s'", name)
               : cuda_fail(device->driver, result, "cuModuleGetFunction");
}
