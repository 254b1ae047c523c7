// mega_test_dist.h - what every way to connect ranks has to do, whoever has started them. Each rank calls these
// checks, in the same order.
#ifndef MEGA_TEST_DIST_H
#define MEGA_TEST_DIST_H
#include "dist.h"
#include "mega_test.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static mega_message mega_test_dist_message;

// The sentence of a call that was expected to work is worth knowing.
static inline void mega_test_dist_works(int status, const char *text, const char *file, int line) {
    mega_test_check(status == 0, text, file, line);
    if (status != 0) {
        fprintf(stderr, "%s\n", mega_test_dist_message.text);
    }
}
#define MEGA_WORKS(call) mega_test_dist_works((call), #call, __FILE__, __LINE__)

static inline uint32_t mega_test_dist_next(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

// Number `i` of a rank: of very different sizes, so that each order of adding them gives other bits; zeroes of
// both signs, the smallest and the largest among them.
static inline float mega_test_dist_number(uint32_t rank, size_t i) {
    uint32_t state = (rank + 1) * 2654435761u + (uint32_t)i * 40503u + 1u;
    (void)mega_test_dist_next(&state);
    const uint32_t bits = mega_test_dist_next(&state);
    switch (bits % 61) {
    case 0: return -0.0f;
    case 1: return 0.0f;
    case 2: return 1e-45f;
    case 3: return rank % 2 == 0 ? 3e38f : -3e38f;
    default: return ldexpf((float)(int32_t)bits / 2147483648.0f, (int)(bits >> 7) % 60 - 30);
    }
}

static inline void mega_test_dist_sum_floats(mega_dist *dist, size_t count) {
    float *numbers = malloc((count + 1) * sizeof *numbers);
    float *expected = malloc((count + 1) * sizeof *expected);
    numbers[count] = expected[count] = 12345.0f; // nobody's
    for (size_t i = 0; i < count; i++) {
        numbers[i] = mega_test_dist_number(dist->rank, i);
        expected[i] = mega_test_dist_number(0, i);
        for (uint32_t rank = 1; rank < dist->size; rank++) {
            expected[i] += mega_test_dist_number(rank, i);
        }
    }
    MEGA_WORKS(dist->ops->sum_floats(dist, numbers, count, &mega_test_dist_message));
    MEGA_CHECK_BYTES(numbers, expected, (count + 1) * sizeof *numbers);
    free(numbers);
    free(expected);
}

static inline void mega_test_dist_sum_doubles(mega_dist *dist, size_t count) {
    double *numbers = malloc((count + 1) * sizeof *numbers);
    double *expected = malloc((count + 1) * sizeof *expected);
    numbers[count] = expected[count] = 12345.0;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = mega_test_dist_number(dist->rank, i) / 3.0;
        expected[i] = mega_test_dist_number(0, i) / 3.0;
        for (uint32_t rank = 1; rank < dist->size; rank++) {
            expected[i] += mega_test_dist_number(rank, i) / 3.0;
        }
    }
    MEGA_WORKS(dist->ops->sum_doubles(dist, numbers, count, &mega_test_dist_message));
    MEGA_CHECK_BYTES(numbers, expected, (count + 1) * sizeof *numbers);
    free(numbers);
    free(expected);
}

static inline uint8_t mega_test_dist_byte(uint32_t rank, size_t i) {
    return (uint8_t)((i * 2654435761u >> 11) + rank * 77);
}

static inline void mega_test_dist_fill(uint8_t *bytes, size_t size, uint32_t rank) {
    for (size_t i = 0; i < size; i++) {
        bytes[i] = mega_test_dist_byte(rank, i);
    }
}

static inline void mega_test_dist_broadcast(mega_dist *dist, size_t size, uint32_t root) {
    uint8_t *bytes = malloc(size + 1), *expected = malloc(size + 1);
    mega_test_dist_fill(bytes, size + 1, dist->rank);
    mega_test_dist_fill(expected, size, root);
    expected[size] = bytes[size];
    MEGA_WORKS(dist->ops->broadcast(dist, bytes, size, root, &mega_test_dist_message));
    MEGA_CHECK_BYTES(bytes, expected, size + 1);
    free(bytes);
    free(expected);
}

static inline void mega_test_dist_gather(mega_dist *dist, size_t size) {
    const size_t all_size = size * dist->size;
    uint8_t *bytes = malloc(size + 1), *all = malloc(all_size + 1), *expected = malloc(all_size + 1);
    mega_test_dist_fill(bytes, size, dist->rank);
    all[all_size] = expected[all_size] = 99;
    for (uint32_t rank = 0; rank < dist->size; rank++) {
        mega_test_dist_fill(expected + rank * size, size, rank);
    }
    MEGA_WORKS(dist->ops->gather(dist, bytes, size, all, &mega_test_dist_message));
    MEGA_CHECK_BYTES(all, expected, all_size + 1);
    free(bytes);
    free(all);
    free(expected);
}

// Once around: each rank tells the next one, the first of them first.
static inline void mega_test_dist_ring(mega_dist *dist, size_t size) {
    const uint32_t next = (dist->rank + 1) % dist->size, last = (dist->rank + dist->size - 1) % dist->size;
    uint8_t *bytes = malloc(size + 1), *expected = malloc(size + 1), *own = malloc(size + 1);
    mega_test_dist_fill(own, size, dist->rank);
    mega_test_dist_fill(expected, size, last);
    if (dist->rank == 0) {
        MEGA_WORKS(dist->ops->send(dist, own, size, next, &mega_test_dist_message));
    }
    MEGA_WORKS(dist->ops->receive(dist, bytes, size, last, &mega_test_dist_message));
    if (dist->rank != 0) {
        MEGA_WORKS(dist->ops->send(dist, own, size, next, &mega_test_dist_message));
    }
    MEGA_CHECK_BYTES(bytes, expected, size);
    free(bytes);
    free(expected);
    free(own);
}

static inline void mega_test_dist_talk(mega_dist *dist) {
    static const size_t counts[] = {0, 1, 2, 3, 127, 4096, 4099, 20011, 1000000};
    mega_message *message = &mega_test_dist_message;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        mega_test_dist_sum_floats(dist, counts[i]);
        mega_test_dist_sum_doubles(dist, counts[i]);
        mega_test_dist_broadcast(dist, counts[i], (uint32_t)i % dist->size);
        mega_test_dist_gather(dist, counts[i]);
        if (dist->size > 1) {
            mega_test_dist_ring(dist, counts[i]);
        }
    }
    mega_test_dist_sum_floats(dist, 3000017); // several pieces
    mega_test_dist_broadcast(dist, 20000003, dist->size - 1);
    for (int i = 0; i < 100; i++) {
        MEGA_WORKS(dist->ops->barrier(dist, message));
    }
    MEGA_WORKS(dist->ops->watch(dist, message));
    uint8_t byte = 0;
    MEGA_CHECK_EQ(dist->ops->send(dist, &byte, 1, dist->rank, message), -1);
    MEGA_CHECK_EQ(dist->ops->receive(dist, &byte, 1, dist->size, message), -1);
    MEGA_CHECK(dist->rank < dist->size && dist->local_rank < dist->local_size &&
               dist->local_size <= dist->size);
}

static inline void mega_test_dist_says(const char *expected) {
    MEGA_CHECK(strcmp(mega_test_dist_message.text, expected) == 0);
    if (strcmp(mega_test_dist_message.text, expected) != 0) {
        fprintf(stderr, "said '%s', expected '%s'\n", mega_test_dist_message.text, expected);
    }
}

static inline void mega_test_dist_agreement(mega_dist *dist) {
    enum {
        SIZE = 100000
    };
    mega_message *message = &mega_test_dist_message;
    uint8_t *bytes = malloc(SIZE);
    mega_test_dist_fill(bytes, SIZE, 0);
    MEGA_WORKS(mega_dist_same(dist, "settings", bytes, SIZE, message));
    MEGA_WORKS(mega_dist_same(dist, "settings", NULL, 0, message));
    MEGA_WORKS(mega_dist_agree(dist, 0, message));
    const uint32_t last = dist->size - 1;
    char expected[128];
    if (last > 0) {
        snprintf(expected, sizeof expected, "rank %u has other settings than rank 0; all ranks need the same",
                 last);
        bytes[SIZE - 1] ^= dist->rank == last;
        MEGA_CHECK_EQ(mega_dist_same(dist, "settings", bytes, SIZE, message), -1);
        mega_test_dist_says(expected);
        MEGA_CHECK_EQ(mega_dist_same(dist, "settings", bytes, SIZE - 1 - (dist->rank == last), message), -1);
        mega_test_dist_says(expected);
    }
    // The last two fail.
    const int status = dist->rank + 1 >= last ? mega_message_set(message, "disk %u is full", dist->rank) : 0;
    MEGA_CHECK_EQ(mega_dist_agree(dist, status, message), -1);
    const uint32_t first = last > 0 ? last - 1 : 0;
    snprintf(expected, sizeof expected, first > 0 ? "rank %u: disk %u is full" : "disk 0 is full", first,
             first);
    mega_test_dist_says(expected);
    free(bytes);
}

// ---- store -------------------------------------------------------------------------------------------

// Every rank adds one to all words of chunks that are drawn, `updates` times, and counts it. No update may be
// lost, and whoever has a chunk finds all of its words equal.
static inline void mega_test_dist_update(mega_dist *dist, mega_store *store, uint32_t updates) {
    const size_t words = store->chunk_size / sizeof(uint32_t);
    mega_message *message = &mega_test_dist_message;
    uint32_t state = 12345u + dist->rank * 977u, torn = 0, failed = 0, backwards = 0;
    int64_t last = -1;
    for (uint32_t i = 0; i < updates; i++) {
        const uint32_t chunk = mega_test_dist_next(&state) % store->chunks;
        void *bytes = NULL;
        int64_t before = 0;
        if (dist->ops->lock_chunk(store, chunk, &bytes, message) != 0) {
            failed++;
            break;
        }
        uint32_t *word = bytes;
        for (size_t k = 0; k < words; k++) {
            torn += word[k] != word[0];
        }
        for (size_t k = words; k-- > 0;) {
            word[k]++;
        }
        failed += dist->ops->unlock_chunk(store, chunk, message) != 0;
        failed += dist->ops->count(store, 3, 1, &before, message) != 0;
        backwards += before <= last;
        last = before;
    }
    MEGA_CHECK_EQ(failed, 0);
    MEGA_CHECK_EQ(torn, 0);
    MEGA_CHECK_EQ(backwards, 0);
    if (failed > 0) {
        fprintf(stderr, "%s\n", message->text);
    }
}

static inline void mega_test_dist_total(mega_dist *dist, mega_store *store, int64_t expected) {
    mega_message *message = &mega_test_dist_message;
    int64_t total = 0, before = -1;
    for (uint32_t chunk = 0; chunk < store->chunks; chunk++) {
        void *bytes = NULL;
        MEGA_WORKS(dist->ops->lock_chunk(store, chunk, &bytes, message));
        MEGA_CHECK_EQ((uintptr_t)bytes % 64, 0);
        total += bytes != NULL ? *(uint32_t *)bytes : 0;
        MEGA_WORKS(dist->ops->unlock_chunk(store, chunk, message));
    }
    MEGA_CHECK_EQ(total, expected);
    MEGA_WORKS(dist->ops->count(store, 3, 0, &before, message));
    MEGA_CHECK_EQ(before, expected);
    MEGA_WORKS(dist->ops->count(store, 2, -5, &before, message));
    MEGA_CHECK(before <= 0 && before % 5 == 0);
}

static inline void mega_test_dist_misuse(mega_dist *dist, mega_store *store) {
    mega_message *message = &mega_test_dist_message;
    void *bytes = NULL;
    int64_t before = 0;
    MEGA_CHECK_EQ(dist->ops->lock_chunk(store, store->chunks, &bytes, message), -1);
    MEGA_CHECK_EQ(dist->ops->count(store, MEGA_STORE_COUNTERS, 1, &before, message), -1);
    MEGA_CHECK_EQ(dist->ops->unlock_chunk(store, store->chunks, message), -1);
    mega_store *none = NULL;
    MEGA_CHECK_EQ(mega_store_create(dist, 0, 1, &none, message), -1);
    MEGA_CHECK_EQ(mega_store_create(dist, SIZE_MAX / 2, 7, &none, message), -1);
    MEGA_CHECK(none == NULL);
}

static inline void mega_test_dist_store(mega_dist *dist, size_t chunk_size, uint32_t chunks,
                                        uint32_t updates) {
    mega_message *message = &mega_test_dist_message;
    mega_store *store = NULL;
    MEGA_WORKS(mega_store_create(dist, chunk_size, chunks, &store, message));
    if (store == NULL) {
        return;
    }
    mega_test_dist_total(dist, store, 0);
    MEGA_WORKS(dist->ops->barrier(dist, message));
    mega_test_dist_update(dist, store, updates / dist->size);
    MEGA_WORKS(dist->ops->barrier(dist, message));
    mega_test_dist_total(dist, store, (int64_t)(updates / dist->size) * dist->size);
    mega_test_dist_misuse(dist, store);
    mega_store_destroy(store);
}

static inline void mega_test_dist_all(mega_dist *dist, uint32_t updates) {
    mega_test_dist_talk(dist);
    mega_test_dist_agreement(dist);
    mega_test_dist_store(dist, 256, 13, updates);
    mega_test_dist_store(dist, 400000, 3, updates / 100);
    mega_store *first = NULL, *second = NULL; // two at once
    MEGA_WORKS(mega_store_create(dist, 12, 1, &first, &mega_test_dist_message));
    MEGA_WORKS(mega_store_create(dist, 8, 5, &second, &mega_test_dist_message));
    if (first != NULL && second != NULL) {
        mega_test_dist_update(dist, first, 200);
        mega_test_dist_update(dist, second, 200);
    }
    mega_store_destroy(second);
    mega_store_destroy(first);
}

// Both ends of a wire send much at once, and only then receive.
static inline void mega_test_dist_wire(mega_wire *wire, uint32_t own_rank) {
    enum {
        SIZE = 20000000
    };
    uint8_t *sent = malloc(SIZE), *received = calloc(SIZE, 1), *expected = malloc(SIZE);
    mega_test_dist_fill(sent, SIZE, own_rank + 1);
    mega_test_dist_fill(expected, SIZE, wire->rank + 1);
    MEGA_WORKS(mega_wire_begin_send(wire, sent, 7, &mega_test_dist_message));
    MEGA_WORKS(mega_wire_begin_send(wire, sent + 7, SIZE - 7, &mega_test_dist_message));
    MEGA_WORKS(mega_wire_receive(wire, received, SIZE, &mega_test_dist_message));
    MEGA_WORKS(mega_wire_finish_send(wire, &mega_test_dist_message));
    MEGA_CHECK_BYTES(received, expected, SIZE);
    free(sent);
    free(received);
    free(expected);
}

// Parts the last ranks from the first `hosts`. Guests leave at once; hosts go on as if they were all.
static inline void mega_test_dist_part(mega_dist *dist, uint32_t hosts) {
    const uint32_t ranks = dist->size, guests = (ranks - hosts) / hosts;
    MEGA_CHECK_EQ(mega_dist_part(dist, 0, &mega_test_dist_message), -1);
    MEGA_CHECK_EQ(mega_dist_part(dist, ranks, &mega_test_dist_message), -1);
    MEGA_WORKS(mega_dist_part(dist, hosts, &mega_test_dist_message));
    MEGA_CHECK_EQ(dist->wire_count, dist->rank < hosts ? guests : 1);
    for (uint32_t i = 0; i < dist->wire_count; i++) {
        const uint32_t guest = hosts + dist->rank * guests + i;
        MEGA_CHECK_EQ(dist->wires[i].rank, dist->rank < hosts ? guest : (dist->rank - hosts) / guests);
        mega_test_dist_wire(&dist->wires[i], dist->rank);
    }
    if (dist->rank < hosts) {
        // The first host waits for the last one, long enough to see that guests have gone.
        const struct timespec pause = {.tv_nsec = 500000000};
        MEGA_CHECK_EQ(dist->size, hosts);
        if (dist->rank == hosts - 1) {
            (void)nanosleep(&pause, NULL);
        }
        MEGA_WORKS(dist->ops->barrier(dist, &mega_test_dist_message));
        MEGA_WORKS(dist->ops->watch(dist, &mega_test_dist_message));
        for (int i = 0; i < 20; i++) {
            mega_test_dist_sum_floats(dist, 100000);
        }
        mega_test_dist_gather(dist, 100);
    }
}

#endif
