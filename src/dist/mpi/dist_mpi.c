// dist_mpi.c - the module for MPI: ranks as mpirun or srun has started them. Numbers lie in the host's memory.
//
// Sums are made here and not by MPI_Allreduce, which may add in another order with each size and each number of
// ranks.
#include "mpi_parts.h"
#include "ordered_sum.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_BYTES = 1 << 30, // of one call of MPI, which counts in int
    TAG = 1
};

int mega_mpi_check(mpi_dist *mpi, int code, const char *what, mega_message *message) {
    if (code == MPI_SUCCESS) {
        return 0;
    }
    mpi->failed = true;
    char text[MPI_MAX_ERROR_STRING] = "";
    int size = 0;
    (void)MPI_Error_string(code, text, &size);
    return mega_message_set(message, "%s failed: %s", what, text);
}

// ---- sums --------------------------------------------------------------------------------------------

typedef struct number_kind {
    size_t size;
    MPI_Datatype type;
    mega_ordered_sum *sum;
} number_kind;

// Everybody gets everything, and adds it in the same order.
static int sum_small(mpi_dist *mpi, const number_kind *kind, void *numbers, size_t count,
                     mega_message *message) {
    const int code =
        MPI_Allgather(numbers, (int)count, kind->type, mpi->parts, (int)count, kind->type, mpi->all);
    if (mega_mpi_check(mpi, code, "MPI_Allgather", message) != 0) {
        return -1;
    }
    kind->sum(numbers, mpi->parts, count, mpi->dist.size);
    return 0;
}

// Every rank gets a slice of all, adds it, and gives the sums to all.
static int sum_piece(mpi_dist *mpi, const number_kind *kind, uint8_t *numbers, size_t count,
                     mega_message *message) {
    const uint32_t size = mpi->dist.size;
    int *counts = mpi->slices, *places = counts + size, *own_counts = places + size,
        *own_places = own_counts + size;
    const mega_slice own = mega_slice_of(count, mpi->dist.rank, size);
    for (uint32_t rank = 0; rank < size; rank++) {
        const mega_slice slice = mega_slice_of(count, rank, size);
        counts[rank] = (int)slice.count;
        places[rank] = (int)slice.first;
        own_counts[rank] = (int)own.count;
        own_places[rank] = (int)(rank * own.count);
    }
    int code = MPI_Alltoallv(numbers, counts, places, kind->type, mpi->parts, own_counts, own_places,
                             kind->type, mpi->all);
    if (mega_mpi_check(mpi, code, "MPI_Alltoallv", message) != 0) {
        return -1;
    }
    kind->sum(numbers + own.first * kind->size, mpi->parts, own.count, size);
    code = MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, counts, places, kind->type, mpi->all);
    return mega_mpi_check(mpi, code, "MPI_Allgatherv", message);
}

static int sum(mega_dist *dist, const number_kind *kind, void *numbers, size_t count, mega_message *message) {
    mpi_dist *mpi = (mpi_dist *)dist;
    if (dist->size == 1 || count == 0) {
        return 0;
    }
    if (count <= MEGA_SUM_SMALL_SIZE / kind->size / dist->size) {
        return sum_small(mpi, kind, numbers, count, message);
    }
    // A slice of all ranks is at most `size` numbers longer than the piece.
    const size_t piece = MEGA_SUM_PARTS_SIZE / kind->size - dist->size;
    for (size_t at = 0; at < count; at += piece) {
        const size_t part = count - at < piece ? count - at : piece;
        if (sum_piece(mpi, kind, (uint8_t *)numbers + at * kind->size, part, message) != 0) {
            return -1;
        }
    }
    return 0;
}

static int sum_floats(mega_dist *dist, float *numbers, size_t count, mega_message *message) {
    const number_kind kind = {sizeof(float), MPI_FLOAT, mega_ordered_sum_floats};
    return sum(dist, &kind, numbers, count, message);
}

static int sum_doubles(mega_dist *dist, double *numbers, size_t count, mega_message *message) {
    const number_kind kind = {sizeof(double), MPI_DOUBLE, mega_ordered_sum_doubles};
    return sum(dist, &kind, numbers, count, message);
}

// ---- bytes -------------------------------------------------------------------------------------------

static int part_of(size_t size, size_t at) {
    return size - at < MOST_BYTES ? (int)(size - at) : MOST_BYTES;
}

static int broadcast(mega_dist *dist, void *bytes, size_t size, uint32_t root, mega_message *message) {
    mpi_dist *mpi = (mpi_dist *)dist;
    for (size_t at = 0; at < size; at += MOST_BYTES) {
        const int code = MPI_Bcast((uint8_t *)bytes + at, part_of(size, at), MPI_BYTE, (int)root, mpi->all);
        if (mega_mpi_check(mpi, code, "MPI_Bcast", message) != 0) {
            return -1;
        }
    }
    return 0;
}

static int gather(mega_dist *dist, const void *bytes, size_t size, void *all, mega_message *message) {
    mpi_dist *mpi = (mpi_dist *)dist;
    uint8_t *own = (uint8_t *)all + dist->rank * size;
    if (size > 0 && own != bytes) {
        memcpy(own, bytes, size);
    }
    if (size <= MOST_BYTES) {
        const int code =
            MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, (int)size, MPI_BYTE, mpi->all);
        return mega_mpi_check(mpi, code, "MPI_Allgather", message);
    }
    for (uint32_t rank = 0; rank < dist->size; rank++) {
        if (broadcast(dist, (uint8_t *)all + rank * size, size, rank, message) != 0) {
            return -1;
        }
    }
    return 0;
}

static int barrier(mega_dist *dist, mega_message *message) {
    mpi_dist *mpi = (mpi_dist *)dist;
    if (mpi->failed) {
        return mega_message_set(message, "the ranks are no longer connected");
    }
    return mega_mpi_check(mpi, MPI_Barrier(mpi->all), "MPI_Barrier", message);
}

static int send_bytes(mega_dist *dist, const void *bytes, size_t size, uint32_t to, mega_message *message) {
    mpi_dist *mpi = (mpi_dist *)dist;
    if (mega_dist_check_other(dist, to, message) != 0) {
        return -1;
    }
    for (size_t at = 0; at < size; at += MOST_BYTES) {
        const int part = part_of(size, at);
        const int code = MPI_Send((const uint8_t *)bytes + at, part, MPI_BYTE, (int)to, TAG, mpi->all);
        if (mega_mpi_check(mpi, code, "MPI_Send", message) != 0) {
            return -1;
        }
    }
    return 0;
}

static int receive_bytes(mega_dist *dist, void *bytes, size_t size, uint32_t from, mega_message *message) {
    mpi_dist *mpi = (mpi_dist *)dist;
    if (mega_dist_check_other(dist, from, message) != 0) {
        return -1;
    }
    for (size_t at = 0; at < size; at += MOST_BYTES) {
        const int part = part_of(size, at);
        MPI_Status status;
        const int code = MPI_Recv((uint8_t *)bytes + at, part, MPI_BYTE, (int)from, TAG, mpi->all, &status);
        int count = 0;
        if (mega_mpi_check(mpi, code, "MPI_Recv", message) != 0 ||
            mega_mpi_check(mpi, MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count", message) != 0) {
            return -1;
        }
        if (count != part) {
            mpi->failed = true;
            return mega_message_set(message, "rank %u has sent %d bytes where %d were expected", from, count,
                                    part);
        }
    }
    return 0;
}

static int part_mpi(mega_dist *dist, uint32_t hosts, mega_message *message) {
    mpi_dist *mpi = (mpi_dist *)dist;
    const bool is_host = dist->rank < hosts;
    MPI_Comm hosts_only = MPI_COMM_NULL;
    if (mega_mpi_check(mpi, MPI_Comm_split(mpi->all, is_host ? 0 : 1, (int)dist->rank, &hosts_only),
                       "MPI_Comm_split", message) != 0) {
        return -1;
    }
    (void)MPI_Comm_free(&mpi->all);
    mpi->all = hosts_only;
    dist->size = is_host ? hosts : 1;
    return 0;
}

// MPI's launcher ends this process where another one has ended without a word; nothing is to be seen before.
static int watch(mega_dist *dist, mega_message *message) {
    const bool failed = ((mpi_dist *)dist)->failed;
    return failed ? mega_message_set(message, "the ranks are no longer connected") : 0;
}

// ---- open and close ----------------------------------------------------------------------------------

static void abort_mpi(mega_dist *dist) {
    mpi_dist *mpi = (mpi_dist *)dist;
    mpi->failed = true;
    (void)MPI_Abort(MPI_COMM_WORLD, 1); // guests, too
}

// After a failure MPI would wait for ranks that do not come. Without an end its launcher stops all others.
static void close_mpi(mega_dist *dist) {
    mpi_dist *mpi = (mpi_dist *)dist;
    if (!mpi->failed) {
        if (mpi->machine != MPI_COMM_NULL) {
            (void)MPI_Comm_free(&mpi->machine);
        }
        if (mpi->all != MPI_COMM_NULL) {
            (void)MPI_Comm_free(&mpi->all);
        }
        if (mpi->is_ours) {
            (void)MPI_Finalize();
        }
    }
    mega_tcp_close(&mpi->meeting.listener);
    free(mpi->slices);
    free(mpi->parts);
    free(mpi);
}

static const mega_dist_ops ops = {.name = "mpi",
                                  .sum_floats = sum_floats,
                                  .sum_doubles = sum_doubles,
                                  .broadcast = broadcast,
                                  .gather = gather,
                                  .barrier = barrier,
                                  .send = send_bytes,
                                  .receive = receive_bytes,
                                  .create_store = mega_mpi_create_store,
                                  .destroy_store = mega_mpi_destroy_store,
                                  .lock_chunk = mega_mpi_lock_chunk,
                                  .unlock_chunk = mega_mpi_unlock_chunk,
                                  .count = mega_mpi_count,
                                  .part = part_mpi,
                                  .watch = watch,
                                  .abort = abort_mpi,
                                  .close = close_mpi};

static int start(mpi_dist *mpi, mega_message *message) {
    int is_on = 0, is_over = 0, level = MPI_THREAD_SINGLE;
    (void)MPI_Initialized(&is_on);
    (void)MPI_Finalized(&is_over);
    if (is_over) {
        return mega_message_set(message, "MPI has ended in this process and cannot start again");
    }
    int code;
    if (is_on) {
        code = MPI_Query_thread(&level);
    } else {
        code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
        mpi->is_ours = code == MPI_SUCCESS;
    }
    if (mega_mpi_check(mpi, code, "starting MPI", message) != 0) {
        return -1;
    }
    // Learners call from one thread at a time, but it is not always the same one.
    if (level < MPI_THREAD_SERIALIZED) {
        return mega_message_set(message,
                                "this MPI is not for programs with threads (MPI_THREAD_SERIALIZED); use tcp "
                                "or another MPI");
    }
    return 0;
}

// Communicators of our own, so that nobody else's messages are taken for ours. They inherit the error handler.
static int join(mpi_dist *mpi, mega_message *message) {
    int rank = 0, size = 0, local_rank = 0, local_size = 0;
    if (mega_mpi_check(mpi, MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
                       "MPI_Comm_set_errhandler", message) != 0 ||
        mega_mpi_check(mpi, MPI_Comm_dup(MPI_COMM_WORLD, &mpi->all), "MPI_Comm_dup", message) != 0 ||
        mega_mpi_check(mpi, MPI_Comm_rank(mpi->all, &rank), "MPI_Comm_rank", message) != 0 ||
        mega_mpi_check(mpi, MPI_Comm_size(mpi->all, &size), "MPI_Comm_size", message) != 0 ||
        mega_mpi_check(
            mpi, MPI_Comm_split_type(mpi->all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &mpi->machine),
            "MPI_Comm_split_type", message) != 0 ||
        mega_mpi_check(mpi, MPI_Comm_rank(mpi->machine, &local_rank), "MPI_Comm_rank", message) != 0 ||
        mega_mpi_check(mpi, MPI_Comm_size(mpi->machine, &local_size), "MPI_Comm_size", message) != 0) {
        return -1;
    }
    mpi->dist.rank = (uint32_t)rank;
    mpi->dist.size = (uint32_t)size;
    mpi->dist.local_rank = (uint32_t)local_rank;
    mpi->dist.local_size = (uint32_t)local_size;
    const uint32_t launched = mega_dist_launched();
    if (size == 1 && launched > 1) {
        mpi->failed = true;
        return mega_message_set(
            message,
            "%u processes were started, but MPI sees one: the launcher belongs to another MPI than "
            "megacade_mpi.so, or srun needs --mpi=pmix",
            launched);
    }
    mpi->parts = malloc(MEGA_SUM_PARTS_SIZE);
    mpi->slices = calloc((size_t)size, 4 * sizeof *mpi->slices);
    if (mpi->parts == NULL || mpi->slices == NULL) {
        mpi->failed = true;
        return mega_message_set(message, "out of memory");
    }
    return 0;
}

__attribute__((visibility("default"))) mega_dist_module_function megacade_mpi_open;

int megacade_mpi_open(uint32_t version, mega_dist **out, mega_message *message) {
    *out = NULL;
    if (version != MEGA_DIST_MODULE_VERSION) {
        return mega_message_set(
            message, "the module for MPI is of another version of Megacade than the program; build both "
                     "together");
    }
    mpi_dist *mpi = calloc(1, sizeof *mpi);
    if (mpi == NULL) {
        return mega_message_set(message, "out of memory");
    }
    mpi->dist.ops = &ops;
    mpi->all = MPI_COMM_NULL;
    mpi->machine = MPI_COMM_NULL;
    mpi->meeting.listener = -1;
    if (start(mpi, message) != 0 || join(mpi, message) != 0) {
        close_mpi(&mpi->dist);
        return -1;
    }
    *out = &mpi->dist;
    return 0;
}
