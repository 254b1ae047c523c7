// code_cache.c - see code_cache.h; docs/formats.md has the format of a file.
#include "code_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define NAME_SIZE 160
#define CODE_SIZE_MAX ((uint64_t)1 << 30)
#define STALE_SECONDS 3600
#define LOCK_SECONDS 60 // nobody compiles for longer, unless something is wrong

// The head of a file. It stays on the machine that wrote it, so numbers are in that machine's order.
typedef struct file_head {
    char magic[8];
    uint64_t size;                    // bytes of code that follow
    uint8_t key[64];                  // the file's own key, so that a renamed file is refused
    uint8_t digest[MEGA_SHA256_SIZE]; // of the code
} file_head;

static const char file_magic[8] = "MEGACD1";

void code_release(mega_code *code) {
    free(code->bytes);
    code->bytes = NULL;
    code->size = 0;
}

// ---- folder ------------------------------------------------------------------------------------------

static bool find_folder(char *path, size_t size) {
    const char *chosen = getenv("MEGACADE_CACHE"), *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct passwd entry, *found = NULL;
    char buffer[1024];
    int needed;
    if (chosen != NULL && chosen[0] != '\0') {
        needed = snprintf(path, size, "%s", chosen);
    } else if (caches != NULL && caches[0] == '/') { // the specification says to ignore relative ones
        needed = snprintf(path, size, "%s/megacade", caches);
    } else {
        if (home == NULL || home[0] == '\0') {
            if (getpwuid_r(getuid(), &entry, buffer, sizeof buffer, &found) != 0 || found == NULL) {
                return false;
            }
            home = entry.pw_dir;
        }
        needed = snprintf(path, size, "%s/.cache/megacade", home);
    }
    return needed > 0 && (size_t)needed < size;
}

// Makes a folder and those above it. Whether that worked is seen when it is opened.
static void make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

// Opens the folder if it can be trusted; -1 if not. `path` is filled in either way.
static int open_folder(char path[PATH_SIZE], bool make) {
    struct stat status;
    if (!find_folder(path, PATH_SIZE)) {
        return -1;
    }
    if (make) {
        make_folders(path);
    }
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0 && (fstat(folder, &status) != 0 || status.st_uid != geteuid() ||
                        (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)) {
        close(folder);
        return -1;
    }
    return folder;
}

// ---- files -------------------------------------------------------------------------------------------

static bool read_all(int file, void *bytes, size_t size) {
    uint8_t *to = bytes;
    while (size > 0) {
        const ssize_t count = read(file, to, size);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return false;
        }
        if (count > 0) {
            to += count;
            size -= (size_t)count;
        }
    }
    return true;
}

static bool write_all(int file, const void *bytes, size_t size) {
    const uint8_t *from = bytes;
    while (size > 0) {
        const ssize_t count = write(file, from, size);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        if (count > 0) {
            from += count;
            size -= (size_t)count;
        }
    }
    return true;
}

// A file of two parts that appears whole or not at all.
static bool write_file(int folder, const char *name, const void *head, size_t head_size, const void *bytes,
                       size_t size) {
    char temporary[NAME_SIZE + 64];
    // Processes differ by number, and the threads of one by where this array lies.
    snprintf(temporary, sizeof temporary, "%s.%ld.%p.tmp", name, (long)getpid(), (void *)temporary);
    unlinkat(folder, temporary, 0);
    const int file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        return false;
    }
    bool good = write_all(file, head, head_size) && write_all(file, bytes, size);
    good = close(file) == 0 && good;
    good = good && renameat(folder, temporary, folder, name) == 0;
    if (!good) {
        unlinkat(folder, temporary, 0);
    }
    return good;
}

static void code_name(const char *key, char name[NAME_SIZE]) {
    snprintf(name, NAME_SIZE, "%.64s.code", key);
}

// Reads an open file whose size on disk is `file_size`.
static bool read_code(int file, uint64_t file_size, const char *key, mega_code *out) {
    file_head head;
    uint8_t digest[MEGA_SHA256_SIZE];
    if (file_size <= sizeof head || !read_all(file, &head, sizeof head) ||
        memcmp(head.magic, file_magic, sizeof head.magic) != 0 ||
        memcmp(head.key, key, sizeof head.key) != 0 || head.size != file_size - sizeof head ||
        head.size > CODE_SIZE_MAX) {
        return false;
    }
    mega_code code = {malloc((size_t)head.size), (size_t)head.size};
    if (code.bytes != NULL && read_all(file, code.bytes, code.size)) {
        sha256_of(code.bytes, code.size, digest);
        if (memcmp(digest, head.digest, sizeof digest) == 0) {
            *out = code;
            return true;
        }
    }
    code_release(&code);
    return false;
}

bool code_cache_load(const char *key, mega_code *out) {
    char path[PATH_SIZE], name[NAME_SIZE];
    struct stat status;
    bool good = false;
    memset(out, 0, sizeof *out);
    const int folder = open_folder(path, false);
    if (folder < 0 || strlen(key) != MEGA_SHA256_TEXT_SIZE - 1) {
        return false;
    }
    code_name(key, name);
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0) {
        good = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
               (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
               read_code(file, (uint64_t)status.st_size, key, out);
        close(file);
    }
    close(folder);
    return good;
}

bool code_cache_save(const char *key, const mega_code *code) {
    char path[PATH_SIZE], name[NAME_SIZE];
    file_head head;
    if (strlen(key) != MEGA_SHA256_TEXT_SIZE - 1) {
        return false;
    }
    const int folder = open_folder(path, true);
    if (folder < 0) {
        return false;
    }
    memcpy(head.magic, file_magic, sizeof head.magic);
    memcpy(head.key, key, sizeof head.key);
    head.size = code->size;
    sha256_of(code->bytes, code->size, head.digest);
    code_name(key, name);
    const bool good = write_file(folder, name, &head, sizeof head, code->bytes, code->size);
    close(folder);
    return good;
}

void code_cache_save_log(const char *name, const char *text, char *path, size_t path_size) {
    char where[PATH_SIZE], file[NAME_SIZE];
    const int folder = open_folder(where, true);
    snprintf(file, sizeof file, "%.*s.log", NAME_SIZE - 5, name);
    for (char *c = file; *c != '\0'; c++) {
        *c = *c == '/' ? '_' : *c;
    }
    path[0] = '\0';
    if (folder >= 0) {
        if (write_file(folder, file, NULL, 0, text, strlen(text))) {
            snprintf(path, path_size, "%s/%s", where, file);
        }
        close(folder);
    }
}

// ---- those who make code -----------------------------------------------------------------------------

// A process that was killed leaves its folder behind. The next one after an hour removes it.
static void remove_stale(int folder) {
    const int copy = dup(folder);
    DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
    struct stat status;
    for (struct dirent *item; list != NULL && (item = readdir(list)) != NULL;) {
        if (strncmp(item->d_name, "work.", 5) != 0 ||
            fstatat(folder, item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(status.st_mode) ||
            status.st_uid != geteuid() || time(NULL) - status.st_mtime < STALE_SECONDS) {
            continue;
        }
        const int inside = openat(folder, item->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        DIR *files = inside >= 0 ? fdopendir(inside) : NULL;
        for (struct dirent *file; files != NULL && (file = readdir(files)) != NULL;) {
            unlinkat(inside, file->d_name, 0);
        }
        if (files != NULL) {
            closedir(files);
        }
        unlinkat(folder, item->d_name, AT_REMOVEDIR);
    }
    if (list != NULL) {
        closedir(list);
    }
}

bool code_cache_workspace(char *path, size_t path_size) {
    char where[PATH_SIZE];
    const char *temporary = getenv("TMPDIR");
    const int folder = open_folder(where, true);
    if (folder >= 0) {
        remove_stale(folder);
        close(folder);
        const int length = snprintf(path, path_size, "%s/work.XXXXXX", where);
        if (length > 0 && (size_t)length < path_size && mkdtemp(path) != NULL) {
            return true;
        }
    }
    const int length = snprintf(path, path_size, "%s/megacade.XXXXXX",
                                temporary != NULL && temporary[0] == '/' ? temporary : "/tmp");
    return length > 0 && (size_t)length < path_size && mkdtemp(path) != NULL;
}

static void lock_name(const char *key, char name[NAME_SIZE]) {
    snprintf(name, NAME_SIZE, "%.64s.lock", key);
}

bool code_cache_lock(const char *key, bool (*cancelled)(void *context), void *context, int *lock) {
    char path[PATH_SIZE], name[NAME_SIZE];
    const struct timespec pause = {.tv_nsec = 20000000};
    *lock = -1;
    const int folder = open_folder(path, true);
    if (folder < 0) {
        return true;
    }
    lock_name(key, name);
    *lock = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    close(folder);
    for (uint32_t i = 0; *lock >= 0 && i < LOCK_SECONDS * 50u; i++) {
        if (flock(*lock, LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        if (cancelled(context)) {
            close(*lock);
            *lock = -1;
            return false;
        }
        nanosleep(&pause, NULL);
    }
    return true; // the same code twice does no harm
}

void code_cache_unlock(const char *key, int lock) {
    char path[PATH_SIZE], name[NAME_SIZE];
    if (lock >= 0) {
        const int folder = open_folder(path, false);
        lock_name(key, name);
        if (folder >= 0) {
            unlinkat(folder, name, 0);
            close(folder);
        }
        close(lock);
    }
}
