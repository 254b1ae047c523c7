// dist_module.c - finds and opens megacade_mpi.so, so that the program itself needs no MPI.
#include "dist_parts.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    PATH_SIZE = 4096
};

// Beside the program as it is built, then where an installation has it: MEGA_DIST_MODULE_FOLDER is the way
// there from the folder of programs, so that an installation can be moved.
static const char *const places[] = {"megacade_mpi.so", MEGA_DIST_MODULE_FOLDER "/megacade_mpi.so"};

// The folder of the running program, with a slash at the end.
static int program_folder(char folder[PATH_SIZE]) {
    const ssize_t size = readlink("/proc/self/exe", folder, PATH_SIZE - 1);
    if (size <= 0) {
        return -1;
    }
    folder[size] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        return -1;
    }
    slash[1] = '\0';
    return 0;
}

// Open MPI has plugins that look for its symbols among the global ones. It does not bear being closed.
static void *open_module(const char *path) {
    return dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
}

static int find(void **module, mega_message *message) {
    const char *chosen = mega_dist_text("MEGACADE_MPI");
    if (chosen != NULL) {
        *module = open_module(chosen);
        return *module != NULL ? 0 : mega_message_set(message, "cannot open MEGACADE_MPI: %s", dlerror());
    }
    char folder[PATH_SIZE];
    if (program_folder(folder) != 0) {
        return mega_message_set(message,
                                "cannot tell where the program is; name megacade_mpi.so in MEGACADE_MPI");
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char path[2 * PATH_SIZE];
        (void)snprintf(path, sizeof path, "%s%s", folder, places[i]);
        if (access(path, F_OK) == 0) {
            *module = open_module(path);
            return *module != NULL
                       ? 0
                       : mega_message_set(message, "cannot open the module for MPI: %s", dlerror());
        }
    }
    return mega_message_set(
        message,
        "there is no module for MPI, %.300smegacade_mpi.so; build it with MPI installed, or use "
        "tcp",
        folder);
}

int mega_dist_module_open(mega_dist **out, mega_message *message) {
    *out = NULL;
    void *module = NULL;
    if (find(&module, message) != 0) {
        return -1;
    }
    mega_dist_module_function *function = NULL;
    // ISO C has no cast from an object pointer to a function pointer; POSIX makes their bytes the same.
    void *symbol = dlsym(module, MEGA_DIST_MODULE_FUNCTION);
    memcpy(&function, &symbol, sizeof function);
    if (function == NULL) {
        return mega_message_set(message, "the module for MPI lacks %s: it is not one of Megacade's",
                                MEGA_DIST_MODULE_FUNCTION);
    }
    return function(MEGA_DIST_MODULE_VERSION, out, message);
}
