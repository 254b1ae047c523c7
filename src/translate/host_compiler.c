// host_compiler.c - see host_compiler.h.
#include "host_compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "status.h"

#define WORDS_MAX 48
#define LOOK_NANOSECONDS 5000000 // between two looks at the processes

extern char **environ;

// ---- finding -----------------------------------------------------------------------------------------

static bool is_program(const char *path, struct stat *status) {
    return stat(path, status) == 0 && S_ISREG(status->st_mode) && access(path, X_OK) == 0;
}

// Looks in the folders of the path; those that depend on where we are do not count.
static bool find_on_path(const char *name, char path[HOST_COMPILER_PATH_SIZE]) {
    const char *folders = getenv("PATH");
    struct stat status;
    for (const char *from = folders != NULL ? folders : "/usr/local/bin:/usr/bin:/bin"; *from != '\0';) {
        const size_t length = strcspn(from, ":");
        const int needed =
            snprintf(path, HOST_COMPILER_PATH_SIZE, "%.*s/%s", (int)(length < 4096 ? length : 0), from, name);
        if (from[0] == '/' && needed > 0 && needed < HOST_COMPILER_PATH_SIZE && is_program(path, &status)) {
            return true;
        }
        from += length + (from[length] == ':');
    }
    return false;
}

static bool find_program(const char *name, char path[HOST_COMPILER_PATH_SIZE]) {
    struct stat status;
    if (strchr(name, '/') == NULL) {
        return find_on_path(name, path);
    }
    return snprintf(path, HOST_COMPILER_PATH_SIZE, "%s", name) < HOST_COMPILER_PATH_SIZE &&
           is_program(path, &status);
}

mega_status host_compiler_find(mega_host_compiler *out) {
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *chosen = getenv("MEGACADE_CC");
    struct stat status;
    char target[HOST_COMPILER_PATH_SIZE];
    bool found = false;
    memset(out, 0, sizeof(*out));
    if (chosen != NULL && chosen[0] != '\0') {
        if (!find_program(chosen, out->path)) {
            out->path[0] = '\0';
            return mega_fail(MEGA_ERROR_FILE, "MEGACADE_CC names no program: '%.200s'", chosen);
        }
        found = true;
    }
    for (size_t i = 0; !found && i < sizeof usual / sizeof usual[0]; i++) {
        found = find_program(usual[i], out->path);
    }
    if (!found) {
        out->path[0] = '\0';
        return mega_fail(MEGA_ERROR_FILE, "there is no C compiler (cc, gcc or clang) on the path");
    }
    // Names such as cc stay in use: what is behind the link tells one compiler from another.
    char *real = realpath(out->path, NULL);
    snprintf(target, sizeof target, "%s", real != NULL ? real : out->path);
    free(real);
    if (stat(target, &status) != 0) {
        out->path[0] = '\0';
        return mega_fail(MEGA_ERROR_FILE, "the compiler '%.200s' cannot be looked at", target);
    }
    snprintf(out->identity, sizeof out->identity, "%s %lld %lld.%09ld", target, (long long)status.st_size,
             (long long)status.st_mtim.tv_sec, (long)status.st_mtim.tv_nsec);
    return MEGA_OK;
}

// ---- running -----------------------------------------------------------------------------------------

// A child's signals are as in a new program, whatever the host does with its own.
static int set_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    static const int signals[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGQUIT};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigaddset(&usual, signals[i]);
    }
    int result = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                          POSIX_SPAWN_SETSIGDEF);
    result = result != 0 ? result : posix_spawnattr_setpgroup(attributes, 0);
    result = result != 0 ? result : posix_spawnattr_setsigmask(attributes, &none);
    return result != 0 ? result : posix_spawnattr_setsigdefault(attributes, &usual);
}

static int set_files(posix_spawn_file_actions_t *files, const char *log) {
    int result = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
    result = result != 0
                 ? result
                 : posix_spawn_file_actions_addopen(files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return result != 0 ? result : posix_spawn_file_actions_adddup2(files, 1, 2);
}

static int start(const mega_host_compiler *compiler, const mega_compiler_job *job, pid_t *process) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    char *words[WORDS_MAX] = {(char *)compiler->path};
    for (size_t i = 0; job->words[i] != NULL && i + 2 < WORDS_MAX; i++) {
        words[i + 1] = (char *)job->words[i];
    }
    int result = posix_spawnattr_init(&attributes);
    if (result != 0) {
        return result;
    }
    result = posix_spawn_file_actions_init(&files);
    if (result == 0) {
        result = set_attributes(&attributes);
        result = result != 0 ? result : set_files(&files, job->log);
        result =
            result != 0 ? result : posix_spawn(process, compiler->path, &files, &attributes, words, environ);
        posix_spawn_file_actions_destroy(&files);
    }
    posix_spawnattr_destroy(&attributes);
    return result;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The compiler's own helpers are in its group.
static void end_all(const pid_t *processes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (processes[i] > 0) {
            kill(-processes[i], SIGKILL);
            while (waitpid(processes[i], NULL, 0) < 0 && errno == EINTR) {}
        }
    }
}

// Waits for all; processes that ended are set to 0.
static mega_status wait_all(const mega_host_compiler *compiler, pid_t *processes, uint32_t count,
                            double seconds) {
    const double limit = seconds_now() + seconds;
    const struct timespec pause = {.tv_nsec = LOOK_NANOSECONDS};
    for (uint32_t left = count; left > 0;) {
        for (uint32_t i = 0; i < count; i++) {
            int result = 0;
            const pid_t ended = processes[i] > 0 ? waitpid(processes[i], &result, WNOHANG) : 0;
            if (ended == 0 || (ended < 0 && errno == EINTR)) {
                continue;
            }
            processes[i] = 0;
            left--;
            if (ended < 0) { // a host that ignores its children
                return mega_fail(MEGA_ERROR_FILE, "the end of %.200s was not seen", compiler->path);
            }
            if (!WIFEXITED(result) || WEXITSTATUS(result) != 0) {
                return mega_fail(MEGA_ERROR_FILE, "%.200s failed (%s %d)", compiler->path,
                                 WIFEXITED(result) ? "exit code" : "signal",
                                 WIFEXITED(result) ? WEXITSTATUS(result) : WTERMSIG(result));
            }
        }
        if (left > 0 && seconds_now() >= limit) {
            return mega_fail(MEGA_ERROR_TIMEOUT, "%.200s did not end in %.0f s", compiler->path, seconds);
        }
        nanosleep(&pause, NULL);
    }
    return MEGA_OK;
}

mega_status host_compiler_run(const mega_host_compiler *compiler, const mega_compiler_job *jobs,
                              uint32_t count, double seconds) {
    pid_t processes[HOST_COMPILER_JOBS] = {0};
    mega_status status = MEGA_OK;
    for (uint32_t i = 0; i < count && status == MEGA_OK; i++) {
        const int result = start(compiler, &jobs[i], &processes[i]);
        if (result != 0) {
            processes[i] = 0;
            status =
                mega_fail(MEGA_ERROR_FILE, "%.200s cannot be started: %s", compiler->path, strerror(result));
        }
    }
    if (status == MEGA_OK) {
        status = wait_all(compiler, processes, count, seconds);
    }
    end_all(processes, count);
    return status;
}
