// tcp_server.h - the thread in rank 0 that keeps a store for ranks that are connected by TCP.
//
// Each rank has a connection to it and asks one thing at a time. Rank 0 itself, too: that one has the chunks'
// memory in common with the thread, and so gets no bytes sent. When a rank's connection ends the store is of no
// use any more: all others are told so as soon as they ask, and those that wait at once.
#ifndef TCP_SERVER_H
#define TCP_SERVER_H
#include "message.h"

#include <stddef.h>
#include <stdint.h>

typedef enum tcp_request_kind {
    TCP_LOCK,   // the answer comes with the chunk, when nobody else has it
    TCP_UNLOCK, // comes with the chunk; there is no answer
    TCP_COUNT,
    TCP_REQUEST_KINDS
} tcp_request_kind;

// What a rank asks, and the first part of the answer.
typedef struct tcp_request {
    uint32_t magic;
    uint32_t kind;
    uint32_t index; // chunk or counter
    uint32_t pad;
    int64_t value; // to be added
    uint64_t size; // bytes that follow
} tcp_request;

typedef struct tcp_answer {
    uint32_t magic;
    uint32_t failed; // a mega_message follows instead
    int64_t value;   // a counter, before
    uint64_t size;   // bytes that follow
} tcp_answer;

enum {
    TCP_STORE_MAGIC = 0x4D475354
};

typedef struct tcp_server tcp_server;

// Starts the thread. handles[rank] is each rank's connection; it becomes the server's. When rank 0's ends, the
// thread ends. The chunks are `stride` apart in `memory`, which stays the caller's and has to stay until then.
int mega_tcp_server_start(uint8_t *memory, size_t chunk_size, size_t stride, uint32_t chunks,
                          const int *handles, uint32_t ranks, tcp_server **out, mega_message *message);
// Waits for the thread and closes the connections. NULL is allowed.
void mega_tcp_server_destroy(tcp_server *server);

#endif
