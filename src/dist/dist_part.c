// dist_part.c - ranks that leave the others and stay connected to one of them; see dist.h.
#include "dist_parts.h"
#include "tcp_meet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEETING_SECONDS 60.0

// Where a host listens, as it tells all others.
typedef struct invitation {
    uint64_t job;
    tcp_place place; // without a port: elsewhere than on this machine's loopback
    uint32_t port;
    int32_t error; // errno of the host
    char name[256];
} invitation;

typedef struct parting {
    mega_dist *dist;
    uint32_t hosts, guests; // guests of each host
    tcp_meeting meeting;    // of a host with its guests
    invitation *all;        // [dist->size]
    int *handles;           // [dist->size]
} parting;

static bool is_host(const parting *p) {
    return p->dist->rank < p->hosts;
}
static uint32_t host_of(const parting *p) {
    return is_host(p) ? p->dist->rank : (p->dist->rank - p->hosts) / p->guests;
}
static uint32_t first_guest_of(const parting *p, uint32_t host) {
    return p->hosts + host * p->guests;
}

// ---- listen ------------------------------------------------------------------------------------------

// Whether all guests come by the loopback: then nobody else has to. *place is where.
static bool are_all_here(const parting *p, tcp_place *place) {
    static const tcp_place loopback = {.address = {[10] = 0xFF, [11] = 0xFF, [12] = 127, [15] = 1}};
    const mega_dist *dist = p->dist;
    const uint32_t first = first_guest_of(p, dist->rank);
    if (dist->ops->handle_of == NULL) {
        *place = loopback;
        return dist->local_size == dist->size;
    }
    for (uint32_t rank = first; rank < first + p->guests; rank++) {
        if (mega_tcp_own_place(dist->ops->handle_of(dist, rank), place) != 0 ||
            !mega_tcp_is_loopback(place)) {
            return false;
        }
    }
    return true;
}

static void invite(parting *p, invitation *own) {
    tcp_place place;
    (void)gethostname(own->name, sizeof own->name - 1);
    own->job = p->meeting.job = mega_tcp_draw_job();
    int status;
    if (are_all_here(p, &place)) {
        place.port = 0;
        status = mega_tcp_listen(&place, &p->meeting.listener);
        own->place = place;
    } else {
        status = mega_tcp_listen_everywhere(&own->port, &p->meeting.listener);
    }
    own->error = status == 0 ? 0 : errno;
}

// ---- connect -----------------------------------------------------------------------------------------

static int reach(const parting *p, const invitation *said, int64_t deadline, int *handle,
                 mega_message *message) {
    const mega_dist *dist = p->dist;
    const uint32_t host = host_of(p);
    tcp_place place = said->place;
    if (place.port > 0) {
        return mega_tcp_connect(&place, host, deadline, handle, message);
    }
    if (dist->ops->handle_of != NULL && mega_tcp_other_place(dist->ops->handle_of(dist, host), &place) == 0) {
        place.port = said->port;
        return mega_tcp_connect(&place, host, deadline, handle, message);
    }
    if (mega_tcp_connect_name(said->name, said->port, deadline, handle, NULL) != 0) {
        return mega_message_set(
            message,
            "cannot reach rank %u at %s port %u; do machines know each other's names, and may "
            "they talk at any port?",
            host, said->name, said->port);
    }
    return 0;
}

static int come(parting *p, const invitation *said, int64_t deadline, mega_message *message) {
    const uint32_t host = host_of(p);
    if (said->error != 0) {
        return mega_message_set(message, "rank %u cannot listen for its samplers: %s", host,
                                strerror(said->error));
    }
    p->meeting.job = said->job;
    if (reach(p, said, deadline, &p->handles[host], message) != 0) {
        return -1;
    }
    return mega_tcp_say_hello(&p->meeting, TCP_WIRE, 0, p->handles[host], deadline) == 0
               ? 0
               : mega_message_set(message, "rank %u is gone: %s", host, strerror(errno));
}

static int connect_all(parting *p, mega_message *message) {
    mega_dist *dist = p->dist;
    const uint32_t first = first_guest_of(p, host_of(p));
    invitation own = {0};
    p->meeting = (tcp_meeting){
        .rank = dist->rank, .size = first + p->guests, .timeout_seconds = MEETING_SECONDS, .listener = -1};
    if (is_host(p)) {
        invite(p, &own);
    }
    if (dist->ops->gather(dist, &own, sizeof own, p->all, message) != 0) {
        return -1;
    }
    const int64_t deadline = mega_tcp_deadline(MEETING_SECONDS);
    if (!is_host(p)) {
        return come(p, &p->all[host_of(p)], deadline, message);
    }
    if (own.error != 0) {
        return mega_message_set(message, "cannot listen for samplers: %s", strerror(own.error));
    }
    return mega_tcp_accept(&p->meeting, TCP_WIRE, first, p->handles, NULL, deadline, message);
}

// ---- all ---------------------------------------------------------------------------------------------

static int allocate(parting *p, mega_message *message) {
    mega_dist *dist = p->dist;
    p->all = calloc(dist->size, sizeof *p->all);
    p->handles = malloc(dist->size * sizeof *p->handles);
    dist->wires = calloc(is_host(p) ? p->guests : 1, sizeof *dist->wires);
    if (p->all == NULL || p->handles == NULL || dist->wires == NULL) {
        return mega_message_set(message, "out of memory");
    }
    for (uint32_t rank = 0; rank < dist->size; rank++) {
        p->handles[rank] = -1;
    }
    return 0;
}

static void take_wires(parting *p) {
    mega_dist *dist = p->dist;
    const uint32_t first = is_host(p) ? first_guest_of(p, dist->rank) : host_of(p);
    dist->wire_count = is_host(p) ? p->guests : 1;
    for (uint32_t i = 0; i < dist->wire_count; i++) {
        dist->wires[i].rank = first + i;
        dist->wires[i].handle = p->handles[first + i];
        p->handles[first + i] = -1;
    }
}

int mega_dist_part(mega_dist *dist, uint32_t hosts, mega_message *message) {
    mega_message why = {""};
    if (hosts == 0 || hosts >= dist->size || (dist->size - hosts) % hosts != 0) {
        return mega_message_set(message, "%u hosts of %u ranks cannot have equally many guests", hosts,
                                dist->size);
    }
    parting p = {
        .dist = dist, .hosts = hosts, .guests = (dist->size - hosts) / hosts, .meeting = {.listener = -1}};
    int status = mega_dist_agree(dist, allocate(&p, &why), &why);
    if (status == 0) {
        status = mega_dist_agree(dist, connect_all(&p, &why), &why);
    }
    if (status == 0) {
        take_wires(&p);
        status = dist->ops->part(dist, hosts, &why);
    }
    mega_tcp_close(&p.meeting.listener);
    for (uint32_t rank = 0; p.handles != NULL && rank < dist->size; rank++) {
        mega_tcp_close(&p.handles[rank]);
    }
    free(p.handles);
    free(p.all);
    return status == 0 ? 0 : mega_message_set(message, "%s", why.text);
}

void mega_dist_close_wires(mega_dist *dist) {
    for (uint32_t i = 0; i < dist->wire_count; i++) {
        mega_wire_close(&dist->wires[i]);
    }
    free(dist->wires);
    dist->wires = NULL;
    dist->wire_count = 0;
}
