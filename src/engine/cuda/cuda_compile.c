// cuda_compile.c - finds NVRTC and compiles with it.
#include "cuda_compile.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"

#define FOLDERS_MAX 32
#define PATH_SIZE 4096
#define MAJOR_OLDEST 11
#define MAJOR_NEWEST 16
#define OPTIONS_MAX 64
#define OPTION_TEXT_SIZE 8192

typedef struct nvrtc_program *nvrtc_handle; // NVRTC's own; results are 0 or an error's number

struct mega_cuda_compiler {
    char name[32];
    int major, minor;
    int targets[MEGA_CUDA_TARGETS_MAX]; // capabilities that it compiles for, rising
    int target_count;
    int (*version)(int *major, int *minor);
    int (*target_number)(int *count);
    int (*target_list)(int *targets);
    const char *(*error_text)(int result);
    int (*create)(nvrtc_handle *program, const char *text, const char *name, int header_count,
                  const char *const *header_texts, const char *const *header_names);
    int (*destroy)(nvrtc_handle *program);
    int (*compile)(nvrtc_handle program, int option_count, const char *const *options);
    int (*log_size)(nvrtc_handle program, size_t *size);
    int (*log_text)(nvrtc_handle program, char *text);
    int (*cubin_size)(nvrtc_handle program, size_t *size);
    int (*cubin)(nvrtc_handle program, char *bytes);
    int (*ptx_size)(nvrtc_handle program, size_t *size);
    int (*ptx)(nvrtc_handle program, char *bytes);
};

static const mega_library_entry functions[] = {
    {"nvrtcVersion", offsetof(mega_cuda_compiler, version)},
    {"nvrtcGetNumSupportedArchs", offsetof(mega_cuda_compiler, target_number)},
    {"nvrtcGetSupportedArchs", offsetof(mega_cuda_compiler, target_list)},
    {"nvrtcGetErrorString", offsetof(mega_cuda_compiler, error_text)},
    {"nvrtcCreateProgram", offsetof(mega_cuda_compiler, create)},
    {"nvrtcDestroyProgram", offsetof(mega_cuda_compiler, destroy)},
    {"nvrtcCompileProgram", offsetof(mega_cuda_compiler, compile)},
    {"nvrtcGetProgramLogSize", offsetof(mega_cuda_compiler, log_size)},
    {"nvrtcGetProgramLog", offsetof(mega_cuda_compiler, log_text)},
    {"nvrtcGetCUBINSize", offsetof(mega_cuda_compiler, cubin_size)},
    {"nvrtcGetCUBIN", offsetof(mega_cuda_compiler, cubin)},
    {"nvrtcGetPTXSize", offsetof(mega_cuda_compiler, ptx_size)},
    {"nvrtcGetPTX", offsetof(mega_cuda_compiler, ptx)},
};

// As in cuda_driver.c: what the process has opened, and where it is to look.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mega_cuda_compiler opened;
static bool is_opened;
static char *folders[FOLDERS_MAX];
static uint32_t folder_count;

// ---- finding -----------------------------------------------------------------------------------------

mega_status cuda_compiler_add_folder(const char *folder) {
    mega_status status = MEGA_OK;
    if (folder == NULL || folder[0] == '\0') {
        return mega_fail(MEGA_ERROR_ARGUMENT, "cuda_compiler_add_folder: no folder is named");
    }
    pthread_mutex_lock(&lock);
    bool known = false;
    for (uint32_t i = 0; i < folder_count; i++) {
        known = known || strcmp(folders[i], folder) == 0;
    }
    if (!known && folder_count == FOLDERS_MAX) {
        status = mega_fail(MEGA_ERROR_ARGUMENT, "NVRTC is already looked for in %d folders", FOLDERS_MAX);
    } else if (!known) {
        folders[folder_count] = strdup(folder);
        if (folders[folder_count] == NULL) {
            status = mega_fail_memory(strlen(folder) + 1);
        } else {
            folder_count++;
        }
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static void *open_in(const char *folder, const char *name) {
    char path[PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_SIZE) {
        return NULL;
    }
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *open_major(int major) {
    char text[32];
    const char *const name = text;
    snprintf(text, sizeof text, "libnvrtc.so.%d%s", major,
             major == 11 ? ".2" : ""); // 11 kept one name from 11.2 on
    void *library = library_open(NULL, &name, 1);
    for (uint32_t i = 0; library == NULL && i < folder_count; i++) {
        library = open_in(folders[i], name);
    }
    return library;
}

static mega_status open_library(int driver_version, void **library) {
    const char *chosen = getenv("MEGACADE_NVRTC");
    const int known = driver_version / 1000;
    *library = NULL;
    if (chosen != NULL && chosen[0] != '\0') {
        *library = dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
        const char *reason = *library == NULL ? dlerror() : NULL;
        return *library != NULL ? MEGA_OK
                                : mega_fail(MEGA_ERROR_CUDA_COMPILE,
                                            "MEGACADE_NVRTC names no library that can be loaded: %s; "
                                            "unset it, or use device \"cpu\"",
                                            reason != NULL ? reason : chosen);
    }
    // What a newer compiler makes may be beyond the driver.
    for (int major = known < MAJOR_NEWEST ? known : MAJOR_NEWEST; major >= MAJOR_OLDEST && *library == NULL;
         major--) {
        *library = open_major(major);
    }
    for (int major = known + 1; major <= MAJOR_NEWEST && *library == NULL; major++) {
        *library = open_major(major);
    }
    if (*library == NULL) {
        return mega_fail(
            MEGA_ERROR_CUDA_COMPILE,
            "no compiler for the GPU: libnvrtc.so.%d was not found; `pip install nvidia-cuda-nvrtc%s`, "
            "install the CUDA toolkit, name the file in MEGACADE_NVRTC, or use device \"cpu\"",
            known, known <= 12 ? "-cu12" : "");
    }
    return MEGA_OK;
}

static mega_status open_compiler(int driver_version, mega_cuda_compiler *compiler) {
    void *library;
    int count = 0;
    MEGA_TRY(open_library(driver_version, &library));
    const char *lacking = library_fill(library, functions, sizeof functions / sizeof functions[0], compiler);
    if (lacking != NULL) {
        return mega_fail(MEGA_ERROR_CUDA_COMPILE,
                         "the NVRTC that was found is too old: it lacks %s; install one of CUDA 12 or newer",
                         lacking);
    }
    if (compiler->version(&compiler->major, &compiler->minor) != 0 || compiler->target_number(&count) != 0 ||
        count < 1 || count > MEGA_CUDA_TARGETS_MAX || compiler->target_list(compiler->targets) != 0) {
        return mega_fail(MEGA_ERROR_CUDA_COMPILE,
                         "the NVRTC that was found does not say what it compiles for");
    }
    compiler->target_count = count;
    snprintf(compiler->name, sizeof compiler->name, "NVRTC %d.%d", compiler->major, compiler->minor);
    return MEGA_OK;
}

mega_status cuda_compiler_get(int driver_version, const mega_cuda_compiler **out) {
    mega_status status = MEGA_OK;
    *out = NULL;
    pthread_mutex_lock(&lock);
    if (!is_opened) {
        mega_cuda_compiler compiler = {0};
        status = open_compiler(driver_version, &compiler);
        if (status == MEGA_OK) {
            opened = compiler;
            is_opened = true;
        }
    }
    pthread_mutex_unlock(&lock);
    if (status == MEGA_OK) {
        *out = &opened;
    }
    return status;
}

const char *cuda_compiler_name(const mega_cuda_compiler *compiler) {
    return compiler->name;
}

// ---- options -----------------------------------------------------------------------------------------

typedef struct option_list {
    const char *options[OPTIONS_MAX];
    int count;
    bool makes_ptx;
    size_t used;
    char text[OPTION_TEXT_SIZE];
} option_list;

static bool add_option(option_list *list, const char *first, const char *second) {
    const size_t room = sizeof list->text - list->used;
    const int length = snprintf(list->text + list->used, room, "%s%s", first, second);
    if (length < 0 || (size_t)length >= room || list->count == OPTIONS_MAX) {
        return false;
    }
    list->options[list->count++] = list->text + list->used;
    list->used += (size_t)length + 1;
    return true;
}

// Code for the GPU itself, else for the newest before it, as PTX that the driver finishes.
static mega_status add_target(option_list *list, const mega_cuda_compiler *compiler, int32_t capability) {
    char text[32];
    int best = 0;
    for (int i = 0; i < compiler->target_count; i++) {
        if (compiler->targets[i] <= capability && compiler->targets[i] > best) {
            best = compiler->targets[i];
        }
    }
    if (best == 0) {
        return mega_fail(
            MEGA_ERROR_CUDA_COMPILE,
            "%s does not compile for a GPU as old as sm_%d (it starts with sm_%d); use an older NVRTC, "
            "named in MEGACADE_NVRTC, or device \"cpu\"",
            compiler->name, capability, compiler->targets[0]);
    }
    list->makes_ptx = best != capability;
    snprintf(text, sizeof text, "%s_%d", list->makes_ptx ? "compute" : "sm", best);
    add_option(list, "--gpu-architecture=", text);
    return MEGA_OK;
}

static mega_status fill_options(option_list *list, const mega_cuda_compiler *compiler,
                                const mega_cuda_job *job) {
    list->count = 0;
    list->used = 0;
    MEGA_TRY(add_target(list, compiler, job->capability));
    // Nothing is fused: the same bits as on the CPU.
    bool fits = add_option(list, "--std=c++17", "") && add_option(list, "--fmad=false", "") &&
                add_option(list, "-default-device", "");
    if (compiler->major >= 13) {
        // Without it a switch becomes a tree of branches, which costs an interpreter dear.
        fits = fits && add_option(list, "--jump-table-density=10", "");
    }
    if (job->line_info) {
        fits = fits && add_option(list, "-lineinfo", "");
    }
    for (uint32_t i = 0; i < job->define_count; i++) {
        fits = fits && add_option(list, "-D", job->defines[i]);
    }
    return fits ? MEGA_OK
                : mega_fail(MEGA_ERROR_ARGUMENT, "%s: %u definitions are too many or too long", job->name,
                            job->define_count);
}

// ---- headers -----------------------------------------------------------------------------------------

// Marks the headers that a text names in quotes or angle brackets, in any line, and those that they name: at least all
// that it includes, also where a macro or a definition holds the name.
static void mark_named(const mega_cuda_job *job, const char *text, bool *named) {
    for (const char *at = strpbrk(text, "\"<"); at != NULL; at = strpbrk(at, "\"<")) {
        const char end = *at++ == '<' ? '>' : '"';
        for (uint32_t i = 0; i < job->header_count; i++) {
            const size_t length = strlen(job->header_names[i]);
            if (!named[i] && strncmp(at, job->header_names[i], length) == 0 && at[length] == end) {
                named[i] = true;
                mark_named(job, job->header_texts[i], named);
            }
        }
    }
}

typedef struct mega_headers {
    const char **names, **texts;
    uint32_t count;
} mega_headers;

static void release_headers(mega_headers *headers) {
    free((void *)headers->names);
    free((void *)headers->texts);
}

// The headers that the code of a job can depend on. The compiler is given these alone, and the key covers them: what is
// left out cannot be included.
static mega_status choose_headers(const mega_cuda_job *job, mega_headers *chosen) {
    const size_t most = (size_t)job->header_count + 1;
    bool *named = calloc(most, sizeof(*named));
    chosen->names = calloc(most, sizeof(*chosen->names));
    chosen->texts = calloc(most, sizeof(*chosen->texts));
    chosen->count = 0;
    if (named == NULL || chosen->names == NULL || chosen->texts == NULL) {
        free(named);
        release_headers(chosen);
        return mega_fail_memory(most * 2 * sizeof(*chosen->names));
    }
    mark_named(job, job->text, named);
    for (uint32_t i = 0; i < job->define_count; i++) {
        mark_named(job, job->defines[i], named);
    }
    for (uint32_t i = 0; i < job->header_count; i++) {
        if (named[i]) {
            chosen->names[chosen->count] = job->header_names[i];
            chosen->texts[chosen->count++] = job->header_texts[i];
        }
    }
    free(named);
    return MEGA_OK;
}

// ---- compiling ---------------------------------------------------------------------------------------

static void hash_text(mega_sha256 *hash, const char *text) {
    sha256_add(hash, text, strlen(text) + 1); // with its zero, so that no two lists look the same
}

mega_status cuda_compile_key(const mega_cuda_compiler *compiler, const mega_cuda_job *job,
                             char key[MEGA_SHA256_TEXT_SIZE]) {
    option_list list;
    mega_sha256 hash;
    uint8_t digest[MEGA_SHA256_SIZE];
    mega_headers headers;
    key[0] = '\0';
    MEGA_TRY(fill_options(&list, compiler, job));
    MEGA_TRY(choose_headers(job, &headers));
    sha256_begin(&hash);
    hash_text(&hash, compiler->name);
    sha256_add(&hash, &list.count, sizeof list.count);
    for (int i = 0; i < list.count; i++) {
        hash_text(&hash, list.options[i]);
    }
    hash_text(&hash, job->name);
    hash_text(&hash, job->text);
    for (uint32_t i = 0; i < headers.count; i++) {
        hash_text(&hash, headers.names[i]);
        hash_text(&hash, headers.texts[i]);
    }
    release_headers(&headers);
    sha256_finish(&hash, digest);
    sha256_text(digest, key);
    return MEGA_OK;
}

// The lines of a log from its first error on, in one line.
static void first_errors(const char *log, char *text, size_t size) {
    const char *from = strstr(log, "error");
    while (from != NULL && from > log && from[-1] != '\n') {
        from--;
    }
    snprintf(text, size, "%s", from != NULL ? from : log);
    for (char *c = text; *c != '\0'; c++) {
        *c = *c == '\n' ? ' ' : *c;
    }
}

static mega_status fail_compile(const mega_cuda_compiler *compiler, const mega_cuda_job *job,
                                nvrtc_handle program, int result) {
    size_t size = 0;
    char *log = NULL, errors[400] = "", path[PATH_SIZE] = "";
    if (compiler->log_size(program, &size) == 0 && size > 1 && (log = calloc(1, size + 1)) != NULL &&
        compiler->log_text(program, log) == 0) {
        first_errors(log, errors, sizeof errors);
        code_cache_save_log(job->name, log, path, sizeof path);
    }
    free(log);
    return mega_fail(MEGA_ERROR_CUDA_COMPILE, "%s cannot be compiled for sm_%d by %s (%s%s%.300s): %s",
                     job->name, job->capability, compiler->name, compiler->error_text(result),
                     path[0] != '\0' ? ", see " : "", path, errors);
}

static mega_status take_code(const mega_cuda_compiler *compiler, const mega_cuda_job *job,
                             nvrtc_handle program, bool is_ptx, mega_code *out) {
    int result = (is_ptx ? compiler->ptx_size : compiler->cubin_size)(program, &out->size);
    if (result == 0 && out->size > 0) {
        out->bytes = malloc(out->size);
        if (out->bytes == NULL) {
            return mega_fail_memory(out->size);
        }
        result = (is_ptx ? compiler->ptx : compiler->cubin)(program, out->bytes);
    }
    if (result != 0 || out->size == 0) {
        code_release(out);
        return mega_fail(MEGA_ERROR_CUDA_COMPILE, "%s made no code of %s: %s", compiler->name, job->name,
                         compiler->error_text(result));
    }
    return MEGA_OK;
}

mega_status cuda_compile(const mega_cuda_compiler *compiler, const mega_cuda_job *job, mega_code *out) {
    option_list list;
    mega_headers headers;
    nvrtc_handle program = NULL;
    memset(out, 0, sizeof *out);
    MEGA_TRY(fill_options(&list, compiler, job));
    MEGA_TRY(choose_headers(job, &headers));
    int result = compiler->create(&program, job->text, job->name, (int)headers.count, headers.texts,
                                  headers.names); // which copies them
    release_headers(&headers);
    if (result != 0) {
        return mega_fail(MEGA_ERROR_CUDA_COMPILE, "%s does not take %s: %s", compiler->name, job->name,
                         compiler->error_text(result));
    }
    result = compiler->compile(program, list.count, list.options);
    const mega_status status = result == 0 ? take_code(compiler, job, program, list.makes_ptx, out)
                                           : fail_compile(compiler, job, program, result);
    compiler->destroy(&program);
    return status;
}
