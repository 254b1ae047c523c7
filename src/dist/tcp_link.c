// tcp_link.c - see tcp_link.h.
#define _GNU_SOURCE // POLLRDHUP
#include "tcp_link.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum {
    MAGIC = 0x4D47434C,
    LOOK_MILLISECONDS = 100 // how often those are looked at of whom nothing is expected
};

int mega_tcp_links_create(tcp_links *links, uint32_t rank, uint32_t size, mega_message *message) {
    *links = (tcp_links){.rank = rank, .size = size};
    links->links = calloc(size, sizeof *links->links);
    links->polls = calloc(size, sizeof *links->polls);
    links->polled = calloc(size, sizeof *links->polled);
    if (links->links == NULL || links->polls == NULL || links->polled == NULL) {
        links->size = 0;
        mega_tcp_links_destroy(links);
        return mega_message_set(message, "out of memory");
    }
    for (uint32_t i = 0; i < size; i++) {
        links->links[i].handle = -1;
    }
    return 0;
}

static void close_all(tcp_links *links) {
    for (uint32_t i = 0; i < links->size; i++) {
        mega_tcp_close(&links->links[i].handle);
        links->links[i].sends = false;
        links->links[i].receives = false;
    }
}

void mega_tcp_links_destroy(tcp_links *links) {
    close_all(links);
    free(links->links);
    free(links->polls);
    free(links->polled);
    *links = (tcp_links){0};
}

void mega_tcp_send(tcp_links *links, uint32_t to, const void *bytes, size_t size) {
    tcp_link *link = &links->links[to];
    assert(to != links->rank && !link->sends);
    link->sends = true;
    link->out_head = (tcp_head){.magic = MAGIC, .size = size};
    link->out = bytes != NULL ? bytes : "";
    link->out_done = 0;
}

void mega_tcp_receive(tcp_links *links, uint32_t from, void *bytes, size_t size) {
    tcp_link *link = &links->links[from];
    assert(from != links->rank && !link->receives);
    link->receives = true;
    link->in = bytes;
    link->in_size = size;
    link->in_done = 0;
}

// ---- failures ----------------------------------------------------------------------------------------

static int is_gone(uint32_t rank, mega_message *message) {
    return mega_message_set(message, "rank %u is gone: it has ended, or its connection is lost", rank);
}

// The sentence follows its head; its sender has written both before it closed.
static int told(tcp_link *link, uint32_t rank, mega_message *message) {
    mega_message sentence;
    if (mega_tcp_read(link->handle, sentence.text, sizeof sentence.text, mega_tcp_deadline(2.0)) != 0) {
        return is_gone(rank, message);
    }
    sentence.text[sizeof sentence.text - 1] = '\0';
    return mega_message_set(message, "%s", sentence.text);
}

static bool is_failure(const tcp_head *head) {
    return head->magic == MAGIC && head->kind == TCP_FAILURE && head->size == sizeof(mega_message);
}

void mega_tcp_fail(tcp_links *links, const mega_message *why) {
    const tcp_head head = {.magic = MAGIC, .kind = TCP_FAILURE, .size = sizeof *why};
    for (uint32_t i = 0; i < links->size; i++) {
        tcp_link *link = &links->links[i];
        // In the middle of a message nothing can be said; then the end of the connection has to do.
        if (link->handle >= 0 && (!link->sends || link->out_done == 0)) {
            uint8_t bytes[sizeof head + sizeof *why];
            memcpy(bytes, &head, sizeof head);
            memcpy(bytes + sizeof head, why, sizeof *why);
            (void)send(link->handle, bytes, sizeof bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        }
    }
    close_all(links);
    links->failed = true;
}

// ---- exchange ----------------------------------------------------------------------------------------

static bool would_block(void) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static int check_head(tcp_link *link, uint32_t kind, uint32_t rank, mega_message *message) {
    const tcp_head *head = &link->in_head;
    if (is_failure(head)) {
        return told(link, rank, message);
    }
    if (head->magic != MAGIC || head->kind >= TCP_KINDS) {
        return mega_message_set(message, "rank %u sends what is no message of Megacade's", rank);
    }
    if (head->kind != kind || head->size != link->in_size) {
        return mega_message_set(
            message,
            "rank %u is at another step: it has sent %llu bytes of kind %u where %zu of kind %u "
            "were expected; all ranks need the same program and settings",
            rank, (unsigned long long)head->size, head->kind, link->in_size, kind);
    }
    return 0;
}

static int read_some(tcp_link *link, uint32_t kind, uint32_t rank, mega_message *message) {
    const size_t head_size = sizeof link->in_head;
    while (link->receives) {
        const bool in_head = link->in_done < head_size;
        uint8_t *to =
            in_head ? (uint8_t *)&link->in_head + link->in_done : link->in + (link->in_done - head_size);
        const size_t left = in_head ? head_size - link->in_done : head_size + link->in_size - link->in_done;
        const ssize_t done = recv(link->handle, to, left, 0);
        if (done == 0) {
            return is_gone(rank, message);
        }
        if (done < 0) {
            return would_block() ? 0 : is_gone(rank, message);
        }
        link->in_done += (size_t)done;
        if (in_head && link->in_done == head_size && check_head(link, kind, rank, message) != 0) {
            return -1;
        }
        link->receives = link->in_done < head_size + link->in_size;
    }
    return 0;
}

// Nothing can be sent any more. Perhaps that rank has said why.
static int why_gone(tcp_link *link, uint32_t rank, mega_message *message) {
    if (link->receives && read_some(link, link->out_head.kind, rank, message) != 0) {
        return -1;
    }
    tcp_head head;
    if (!link->receives && recv(link->handle, &head, sizeof head, MSG_DONTWAIT) == (ssize_t)sizeof head &&
        is_failure(&head)) {
        return told(link, rank, message);
    }
    return is_gone(rank, message);
}

// Head and bytes leave in one call as long as the head is not out.
static int write_some(tcp_link *link, uint32_t rank, mega_message *message) {
    const size_t head_size = sizeof link->out_head;
    while (link->sends) {
        const size_t of_head = link->out_done < head_size ? head_size - link->out_done : 0;
        const size_t at = link->out_done + of_head - head_size;
        struct iovec parts[2] = {{(uint8_t *)&link->out_head + head_size - of_head, of_head},
                                 {(uint8_t *)(uintptr_t)link->out + at, (size_t)link->out_head.size - at}};
        const struct msghdr text = {.msg_iov = parts, .msg_iovlen = 2};
        const ssize_t done = sendmsg(link->handle, &text, MSG_NOSIGNAL);
        if (done < 0) {
            return would_block() ? 0 : why_gone(link, rank, message);
        }
        link->out_done += (size_t)done;
        link->sends = link->out_done < head_size + link->out_head.size;
    }
    return 0;
}

// Those of whom nothing is expected may have ended, too, and then this exchange may never end: whoever it waits
// for may be waiting for them. What they have sent already stays where it is.
static int look_at_silent(tcp_links *links, mega_message *message) {
    for (uint32_t rank = 0; rank < links->size; rank++) {
        tcp_link *link = &links->links[rank];
        uint8_t byte;
        if (link->handle >= 0 && !link->receives) {
            const ssize_t found = recv(link->handle, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
            if (found == 0 || (found < 0 && !would_block())) {
                return is_gone(rank, message);
            }
        }
    }
    return 0;
}

static uint32_t collect(tcp_links *links) {
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < links->size; rank++) {
        const tcp_link *link = &links->links[rank];
        if (link->sends || link->receives) {
            const int events = (link->sends ? POLLOUT : 0) | (link->receives ? POLLIN : 0);
            links->polls[count] = (struct pollfd){.fd = link->handle, .events = (short)events};
            links->polled[count++] = rank;
        }
    }
    return count;
}

static int late(const tcp_links *links, mega_message *message) {
    const uint32_t rank = links->polled[0];
    return mega_message_set(message, "rank %u does not answer; is it still running?", rank);
}

static int move_ready(tcp_links *links, uint32_t count, tcp_kind kind, mega_message *message) {
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rank = links->polled[i];
        tcp_link *link = &links->links[rank];
        // Reading comes first: a rank that cannot be written to has perhaps said why.
        if ((links->polls[i].revents & ~POLLOUT) != 0 && read_some(link, kind, rank, message) != 0) {
            return -1;
        }
        if ((links->polls[i].revents & ~POLLIN) != 0 && write_some(link, rank, message) != 0) {
            return -1;
        }
    }
    return 0;
}

static int move_all(tcp_links *links, tcp_kind kind, int64_t deadline, mega_message *message) {
    int64_t next_look = mega_tcp_deadline(LOOK_MILLISECONDS / 1e3);
    uint32_t count;
    while ((count = collect(links)) > 0) {
        const int ready = poll(links->polls, count, mega_tcp_left(deadline, LOOK_MILLISECONDS));
        if (ready < 0 && errno != EINTR) {
            return mega_message_set(message, "cannot wait for other ranks: %s", strerror(errno));
        }
        if (ready > 0 && move_ready(links, count, kind, message) != 0) {
            return -1;
        }
        if (ready > 0 && deadline == TCP_NEVER) {
            continue;
        }
        const int64_t now = mega_tcp_now();
        if (now >= next_look) {
            if (look_at_silent(links, message) != 0) {
                return -1;
            }
            next_look = now + LOOK_MILLISECONDS * INT64_C(1000000);
        }
        if (deadline != TCP_NEVER && now >= deadline) {
            return late(links, message);
        }
    }
    return 0;
}

int mega_tcp_exchange(tcp_links *links, tcp_kind kind, int64_t deadline, mega_message *message) {
    mega_message why = {""};
    if (links->failed) {
        return mega_message_set(message, "the ranks are no longer connected");
    }
    int status = 0;
    for (uint32_t rank = 0; status == 0 && rank < links->size; rank++) {
        tcp_link *link = &links->links[rank];
        link->out_head.kind = kind;
        status = link->sends ? write_some(link, rank, &why) : 0;
    }
    if (status == 0) {
        status = move_all(links, kind, deadline, &why);
    }
    if (status != 0) {
        mega_tcp_fail(links, &why);
        return mega_message_set(message, "%s", why.text);
    }
    return 0;
}

// ---- between exchanges -------------------------------------------------------------------------------

// What it has sent before its end is still to be read, and does not hide it.
static bool has_ended(const tcp_link *link) {
    struct pollfd poll_one = {.fd = link->handle, .events = POLLRDHUP};
    return poll(&poll_one, 1, 0) > 0 && poll_one.revents != 0;
}

int mega_tcp_watch(tcp_links *links, mega_message *message) {
    mega_message why = {""};
    if (links->failed) {
        return mega_message_set(message, "the ranks are no longer connected");
    }
    for (uint32_t rank = 0; rank < links->size; rank++) {
        tcp_link *link = &links->links[rank];
        if (link->handle >= 0 && has_ended(link)) {
            (void)why_gone(link, rank, &why);
            mega_tcp_fail(links, &why);
            return mega_message_set(message, "%s", why.text);
        }
    }
    return 0;
}
