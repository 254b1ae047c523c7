// tcp_store.c - see tcp_store.h.
#include "tcp_store.h"

#include "dist_parts.h"
#include "tcp_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef struct tcp_store {
    mega_store store;
    int handle;         // to the server
    int64_t held;       // the chunk that this rank has, or MEGA_STORE_NO_CHUNK
    uint8_t *memory;    // rank 0: all chunks; others: the one that they have
    tcp_server *server; // rank 0
    bool failed;
} tcp_store;

// ---- create and destroy ------------------------------------------------------------------------------

static void release(tcp_store *own) {
    mega_tcp_close(&own->handle); // the server ends with rank 0's connection
    mega_tcp_server_destroy(own->server);
    free(own->memory);
    free(own);
}

static tcp_store *allocate(mega_dist *dist, size_t chunk_size, uint32_t chunks) {
    const size_t size = mega_store_stride(chunk_size) * (dist->rank == 0 ? chunks : 1);
    tcp_store *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    own->store = (mega_store){.dist = dist, .chunk_size = chunk_size, .chunks = chunks};
    own->handle = -1;
    own->held = MEGA_STORE_NO_CHUNK;
    own->memory = aligned_alloc(MEGA_STORE_ALIGNMENT, size);
    if (own->memory == NULL) {
        release(own);
        return NULL;
    }
    memset(own->memory, 0, size);
    return own;
}

// Rank 0 talks with its own thread as others do.
static int begin_server(tcp_store *own, int *handles, mega_message *message) {
    mega_dist *dist = own->store.dist;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
        return mega_message_set(message, "cannot make the store's connection: %s", strerror(errno));
    }
    own->handle = pair[0];
    handles[0] = pair[1];
    if (mega_tcp_prepare(pair[0]) != 0 || mega_tcp_prepare(pair[1]) != 0) {
        return mega_message_set(message, "cannot prepare the store's connection: %s", strerror(errno));
    }
    return mega_tcp_server_start(own->memory, own->store.chunk_size, mega_store_stride(own->store.chunk_size),
                                 own->store.chunks, handles, dist->size, &own->server, message);
}

static int begin(tcp_store *own, tcp_meeting *meeting, mega_message *message) {
    int handles[TCP_MOST_RANKS];
    if (mega_tcp_meet_again(meeting, handles, message) != 0) {
        return -1;
    }
    if (meeting->rank != 0) {
        own->handle = handles[0];
        return 0;
    }
    const int status = begin_server(own, handles, message);
    for (uint32_t rank = 0; status != 0 && rank < meeting->size; rank++) {
        mega_tcp_close(&handles[rank]);
    }
    return status;
}

int mega_tcp_store_create(mega_dist *dist, tcp_meeting *meeting, size_t chunk_size, uint32_t chunks,
                          mega_store **out, mega_message *message) {
    *out = NULL;
    mega_message why = {""};
    tcp_store *own = allocate(dist, chunk_size, chunks);
    int status = own != NULL ? 0 : mega_message_set(&why, "out of memory for a store");
    status = mega_dist_agree(dist, status, &why);
    if (status == 0) {
        status = mega_dist_agree(dist, begin(own, meeting, &why), &why);
    }
    if (status != 0) {
        if (own != NULL) {
            release(own);
        }
        return mega_message_set(message, "%s", why.text);
    }
    *out = &own->store;
    return 0;
}

// Nobody leaves before all have what they asked for.
void mega_tcp_store_destroy(mega_store *store) {
    tcp_store *own = (tcp_store *)store;
    (void)store->dist->ops->barrier(store->dist, NULL);
    release(own);
}

// ---- calls -------------------------------------------------------------------------------------------

static int lost(tcp_store *own, mega_message *message) {
    own->failed = true;
    return mega_message_set(message, "rank 0 is gone, and the store with it");
}

static int ask(tcp_store *own, const tcp_request *request, const void *bytes, mega_message *message) {
    if (own->failed) {
        return mega_message_set(message, "the store is lost");
    }
    if (mega_tcp_write(own->handle, request, sizeof *request, TCP_NEVER) != 0 ||
        mega_tcp_write(own->handle, bytes, request->size, TCP_NEVER) != 0) {
        return lost(own, message);
    }
    return 0;
}

// Waits for the answer, with `size` bytes for a chunk.
static int hear(tcp_store *own, tcp_answer *answer, void *bytes, size_t size, mega_message *message) {
    if (mega_tcp_read(own->handle, answer, sizeof *answer, TCP_NEVER) != 0) {
        return lost(own, message);
    }
    mega_message why;
    if (answer->magic != TCP_STORE_MAGIC || answer->size != (answer->failed ? sizeof why : size)) {
        own->failed = true;
        return mega_message_set(message, "rank 0 has sent an answer that makes no sense");
    }
    if (!answer->failed) {
        return mega_tcp_read(own->handle, bytes, size, TCP_NEVER) == 0 ? 0 : lost(own, message);
    }
    if (mega_tcp_read(own->handle, &why, sizeof why, TCP_NEVER) != 0) {
        return lost(own, message);
    }
    own->failed = true;
    why.text[sizeof why.text - 1] = '\0';
    return mega_message_set(message, "%s", why.text);
}

// What goes over the connection with a chunk.
static size_t wire_size(const tcp_store *own) {
    return own->store.dist->rank == 0 ? 0 : own->store.chunk_size;
}

int mega_tcp_store_lock(mega_store *store, uint32_t chunk, void **bytes, mega_message *message) {
    tcp_store *own = (tcp_store *)store;
    *bytes = NULL;
    if (mega_store_check(store, chunk, message) != 0 || mega_store_check_free(own->held, message) != 0) {
        return -1;
    }
    const tcp_request request = {.magic = TCP_STORE_MAGIC, .kind = TCP_LOCK, .index = chunk};
    tcp_answer answer;
    if (ask(own, &request, NULL, message) != 0 ||
        hear(own, &answer, own->memory, wire_size(own), message) != 0) {
        return -1;
    }
    own->held = chunk;
    *bytes = own->memory + (store->dist->rank == 0 ? chunk * mega_store_stride(store->chunk_size) : 0);
    return 0;
}

int mega_tcp_store_unlock(mega_store *store, uint32_t chunk, mega_message *message) {
    tcp_store *own = (tcp_store *)store;
    if (mega_store_check_held(own->held, chunk, message) != 0) {
        return -1;
    }
    own->held = MEGA_STORE_NO_CHUNK;
    const tcp_request request = {
        .magic = TCP_STORE_MAGIC, .kind = TCP_UNLOCK, .index = chunk, .size = wire_size(own)};
    return ask(own, &request, own->memory, message);
}

int mega_tcp_store_count(mega_store *store, uint32_t counter, int64_t add, int64_t *before,
                         mega_message *message) {
    tcp_store *own = (tcp_store *)store;
    const tcp_request request = {.magic = TCP_STORE_MAGIC, .kind = TCP_COUNT, .index = counter, .value = add};
    tcp_answer answer;
    *before = 0;
    if (mega_store_check_counter(counter, message) != 0 || ask(own, &request, NULL, message) != 0 ||
        hear(own, &answer, NULL, 0, message) != 0) {
        return -1;
    }
    *before = answer.value;
    return 0;
}
