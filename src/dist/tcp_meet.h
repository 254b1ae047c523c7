// tcp_meet.h - how ranks find each other over TCP: all of them go to rank 0, which tells where the others are.
#ifndef TCP_MEET_H
#define TCP_MEET_H
#include "tcp_link.h"

#include <netinet/in.h>
#include <sys/socket.h>

enum {
    TCP_MOST_RANKS = 512 // each is connected with each: a process has about a thousand files
};

// Where a rank listens: an IPv6 address, or an IPv4 address in its IPv6 form, and a port.
typedef struct tcp_place {
    uint8_t address[16];
    uint32_t port;
    uint32_t scope; // of a link-local address; each machine counts its own
} tcp_place;

// What a rank that connects to another one says first.
typedef enum tcp_purpose {
    TCP_JOIN,  // to rank 0: I am here, and listen at that port
    TCP_MESH,  // to any other: we belong together
    TCP_STORE, // to rank 0: this connection is for a store
    TCP_WIRE,  // to a host, from one of its guests (dist_part.c)
} tcp_purpose;

typedef struct tcp_hello {
    uint32_t magic;
    uint32_t version;
    uint32_t purpose;
    uint32_t rank;
    uint32_t size;
    uint32_t port; // TCP_JOIN
    uint64_t job;  // which rank 0 has drawn; 0 for TCP_JOIN
} tcp_hello;

typedef struct tcp_meeting {
    uint32_t rank;
    uint32_t size;
    const char *host; // MASTER_ADDR, borrowed
    uint32_t port;
    double timeout_seconds;
    uint64_t job;
    int listener;      // rank 0 keeps it for stores; -1 elsewhere, after the meeting
    tcp_place place_0; // where rank 0 is, as this rank has reached it; all zero before
} tcp_meeting;

// Connects all ranks with all: fills in the links, which are created, and what the meeting says of `job` and
// after.
int mega_tcp_meet(tcp_meeting *meeting, tcp_links *links, mega_message *message);
// Collective. Connects all ranks with rank 0 once more, for a store. There `handles` gets a connection for each
// rank but 0; elsewhere handles[0] is the one to rank 0. Those that there are not are -1, after a failure, too.
int mega_tcp_meet_again(tcp_meeting *meeting, int *handles, mega_message *message);

// ---- parts -------------------------------------------------------------------------------------------

// Listens at the place, or at a free port where that is 0, which is filled in.
int mega_tcp_listen(tcp_place *place, int *handle);
// -1: an address of another family.
int mega_tcp_place_of(const struct sockaddr_storage *address, tcp_place *place);
// The same on all addresses of this machine.
int mega_tcp_listen_everywhere(uint32_t *port, int *handle);
// A number for a run: enough to tell runs from each other, and no secret.
uint64_t mega_tcp_draw_job(void);
// The address of this end of a connection, or of the other.
int mega_tcp_own_place(int handle, tcp_place *place);
int mega_tcp_other_place(int handle, tcp_place *place);
bool mega_tcp_is_loopback(const tcp_place *place);
// Connects to a host by name, again and again until the deadline: rank 0 may start later.
int mega_tcp_connect_name(const char *host, uint32_t port, int64_t deadline, int *handle,
                          mega_message *message);
// Connects to rank `rank` at its place.
int mega_tcp_connect(const tcp_place *place, uint32_t rank, int64_t deadline, int *handle,
                     mega_message *message);
int mega_tcp_say_hello(const tcp_meeting *meeting, tcp_purpose purpose, uint32_t port, int handle,
                       int64_t deadline);
// Waits until ranks `first` to size - 1 have connected and said what they come for: handles[rank] is the
// connection of each, ports[rank] the port that it listens at (`ports` may be NULL). Whoever says anything else
// is sent away. On failure those who have come are still connected.
int mega_tcp_accept(const tcp_meeting *meeting, tcp_purpose purpose, uint32_t first, int *handles,
                    uint32_t *ports, int64_t deadline, mega_message *message);

#endif
