// test_cuda_module.c - where the code of a program comes from, with the fake driver and the real compiler.
// Skipped where there is no NVRTC.
#include "cuda_module.h"

#include <dirent.h>

#include "cuda_compile.h"
#include "embedded.h"
#include "mega_test_cuda.h"
#include "mega_test_files.h"

static int compilations;
static const char *const one_define[] = {"ANYTHING=1"}, *const other_define[] = {"ANYTHING=2"};

static void count_compilation(void *context, const char *sentence) {
    MEGA_CHECK(strcmp(context, "context") == 0);
    MEGA_CHECK(strcmp(sentence, "compiling self_check.cu for sm_90") == 0);
    compilations++;
}

// With a definition, so that what may be embedded does not fit.
static mega_cuda_request a_request(void) {
    static char context[] = "context";
    return (mega_cuda_request){
        .program = "self_check.cu",
        .defines = one_define,
        .define_count = 1,
        .progress = count_compilation,
        .progress_context = context,
    };
}

static mega_cuda_device *open_device(void) {
    mega_cuda_device *device;
    if (cuda_device_open(0, &device) != MEGA_OK) {
        fprintf(stderr, "%s\n", mega_last_error());
        exit(1);
    }
    return device;
}

// Opens and closes a module; says how often it was compiled for that.
static int open_once(const mega_cuda_device *device, const mega_cuda_request *request) {
    CUmodule module;
    compilations = 0;
    MEGA_CHECK_EQ(cuda_module_open(device, request, &module), MEGA_OK);
    MEGA_CHECK(module != NULL);
    cuda_module_close(device, module);
    return compilations;
}

static void check_refused(mega_status status, const char *message) {
    const mega_cuda_request request = a_request();
    mega_cuda_device *device = open_device();
    CUmodule module = (CUmodule)(void *)device;
    MEGA_CHECK_EQ(cuda_module_open(device, &request, &module), status);
    MEGA_CHECK(module == NULL);
    MEGA_CHECK_MESSAGE(message);
    cuda_device_close(device);
    MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_held"), 0);
}

// Calls `change` with the path of every file of code in the cache folder, and counts them.
static int for_each_file(int (*change)(const char *path)) {
    const char *folder = getenv("MEGACADE_CACHE");
    DIR *entries = opendir(folder);
    int count = 0;
    for (struct dirent *entry = entries != NULL ? readdir(entries) : NULL; entry != NULL;
         entry = readdir(entries)) {
        char path[1024];
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            MEGA_CHECK_EQ(change(path), 0);
            count++;
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return count;
}

static int cut_short(const char *path) {
    return truncate(path, 200);
}

static void case_cache(void) {
    mega_cuda_device *device = open_device();
    mega_cuda_request request = a_request();
    MEGA_CHECK_EQ(open_once(device, &request), 1);
    MEGA_CHECK_EQ(open_once(device, &request), 0);
    MEGA_CHECK_EQ(for_each_file(cut_short), 1);
    MEGA_CHECK_EQ(open_once(device, &request), 1);
    MEGA_CHECK_EQ(open_once(device, &request), 0);
    request.defines = other_define;
    MEGA_CHECK_EQ(open_once(device, &request), 1);
    MEGA_CHECK_EQ(open_once(device, &request), 0);
    request.text = "#include \"mega_self_check.h\"\n";
    MEGA_CHECK_EQ(open_once(device, &request), 1);
    MEGA_CHECK_EQ(for_each_file(remove), 3);
    setenv("MEGACADE_CACHE", "/dev/null", 1); // nowhere to keep it
    MEGA_CHECK_EQ(open_once(device, &request), 1);
    MEGA_CHECK_EQ(open_once(device, &request), 1);
    request.progress = NULL;
    MEGA_CHECK_EQ(open_once(device, &request), 0);
    cuda_device_close(device);
    MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_held"), 0);
}

// A library that was built with MEGA_EMBED_CUBIN compiles nothing.
static void case_embedded(void) {
    mega_cuda_device *device = open_device();
    mega_cuda_request request = a_request();
    request.define_count = 0;
    MEGA_CHECK_EQ(open_once(device, &request), embedded_binaries[0].name == NULL);
    cuda_device_close(device);
    for_each_file(remove);
}

static void case_kernel(void) {
    mega_cuda_device *device = open_device();
    mega_cuda_request request = a_request();
    CUmodule module;
    CUfunction kernel;
    MEGA_CHECK_EQ(cuda_module_open(device, &request, &module), MEGA_OK);
    MEGA_CHECK_EQ(cuda_device_enter(device), MEGA_OK);
    MEGA_CHECK_EQ(cuda_module_kernel(device, module, "self_check", &kernel), MEGA_OK);
    MEGA_CHECK_EQ(device->driver->cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL),
                  CUDA_SUCCESS);
    MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_launches"), 1);
    MEGA_CHECK_EQ(cuda_module_kernel(device, module, "missing", &kernel), MEGA_ERROR_CUDA);
    MEGA_CHECK(kernel == NULL);
    MEGA_CHECK_MESSAGE("the GPU program has no kernel 'missing'");
    cuda_device_leave(device);
    cuda_module_close(device, module);
    cuda_module_close(device, NULL);
    request.program = "unheard_of.cu";
    MEGA_CHECK_EQ(cuda_module_open(device, &request, &module), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_MESSAGE("no GPU program is named 'unheard_of.cu'");
    cuda_device_close(device);
    MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_held"), 0);
    for_each_file(remove);
}

static void case_no_compiler(void) {
    check_refused(MEGA_ERROR_CUDA_COMPILE, "MEGACADE_NVRTC names no library");
}

static void case_misfit(void) {
    check_refused(MEGA_ERROR_CUDA_COMPILE,
                  "the driver (CUDA 13.0) does not take self_check.cu as made by NVRTC ");
}

static void case_memory(void) {
    check_refused(MEGA_ERROR_CUDA_MEMORY, "out of GPU memory in cuModuleLoadDataEx");
}

static void case_lost(void) {
    check_refused(MEGA_ERROR_CUDA_LOST,
                  "the GPU failed: cuModuleLoadDataEx ended with CUDA_ERROR_ILLEGAL_ADDRESS");
    for_each_file(remove);
}

int main(void) {
    const mega_cuda_compiler *compiler;
    setenv("MEGACADE_CACHE", mega_test_path("cache"), 1);
    mega_test_case(case_no_compiler, "MEGACADE_NVRTC=/nowhere/libnvrtc.so");
    if (cuda_compiler_get(13000, &compiler) != MEGA_OK) {
        fprintf(stderr, "skipped: %s\n", mega_last_error());
        return mega_test_result() == 0 ? 77 : 1;
    }
    mega_test_case(case_cache, NULL);
    mega_test_case(case_embedded, NULL);
    mega_test_case(case_kernel, NULL);
    mega_test_case(case_misfit, "FAKE_CUDA_LOAD=209");
    mega_test_case(case_memory, "FAKE_CUDA_LOAD=2");
    mega_test_case(case_lost, "FAKE_CUDA_LOST_AFTER=0");
    mega_test_remove_files();
    return mega_test_result();
}
