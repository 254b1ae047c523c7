// host_compiler.h - the system's C compiler, as a program that is started. Host code.
//
// It is $MEGACADE_CC, a program on the path or a file; else the first of cc, gcc and clang on the path. No shell is
// involved.
#ifndef HOST_COMPILER_H
#define HOST_COMPILER_H
#include <stdbool.h>

#include "megacade.h"

#define HOST_COMPILER_PATH_SIZE 4096

typedef struct mega_host_compiler {
    char path[HOST_COMPILER_PATH_SIZE];           // of the program itself, behind all links
    char identity[HOST_COMPILER_PATH_SIZE + 128]; // changes when it is replaced
} mega_host_compiler;

// Fails with MEGA_ERROR_FILE and a sentence when there is none; both texts are empty then.
mega_status host_compiler_find(mega_host_compiler *out);

// Several runs of the compiler, side by side.
#define HOST_COMPILER_JOBS 8
typedef struct mega_compiler_job {
    const char *const *words; // of the command line after the program's name; NULL ends them
    const char *log;          // a file for what it says
} mega_compiler_job;

// Runs all jobs, in a process group of their own each. Fails when one does, or when they have not ended after
// `seconds`; whatever still runs is killed then.
mega_status host_compiler_run(const mega_host_compiler *compiler, const mega_compiler_job *jobs,
                              uint32_t count, double seconds);

#endif
