// video.c - see video.h.
#include "video.h"

#include "out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct mega_video {
    mega_out_file file;
    size_t frame_size;
    int input;   // write end of ffmpeg's standard input, or -1
    FILE *log;   // what ffmpeg says: an unnamed temporary file
    pid_t child; // 0 when there is none
};

// ---- the child ---------------------------------------------------------------------------------------

// Standard input from `input`, standard output and standard error into `log`.
static int child_files(posix_spawn_file_actions_t *actions, int input, int log) {
    int error = posix_spawn_file_actions_init(actions);
    if (error != 0) {
        return error;
    }
    if ((error = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO)) != 0 ||
        (error = posix_spawn_file_actions_adddup2(actions, log, STDOUT_FILENO)) != 0 ||
        (error = posix_spawn_file_actions_adddup2(actions, log, STDERR_FILENO)) != 0) {
        (void)posix_spawn_file_actions_destroy(actions);
    }
    return error;
}

// The child gets SIGPIPE back in case this program ignores it.
static int child_signals(posix_spawnattr_t *attributes) {
    int error = posix_spawnattr_init(attributes);
    if (error != 0) {
        return error;
    }
    sigset_t defaults;
    (void)sigemptyset(&defaults);
    (void)sigaddset(&defaults, SIGPIPE);
    if ((error = posix_spawnattr_setsigdefault(attributes, &defaults)) != 0 ||
        (error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF)) != 0) {
        (void)posix_spawnattr_destroy(attributes);
    }
    return error;
}

static int spawn(mega_video *video, char *const arguments[], int input) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = child_files(&actions, input, fileno(video->log));
    if (error != 0) {
        return error;
    }
    error = child_signals(&attributes);
    if (error == 0) {
        error = posix_spawnp(&video->child, arguments[0], &actions, &attributes, arguments, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        video->child = 0;
    }
    return error;
}

static int start_ffmpeg(mega_video *video, const mega_video_desc *desc, int input) {
    char size[32];
    char rate[32];
    char program[] = "ffmpeg";
    (void)snprintf(size, sizeof size, "%ux%u", (unsigned)desc->width, (unsigned)desc->height);
    (void)snprintf(rate, sizeof rate, "%u/%u", (unsigned)desc->rate,
                   (unsigned)(desc->rate_base == 0 ? 1 : desc->rate_base));
    // posix_spawn takes char *const[] and does not write to the words.
    // clang-format off
    char *const arguments[] = {
        program, "-nostats", "-loglevel", "error", "-y",
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", rate, "-i", "pipe:0", "-an",
        "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-pix_fmt", "yuv420p",
        "-movflags", "+faststart", "-f", "mp4", video->file.part_path, NULL,
    };
    // clang-format on
    return spawn(video, arguments, input);
}

static int wait_child(mega_video *video) {
    int status = 0;
    while (waitpid(video->child, &status, 0) < 0) {
        if (errno != EINTR) {
            status = -1;
            break;
        }
    }
    video->child = 0;
    return status;
}

static void close_input(mega_video *video) {
    if (video->input >= 0) {
        (void)close(video->input);
        video->input = -1;
    }
}

// The first line that ffmpeg wrote, which names the cause, or "" when it was silent.
static void first_words(mega_video *video, char *text, int size) {
    rewind(video->log);
    if (fgets(text, size, video->log) == NULL) {
        text[0] = '\0';
    }
    text[strcspn(text, "\r\n")] = '\0';
}

static int report_child(mega_video *video, mega_message *message) {
    char why[256];
    first_words(video, why, (int)sizeof why);
    return mega_message_set(message, "ffmpeg could not write %s: %s", video->file.path,
                            why[0] != '\0' ? why : "it ended without a reason");
}

// ---- writing without SIGPIPE -------------------------------------------------------------------------

// Writes all bytes. A reader that has gone away gives EPIPE: the signal is held back for this thread and
// taken off the queue, so that the program's own handling of SIGPIPE does not matter.
static int write_all(int descriptor, const uint8_t *bytes, size_t size) {
    sigset_t pipe_only;
    sigset_t before;
    sigset_t pending;
    (void)sigemptyset(&pipe_only);
    (void)sigaddset(&pipe_only, SIGPIPE);
    (void)sigpending(&pending);
    const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    (void)pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    int error = 0;
    while (size > 0 && error == 0) {
        const ssize_t written = write(descriptor, bytes, size);
        if (written >= 0) {
            bytes += written;
            size -= (size_t)written;
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    if (error == EPIPE && !was_pending) {
        const struct timespec now = {0, 0};
        (void)sigtimedwait(&pipe_only, NULL, &now);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

// ---- public ------------------------------------------------------------------------------------------

static void release(mega_video *video) {
    close_input(video);
    if (video->log != NULL) {
        (void)fclose(video->log);
    }
    mega_out_file_abort(&video->file);
    free(video);
}

// A pipe whose ends do not leak into the child, except where they are asked for.
static int make_pipe(int ends[2]) {
    if (pipe(ends) != 0) {
        return errno;
    }
    if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0) {
        return 0;
    }
    const int error = errno;
    (void)close(ends[0]);
    (void)close(ends[1]);
    return error;
}

static int connect_ffmpeg(mega_video *video, const mega_video_desc *desc, mega_message *message) {
    int ends[2];
    video->log = tmpfile();
    if (video->log == NULL) {
        return mega_message_set(message, "cannot make a temporary file for ffmpeg: %s", strerror(errno));
    }
    int error = make_pipe(ends);
    if (error != 0) {
        return mega_message_set(message, "cannot make a pipe to ffmpeg: %s", strerror(error));
    }
    error = start_ffmpeg(video, desc, ends[0]);
    (void)close(ends[0]);
    video->input = ends[1];
    if (error == ENOENT) {
        return mega_message_set(message,
                                "%s needs the program ffmpeg, which is not on PATH; install it, or "
                                "record a .gif instead",
                                video->file.path);
    }
    if (error != 0) {
        return mega_message_set(message, "cannot start ffmpeg: %s", strerror(error));
    }
    return 0;
}

int mega_video_create(const mega_video_desc *desc, const char *path, mega_video **out,
                      mega_message *message) {
    *out = NULL;
    mega_video *video = calloc(1, sizeof *video);
    if (video == NULL) {
        return mega_message_set(message, "out of memory");
    }
    video->input = -1;
    video->frame_size = (size_t)desc->width * desc->height * 3;
    if (mega_out_file_reserve(&video->file, path, message) != 0 ||
        connect_ffmpeg(video, desc, message) != 0) {
        release(video);
        return -1;
    }
    *out = video;
    return 0;
}

int mega_video_add(mega_video *video, const uint8_t *rgb, mega_message *message) {
    const int error = write_all(video->input, rgb, video->frame_size);
    if (error == 0) {
        return 0;
    }
    close_input(video);
    if (error == EPIPE) {
        (void)wait_child(video);
        return report_child(video, message);
    }
    return mega_message_set(message, "cannot send a frame to ffmpeg: %s", strerror(error));
}

int mega_video_finish(mega_video *video, mega_message *message) {
    close_input(video);
    if (wait_child(video) != 0) {
        (void)report_child(video, message);
        release(video);
        return -1;
    }
    const int status = mega_out_file_commit(&video->file, message);
    release(video);
    return status;
}

void mega_video_abort(mega_video *video) {
    if (video == NULL) {
        return;
    }
    close_input(video);
    if (video->child > 0) {
        (void)kill(video->child, SIGTERM);
        (void)wait_child(video);
    }
    release(video);
}
