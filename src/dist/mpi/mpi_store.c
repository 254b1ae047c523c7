// mpi_store.c - a store in rank 0's memory. Where all ranks are on one machine it is shared memory with
// atomics, and MPI only makes it. Else it is the store of ranks that are connected by TCP (tcp_store.h), for
// which MPI tells where rank 0 is. MPI has windows for this, too. But they move on only while rank 0 calls MPI,
// and it has an update to compute; and Open MPI 4.1 may crash in MPI_Compare_and_swap (its issues 9146 and
// 11349).
//
// MEGACADE_MPI_STORE=tcp takes the second way on one machine, too: for tests.
#include "mpi_parts.h"
#include "tcp_store.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// In the shared segment: counters, locks, chunks. A lock is 0, or the number of the rank that has it, from 1
// on. Each of these words has a cache line of its own.
enum {
    LINE = MEGA_STORE_ALIGNMENT
};
#define MEETING_SECONDS 60.0

typedef struct mpi_store {
    mega_store store;
    mega_store *by_tcp; // or NULL, and what follows
    MPI_Win window;
    int64_t held;    // the chunk that this rank has, or MEGA_STORE_NO_CHUNK
    uint8_t *memory; // the segment
} mpi_store;

static mpi_dist *mpi_of(mpi_store *own) {
    return (mpi_dist *)own->store.dist;
}

static size_t counter_at(uint32_t counter) {
    return (size_t)counter * LINE;
}

static size_t lock_at(uint32_t chunk) {
    return (MEGA_STORE_COUNTERS + (size_t)chunk) * LINE;
}

static size_t chunk_at(const mega_store *store, uint32_t chunk) {
    return lock_at(store->chunks) + chunk * mega_store_stride(store->chunk_size);
}

// ---- shared memory -----------------------------------------------------------------------------------

// The segment begins at a page's start in all ranks, and its memory at the same distance from there: rounding
// up finds the same place in each.
static uint8_t *align(void *memory) {
    const uintptr_t over = (uintptr_t)memory % LINE;
    return (uint8_t *)memory + (over > 0 ? LINE - over : 0);
}

// Zeroes are there before anybody looks. MPI_Win_sync() is MPI's fence, for which the window has to be in use.
static int clear(mpi_store *own, size_t size, mega_message *message) {
    mpi_dist *mpi = mpi_of(own);
    if (mega_mpi_check(mpi, MPI_Win_lock_all(MPI_MODE_NOCHECK, own->window), "MPI_Win_lock_all", message) !=
        0) {
        return -1;
    }
    if (mpi->dist.rank == 0) {
        memset(own->memory, 0, size);
    }
    if (mega_mpi_check(mpi, MPI_Win_sync(own->window), "MPI_Win_sync", message) != 0 ||
        mega_mpi_check(mpi, MPI_Barrier(mpi->all), "MPI_Barrier", message) != 0) {
        return -1;
    }
    return mega_mpi_check(mpi, MPI_Win_sync(own->window), "MPI_Win_sync", message);
}

static int begin_shared(mpi_store *own, mega_message *message) {
    mpi_dist *mpi = mpi_of(own);
    void *memory = NULL;
    MPI_Aint found_size = 0;
    int unit = 0;
    const size_t size = chunk_at(&own->store, own->store.chunks);
    const MPI_Aint own_size = mpi->dist.rank == 0 ? (MPI_Aint)(size + LINE) : 0;
    int code = MPI_Win_allocate_shared(own_size, 1, MPI_INFO_NULL, mpi->all, &memory, &own->window);
    if (mega_mpi_check(mpi, code, "MPI_Win_allocate_shared", message) != 0) {
        return -1;
    }
    code = MPI_Win_shared_query(own->window, 0, &found_size, &unit, &memory);
    if (mega_mpi_check(mpi, code, "MPI_Win_shared_query", message) != 0) {
        return -1;
    }
    own->memory = align(memory);
    return clear(own, size, message);
}

static _Atomic int64_t *word_at(mpi_store *own, size_t offset) {
    return (_Atomic int64_t *)(void *)(own->memory + offset);
}

// Chunks are held for a short time, so that at first it is best to look again at once. Where there are more
// ranks than cores the one that has the chunk needs ours.
static void wait_for_lock(uint32_t tries) {
    if (tries < 32) {
        return;
    }
    if (tries < 64) {
        (void)sched_yield();
        return;
    }
    const uint32_t shift = tries < 84 ? (tries - 64) / 4 : 5;
    const struct timespec pause = {.tv_nsec = 20000L << shift};
    (void)nanosleep(&pause, NULL);
}

static void lock_shared(mpi_store *own, uint32_t chunk) {
    _Atomic int64_t *lock = word_at(own, lock_at(chunk));
    const int64_t mine = (int64_t)own->store.dist->rank + 1;
    for (uint32_t tries = 0;; tries += tries < UINT32_MAX) {
        int64_t found = atomic_load_explicit(lock, memory_order_relaxed);
        if (found == 0 && atomic_compare_exchange_strong_explicit(lock, &found, mine, memory_order_acquire,
                                                                  memory_order_relaxed)) {
            return;
        }
        wait_for_lock(tries);
    }
}

// ---- TCP ---------------------------------------------------------------------------------------------

// Where rank 0 listens for stores, as it tells all others.
typedef struct invitation {
    uint64_t job;
    uint32_t port;
    int32_t error; // errno of rank 0
    char host[256];
} invitation;

static int invite(mpi_dist *mpi, mega_message *message) {
    invitation said = {0};
    if (mpi->dist.rank == 0) {
        (void)gethostname(said.host, sizeof said.host - 1);
        said.job = mega_tcp_draw_job();
        said.error = mega_tcp_listen_everywhere(&said.port, &mpi->meeting.listener) != 0 ? errno : 0;
    }
    const int code = MPI_Bcast(&said, (int)sizeof said, MPI_BYTE, 0, mpi->all);
    if (mega_mpi_check(mpi, code, "MPI_Bcast", message) != 0) {
        return -1;
    }
    if (said.error != 0) {
        return mega_message_set(message, "rank 0 cannot listen for a store: %s", strerror(said.error));
    }
    memcpy(mpi->host, said.host, sizeof mpi->host);
    mpi->meeting.rank = mpi->dist.rank;
    mpi->meeting.size = mpi->dist.size;
    mpi->meeting.host = mpi->host;
    mpi->meeting.port = said.port;
    mpi->meeting.timeout_seconds = MEETING_SECONDS;
    mpi->meeting.job = said.job;
    return 0;
}

static int begin_tcp(mpi_store *own, mega_message *message) {
    mpi_dist *mpi = mpi_of(own);
    if (mpi->dist.size > TCP_MOST_RANKS) {
        return mega_message_set(message,
                                "a store for %u ranks on several machines is too large; use at most %d",
                                mpi->dist.size, TCP_MOST_RANKS);
    }
    if (mpi->meeting.job == 0 && invite(mpi, message) != 0) {
        return -1;
    }
    return mega_tcp_store_create(&mpi->dist, &mpi->meeting, own->store.chunk_size, own->store.chunks,
                                 &own->by_tcp, message);
}

// ---- create and destroy ------------------------------------------------------------------------------

static bool share_memory(const mega_dist *dist) {
    const char *chosen = mega_dist_text("MEGACADE_MPI_STORE");
    return dist->local_size == dist->size && (chosen == NULL || strcmp(chosen, "tcp") != 0);
}

int mega_mpi_create_store(mega_dist *dist, size_t chunk_size, uint32_t chunks, mega_store **out,
                          mega_message *message) {
    *out = NULL;
    mega_message why = {""};
    mpi_store *own = calloc(1, sizeof *own);
    int status = own != NULL ? 0 : mega_message_set(&why, "out of memory");
    status = mega_dist_agree(dist, status, &why);
    if (status == 0) {
        own->store = (mega_store){.dist = dist, .chunk_size = chunk_size, .chunks = chunks};
        own->held = MEGA_STORE_NO_CHUNK;
        own->window = MPI_WIN_NULL;
        status = share_memory(dist) ? begin_shared(own, &why) : begin_tcp(own, &why);
    }
    if (status != 0) {
        free(own);
        return mega_message_set(message, "%s", why.text);
    }
    *out = &own->store;
    return 0;
}

void mega_mpi_destroy_store(mega_store *store) {
    mpi_store *own = (mpi_store *)store;
    if (own->by_tcp != NULL) {
        mega_tcp_store_destroy(own->by_tcp);
    } else if (!mpi_of(own)->failed) {
        (void)MPI_Win_unlock_all(own->window);
        (void)MPI_Win_free(&own->window);
    }
    free(own);
}

// ---- calls -------------------------------------------------------------------------------------------

int mega_mpi_lock_chunk(mega_store *store, uint32_t chunk, void **bytes, mega_message *message) {
    mpi_store *own = (mpi_store *)store;
    *bytes = NULL;
    if (own->by_tcp != NULL) {
        return mega_tcp_store_lock(own->by_tcp, chunk, bytes, message);
    }
    if (mega_store_check(store, chunk, message) != 0 || mega_store_check_free(own->held, message) != 0) {
        return -1;
    }
    lock_shared(own, chunk);
    own->held = chunk;
    *bytes = own->memory + chunk_at(store, chunk);
    return 0;
}

int mega_mpi_unlock_chunk(mega_store *store, uint32_t chunk, mega_message *message) {
    mpi_store *own = (mpi_store *)store;
    if (own->by_tcp != NULL) {
        return mega_tcp_store_unlock(own->by_tcp, chunk, message);
    }
    if (mega_store_check_held(own->held, chunk, message) != 0) {
        return -1;
    }
    own->held = MEGA_STORE_NO_CHUNK;
    atomic_store_explicit(word_at(own, lock_at(chunk)), 0, memory_order_release);
    return 0;
}

int mega_mpi_count(mega_store *store, uint32_t counter, int64_t add, int64_t *before, mega_message *message) {
    mpi_store *own = (mpi_store *)store;
    *before = 0;
    if (own->by_tcp != NULL) {
        return mega_tcp_store_count(own->by_tcp, counter, add, before, message);
    }
    if (mega_store_check_counter(counter, message) != 0) {
        return -1;
    }
    *before = atomic_fetch_add(word_at(own, counter_at(counter)), add);
    return 0;
}
