// dist.c - see dist.h.
#include "dist.h"

#include "dist_parts.h"

#include <stdlib.h>

const char *const mega_dist_kind_names[] = {"auto", "none", "mpi", "tcp", NULL};

// ---- open and close ----------------------------------------------------------------------------------

static mega_dist_kind choose(void) {
    if (mega_dist_launched() > 1) {
        return MEGA_DIST_MPI;
    }
    const bool has_ranks = mega_dist_text("RANK") != NULL && mega_dist_text("WORLD_SIZE") != NULL;
    return has_ranks ? MEGA_DIST_TCP : MEGA_DIST_NONE;
}

static int open_kind(mega_dist_kind kind, double timeout_seconds, mega_dist **out, mega_message *message) {
    switch (kind == MEGA_DIST_AUTO ? choose() : kind) {
    case MEGA_DIST_MPI: return mega_dist_module_open(out, message);
    case MEGA_DIST_TCP: return mega_dist_tcp_open(timeout_seconds, out, message);
    default: return mega_dist_none_open(out, message);
    }
}

int mega_dist_open(mega_dist_kind kind, double timeout_seconds, mega_dist **out, mega_message *message) {
    *out = NULL;
    mega_dist *dist = NULL;
    if (open_kind(kind, timeout_seconds, &dist, message) != 0) {
        return -1;
    }
    dist->notes = calloc(dist->size, sizeof *dist->notes);
    if (dist->notes == NULL) {
        dist->ops->abort(dist);
        dist->ops->close(dist);
        return mega_message_set(message, "out of memory");
    }
    *out = dist;
    return 0;
}

void mega_dist_close(mega_dist *dist) {
    if (dist != NULL) {
        mega_dist_close_wires(dist);
        free(dist->notes);
        dist->notes = NULL;
        dist->ops->close(dist);
    }
}

// ---- stores ------------------------------------------------------------------------------------------

int mega_store_create(mega_dist *dist, size_t chunk_size, uint32_t chunks, mega_store **out,
                      mega_message *message) {
    *out = NULL;
    if (dist->ops->create_store == NULL) {
        return mega_message_set(message, "ranks that meet by '%s' have no store; use none, mpi or tcp",
                                dist->ops->name);
    }
    const size_t most = (size_t)1 << 46; // more than any machine has, and far from any overflow
    if (chunk_size == 0 || chunks == 0 || chunk_size > most / chunks) {
        return mega_message_set(message, "a store cannot have %u chunks of %zu bytes", chunks, chunk_size);
    }
    return dist->ops->create_store(dist, chunk_size, chunks, out, message);
}

void mega_store_destroy(mega_store *store) {
    if (store != NULL) {
        store->dist->ops->destroy_store(store);
    }
}
