// dist_parts.h - what the files of src/dist share, and how the module that is linked with MPI is entered.
#ifndef DIST_PARTS_H
#define DIST_PARTS_H
#include "dist.h"

// The ways to open, one for each kind. `notes` of what they give is NULL; dist.c adds it.
int mega_dist_none_open(mega_dist **out, mega_message *message);
int mega_dist_tcp_open(double timeout_seconds, mega_dist **out, mega_message *message);
int mega_dist_module_open(mega_dist **out, mega_message *message);

// Closes what mega_dist_part() has opened.
void mega_dist_close_wires(mega_dist *dist);

// The module exports one function of this type and name. It refuses another version than its own: a module that an
// older or newer program has left behind.
enum {
    MEGA_DIST_MODULE_VERSION = 3
};
#define MEGA_DIST_MODULE_FUNCTION "megacade_mpi_open"
typedef int mega_dist_module_function(uint32_t version, mega_dist **out, mega_message *message);

// Reads an environment variable that has to be a number within the limits. A variable that is empty counts as
// missing.
int mega_dist_variable(const char *name, uint32_t least, uint32_t most, uint32_t *value,
                       mega_message *message);
// The variable's text, or NULL where it is missing or empty.
const char *mega_dist_text(const char *name);
// How many processes mpirun or srun have started, as their variables say; 0 without them.
uint32_t mega_dist_launched(void);

// Fails unless `other` is another rank than this one.
static inline int mega_dist_check_other(const mega_dist *dist, uint32_t other, mega_message *message) {
    if (other >= dist->size || other == dist->rank) {
        return mega_message_set(message, "rank %u of %u has no rank %u to talk to", dist->rank, dist->size,
                                other);
    }
    return 0;
}

static inline int mega_store_check(const mega_store *store, uint32_t chunk, mega_message *message) {
    if (chunk >= store->chunks) {
        return mega_message_set(message, "a store of %u chunks has no chunk %u", store->chunks, chunk);
    }
    return 0;
}

static inline int mega_store_check_counter(uint32_t counter, mega_message *message) {
    if (counter >= MEGA_STORE_COUNTERS) {
        return mega_message_set(message, "a store has %d counters, none with the number %u",
                                MEGA_STORE_COUNTERS, counter);
    }
    return 0;
}

// A rank has one chunk at a time: `held`, or MEGA_STORE_NO_CHUNK.
enum {
    MEGA_STORE_NO_CHUNK = -1
};
static inline int mega_store_check_free(int64_t held, mega_message *message) {
    if (held != MEGA_STORE_NO_CHUNK) {
        return mega_message_set(message,
                                "this rank has chunk %lld; it has to unlock it before it gets another one",
                                (long long)held);
    }
    return 0;
}

static inline int mega_store_check_held(int64_t held, uint32_t chunk, mega_message *message) {
    if (held != (int64_t)chunk) {
        return mega_message_set(message, "this rank cannot unlock chunk %u, as it has not locked it", chunk);
    }
    return 0;
}

// Chunks of a store begin at multiples of this many bytes, so that no two share a cache line.
enum {
    MEGA_STORE_ALIGNMENT = 64
};
static inline size_t mega_store_stride(size_t chunk_size) {
    return (chunk_size + MEGA_STORE_ALIGNMENT - 1) / MEGA_STORE_ALIGNMENT * MEGA_STORE_ALIGNMENT;
}

#endif
