// dist_tcp.c - ranks that are connected by TCP, each with each.
#include "dist_parts.h"
#include "ordered_sum.h"
#include "tcp_link.h"
#include "tcp_meet.h"
#include "tcp_store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct tcp_dist {
    mega_dist dist;
    tcp_meeting meeting;
    tcp_links links;
    uint32_t connected; // ranks, with those that have parted
    uint8_t *parts;     // MEGA_SUM_PARTS_SIZE bytes
} tcp_dist;

enum {
    HOST_SIZE = 64 // of a machine's name, as far as ranks compare it
};
#define CLOSE_SECONDS 30.0

// ---- all to all --------------------------------------------------------------------------------------

static bool is_other(const mega_dist *dist, uint32_t rank) {
    return rank != dist->rank;
}

// The rank's own bytes go to all others, and theirs come to `all`.
static int exchange_all(mega_dist *dist, tcp_kind kind, const void *own, size_t size, uint8_t *all,
                        int64_t deadline, mega_message *message) {
    tcp_links *links = &((tcp_dist *)dist)->links;
    for (uint32_t rank = 0; rank < dist->size && !links->failed; rank++) {
        if (is_other(dist, rank)) {
            mega_tcp_send(links, rank, own, size);
            mega_tcp_receive(links, rank, size > 0 ? all + rank * size : NULL, size);
        }
    }
    return mega_tcp_exchange(links, kind, deadline, message);
}

static int barrier(mega_dist *dist, mega_message *message) {
    return exchange_all(dist, TCP_BARRIER, NULL, 0, NULL, TCP_NEVER, message);
}

static int gather(mega_dist *dist, const void *bytes, size_t size, void *all, mega_message *message) {
    uint8_t *own = (uint8_t *)all + dist->rank * size;
    if (size > 0 && own != bytes) {
        memcpy(own, bytes, size);
    }
    return exchange_all(dist, TCP_GATHER, own, size, all, TCP_NEVER, message);
}

// ---- sums --------------------------------------------------------------------------------------------

typedef struct number_kind {
    size_t size;
    mega_ordered_sum *sum;
} number_kind;

// Everybody gets everything, and adds it in the same order.
static int sum_small(mega_dist *dist, const number_kind *kind, uint8_t *numbers, size_t count,
                     mega_message *message) {
    uint8_t *parts = ((tcp_dist *)dist)->parts;
    const size_t size = count * kind->size;
    memcpy(parts + dist->rank * size, numbers, size);
    if (exchange_all(dist, TCP_SUM, numbers, size, parts, TCP_NEVER, message) != 0) {
        return -1;
    }
    kind->sum(numbers, parts, count, dist->size);
    return 0;
}

// Every rank gets a slice of all others, adds it, and gives the sums to them.
static int sum_piece(mega_dist *dist, const number_kind *kind, uint8_t *numbers, size_t count,
                     mega_message *message) {
    tcp_dist *tcp = (tcp_dist *)dist;
    const mega_slice own = mega_slice_of(count, dist->rank, dist->size);
    const size_t own_size = own.count * kind->size;
    uint8_t *own_numbers = numbers + own.first * kind->size;
    memcpy(tcp->parts + dist->rank * own_size, own_numbers, own_size);
    for (uint32_t rank = 0; rank < dist->size && !tcp->links.failed; rank++) {
        const mega_slice slice = mega_slice_of(count, rank, dist->size);
        if (is_other(dist, rank)) {
            mega_tcp_send(&tcp->links, rank, numbers + slice.first * kind->size, slice.count * kind->size);
            mega_tcp_receive(&tcp->links, rank, tcp->parts + rank * own_size, own_size);
        }
    }
    if (mega_tcp_exchange(&tcp->links, TCP_SUM, TCP_NEVER, message) != 0) {
        return -1;
    }
    kind->sum(own_numbers, tcp->parts, own.count, dist->size);
    for (uint32_t rank = 0; rank < dist->size; rank++) {
        const mega_slice slice = mega_slice_of(count, rank, dist->size);
        if (is_other(dist, rank)) {
            mega_tcp_send(&tcp->links, rank, own_numbers, own_size);
            mega_tcp_receive(&tcp->links, rank, numbers + slice.first * kind->size, slice.count * kind->size);
        }
    }
    return mega_tcp_exchange(&tcp->links, TCP_SUM, TCP_NEVER, message);
}

static int sum(mega_dist *dist, const number_kind *kind, uint8_t *numbers, size_t count,
               mega_message *message) {
    if (dist->size == 1 || count == 0) {
        return 0;
    }
    if (count <= MEGA_SUM_SMALL_SIZE / kind->size / dist->size) {
        return sum_small(dist, kind, numbers, count, message);
    }
    // A slice of all ranks is at most `size` numbers longer than the piece.
    const size_t piece = MEGA_SUM_PARTS_SIZE / kind->size - dist->size;
    for (size_t at = 0; at < count; at += piece) {
        const size_t part = count - at < piece ? count - at : piece;
        if (sum_piece(dist, kind, numbers + at * kind->size, part, message) != 0) {
            return -1;
        }
    }
    return 0;
}

static int sum_floats(mega_dist *dist, float *numbers, size_t count, mega_message *message) {
    const number_kind kind = {sizeof(float), mega_ordered_sum_floats};
    return sum(dist, &kind, (uint8_t *)numbers, count, message);
}

static int sum_doubles(mega_dist *dist, double *numbers, size_t count, mega_message *message) {
    const number_kind kind = {sizeof(double), mega_ordered_sum_doubles};
    return sum(dist, &kind, (uint8_t *)numbers, count, message);
}

// ---- from one ----------------------------------------------------------------------------------------

static int broadcast(mega_dist *dist, void *bytes, size_t size, uint32_t root, mega_message *message) {
    tcp_links *links = &((tcp_dist *)dist)->links;
    assert(root < dist->size);
    if (!links->failed && dist->rank != root) {
        mega_tcp_receive(links, root, bytes, size);
    }
    for (uint32_t rank = 0; dist->rank == root && rank < dist->size && !links->failed; rank++) {
        if (is_other(dist, rank)) {
            mega_tcp_send(links, rank, bytes, size);
        }
    }
    return mega_tcp_exchange(links, TCP_BROADCAST, TCP_NEVER, message);
}

static int send_bytes(mega_dist *dist, const void *bytes, size_t size, uint32_t to, mega_message *message) {
    tcp_links *links = &((tcp_dist *)dist)->links;
    if (mega_dist_check_other(dist, to, message) != 0) {
        return -1;
    }
    if (!links->failed) {
        mega_tcp_send(links, to, bytes, size);
    }
    return mega_tcp_exchange(links, TCP_BYTES, TCP_NEVER, message);
}

static int receive_bytes(mega_dist *dist, void *bytes, size_t size, uint32_t from, mega_message *message) {
    tcp_links *links = &((tcp_dist *)dist)->links;
    if (mega_dist_check_other(dist, from, message) != 0) {
        return -1;
    }
    if (!links->failed) {
        mega_tcp_receive(links, from, bytes, size);
    }
    return mega_tcp_exchange(links, TCP_BYTES, TCP_NEVER, message);
}

static int create_store(mega_dist *dist, size_t chunk_size, uint32_t chunks, mega_store **out,
                        mega_message *message) {
    return mega_tcp_store_create(dist, &((tcp_dist *)dist)->meeting, chunk_size, chunks, out, message);
}

// Nobody looks at connections with guests any more: that these leave before the hosts is no failure.
static int part_tcp(mega_dist *dist, uint32_t hosts, mega_message *message) {
    tcp_dist *tcp = (tcp_dist *)dist;
    (void)message;
    const bool is_host = dist->rank < hosts;
    dist->size = is_host ? hosts : 1;
    tcp->links.size = is_host ? hosts : 0;
    tcp->meeting.size = dist->size;
    return 0;
}

static int handle_of(const mega_dist *dist, uint32_t rank) {
    return ((const tcp_dist *)dist)->links.links[rank].handle;
}

static int watch(mega_dist *dist, mega_message *message) {
    return mega_tcp_watch(&((tcp_dist *)dist)->links, message);
}

// ---- open and close ----------------------------------------------------------------------------------

static void abort_tcp(mega_dist *dist) {
    tcp_links *links = &((tcp_dist *)dist)->links;
    if (!links->failed) {
        mega_message why;
        (void)mega_message_set(&why, "rank %u has failed and ends; it has said why", dist->rank);
        mega_tcp_fail(links, &why);
    }
}

static void release(tcp_dist *tcp) {
    tcp->links.size = tcp->connected;
    mega_tcp_links_destroy(&tcp->links);
    mega_tcp_close(&tcp->meeting.listener);
    free(tcp->parts);
    free(tcp);
}

// Nobody closes before all others are through with what they do. That others have closed already is no failure.
static void close_tcp(mega_dist *dist) {
    tcp_dist *tcp = (tcp_dist *)dist;
    if (!tcp->links.failed && dist->size > 1) {
        (void)exchange_all(dist, TCP_BARRIER, NULL, 0, NULL, mega_tcp_deadline(CLOSE_SECONDS), NULL);
    }
    release(tcp);
}

static const mega_dist_ops ops = {.name = "tcp",
                                  .sum_floats = sum_floats,
                                  .sum_doubles = sum_doubles,
                                  .broadcast = broadcast,
                                  .gather = gather,
                                  .barrier = barrier,
                                  .send = send_bytes,
                                  .receive = receive_bytes,
                                  .create_store = create_store,
                                  .destroy_store = mega_tcp_store_destroy,
                                  .lock_chunk = mega_tcp_store_lock,
                                  .unlock_chunk = mega_tcp_store_unlock,
                                  .count = mega_tcp_store_count,
                                  .part = part_tcp,
                                  .handle_of = handle_of,
                                  .watch = watch,
                                  .abort = abort_tcp,
                                  .close = close_tcp};

static int read_variables(tcp_meeting *meeting, double timeout_seconds, mega_message *message) {
    *meeting = (tcp_meeting){.timeout_seconds = timeout_seconds, .listener = -1};
    if (mega_dist_variable("WORLD_SIZE", 1, TCP_MOST_RANKS, &meeting->size, message) != 0 ||
        mega_dist_variable("RANK", 0, meeting->size - 1, &meeting->rank, message) != 0) {
        return -1;
    }
    if (meeting->size == 1) {
        return 0;
    }
    // Where torchrun says that it listens at that port itself, the next one is ours.
    const char *torchrun = mega_dist_text("TORCHELASTIC_USE_AGENT_STORE");
    const bool is_taken = torchrun != NULL && strcmp(torchrun, "True") == 0;
    if (mega_dist_variable("MASTER_PORT", 1, 65535 - is_taken, &meeting->port, message) != 0) {
        return -1;
    }
    meeting->port += is_taken;
    meeting->host = mega_dist_text("MASTER_ADDR");
    if (meeting->host == NULL) {
        return mega_message_set(message,
                                "the variable MASTER_ADDR is not set; it names the machine of rank 0");
    }
    return 0;
}

// What the launcher says about the ranks of this machine; 0 ranks where it says nothing.
static int read_local(mega_dist *dist, mega_message *message) {
    if (mega_dist_text("LOCAL_RANK") == NULL) {
        return 0;
    }
    if (mega_dist_text("LOCAL_WORLD_SIZE") == NULL) {
        const int status = mega_dist_variable("LOCAL_RANK", 0, dist->size - 1, &dist->local_rank, message);
        dist->local_size = dist->local_rank + 1; // at least
        return status;
    }
    if (mega_dist_variable("LOCAL_WORLD_SIZE", 1, dist->size, &dist->local_size, message) != 0) {
        return -1;
    }
    return mega_dist_variable("LOCAL_RANK", 0, dist->local_size - 1, &dist->local_rank, message);
}

// Who has the same name of its machine, in the order of ranks. What the launcher said stays.
static int count_neighbours(mega_dist *dist, mega_message *message) {
    char own[HOST_SIZE] = "";
    (void)gethostname(own, sizeof own - 1);
    char *all = calloc(dist->size, HOST_SIZE);
    if (all == NULL) {
        return mega_message_set(message, "out of memory");
    }
    const int status = gather(dist, own, sizeof own, all, message);
    uint32_t before = 0, count = 0;
    for (uint32_t rank = 0; rank < dist->size; rank++) {
        const bool is_here = memcmp(all + (size_t)rank * HOST_SIZE, own, sizeof own) == 0;
        before += is_here && rank < dist->rank;
        count += is_here;
    }
    free(all);
    if (dist->local_size == 0) {
        dist->local_rank = before;
        dist->local_size = count;
    } else if (mega_dist_text("LOCAL_WORLD_SIZE") == NULL && count > dist->local_size) {
        dist->local_size = count;
    }
    return status;
}

static int prepare(tcp_dist *tcp, double timeout_seconds, mega_message *message) {
    if (read_variables(&tcp->meeting, timeout_seconds, message) != 0) {
        return -1;
    }
    tcp->dist = (mega_dist){.ops = &ops, .rank = tcp->meeting.rank, .size = tcp->meeting.size};
    if (read_local(&tcp->dist, message) != 0 ||
        mega_tcp_links_create(&tcp->links, tcp->dist.rank, tcp->dist.size, message) != 0) {
        return -1;
    }
    tcp->connected = tcp->dist.size;
    tcp->parts = malloc(MEGA_SUM_PARTS_SIZE);
    return tcp->parts != NULL ? 0 : mega_message_set(message, "out of memory");
}

int mega_dist_tcp_open(double timeout_seconds, mega_dist **out, mega_message *message) {
    *out = NULL;
    tcp_dist *tcp = calloc(1, sizeof *tcp);
    if (tcp == NULL) {
        return mega_message_set(message, "out of memory");
    }
    int status = prepare(tcp, timeout_seconds, message);
    if (status == 0 && tcp->dist.size > 1) {
        status = mega_tcp_meet(&tcp->meeting, &tcp->links, message);
    }
    if (status == 0) {
        status = count_neighbours(&tcp->dist, message);
    }
    if (status != 0) {
        release(tcp);
        return -1;
    }
    *out = &tcp->dist;
    return 0;
}
