// collective_cuda.c - see collective_cuda.h.
#include "collective_cuda.h"

#include "compute_cuda.h"
#include "library.h"
#include "nccl_api.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    LOOK_MILLISECONDS = 20,   // between looks at the other processes
    BLAME_MILLISECONDS = 2000 // a network's error is often the end of a process, which is the better reason
};

typedef struct nccl_collective {
    mega_collective base;
    const mega_cuda_device *device;
    CUstream stream;
    void *library; // stays open
    mega_nccl nccl;
    ncclComm_t comm; // NULL: not joined, or left
    CUevent done;    // after the last mean
    bool is_waiting; // for it
} nccl_collective;

static const mega_library_entry entries[] = {
#define NCCL_ENTRY(type, name, parameters) {#name, offsetof(mega_nccl, name)},
    NCCL_FUNCTIONS(NCCL_ENTRY)
#undef NCCL_ENTRY
};

static nccl_collective *nccl_of(mega_collective *collective) {
    return (nccl_collective *)collective;
}

// NCCL's own text says which variable tells more.
static int fail(const mega_nccl *nccl, ncclResult_t result, const char *call, mega_message *message) {
    const char *text = nccl->ncclGetErrorString(result);
    return mega_message_set(message, "%s failed: %s (NCCL's result %d)", call,
                            text != NULL ? text : "no description", (int)result);
}

static int64_t milliseconds(void) {
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void rest(void) {
    const struct timespec time = {0, 5000000};
    (void)nanosleep(&time, NULL);
}

static int look_at_others(const nccl_collective *own, mega_message *message) {
    const mega_collective_watch *watch = &own->base.watch;
    return watch->look == NULL ? 0 : watch->look(watch->context, message);
}

// ---- opening -----------------------------------------------------------------------------------------

static int check_version(nccl_collective *own, mega_message *message) {
    int version = 0;
    char text[MEGA_COLLECTIVE_VERSION_SIZE], oldest[MEGA_COLLECTIVE_VERSION_SIZE];
    const ncclResult_t result = own->nccl.ncclGetVersion(&version);
    if (result != ncclSuccess) {
        return mega_message_set(message, "the NCCL that was found does not tell its version (result %d)",
                                (int)result);
    }
    own->base.card.version = version;
    if (version < MEGA_NCCL_OLDEST) {
        mega_collective_version(version, text);
        mega_collective_version(MEGA_NCCL_OLDEST, oldest);
        return mega_message_set(message,
                                "NCCL %s is too old: %s is needed; install a newer one, or set reduce = host",
                                text, oldest);
    }
    return 0;
}

// What the user has set stays. Sums are to repeat (collective_cuda.h), and GPUs are to be connected when the processes join:
// by itself NCCL does it in the first mean, where nobody could look at the others meanwhile.
static void set_habits(void) {
    (void)setenv("NCCL_NVLS_ENABLE", "0", 0);
    (void)setenv("NCCL_RUNTIME_CONNECT", "0", 0);
}

static int open_library(nccl_collective *own, mega_message *message) {
    const char *const name = "libnccl.so.2";
    set_habits();
    own->library = library_open("MEGACADE_NCCL", &name, 1);
    if (own->library == NULL) {
        return mega_message_set(message,
                                "NCCL was not found; `pip install nvidia-nccl-cu%d`, name "
                                "libnccl.so.2 in $MEGACADE_NCCL, or set reduce = host",
                                own->device->driver->version < 13000 ? 12 : 13);
    }
    const char *lacking = library_fill(own->library, entries, sizeof entries / sizeof entries[0], &own->nccl);
    // The version comes first: an old library also lacks functions, and its age is the better reason.
    if (own->nccl.ncclGetVersion != NULL && check_version(own, message) < 0) {
        return -1;
    }
    return lacking == NULL ? 0
                           : mega_message_set(message,
                                              "the NCCL that was found lacks %s; install another one, or set "
                                              "reduce = host",
                                              lacking);
}

static mega_status prepare(nccl_collective *own) {
    CUuuid gpu;
    CUDA_TRY(own->device->driver, cuDeviceGetUuid, &gpu, own->device->handle);
    memcpy(own->base.card.gpu, gpu.bytes, sizeof own->base.card.gpu);
    CUDA_TRY(own->device->driver, cuEventCreate, &own->done, CU_EVENT_DISABLE_TIMING);
    return MEGA_OK;
}

// Leaves a joined one.
static void leave(nccl_collective *own, bool are_all_there) {
    if (own->comm != NULL) {
        (void)(are_all_there ? own->nccl.ncclCommDestroy(own->comm) : own->nccl.ncclCommAbort(own->comm));
        own->comm = NULL;
    }
    own->is_waiting = false;
}

static void nccl_close(mega_collective *collective, bool are_all_there) {
    nccl_collective *own = nccl_of(collective);
    leave(own, are_all_there && !own->is_waiting);
    if (own->done != NULL) {
        (void)own->device->driver->cuEventDestroy(own->done);
    }
    free(own);
}

static int nccl_open(mega_compute *compute, mega_collective **out, mega_message *message) {
    const cuda_compute *cuda = (const cuda_compute *)compute;
    nccl_collective *own = calloc(1, sizeof *own);
    *out = NULL;
    if (own == NULL) {
        return mega_message_set(message, "there is no memory for NCCL");
    }
    own->base.ops = &mega_collective_cuda;
    own->device = cuda->device;
    own->stream = cuda->stream;
    if (open_library(own, message) < 0 || cuda_message(prepare(own), message) < 0) {
        nccl_close(&own->base, false);
        return -1;
    }
    *out = &own->base;
    return 0;
}

// ---- joining -----------------------------------------------------------------------------------------

static int nccl_make_key(mega_collective *collective, uint8_t key[MEGA_COLLECTIVE_KEY_SIZE],
                         mega_message *message) {
    const nccl_collective *own = nccl_of(collective);
    ncclUniqueId id;
    memset(&id, 0, sizeof id);
    const ncclResult_t result = own->nccl.ncclGetUniqueId(&id);
    memcpy(key, id.internal, MEGA_COLLECTIVE_KEY_SIZE);
    return result == ncclSuccess ? 0 : fail(&own->nccl, result, "ncclGetUniqueId", message);
}

// Joining waits for all others and cannot be interrupted, so a thread does it. If it takes too long it is left alone with
// what it needs, and ends with the process, which fails. That is not before it has done with the device, which others close.
typedef enum joining_state {
    ENTERING,
    JOINING,
    JOINED,
    LEFT_ALONE
} joining_state;

typedef struct joining {
    mega_nccl nccl;
    const mega_cuda_device *device;
    ncclUniqueId id;
    int rank, size;
    ncclComm_t comm;
    ncclResult_t result;
    mega_status entered;
    mega_message why; // not entered
    _Atomic int state;
} joining;

static void *do_join(void *argument) {
    joining *j = argument;
    j->entered = cuda_device_enter(j->device);
    atomic_store(&j->state, JOINING);
    if (j->entered != MEGA_OK) {
        (void)cuda_message(j->entered, &j->why); // the thread's own sentence
    } else {
        j->result = j->nccl.ncclCommInitRank(&j->comm, j->size, j->id, j->rank);
    }
    int state = JOINING;
    if (atomic_compare_exchange_strong(&j->state, &state, JOINED) && j->entered == MEGA_OK) {
        cuda_device_leave(j->device);
    }
    return NULL;
}

static int wait_for_join(const nccl_collective *own, joining *j, double seconds, bool *is_late,
                         mega_message *message) {
    const int64_t end = milliseconds() + (int64_t)(seconds * 1000);
    while (atomic_load(&j->state) == ENTERING) {
        rest();
    }
    while (atomic_load(&j->state) == JOINING) {
        int state = JOINING, failed = look_at_others(own, message);
        if (failed == 0 && milliseconds() >= end) {
            *is_late = true;
            failed = mega_message_set(message,
                                      "NCCL has not connected the processes within %g seconds; "
                                      "NCCL_DEBUG=INFO tells more, and reduce = host does without it",
                                      seconds);
        }
        if (failed < 0 && atomic_compare_exchange_strong(&j->state, &state, LEFT_ALONE)) {
            return -1;
        }
        rest();
    }
    *is_late = false;
    return 0;
}

static int end_join(nccl_collective *own, const joining *j, mega_message *message) {
    if (j->entered != MEGA_OK) {
        return mega_message_set(message, "%s", j->why.text);
    }
    if (j->result != ncclSuccess) {
        mega_message why;
        (void)fail(&own->nccl, j->result, "ncclCommInitRank", &why);
        return mega_message_set(message, "%s; reduce = host does without NCCL", why.text);
    }
    own->comm = j->comm;
    return 0;
}

static int nccl_join(mega_collective *collective, const uint8_t key[MEGA_COLLECTIVE_KEY_SIZE], uint32_t rank,
                     uint32_t size, double seconds, bool *is_late, mega_message *message) {
    nccl_collective *own = nccl_of(collective);
    pthread_t thread;
    joining *j = calloc(1, sizeof *j);
    *is_late = false;
    if (j == NULL) {
        return mega_message_set(message, "there is no memory for NCCL");
    }
    j->nccl = own->nccl;
    j->device = own->device;
    j->rank = (int)rank;
    j->size = (int)size;
    memcpy(j->id.internal, key, MEGA_COLLECTIVE_KEY_SIZE);
    if (pthread_create(&thread, NULL, do_join, j) != 0) {
        free(j);
        return mega_message_set(message, "cannot start a thread for NCCL");
    }
    if (wait_for_join(own, j, seconds, is_late, message) < 0) {
        (void)pthread_detach(thread);
        return -1;
    }
    (void)pthread_join(thread, NULL);
    const int result = end_join(own, j, message);
    free(j);
    return result;
}

// ---- means -------------------------------------------------------------------------------------------

// NCCL has failed. It learns that from a network; whether a process has ended, the watch knows soon.
static int blame(const nccl_collective *own, ncclResult_t result, mega_message *message) {
    const int64_t end = milliseconds() + BLAME_MILLISECONDS;
    while (milliseconds() < end) {
        if (look_at_others(own, message) < 0) {
            return -1;
        }
        rest();
    }
    return fail(&own->nccl, result, "a mean over all GPUs", message);
}

static int nccl_average(mega_collective *collective, float *numbers, size_t count, mega_message *message) {
    nccl_collective *own = nccl_of(collective);
    const mega_cuda_driver *driver = own->device->driver;
    if (own->comm == NULL) {
        return mega_message_set(message, "NCCL does not connect the processes any more");
    }
    const ncclResult_t result =
        own->nccl.ncclAllReduce(numbers, numbers, count, ncclFloat32, ncclAvg, own->comm, own->stream);
    if (result != ncclSuccess) {
        (void)blame(own, result, message);
        leave(own, false);
        return -1;
    }
    own->is_waiting = true;
    const CUresult recorded = driver->cuEventRecord(own->done, own->stream);
    return recorded == CUDA_SUCCESS ? 0 : cuda_message(cuda_fail(driver, recorded, "cuEventRecord"), message);
}

static int look(const nccl_collective *own, mega_message *message) {
    ncclResult_t error = ncclSuccess;
    if (look_at_others(own, message) < 0) {
        return -1;
    }
    const ncclResult_t result = own->nccl.ncclCommGetAsyncError(own->comm, &error);
    if (result != ncclSuccess) {
        return fail(&own->nccl, result, "ncclCommGetAsyncError", message);
    }
    return error == ncclSuccess || error == ncclInProgress ? 0 : blame(own, error, message);
}

// The GPU waits for the others by itself, and would do so for ever: whoever gives up takes it out of that.
static int nccl_wait(mega_collective *collective, mega_message *message) {
    nccl_collective *own = nccl_of(collective);
    const mega_cuda_driver *driver = own->device->driver;
    int64_t next = milliseconds() + LOOK_MILLISECONDS;
    while (own->is_waiting) {
        const CUresult done = driver->cuEventQuery(own->done);
        if (done == CUDA_SUCCESS) {
            own->is_waiting = false;
            break;
        }
        if (done != CUDA_ERROR_NOT_READY) {
            return cuda_message(cuda_fail(driver, done, "cuEventQuery"), message);
        }
        if (milliseconds() >= next) {
            if (look(own, message) < 0) {
                leave(own, false);
                return -1;
            }
            next = milliseconds() + LOOK_MILLISECONDS;
        }
        (void)sched_yield(); // others may have use for the core, and nobody should wait longer than the GPU
    }
    return 0;
}

const mega_collective_ops mega_collective_cuda = {
    .name = "NCCL",
    .open = nccl_open,
    .make_key = nccl_make_key,
    .join = nccl_join,
    .average = nccl_average,
    .wait = nccl_wait,
    .close = nccl_close,
};
