// fake_nccl.c - an NCCL without GPUs, for tests: $MEGACADE_NCCL names it. Processes of one machine meet in a file of shared
// memory, and add numbers that are in the host's, as those of fake_cuda.c are: a mean is made by a thread, and until it is
// done streams are busy. What it pretends is read from the environment:
//
//     FAKE_NCCL_VERSION    what ncclGetVersion says (22809)
//     FAKE_NCCL_KEY        what ncclGetUniqueId returns (0)
//     FAKE_NCCL_INIT       what ncclCommInitRank returns (0), while the others wait; -1: it does not return; -2: the process
//                          ends there
//     FAKE_NCCL_REDUCE     what ncclAllReduce returns (0)
//     FAKE_NCCL_ERROR      an asynchronous error that the means have (0); then they do not end
//     FAKE_NCCL_AFTER      so many means go well before those last two count (0)
//     FAKE_NCCL_RANK       these count only where $RANK is this
//     FAKE_NCCL_LOG        a file to which each process adds a line when it leaves
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "nccl_api.h"

#define EXPORT __attribute__((visibility("default")))

enum {
    RANKS_MAX = 8,
    PIECE = 4096 // floats that are added at a time
};

typedef struct shared {
    atomic_uint here, turn; // a barrier
    atomic_uint joined;
    float numbers[RANKS_MAX][PIECE];
} shared;

struct ncclComm {
    int rank, size;
    shared *shared;
    pthread_t thread;
    bool has_thread;
    atomic_bool is_aborted;
    atomic_int error;
    float *numbers;
    size_t count;
    unsigned long means, all_numbers;
};

static long setting(const char *name) {
    const char *text = getenv(name), *only = getenv("FAKE_NCCL_RANK"), *rank = getenv("RANK");
    const bool counts = only == NULL || (rank != NULL && strcmp(only, rank) == 0);
    return text != NULL && counts ? strtol(text, NULL, 10) : 0;
}

static void rest(void) {
    const struct timespec time = {0, 100000};
    (void)nanosleep(&time, NULL);
}

static void pend(int change) {
    void (*tell)(int) = NULL;
    void *driver = dlopen(getenv("MEGACADE_LIBCUDA"), RTLD_NOW | RTLD_NOLOAD);
    void *symbol = driver != NULL ? dlsym(driver, "fake_cuda_pend") : NULL;
    memcpy(&tell, &symbol, sizeof tell);
    if (tell != NULL) {
        tell(change);
    }
}

static void say_goodbye(const ncclComm_t comm, const char *how) {
    const char *path = getenv("FAKE_NCCL_LOG");
    FILE *log = path != NULL ? fopen(path, "a") : NULL;
    if (log != NULL) {
        (void)fprintf(log, "rank %d of %d: %lu means of %lu numbers, %s\n", comm->rank, comm->size,
                      comm->means, comm->means > 0 ? comm->all_numbers / comm->means : 0, how);
        (void)fclose(log);
    }
}

// ---- meeting -----------------------------------------------------------------------------------------

EXPORT ncclResult_t ncclGetVersion(int *version);
ncclResult_t ncclGetVersion(int *version) {
    *version = (int)setting("FAKE_NCCL_VERSION");
    *version = *version == 0 ? 22809 : *version;
    return ncclSuccess;
}

EXPORT const char *ncclGetErrorString(ncclResult_t result);
const char *ncclGetErrorString(ncclResult_t result) {
    return result == 6 ? "remote process exited or there was a network error" : "unhandled system error";
}

static char last_key[NCCL_UNIQUE_ID_BYTES]; // a file that nobody came to stays no longer than its process
__attribute__((destructor)) static void forget_key(void) {
    if (last_key[0] != '\0') {
        (void)shm_unlink(last_key);
    }
}

EXPORT ncclResult_t ncclGetUniqueId(ncclUniqueId *id);
ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
    static int keys;
    (void)snprintf(id->internal, sizeof id->internal, "/fake_nccl.%ld.%d", (long)getpid(), keys++);
    memcpy(last_key, id->internal, sizeof last_key);
    const int file = shm_open(id->internal, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0 || ftruncate(file, sizeof(shared)) != 0 || close(file) != 0) {
        return 2;
    }
    return (ncclResult_t)setting("FAKE_NCCL_KEY");
}

EXPORT ncclResult_t ncclCommInitRank(ncclComm_t *out, int size, ncclUniqueId id, int rank);
ncclResult_t ncclCommInitRank(ncclComm_t *out, int size, ncclUniqueId id, int rank) {
    const long result = setting("FAKE_NCCL_INIT");
    while (result == -1) {
        rest();
    }
    if (result == -2) {
        (void)raise(SIGKILL);
    }
    if (result != 0 || size > RANKS_MAX) {
        return result != 0 ? (ncclResult_t)result : 4;
    }
    const int file = shm_open(id.internal, O_RDWR, 0600);
    void *memory = mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ncclComm_t comm = calloc(1, sizeof *comm);
    if (file < 0 || memory == MAP_FAILED || comm == NULL) {
        return 2;
    }
    (void)close(file);
    comm->shared = memory;
    comm->rank = rank;
    comm->size = size;
    atomic_fetch_add(&comm->shared->joined, 1);
    while (atomic_load(&comm->shared->joined) < (unsigned)size) {
        rest();
    }
    if (rank == 0) {
        (void)shm_unlink(id.internal);
    }
    *out = comm;
    return ncclSuccess;
}

// ---- means -------------------------------------------------------------------------------------------

static bool meet_all(ncclComm_t comm) {
    shared *s = comm->shared;
    const unsigned turn = atomic_load(&s->turn);
    if (atomic_fetch_add(&s->here, 1) + 1 == (unsigned)comm->size) {
        atomic_store(&s->here, 0);
        atomic_fetch_add(&s->turn, 1);
    }
    while (atomic_load(&s->turn) == turn && !atomic_load(&comm->is_aborted)) {
        rest();
    }
    return !atomic_load(&comm->is_aborted);
}

// As NCCL does it: each number is divided first.
static void average_piece(ncclComm_t comm, float *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        comm->shared->numbers[comm->rank][i] = numbers[i] * (1.0f / (float)comm->size);
    }
    if (!meet_all(comm)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        numbers[i] = comm->shared->numbers[0][i];
        for (int rank = 1; rank < comm->size; rank++) {
            numbers[i] += comm->shared->numbers[rank][i];
        }
    }
    (void)meet_all(comm);
}

static void *average(void *argument) {
    ncclComm_t comm = argument;
    atomic_store(&comm->error, comm->means > (unsigned long)setting("FAKE_NCCL_AFTER")
                                   ? (int)setting("FAKE_NCCL_ERROR")
                                   : 0);
    while (atomic_load(&comm->error) != 0 && !atomic_load(&comm->is_aborted)) {
        rest();
    }
    for (size_t at = 0; at < comm->count && !atomic_load(&comm->is_aborted); at += PIECE) {
        average_piece(comm, comm->numbers + at, comm->count - at < PIECE ? comm->count - at : PIECE);
    }
    pend(-1);
    return NULL;
}

static void end_thread(ncclComm_t comm) {
    if (comm->has_thread) {
        (void)pthread_join(comm->thread, NULL);
        comm->has_thread = false;
    }
}

EXPORT ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type,
                                  ncclRedOp_t op, ncclComm_t comm, struct CUstream_st *stream);
ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, struct CUstream_st *stream) {
    if (from != to || type != ncclFloat32 || op != ncclAvg || stream == NULL) {
        return 4;
    }
    end_thread(comm);
    comm->numbers = to;
    comm->count = count;
    comm->means++;
    comm->all_numbers += count;
    if (setting("FAKE_NCCL_REDUCE") != 0 && comm->means > (unsigned long)setting("FAKE_NCCL_AFTER")) {
        return (ncclResult_t)setting("FAKE_NCCL_REDUCE");
    }
    pend(1);
    comm->has_thread = pthread_create(&comm->thread, NULL, average, comm) == 0;
    return comm->has_thread ? ncclSuccess : 2;
}

EXPORT ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error) {
    *error = (ncclResult_t)atomic_load(&comm->error);
    return ncclSuccess;
}

// ---- leaving -----------------------------------------------------------------------------------------

static ncclResult_t leave(ncclComm_t comm, const char *how) {
    end_thread(comm);
    say_goodbye(comm, how);
    (void)munmap(comm->shared, sizeof *comm->shared);
    free(comm);
    return ncclSuccess;
}

// Waits for the others, as the real one may.
EXPORT ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    (void)meet_all(comm);
    return leave(comm, "destroyed");
}

EXPORT ncclResult_t ncclCommAbort(ncclComm_t comm);
ncclResult_t ncclCommAbort(ncclComm_t comm) {
    atomic_store(&comm->is_aborted, true);
    return leave(comm, "aborted");
}
