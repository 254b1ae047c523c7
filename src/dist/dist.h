// dist.h - processes that train one network together: who they are, and what they tell each other.
//
// A process is a rank, 0 to size - 1. Calls that have to be made by all ranks, in the same order, say so: they are
// collective. All numbers are in the host's memory unless a function says otherwise. A call returns 0, or -1 and a
// sentence; after a failure only abort() and closing are allowed, those that report an agreed failure aside
// (mega_dist_agree, mega_dist_same). Ranks wait for each other as long as they are there; where one ends or its
// machine is lost, the others' calls fail.
//
// Threads: one at a time, for a mega_dist and its stores together. A rank has one mega_dist of a kind at a time.
//
// Three ways to find each other, chosen at run time:
//     none   one process: everything below is there and does what it has to, which is little
//     mpi    started by mpirun or srun: a module beside the program, megacade_mpi.so, that is linked with MPI.
//            MEGACADE_MPI names another one. A process can open it once
//     tcp    started by torchrun or by hand, with the variables RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT, and
//            LOCAL_RANK and LOCAL_WORLD_SIZE where it matters who shares a machine (else host names tell). Where
//            torchrun listens at MASTER_PORT itself, the port after it is used. Nothing is encrypted, and there is
//            no password: for networks whose users trust each other. Who connects by mistake disturbs nothing
#ifndef DIST_H
#define DIST_H
#include "message.h"
#include "wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mega_dist mega_dist;
typedef struct mega_store mega_store;

typedef struct mega_dist_ops {
    const char *name; // "none", "mpi", "tcp"
    // Collective. Sums of all ranks' numbers, in place. Every rank gets the same bits, and they depend on the
    // numbers and on the number of ranks alone: ranks are added in their order, ((0 + 1) + 2) + ...
    int (*sum_floats)(mega_dist *dist, float *numbers, size_t count, mega_message *message);
    int (*sum_doubles)(mega_dist *dist, double *numbers, size_t count, mega_message *message);
    // Collective. Rank `root`'s bytes become everybody's.
    int (*broadcast)(mega_dist *dist, void *bytes, size_t size, uint32_t root, mega_message *message);
    // Collective. `size` bytes of each rank, one after the other, to all of them: `all` has dist->size * size
    // bytes.
    int (*gather)(mega_dist *dist, const void *bytes, size_t size, void *all, mega_message *message);
    int (*barrier)(mega_dist *dist, mega_message *message);
    // From one rank to another, which has to be waiting for just as many. Sending may wait until that one
    // receives.
    int (*send)(mega_dist *dist, const void *bytes, size_t size, uint32_t to, mega_message *message);
    int (*receive)(mega_dist *dist, void *bytes, size_t size, uint32_t from, mega_message *message);
    // Collective. NULL: this way has no store (mega_store_create says so).
    int (*create_store)(mega_dist *dist, size_t chunk_size, uint32_t chunks, mega_store **out,
                        mega_message *message);
    void (*destroy_store)(mega_store *store); // collective
    // One rank waits until it alone has the chunk, whose bytes it may then read and write at *bytes until it
    // unlocks; they are aligned for any type. A rank has at most one chunk at a time. Who unlocks has others
    // see its bytes.
    int (*lock_chunk)(mega_store *store, uint32_t chunk, void **bytes, mega_message *message);
    int (*unlock_chunk)(mega_store *store, uint32_t chunk, mega_message *message);
    // Adds to one of MEGA_STORE_COUNTERS counters of the store, which no lock protects and none needs, and
    // returns what it was before. Adding 0 reads it.
    int (*count)(mega_store *store, uint32_t counter, int64_t add, int64_t *before, mega_message *message);
    // Collective. What follows is among the first `hosts` ranks; the others only close.
    int (*part)(mega_dist *dist, uint32_t hosts, mega_message *message);
    // The socket that leads to another rank. NULL: there are none.
    int (*handle_of)(const mega_dist *dist, uint32_t rank);
    // One rank looks whether it has lost another one, without waiting: for those who wait for the others elsewhere.
    // Fails as any call would then; and after an abort. Guests may go (part): their hosts hear it on their wires.
    int (*watch)(mega_dist *dist, mega_message *message);
    // Tells the other ranks to leave, if it can: this one has failed. Their next calls fail with a sentence.
    // Then this process closes and ends soon. With mpi it ends here, and all others with it: what is to be said
    // is said before.
    void (*abort)(mega_dist *dist);
    void (*close)(mega_dist *dist); // collective, but after a failure or an abort
} mega_dist_ops;

struct mega_dist {
    const mega_dist_ops *ops;
    uint32_t rank;
    uint32_t size;
    uint32_t local_rank; // among those of this machine: which GPU is its own
    uint32_t local_size;
    uint64_t *notes;  // of dist.c: one for each rank
    mega_wire *wires; // after mega_dist_part()
    uint32_t wire_count;
};

enum {
    MEGA_STORE_COUNTERS = 8
};

// A store of parameters in one rank's memory that all of them read and write: `chunks` pieces of `chunk_size`
// bytes, zero at first, each with a lock of its own, so that ranks can be at different chunks at the same time.
struct mega_store {
    mega_dist *dist;
    size_t chunk_size;
    uint32_t chunks;
};

// How to find the others. AUTO: mpi where the variables of mpirun or srun say that there are several, tcp where
// RANK and WORLD_SIZE are set, else none.
typedef enum mega_dist_kind {
    MEGA_DIST_AUTO,
    MEGA_DIST_NONE,
    MEGA_DIST_MPI,
    MEGA_DIST_TCP
} mega_dist_kind;
extern const char *const mega_dist_kind_names[]; // "auto", ..., NULL

// Collective. Joins the others. Fails with a sentence where the variables make no sense, where the module is
// missing, and where the others do not come within `timeout_seconds` (with mpi, its launcher decides how long
// to wait).
int mega_dist_open(mega_dist_kind kind, double timeout_seconds, mega_dist **out, mega_message *message);
// NULL is allowed. Collective, but after a failure or an abort. Stores are destroyed before.
void mega_dist_close(mega_dist *dist);

// Collective. Fails on all ranks unless they all have the same bytes; the sentence names `what` and the first
// rank that has others.
int mega_dist_same(mega_dist *dist, const char *what, const void *bytes, size_t size, mega_message *message);
// Collective. Fails on all ranks where it failed on one: `result` is this rank's, its message in `message` if
// it is below 0. All get the sentence of the first rank that failed, with "rank N: " before it unless that is
// rank 0. So that nobody waits for a rank that is gone. `message` is not NULL.
int mega_dist_agree(mega_dist *dist, int result, mega_message *message);

// Collective, once, before any store. The first `hosts` ranks are hosts, the others guests, of which each host has equally
// many, in order. From then on dist->size is the number of hosts, and collective calls are theirs; a guest makes none. Each
// host has wires to its guests (dist->wires, wire.h), each guest one to its host.
int mega_dist_part(mega_dist *dist, uint32_t hosts, mega_message *message);

// Collective. Where there is no store, the message says what has one.
int mega_store_create(mega_dist *dist, size_t chunk_size, uint32_t chunks, mega_store **out,
                      mega_message *message);
// NULL is allowed. Collective.
void mega_store_destroy(mega_store *store);

#endif
