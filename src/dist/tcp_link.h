// tcp_link.h - connections between ranks, and messages that go over them without anybody waiting for anybody else.
//
// A message is a head and its bytes. What goes to and comes from other ranks is announced first; an exchange
// then moves all of it at once, in whatever order the sockets are ready, so that ranks which all send much do
// not block each other.
#ifndef TCP_LINK_H
#define TCP_LINK_H
#include "message.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a message is for. Ranks that are not at the same call notice it by this.
typedef enum tcp_kind {
    TCP_FAILURE, // a mega_message: the sender has failed, and this is why
    TCP_TABLE,
    TCP_SUM,
    TCP_BROADCAST,
    TCP_GATHER,
    TCP_BARRIER,
    TCP_BYTES,
    TCP_KINDS
} tcp_kind;

typedef struct tcp_head {
    uint32_t magic; // in the sender's order of bytes, so that a machine with another one is noticed
    uint32_t kind;
    uint64_t size;
} tcp_head;

// A connection to another rank, and what is under way. Sockets do not block.
typedef struct tcp_link {
    int handle; // -1: none
    bool sends;
    bool receives;
    tcp_head out_head;
    tcp_head in_head;
    const void *out;
    uint8_t *in;
    size_t in_size;
    size_t out_done; // of head and bytes
    size_t in_done;
} tcp_link;

typedef struct tcp_links {
    uint32_t rank;
    uint32_t size;
    bool failed; // an exchange has failed, and the connections are closed
    tcp_link *links;
    struct pollfd *polls;
    uint32_t *polled; // the ranks in `polls`
} tcp_links;

// Nanoseconds of a clock that only goes forward. A deadline of TCP_NEVER does not come.
#define TCP_NEVER INT64_MAX
int64_t mega_tcp_now(void);
int64_t mega_tcp_deadline(double seconds);
// Milliseconds until then for poll(), at least 0 and at most `most`.
int mega_tcp_left(int64_t deadline, int most);

// Allocates room for `size` ranks; nobody is connected.
int mega_tcp_links_create(tcp_links *links, uint32_t rank, uint32_t size, mega_message *message);
// Closes the connections and releases. All-zero links are allowed.
void mega_tcp_links_destroy(tcp_links *links);

// Announces a message for the next exchange: at most one to each rank and one from each. The bytes stay the
// caller's and have to stay there.
void mega_tcp_send(tcp_links *links, uint32_t to, const void *bytes, size_t size);
void mega_tcp_receive(tcp_links *links, uint32_t from, void *bytes, size_t size);
// Moves what was announced. On failure tells all others why and closes the connections.
int mega_tcp_exchange(tcp_links *links, tcp_kind kind, int64_t deadline, mega_message *message);
// Between exchanges: looks whether all others are there, without waiting. Fails as an exchange does.
int mega_tcp_watch(tcp_links *links, mega_message *message);
// Tells the others that this rank has failed, and closes the connections.
void mega_tcp_fail(tcp_links *links, const mega_message *why);

// ---- plain sockets -----------------------------------------------------------------------------------

// A new connection: does not block, sends at once, and notices when the other machine is lost.
int mega_tcp_prepare(int handle);
// Write or read all of it. -1: the connection is gone or the deadline has passed; errno is ETIMEDOUT for the
// latter and 0 for a connection that was closed.
int mega_tcp_write(int handle, const void *bytes, size_t size, int64_t deadline);
int mega_tcp_read(int handle, void *bytes, size_t size, int64_t deadline);
void mega_tcp_close(int *handle);

#endif
