// tcp_place.c - addresses, listening, connecting; see tcp_meet.h.
#include "tcp_meet.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    WAITING = 1024, // connections that may wait to be accepted
    RETRY_MILLISECONDS = 50
};
#define ONE_TRY_SECONDS 5.0

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}; // before an IPv4 address

static bool is_ipv4(const tcp_place *place) {
    return memcmp(place->address, mapped, sizeof mapped) == 0;
}

int mega_tcp_place_of(const struct sockaddr_storage *address, tcp_place *place) {
    *place = (tcp_place){.port = 0};
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *ipv4 = (const struct sockaddr_in *)address;
        memcpy(place->address, mapped, sizeof mapped);
        memcpy(place->address + sizeof mapped, &ipv4->sin_addr, 4);
        place->port = ntohs(ipv4->sin_port);
        return 0;
    }
    if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *)address;
        memcpy(place->address, &ipv6->sin6_addr, sizeof place->address);
        place->port = ntohs(ipv6->sin6_port);
        place->scope = ipv6->sin6_scope_id;
        return 0;
    }
    return -1;
}

static socklen_t address_of(const tcp_place *place, struct sockaddr_storage *address) {
    memset(address, 0, sizeof *address);
    if (is_ipv4(place)) {
        struct sockaddr_in *ipv4 = (struct sockaddr_in *)address;
        ipv4->sin_family = AF_INET;
        ipv4->sin_port = htons((uint16_t)place->port);
        memcpy(&ipv4->sin_addr, place->address + sizeof mapped, 4);
        return sizeof *ipv4;
    }
    struct sockaddr_in6 *ipv6 = (struct sockaddr_in6 *)address;
    ipv6->sin6_family = AF_INET6;
    ipv6->sin6_port = htons((uint16_t)place->port);
    ipv6->sin6_scope_id = place->scope;
    memcpy(&ipv6->sin6_addr, place->address, sizeof place->address);
    return sizeof *ipv6;
}

bool mega_tcp_is_loopback(const tcp_place *place) {
    static const uint8_t one[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    return is_ipv4(place) ? place->address[12] == 127 : memcmp(place->address, one, sizeof one) == 0;
}

int mega_tcp_own_place(int handle, tcp_place *place) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    return getsockname(handle, (struct sockaddr *)&address, &size) == 0 ? mega_tcp_place_of(&address, place)
                                                                        : -1;
}

int mega_tcp_other_place(int handle, tcp_place *place) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    return getpeername(handle, (struct sockaddr *)&address, &size) == 0 ? mega_tcp_place_of(&address, place)
                                                                        : -1;
}

// ---- listen ------------------------------------------------------------------------------------------

// A port that connections of an earlier run have not quite left may be used again. IPv6's address of everybody
// takes IPv4, too.
int mega_tcp_listen(tcp_place *place, int *handle) {
    struct sockaddr_storage address;
    const socklen_t size = address_of(place, &address);
    const int on = 1, off = 0;
    *handle = socket(address.ss_family, SOCK_STREAM, 0);
    if (*handle < 0) {
        return -1;
    }
    (void)setsockopt(*handle, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address.ss_family == AF_INET6) {
        (void)setsockopt(*handle, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    }
    tcp_place bound;
    if (mega_tcp_prepare(*handle) != 0 || bind(*handle, (struct sockaddr *)&address, size) != 0 ||
        listen(*handle, WAITING) != 0 || mega_tcp_own_place(*handle, &bound) != 0) {
        const int error = errno;
        mega_tcp_close(handle);
        errno = error;
        return -1;
    }
    place->port = bound.port;
    return 0;
}

// ---- connect -----------------------------------------------------------------------------------------

// The kernel may connect a socket with itself when nobody listens at a port of those that it gives to connections.
static bool is_itself(int handle) {
    tcp_place own, other;
    return mega_tcp_own_place(handle, &own) == 0 && mega_tcp_other_place(handle, &other) == 0 &&
           own.port == other.port && memcmp(own.address, other.address, sizeof own.address) == 0;
}

static int finish_connect(int handle, int64_t deadline) {
    struct pollfd poll_one = {.fd = handle, .events = POLLOUT};
    int ready;
    do {
        ready = poll(&poll_one, 1, mega_tcp_left(deadline, 60000));
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) {
        errno = ETIMEDOUT;
    }
    int error = 0;
    socklen_t size = sizeof error;
    if (ready <= 0 || getsockopt(handle, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
        return -1;
    }
    errno = error;
    return error == 0 ? 0 : -1;
}

// One attempt. errno says why it failed.
static int try_connect(const struct sockaddr_storage *address, socklen_t size, int64_t deadline,
                       int *handle) {
    *handle = socket(address->ss_family, SOCK_STREAM, 0);
    if (*handle < 0) {
        return -1;
    }
    const int64_t most = mega_tcp_deadline(ONE_TRY_SECONDS);
    int status = mega_tcp_prepare(*handle);
    if (status == 0 && connect(*handle, (const struct sockaddr *)address, size) != 0) {
        status = errno == EINPROGRESS || errno == EINTR
                     ? finish_connect(*handle, deadline < most ? deadline : most)
                     : -1;
    }
    if (status == 0 && is_itself(*handle)) {
        errno = ECONNREFUSED;
        status = -1;
    }
    if (status != 0) {
        const int error = errno;
        mega_tcp_close(handle);
        errno = error;
    }
    return status;
}

static void pause_before_retry(void) {
    const struct timespec pause = {.tv_nsec = RETRY_MILLISECONDS * 1000000L};
    (void)nanosleep(&pause, NULL);
}

// One attempt with each address of a name. Gives why none worked.
static const char *try_name(const char *host, uint32_t port, int64_t deadline, int *handle) {
    char port_text[16];
    (void)snprintf(port_text, sizeof port_text, "%u", port);
    const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const int error = getaddrinfo(host, port_text, &wanted, &found);
    if (error != 0) {
        return error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error);
    }
    const char *why = "it has no address";
    for (const struct addrinfo *one = found; one != NULL && *handle < 0; one = one->ai_next) {
        struct sockaddr_storage address = {0};
        if (one->ai_addrlen <= sizeof address) {
            memcpy(&address, one->ai_addr, one->ai_addrlen);
            why = try_connect(&address, one->ai_addrlen, deadline, handle) == 0 ? NULL : strerror(errno);
        }
    }
    freeaddrinfo(found);
    return why;
}

int mega_tcp_connect_name(const char *host, uint32_t port, int64_t deadline, int *handle,
                          mega_message *message) {
    *handle = -1;
    for (;;) {
        const char *why = try_name(host, port, deadline, handle);
        if (why == NULL) {
            return 0;
        }
        if (mega_tcp_now() >= deadline) {
            return mega_message_set(
                message,
                "cannot reach rank 0 at %s port %u: %s; is it running, and are MASTER_ADDR and "
                "MASTER_PORT right?",
                host, port, why);
        }
        pause_before_retry();
    }
}

int mega_tcp_connect(const tcp_place *place, uint32_t rank, int64_t deadline, int *handle,
                     mega_message *message) {
    struct sockaddr_storage address;
    const socklen_t size = address_of(place, &address);
    while (try_connect(&address, size, deadline, handle) != 0) {
        const int error = errno;
        // That rank listens already: only a full queue is worth waiting for.
        if ((error != ETIMEDOUT && error != EAGAIN) || mega_tcp_now() >= deadline) {
            return mega_message_set(
                message, "cannot reach rank %u: %s; may all machines talk to each other at any port?", rank,
                strerror(error));
        }
        pause_before_retry();
    }
    return 0;
}
