// tcp_server.c - see tcp_server.h.
#include "tcp_server.h"

#include "dist_parts.h"
#include "tcp_link.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    NOBODY = -1
};

// A rank, what has come of its request and what has left of its answer.
typedef struct client {
    int handle; // -1: gone
    tcp_request request;
    size_t in_done; // of the request and its bytes
    tcp_answer answer;
    const uint8_t *out; // the answer's bytes
    size_t out_done;    // of the answer and its bytes
    bool answers;       // an answer is on its way; until it is out nothing is read
    int64_t held;       // chunk, or MEGA_STORE_NO_CHUNK
    int64_t wanted;     // the chunk that this rank waits for
    uint64_t ticket;    // who came first
} client;

struct tcp_server {
    uint8_t *memory;
    size_t chunk_size;
    size_t stride;
    uint32_t chunks;
    uint32_t ranks;
    client *clients;
    int32_t *owners; // of each chunk: a rank or NOBODY
    struct pollfd *polls;
    uint64_t tickets;
    int64_t counters[MEGA_STORE_COUNTERS];
    bool broken;
    mega_message why; // it is broken
    pthread_t thread;
    bool is_started;
};

// ---- answers -----------------------------------------------------------------------------------------

static void answer(client *client, int64_t value, const uint8_t *bytes, size_t size) {
    client->answer = (tcp_answer){.magic = TCP_STORE_MAGIC, .value = value, .size = size};
    client->out = bytes;
    client->out_done = 0;
    client->answers = true;
}

static void refuse(tcp_server *server, client *client) {
    answer(client, 0, (const uint8_t *)&server->why, sizeof server->why);
    client->answer.failed = 1;
    client->wanted = MEGA_STORE_NO_CHUNK;
}

static void grant(tcp_server *server, uint32_t rank, uint32_t chunk) {
    client *client = &server->clients[rank];
    server->owners[chunk] = (int32_t)rank;
    client->held = chunk;
    client->wanted = MEGA_STORE_NO_CHUNK;
    answer(client, 0, server->memory + chunk * server->stride, rank == 0 ? 0 : server->chunk_size);
}

// A store that has lost a rank may have lost what that rank was writing. Whoever waits is told.
static void give_up(tcp_server *server, uint32_t rank, const char *what) {
    client *client = &server->clients[rank];
    mega_tcp_close(&client->handle);
    client->answers = false;
    client->wanted = MEGA_STORE_NO_CHUNK;
    if (server->broken) {
        return;
    }
    server->broken = true;
    if (client->held != MEGA_STORE_NO_CHUNK) {
        (void)mega_message_set(&server->why, "rank %u %s while it had chunk %lld of the store", rank, what,
                               (long long)client->held);
    } else {
        (void)mega_message_set(&server->why, "rank %u %s, and the store with it", rank, what);
    }
    for (uint32_t i = 0; i < server->ranks; i++) {
        if (server->clients[i].wanted != MEGA_STORE_NO_CHUNK) {
            refuse(server, &server->clients[i]);
        }
    }
}

// ---- requests ----------------------------------------------------------------------------------------

static void unlock(tcp_server *server, client *unlocker, uint32_t chunk) {
    client *next = NULL;
    unlocker->held = MEGA_STORE_NO_CHUNK;
    server->owners[chunk] = NOBODY;
    for (uint32_t i = 0; i < server->ranks; i++) {
        client *one = &server->clients[i];
        if (one->wanted == (int64_t)chunk && (next == NULL || one->ticket < next->ticket)) {
            next = one;
        }
    }
    if (next != NULL) {
        grant(server, (uint32_t)(next - server->clients), chunk);
    }
}

static void lock(tcp_server *server, uint32_t rank, uint32_t chunk) {
    if (server->owners[chunk] == NOBODY) {
        grant(server, rank, chunk);
        return;
    }
    server->clients[rank].wanted = chunk;
    server->clients[rank].ticket = server->tickets++;
}

// Counters wrap around rather than overflow.
static void count(tcp_server *server, client *client) {
    int64_t *counter = &server->counters[client->request.index];
    answer(client, *counter, NULL, 0);
    *counter = (int64_t)((uint64_t)*counter + (uint64_t)client->request.value);
}

static bool makes_sense(const tcp_server *server, uint32_t rank) {
    const client *client = &server->clients[rank];
    const tcp_request *request = &client->request;
    if (request->magic != TCP_STORE_MAGIC) {
        return false;
    }
    switch (request->kind) {
    case TCP_LOCK:
        return request->index < server->chunks && request->size == 0 && client->held == MEGA_STORE_NO_CHUNK;
    case TCP_UNLOCK:
        return client->held == (int64_t)request->index &&
               request->size == (rank == 0 ? 0 : server->chunk_size);
    case TCP_COUNT: return request->index < MEGA_STORE_COUNTERS && request->size == 0;
    default: return false;
    }
}

static void serve(tcp_server *server, uint32_t rank) {
    client *client = &server->clients[rank];
    const tcp_request *request = &client->request;
    client->in_done = 0;
    if (request->kind == TCP_UNLOCK) {
        unlock(server, client, request->index);
    } else if (server->broken) {
        refuse(server, client);
    } else if (request->kind == TCP_LOCK) {
        lock(server, rank, request->index);
    } else {
        count(server, client);
    }
}

// ---- sockets -----------------------------------------------------------------------------------------

// A chunk that comes back goes to its place at once: until it is there nobody else has it.
static void read_some(tcp_server *server, uint32_t rank) {
    client *client = &server->clients[rank];
    const size_t head_size = sizeof client->request;
    while (client->handle >= 0 && !client->answers && client->wanted == MEGA_STORE_NO_CHUNK) {
        const bool in_head = client->in_done < head_size;
        uint8_t *head = (uint8_t *)&client->request, *chunk = server->memory;
        if (!in_head) {
            chunk += client->request.index * server->stride + (client->in_done - head_size);
        }
        const size_t left =
            in_head ? head_size - client->in_done : head_size + client->request.size - client->in_done;
        const ssize_t done = recv(client->handle, in_head ? head + client->in_done : chunk, left, 0);
        if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
            return;
        }
        if (done <= 0) {
            give_up(server, rank, "is gone");
            return;
        }
        client->in_done += (size_t)done;
        if (in_head && client->in_done == head_size && !makes_sense(server, rank)) {
            give_up(server, rank, "has sent a request that makes no sense");
            return;
        }
        if (client->in_done >= head_size && client->in_done == head_size + client->request.size) {
            serve(server, rank);
        }
    }
}

static void write_some(tcp_server *server, uint32_t rank) {
    client *client = &server->clients[rank];
    const size_t head_size = sizeof client->answer;
    while (client->handle >= 0 && client->answers) {
        const size_t of_head = client->out_done < head_size ? head_size - client->out_done : 0;
        const size_t at = client->out_done + of_head - head_size;
        struct iovec parts[2] = {{(uint8_t *)&client->answer + head_size - of_head, of_head},
                                 {client->answer.size > 0 ? (uint8_t *)(uintptr_t)client->out + at : NULL,
                                  (size_t)client->answer.size - at}};
        const struct msghdr text = {.msg_iov = parts, .msg_iovlen = 2};
        const ssize_t done = sendmsg(client->handle, &text, MSG_NOSIGNAL);
        if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
            return;
        }
        if (done < 0) {
            give_up(server, rank, "is gone");
            return;
        }
        client->out_done += (size_t)done;
        client->answers = client->out_done < head_size + client->answer.size;
    }
}

// Whoever waits for a chunk has nothing to say, but may end.
static void look_at_waiting(tcp_server *server, uint32_t rank) {
    uint8_t byte;
    const ssize_t found = recv(server->clients[rank].handle, &byte, 1, MSG_PEEK);
    if (found > 0) {
        give_up(server, rank, "asks for two things at once");
    } else if (found == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        give_up(server, rank, "is gone");
    }
}

static void step(tcp_server *server) {
    for (uint32_t i = 0; i < server->ranks; i++) {
        const client *client = &server->clients[i];
        server->polls[i] =
            (struct pollfd){.fd = client->handle, .events = client->answers ? POLLOUT : POLLIN};
    }
    if (poll(server->polls, server->ranks, -1) <= 0) {
        return;
    }
    for (uint32_t i = 0; i < server->ranks; i++) {
        client *client = &server->clients[i];
        if (server->polls[i].revents == 0 || client->handle < 0) {
            continue;
        }
        if (client->wanted != MEGA_STORE_NO_CHUNK) {
            look_at_waiting(server, i);
        } else {
            read_some(server, i);
        }
    }
    for (uint32_t i = 0; i < server->ranks; i++) {
        write_some(server, i);
    }
}

static void *run(void *argument) {
    tcp_server *server = argument;
    while (server->clients[0].handle >= 0) {
        step(server);
    }
    return NULL;
}

// ---- start and end -----------------------------------------------------------------------------------

void mega_tcp_server_destroy(tcp_server *server) {
    if (server == NULL) {
        return;
    }
    if (server->is_started) {
        (void)pthread_join(server->thread, NULL);
    }
    for (uint32_t i = 0; server->clients != NULL && i < server->ranks; i++) {
        mega_tcp_close(&server->clients[i].handle);
    }
    free(server->clients);
    free(server->owners);
    free(server->polls);
    free(server);
}

// Signals are for the other threads.
static int start(tcp_server *server, mega_message *message) {
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&server->thread, NULL, run, server);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    server->is_started = error == 0;
    return error == 0 ? 0 : mega_message_set(message, "cannot start the store's thread: %s", strerror(error));
}

int mega_tcp_server_start(uint8_t *memory, size_t chunk_size, size_t stride, uint32_t chunks,
                          const int *handles, uint32_t ranks, tcp_server **out, mega_message *message) {
    *out = NULL;
    tcp_server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        return mega_message_set(message, "out of memory");
    }
    server->memory = memory;
    server->chunk_size = chunk_size;
    server->stride = stride;
    server->chunks = chunks;
    server->clients = calloc(ranks, sizeof *server->clients);
    server->owners = calloc(chunks, sizeof *server->owners);
    server->polls = calloc(ranks, sizeof *server->polls);
    if (server->clients == NULL || server->owners == NULL || server->polls == NULL) {
        mega_tcp_server_destroy(server);
        return mega_message_set(message, "out of memory");
    }
    server->ranks = ranks;
    for (uint32_t i = 0; i < ranks; i++) {
        server->clients[i] =
            (client){.handle = handles[i], .held = MEGA_STORE_NO_CHUNK, .wanted = MEGA_STORE_NO_CHUNK};
    }
    for (uint32_t i = 0; i < chunks; i++) {
        server->owners[i] = NOBODY;
    }
    if (start(server, message) != 0) {
        server->ranks = 0; // the connections stay the caller's
        mega_tcp_server_destroy(server);
        return -1;
    }
    *out = server;
    return 0;
}
