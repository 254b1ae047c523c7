// tcp_meet.c - see tcp_meet.h.
#include "tcp_meet.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// What rank 0 tells all others: which run this is, and where each of them listens.
typedef struct table {
    uint64_t job;
    uint64_t size;
    tcp_place places[TCP_MOST_RANKS];
} table;

static size_t table_size(uint32_t ranks) {
    return offsetof(table, places) + ranks * sizeof(tcp_place);
}

uint64_t mega_tcp_draw_job(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t mixed =
        ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) ^ ((uint64_t)getpid() << 40);
    return mixed * UINT64_C(0x9E3779B97F4A7C15) | 1;
}

// ---- listen ------------------------------------------------------------------------------------------

// Whether MASTER_ADDR says in so many words that all ranks are on this machine. A machine's own name may lead
// to its loopback, too, and yet others come by that name.
static bool is_here(const char *host, tcp_place *place) {
    const bool is_named = strcmp(host, "localhost") == 0;
    const struct addrinfo wanted = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = is_named ? 0 : AI_NUMERICHOST};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, NULL, &wanted, &found) != 0) {
        return false;
    }
    struct sockaddr_storage address = {0};
    const bool fits = found->ai_addrlen <= sizeof address;
    if (fits) {
        memcpy(&address, found->ai_addr, found->ai_addrlen);
    }
    freeaddrinfo(found);
    return fits && mega_tcp_place_of(&address, place) == 0 && mega_tcp_is_loopback(place);
}

int mega_tcp_listen_everywhere(uint32_t *port, int *handle) {
    tcp_place ipv6 = {.port = *port};
    if (mega_tcp_listen(&ipv6, handle) == 0) {
        *port = ipv6.port;
        return 0;
    }
    tcp_place ipv4 = {.address = {[10] = 0xFF, [11] = 0xFF}, .port = *port};
    if (mega_tcp_listen(&ipv4, handle) == 0) {
        *port = ipv4.port;
        return 0;
    }
    return -1;
}

static int listen_as_0(tcp_meeting *meeting, mega_message *message) {
    tcp_place place;
    int status;
    if (is_here(meeting->host, &place)) {
        place.port = meeting->port;
        status = mega_tcp_listen(&place, &meeting->listener);
    } else {
        status = mega_tcp_listen_everywhere(&meeting->port, &meeting->listener);
    }
    if (status != 0) {
        return mega_message_set(message, "rank 0 cannot listen at port %u: %s; choose another MASTER_PORT",
                                meeting->port, strerror(errno));
    }
    return 0;
}

// Other ranks come by the network that leads to rank 0.
static int listen_as_other(tcp_meeting *meeting, int handle, uint32_t *port, mega_message *message) {
    tcp_place own, here;
    *port = 0;
    int status = mega_tcp_own_place(handle, &own);
    if (status == 0 && mega_tcp_is_loopback(&own) && !is_here(meeting->host, &here)) {
        status = mega_tcp_listen_everywhere(port, &meeting->listener);
    } else if (status == 0) {
        own.port = 0;
        status = mega_tcp_listen(&own, &meeting->listener);
        *port = own.port;
    }
    return status == 0 ? 0 : mega_message_set(message, "cannot listen for other ranks: %s", strerror(errno));
}

// ---- rank 0 ------------------------------------------------------------------------------------------

static int send_table(tcp_meeting *meeting, tcp_links *links, const uint32_t *ports, int64_t deadline,
                      mega_message *message) {
    table *all = calloc(1, sizeof *all);
    if (all == NULL) {
        return mega_message_set(message, "out of memory");
    }
    meeting->job = mega_tcp_draw_job();
    all->job = meeting->job;
    all->size = meeting->size;
    int status = 0;
    for (uint32_t rank = 1; status == 0 && rank < meeting->size; rank++) {
        if (mega_tcp_other_place(links->links[rank].handle, &all->places[rank]) != 0) {
            status = mega_message_set(message, "rank %u is gone before all have come", rank);
        }
        all->places[rank].port = ports[rank];
        mega_tcp_send(links, rank, all, table_size(meeting->size));
    }
    if (status == 0) {
        status = mega_tcp_exchange(links, TCP_TABLE, deadline, message);
    }
    free(all);
    return status;
}

static int meet_as_0(tcp_meeting *meeting, tcp_links *links, mega_message *message) {
    int handles[TCP_MOST_RANKS];
    uint32_t ports[TCP_MOST_RANKS] = {0};
    const int64_t deadline = mega_tcp_deadline(meeting->timeout_seconds);
    if (listen_as_0(meeting, message) != 0) {
        return -1;
    }
    const int status = mega_tcp_accept(meeting, TCP_JOIN, 1, handles, ports, deadline, message);
    for (uint32_t rank = 1; rank < meeting->size; rank++) {
        links->links[rank].handle = handles[rank];
    }
    if (status != 0) {
        return -1;
    }
    return send_table(meeting, links, ports, mega_tcp_deadline(meeting->timeout_seconds), message);
}

// ---- the others --------------------------------------------------------------------------------------

// Who is on rank 0's machine may have come to it by the loopback: for others these ranks are where rank 0 is.
static void correct(const tcp_meeting *meeting, table *all) {
    for (uint32_t rank = 1; rank < meeting->size; rank++) {
        tcp_place *place = &all->places[rank];
        if (mega_tcp_is_loopback(place)) {
            memcpy(place->address, meeting->place_0.address, sizeof place->address);
        }
        place->scope = meeting->place_0.scope;
    }
}

// Tells rank 0 where this rank listens, and hears where all others do.
static int join(tcp_meeting *meeting, tcp_links *links, table *all, mega_message *message) {
    const int64_t deadline = mega_tcp_deadline(meeting->timeout_seconds);
    int handle = -1;
    uint32_t port = 0;
    if (mega_tcp_connect_name(meeting->host, meeting->port, deadline, &handle, message) != 0) {
        return -1;
    }
    links->links[0].handle = handle;
    if (mega_tcp_other_place(handle, &meeting->place_0) != 0) {
        return mega_message_set(message, "rank 0 is gone: %s", strerror(errno));
    }
    if (listen_as_other(meeting, handle, &port, message) != 0) {
        return -1;
    }
    if (mega_tcp_say_hello(meeting, TCP_JOIN, port, handle, deadline) != 0) {
        return mega_message_set(message, "rank 0 is gone: %s", strerror(errno));
    }
    // Rank 0 says who has not come; its time may have begun with this rank's arrival.
    mega_tcp_receive(links, 0, all, table_size(meeting->size));
    if (mega_tcp_exchange(links, TCP_TABLE, mega_tcp_deadline(meeting->timeout_seconds + 5.0), message) !=
        0) {
        return -1;
    }
    if (all->size != meeting->size) {
        return mega_message_set(message, "what listens at %s port %u is not Megacade's rank 0", meeting->host,
                                meeting->port);
    }
    meeting->job = all->job;
    correct(meeting, all);
    return 0;
}

// Goes to those before this rank, and waits for those after it.
static int mesh(tcp_meeting *meeting, tcp_links *links, const table *all, mega_message *message) {
    const int64_t deadline = mega_tcp_deadline(meeting->timeout_seconds);
    int handles[TCP_MOST_RANKS];
    for (uint32_t rank = 1; rank < meeting->rank; rank++) {
        int *handle = &links->links[rank].handle;
        if (mega_tcp_connect(&all->places[rank], rank, deadline, handle, message) != 0) {
            return -1;
        }
        if (mega_tcp_say_hello(meeting, TCP_MESH, 0, *handle, deadline) != 0) {
            return mega_message_set(message, "rank %u is gone: %s", rank, strerror(errno));
        }
    }
    const uint32_t first = meeting->rank + 1;
    const int status = mega_tcp_accept(meeting, TCP_MESH, first, handles, NULL, deadline, message);
    for (uint32_t rank = first; rank < meeting->size; rank++) {
        links->links[rank].handle = handles[rank];
    }
    return status;
}

static int meet_as_other(tcp_meeting *meeting, tcp_links *links, mega_message *message) {
    table *all = calloc(1, sizeof *all);
    if (all == NULL) {
        return mega_message_set(message, "out of memory");
    }
    int status = join(meeting, links, all, message);
    if (status == 0) {
        status = mesh(meeting, links, all, message);
    }
    mega_tcp_close(&meeting->listener);
    free(all);
    return status;
}

// ---- all ---------------------------------------------------------------------------------------------

int mega_tcp_meet(tcp_meeting *meeting, tcp_links *links, mega_message *message) {
    mega_message why = {""};
    meeting->listener = -1;
    const int status =
        meeting->rank == 0 ? meet_as_0(meeting, links, &why) : meet_as_other(meeting, links, &why);
    if (status != 0) {
        mega_tcp_fail(links, &why);
        mega_tcp_close(&meeting->listener);
        return mega_message_set(message, "%s", why.text);
    }
    return 0;
}

static int connect_again(tcp_meeting *meeting, int *handle, int64_t deadline, mega_message *message) {
    if (meeting->place_0.port > 0) {
        return mega_tcp_connect(&meeting->place_0, 0, deadline, handle, message);
    }
    if (mega_tcp_connect_name(meeting->host, meeting->port, deadline, handle, message) != 0) {
        return -1;
    }
    if (mega_tcp_other_place(*handle, &meeting->place_0) != 0) {
        return mega_message_set(message, "rank 0 is gone: %s", strerror(errno));
    }
    return 0;
}

int mega_tcp_meet_again(tcp_meeting *meeting, int *handles, mega_message *message) {
    const int64_t deadline = mega_tcp_deadline(meeting->timeout_seconds);
    for (uint32_t rank = 0; rank < meeting->size; rank++) {
        handles[rank] = -1;
    }
    int status = 0;
    if (meeting->rank == 0) {
        status = mega_tcp_accept(meeting, TCP_STORE, 1, handles, NULL, deadline, message);
    } else if (connect_again(meeting, &handles[0], deadline, message) != 0) {
        status = -1;
    } else if (mega_tcp_say_hello(meeting, TCP_STORE, 0, handles[0], deadline) != 0) {
        status = mega_message_set(message, "rank 0 is gone: %s", strerror(errno));
    }
    for (uint32_t rank = 0; status != 0 && rank < meeting->size; rank++) {
        mega_tcp_close(&handles[rank]);
    }
    return status;
}
