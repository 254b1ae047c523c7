// mega_test_cuda.h - tests of the CUDA host code against the fake driver, each case in a process of its own:
// a process opens its driver once.
#ifndef MEGA_TEST_CUDA_H
#define MEGA_TEST_CUDA_H
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mega_test.h"
#include "megacade.h"

// Runs `body` in a child with the fake driver and a setting of the environment ("NAME=value", or NULL for
// none). Its checks count as one.
static inline void mega_test_case(void (*body)(void), const char *setting) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        char name[64];
        mega_test_checks = mega_test_failures = 0;
        setenv("MEGACADE_LIBCUDA", MEGA_FAKE_CUDA, 1);
        if (setting != NULL) {
            const char *value = strchr(setting, '=') + 1;
            snprintf(name, sizeof name, "%.*s", (int)(value - setting - 1), setting);
            setenv(name, value, 1);
        }
        body();
        exit(mega_test_failures != 0 || mega_test_checks == 0);
    }
    int status = -1;
    const int ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
    mega_test_check(ended && WEXITSTATUS(status) == 0, setting != NULL ? setting : "(no setting)", __FILE__,
                    __LINE__);
}

// The message of the last failure contains `text`.
static inline void mega_test_message(const char *text, const char *file, int line) {
    mega_test_check(strstr(mega_last_error(), text) != NULL, mega_last_error(), file, line);
}
#define MEGA_CHECK_MESSAGE(text) mega_test_message(text, __FILE__, __LINE__)

// Asks the fake driver: "fake_cuda_held", objects and bytes not given back; "fake_cuda_launches".
static inline long mega_test_cuda_ask(const char *question) {
    long (*function)(void);
    void *library = dlopen(MEGA_FAKE_CUDA, RTLD_NOW);
    void *symbol = library != NULL ? dlsym(library, question) : NULL;
    memcpy(&function, &symbol, sizeof symbol);
    return symbol != NULL ? function() : -1;
}

#endif
