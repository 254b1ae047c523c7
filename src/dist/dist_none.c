// dist_none.c - one process without others. Its store is plain memory, which threads may share.
#include "dist_parts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct plain_store {
    mega_store store;
    uint8_t *bytes;
    pthread_mutex_t *locks;
    uint32_t lock_count; // those that are initialised
    _Atomic int64_t counters[MEGA_STORE_COUNTERS];
} plain_store;

static int sum_floats(mega_dist *dist, float *numbers, size_t count, mega_message *message) {
    (void)dist, (void)numbers, (void)count, (void)message;
    return 0;
}

static int sum_doubles(mega_dist *dist, double *numbers, size_t count, mega_message *message) {
    (void)dist, (void)numbers, (void)count, (void)message;
    return 0;
}

static int broadcast(mega_dist *dist, void *bytes, size_t size, uint32_t root, mega_message *message) {
    (void)dist, (void)bytes, (void)size, (void)root, (void)message;
    return 0;
}

static int gather(mega_dist *dist, const void *bytes, size_t size, void *all, mega_message *message) {
    (void)dist, (void)message;
    if (size > 0 && bytes != all) {
        memcpy(all, bytes, size);
    }
    return 0;
}

static int barrier(mega_dist *dist, mega_message *message) {
    (void)dist, (void)message;
    return 0;
}

static int send_bytes(mega_dist *dist, const void *bytes, size_t size, uint32_t to, mega_message *message) {
    (void)bytes, (void)size;
    return mega_dist_check_other(dist, to, message);
}

static int receive_bytes(mega_dist *dist, void *bytes, size_t size, uint32_t from, mega_message *message) {
    (void)bytes, (void)size;
    return mega_dist_check_other(dist, from, message);
}

// ---- store -------------------------------------------------------------------------------------------

static void destroy_store(mega_store *store) {
    plain_store *plain = (plain_store *)store;
    for (uint32_t i = 0; i < plain->lock_count; i++) {
        (void)pthread_mutex_destroy(&plain->locks[i]);
    }
    free(plain->locks);
    free(plain->bytes);
    free(plain);
}

static int create_store(mega_dist *dist, size_t chunk_size, uint32_t chunks, mega_store **out,
                        mega_message *message) {
    *out = NULL;
    const size_t stride = mega_store_stride(chunk_size);
    plain_store *plain = calloc(1, sizeof *plain);
    if (plain == NULL) {
        return mega_message_set(message, "out of memory");
    }
    plain->store = (mega_store){.dist = dist, .chunk_size = chunk_size, .chunks = chunks};
    plain->locks = calloc(chunks, sizeof *plain->locks);
    plain->bytes = aligned_alloc(MEGA_STORE_ALIGNMENT, stride * chunks);
    bool complete = plain->locks != NULL && plain->bytes != NULL;
    while (complete && plain->lock_count < chunks) {
        complete = pthread_mutex_init(&plain->locks[plain->lock_count], NULL) == 0;
        plain->lock_count += complete;
    }
    if (!complete) {
        destroy_store(&plain->store);
        return mega_message_set(message, "out of memory for a store of %u chunks of %zu bytes", chunks,
                                chunk_size);
    }
    memset(plain->bytes, 0, stride * chunks);
    *out = &plain->store;
    return 0;
}

static int lock_chunk(mega_store *store, uint32_t chunk, void **bytes, mega_message *message) {
    plain_store *plain = (plain_store *)store;
    *bytes = NULL;
    if (mega_store_check(store, chunk, message) != 0) {
        return -1;
    }
    (void)pthread_mutex_lock(&plain->locks[chunk]);
    *bytes = plain->bytes + chunk * mega_store_stride(store->chunk_size);
    return 0;
}

static int unlock_chunk(mega_store *store, uint32_t chunk, mega_message *message) {
    plain_store *plain = (plain_store *)store;
    if (mega_store_check(store, chunk, message) != 0) {
        return -1;
    }
    (void)pthread_mutex_unlock(&plain->locks[chunk]);
    return 0;
}

static int count(mega_store *store, uint32_t counter, int64_t add, int64_t *before, mega_message *message) {
    plain_store *plain = (plain_store *)store;
    *before = 0;
    if (mega_store_check_counter(counter, message) != 0) {
        return -1;
    }
    *before = atomic_fetch_add(&plain->counters[counter], add);
    return 0;
}

// ---- open --------------------------------------------------------------------------------------------

static void abort_none(mega_dist *dist) {
    (void)dist;
}

static void close_none(mega_dist *dist) {
    free(dist);
}

static const mega_dist_ops ops = {.name = "none",
                                  .sum_floats = sum_floats,
                                  .sum_doubles = sum_doubles,
                                  .broadcast = broadcast,
                                  .gather = gather,
                                  .barrier = barrier,
                                  .send = send_bytes,
                                  .receive = receive_bytes,
                                  .create_store = create_store,
                                  .destroy_store = destroy_store,
                                  .lock_chunk = lock_chunk,
                                  .unlock_chunk = unlock_chunk,
                                  .count = count,
                                  .watch = barrier,
                                  .abort = abort_none,
                                  .close = close_none};

int mega_dist_none_open(mega_dist **out, mega_message *message) {
    mega_dist *dist = calloc(1, sizeof *dist);
    *out = dist;
    if (dist == NULL) {
        return mega_message_set(message, "out of memory");
    }
    *dist = (mega_dist){.ops = &ops, .size = 1, .local_size = 1};
    return 0;
}
