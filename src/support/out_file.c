// out_file.c - see out_file.h.
#include "out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void release(mega_out_file *file) {
    free(file->path);
    free(file->part_path);
    *file = (mega_out_file){0};
}

static char *join(const char *a, const char *b) {
    const size_t a_size = strlen(a);
    const size_t b_size = strlen(b);
    char *text = malloc(a_size + b_size + 1);
    if (text != NULL) {
        memcpy(text, a, a_size);
        memcpy(text + a_size, b, b_size + 1);
    }
    return text;
}

int mega_out_file_reserve(mega_out_file *file, const char *path, mega_message *message) {
    *file = (mega_out_file){0};
    struct stat status;
    // lstat, so that a link counts as "not a plain file" and is written through instead of replaced.
    const int exists = lstat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        return mega_message_set(message, "%s is a folder; give the name of a file", path);
    }
    if (*path == '\0') {
        return mega_message_set(message, "the name of the file to write is empty");
    }
    file->direct = exists && !S_ISREG(status.st_mode);
    file->path = join(path, "");
    file->part_path = join(path, file->direct ? "" : ".part");
    if (file->path == NULL || file->part_path == NULL) {
        release(file);
        return mega_message_set(message, "out of memory");
    }
    return 0;
}

int mega_out_file_open(mega_out_file *file, const char *path, mega_message *message) {
    if (mega_out_file_reserve(file, path, message) != 0) {
        return -1;
    }
    file->stream = fopen(file->part_path, "wb");
    if (file->stream == NULL) {
        (void)mega_message_set(message, "cannot write %s: %s", path, strerror(errno));
        release(file);
        return -1;
    }
    return 0;
}

// Closes the stream; the result is 0 only when every byte arrived. Keeps errno of the first failure.
static int close_stream(mega_out_file *file) {
    if (file->stream == NULL) {
        return 0;
    }
    errno = 0;
    const int failed_before = ferror(file->stream);
    const int failed_flush = fflush(file->stream);
    const int error = errno;
    const int failed_close = fclose(file->stream);
    file->stream = NULL;
    if (failed_before || failed_flush) {
        errno = error;
        return -1;
    }
    return failed_close ? -1 : 0;
}

// Pipes and devices cannot be synchronised, and have nothing to lose.
static int sync_stream(mega_out_file *file) {
    if (file->stream == NULL || file->direct) {
        return 0;
    }
    return fflush(file->stream) != 0 || fsync(fileno(file->stream)) != 0 ? -1 : 0;
}

// A new name is on the disk when its folder is. Some file systems cannot do this for folders; the name is
// there all the same, so that this is no failure.
static void sync_folder(const char *path) {
    char *folder = join(path, "");
    char *slash = folder != NULL ? strrchr(folder, '/') : NULL;
    if (slash != NULL) {
        slash[slash == folder] = '\0';
    }
    const int handle =
        folder != NULL ? open(slash != NULL ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (handle >= 0) {
        (void)fsync(handle);
        (void)close(handle);
    }
    free(folder);
}

static int commit(mega_out_file *file, bool durably, mega_message *message) {
    int status = 0;
    if (durably) {
        errno = 0;
        status = sync_stream(file);
    }
    if (status == 0) {
        status = close_stream(file);
    }
    if (status == 0 && !file->direct) {
        status = rename(file->part_path, file->path);
    }
    if (status != 0) {
        const char *why = errno != 0 ? strerror(errno) : "the file system refused the data";
        (void)mega_message_set(message, "cannot write %s: %s", file->path, why);
        mega_out_file_abort(file);
        return -1;
    }
    if (durably && !file->direct) {
        sync_folder(file->path);
    }
    release(file);
    return 0;
}

int mega_out_file_commit(mega_out_file *file, mega_message *message) {
    return commit(file, false, message);
}

int mega_out_file_commit_durably(mega_out_file *file, mega_message *message) {
    return commit(file, true, message);
}

void mega_out_file_abort(mega_out_file *file) {
    if (file->stream != NULL) {
        (void)fclose(file->stream);
    }
    if (file->part_path != NULL && !file->direct) {
        (void)unlink(file->part_path);
    }
    release(file);
}
