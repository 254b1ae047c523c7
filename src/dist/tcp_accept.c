// tcp_accept.c - who comes to a listening rank: those who are expected, and strangers; see tcp_meet.h.
//
// Until it has said what it comes for, nobody is believed: a stranger may say nothing or nonsense, slowly or at
// once, and there may be many. None of them is waited for.
#include "tcp_meet.h"

#include <errno.h>
#include <string.h>

enum {
    MAGIC = 0x4D474849,
    VERSION = 1,
    GUESTS = 64, // those who have not said who they are; one more, and the oldest has to leave
    LISTENER = GUESTS
};
#define PATIENCE_SECONDS 10.0

typedef struct guest {
    int handle; // -1: free
    size_t done;
    int64_t until;
    tcp_hello hello;
} guest;

typedef struct reception {
    const tcp_meeting *meeting;
    tcp_purpose purpose;
    uint32_t first;
    int *handles;
    uint32_t *ports;
    uint32_t missing;
    guest guests[GUESTS];
    struct pollfd polls[GUESTS + 1];
} reception;

int mega_tcp_say_hello(const tcp_meeting *meeting, tcp_purpose purpose, uint32_t port, int handle,
                       int64_t deadline) {
    const tcp_hello hello = {.magic = MAGIC,
                             .version = VERSION,
                             .purpose = purpose,
                             .rank = meeting->rank,
                             .size = meeting->size,
                             .port = port,
                             .job = purpose == TCP_JOIN ? 0 : meeting->job};
    return mega_tcp_write(handle, &hello, sizeof hello, deadline);
}

// Tells one of ours that has lost its way, as a message of another rank's failure (tcp_link.h), and sends it away.
static void refuse(guest *guest, const mega_message *why) {
    tcp_links links;
    if (mega_tcp_links_create(&links, 0, 1, NULL) == 0) {
        links.links[0].handle = guest->handle;
        guest->handle = -1;
        mega_tcp_fail(&links, why);
        mega_tcp_links_destroy(&links);
    }
    mega_tcp_close(&guest->handle);
}

// Whether a guest is who is expected; else it is sent away.
static bool is_expected(const reception *all, guest *guest) {
    const tcp_hello *hello = &guest->hello;
    const tcp_meeting *meeting = all->meeting;
    mega_message why = {""};
    if (hello->magic != MAGIC) {
        mega_tcp_close(&guest->handle);
        return false;
    }
    if (hello->version != VERSION) {
        (void)mega_message_set(&why, "rank %u has another version of Megacade", meeting->rank);
    } else if (hello->purpose != all->purpose ||
               hello->job != (all->purpose == TCP_JOIN ? 0 : meeting->job)) {
        (void)mega_message_set(&why,
                               "another run uses this port; choose another MASTER_PORT for one of them");
    } else if (hello->size != meeting->size) {
        (void)mega_message_set(&why, "WORLD_SIZE is %u here, but %u for rank %u; all ranks need the same",
                               hello->size, meeting->size, meeting->rank);
    } else if (hello->rank < all->first || hello->rank >= meeting->size) {
        (void)mega_message_set(&why, "rank %u is not expected by rank %u", hello->rank, meeting->rank);
    } else if (all->handles[hello->rank] >= 0) {
        (void)mega_message_set(&why, "there are two processes with RANK=%u; each needs one of its own",
                               hello->rank);
    } else {
        return true;
    }
    refuse(guest, &why);
    return false;
}

// Reads what has come of a guest's first words.
static void hear(reception *all, guest *guest) {
    while (guest->handle >= 0 && guest->done < sizeof guest->hello) {
        const ssize_t part =
            recv(guest->handle, (uint8_t *)&guest->hello + guest->done, sizeof guest->hello - guest->done, 0);
        if (part < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
            return;
        }
        if (part <= 0) {
            mega_tcp_close(&guest->handle);
            return;
        }
        guest->done += (size_t)part;
    }
    if (guest->handle >= 0 && is_expected(all, guest)) {
        all->handles[guest->hello.rank] = guest->handle;
        if (all->ports != NULL) {
            all->ports[guest->hello.rank] = guest->hello.port;
        }
        all->missing--;
        guest->handle = -1;
    }
}

static guest *seat(reception *all) {
    guest *best = &all->guests[0];
    for (uint32_t i = 0; i < GUESTS; i++) {
        guest *one = &all->guests[i];
        if (one->handle < 0) {
            return one;
        }
        best = one->until < best->until ? one : best;
    }
    mega_tcp_close(&best->handle);
    return best;
}

static int admit(reception *all, mega_message *message) {
    const int handle = accept(all->meeting->listener, NULL, NULL);
    if (handle < 0) {
        // Those that leave before they are let in are no failure.
        const bool is_serious = errno == EMFILE || errno == ENFILE || errno == EBADF || errno == EINVAL;
        return is_serious ? mega_message_set(message, "cannot accept a rank: %s", strerror(errno)) : 0;
    }
    guest *guest = seat(all);
    guest->handle = handle;
    guest->done = 0;
    guest->until = mega_tcp_deadline(PATIENCE_SECONDS);
    if (mega_tcp_prepare(handle) != 0) {
        mega_tcp_close(&guest->handle);
    }
    return 0;
}

static int step(reception *all, int64_t deadline, mega_message *message) {
    for (uint32_t i = 0; i < GUESTS; i++) {
        all->polls[i] = (struct pollfd){.fd = all->guests[i].handle, .events = POLLIN};
    }
    all->polls[LISTENER] = (struct pollfd){.fd = all->meeting->listener, .events = POLLIN};
    const int ready = poll(all->polls, GUESTS + 1, mega_tcp_left(deadline, 1000));
    if (ready < 0 && errno != EINTR) {
        return mega_message_set(message, "cannot wait for ranks: %s", strerror(errno));
    }
    const int64_t now = mega_tcp_now();
    for (uint32_t i = 0; i < GUESTS; i++) {
        if (ready > 0 && all->polls[i].revents != 0) {
            hear(all, &all->guests[i]);
        } else if (now >= all->guests[i].until) {
            mega_tcp_close(&all->guests[i].handle);
        }
    }
    return ready > 0 && all->polls[LISTENER].revents != 0 ? admit(all, message) : 0;
}

static int name_missing(const reception *all, mega_message *message) {
    uint32_t rank = all->first;
    while (all->handles[rank] >= 0) {
        rank++;
    }
    return mega_message_set(
        message, "rank %u has not come within %g seconds (%u of %u ranks are missing); is it running?", rank,
        all->meeting->timeout_seconds, all->missing, all->meeting->size);
}

int mega_tcp_accept(const tcp_meeting *meeting, tcp_purpose purpose, uint32_t first, int *handles,
                    uint32_t *ports, int64_t deadline, mega_message *message) {
    reception all = {.meeting = meeting,
                     .purpose = purpose,
                     .first = first,
                     .handles = handles,
                     .ports = ports,
                     .missing = first < meeting->size ? meeting->size - first : 0};
    for (uint32_t i = 0; i < GUESTS; i++) {
        all.guests[i].handle = -1;
    }
    for (uint32_t rank = first; rank < meeting->size; rank++) {
        handles[rank] = -1;
    }
    int status = 0;
    while (status == 0 && all.missing > 0) {
        status = step(&all, deadline, message);
        if (status == 0 && all.missing > 0 && mega_tcp_now() >= deadline) {
            status = name_missing(&all, message);
        }
    }
    for (uint32_t i = 0; i < GUESTS; i++) {
        mega_tcp_close(&all.guests[i].handle);
    }
    return status;
}
