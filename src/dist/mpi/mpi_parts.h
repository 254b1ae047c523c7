// mpi_parts.h - what the files of the module for MPI share.
#ifndef MPI_PARTS_H
#define MPI_PARTS_H
#include "dist_parts.h"
#include "tcp_meet.h"

#include <mpi.h>

typedef struct mpi_dist {
    mega_dist dist;
    MPI_Comm all;
    MPI_Comm machine;    // the ranks of this machine
    bool is_ours;        // MPI was started here, and is ended here
    bool failed;         // MPI is in no state for an orderly end
    uint8_t *parts;      // MEGA_SUM_PARTS_SIZE bytes
    int *slices;         // room for four numbers of every rank: the counts and places that MPI wants
    tcp_meeting meeting; // for stores where ranks do not share memory; without a job before the first of them
    char host[256];      // of rank 0, in `meeting`
} mpi_dist;

// 0 where `code` is MPI_SUCCESS; else a sentence about what did not work.
int mega_mpi_check(mpi_dist *mpi, int code, const char *what, mega_message *message);

int mega_mpi_create_store(mega_dist *dist, size_t chunk_size, uint32_t chunks, mega_store **out,
                          mega_message *message);
void mega_mpi_destroy_store(mega_store *store);
int mega_mpi_lock_chunk(mega_store *store, uint32_t chunk, void **bytes, mega_message *message);
int mega_mpi_unlock_chunk(mega_store *store, uint32_t chunk, mega_message *message);
int mega_mpi_count(mega_store *store, uint32_t counter, int64_t add, int64_t *before, mega_message *message);

#endif
