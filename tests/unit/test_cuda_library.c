// test_cuda_library.c - where libraries are looked for that are opened at run time.
#include "library.h"

#include <dlfcn.h>
#include <stdbool.h>

#include "mega_test_cuda.h"
#include "mega_test_files.h"

static const char *const names[] = {"libmegacade_test_second.so", "libmegacade_test_first.so"};

// A library in a folder that is made, with those above it. Gives the first of them.
static const char *put(const char *folder) {
    char path[128], file[160];
    const char *root = NULL;
    size_t length = 0;
    do {
        length += strcspn(folder + length + 1, "/") + 1;
        snprintf(path, sizeof path, "%.*s", (int)length, folder);
        const char *made = mega_test_mkdir(path);
        root = root == NULL ? made : root;
    } while (folder[length] != '\0');
    snprintf(file, sizeof file, "%s/%s", folder, names[1]);
    MEGA_CHECK_EQ(symlink(MEGA_FAKE_NCCL, mega_test_path(file)), 0);
    return root;
}

static bool opens(const char *variable, size_t count) {
    void *library = library_open(variable, names, count);
    if (library != NULL) {
        dlclose(library);
    }
    return library != NULL;
}

static void test_places(void) {
    static const struct {
        const char *variable, *folder;
    } places[] = {{"CUDA_HOME", "home/lib64"},
                  {"CUDA_PATH", "path/lib"},
                  {"VIRTUAL_ENV", "venv/lib/python3.99/site-packages/nvidia/some/lib"}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *root = put(places[i].folder);
        MEGA_CHECK(!opens(NULL, 2));
        setenv(places[i].variable, root, 1);
        MEGA_CHECK(opens(NULL, 2));
        MEGA_CHECK(!opens(NULL, 1)); // it has another name
        setenv(places[i].variable, "", 1);
        MEGA_CHECK(!opens(NULL, 2));
        unsetenv(places[i].variable);
    }
}

// A file that is named is the only one.
static void test_variable(void) {
    const char *root = put("named/lib64");
    setenv("CUDA_HOME", root, 1);
    MEGA_CHECK(opens("MEGACADE_TEST_LIBRARY", 2)); // not set
    setenv("MEGACADE_TEST_LIBRARY", "", 1);
    MEGA_CHECK(opens("MEGACADE_TEST_LIBRARY", 2));
    setenv("MEGACADE_TEST_LIBRARY", "/nowhere/lib.so", 1);
    MEGA_CHECK(!opens("MEGACADE_TEST_LIBRARY", 2));
    unsetenv("CUDA_HOME");
    setenv("MEGACADE_TEST_LIBRARY", MEGA_FAKE_NCCL, 1);
    MEGA_CHECK(opens("MEGACADE_TEST_LIBRARY", 1));
}

static void test_functions(void) {
    struct {
        void (*first)(void), (*second)(void), (*third)(void);
    } table;
    const mega_library_entry entries[] = {
        {"ncclGetVersion", 0}, {"no_such_function", sizeof(void *)}, {"ncclAllReduce", 2 * sizeof(void *)}};
    void *library = dlopen(MEGA_FAKE_NCCL, RTLD_NOW);
    const char *lacking = library_fill(library, entries, 3, &table);
    MEGA_CHECK(lacking != NULL && strcmp(lacking, "no_such_function") == 0);
    MEGA_CHECK(table.first != NULL && table.second == NULL && table.third != NULL);
    MEGA_CHECK(library_fill(library, entries, 1, &table) == NULL);
    dlclose(library);
}

int main(void) {
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
    unsetenv("VIRTUAL_ENV");
    test_places();
    test_variable();
    test_functions();
    mega_test_remove_files();
    return mega_test_result();
}
