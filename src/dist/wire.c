// wire.c - see wire.h.
#include "wire.h"

#include "tcp_link.h"

#include <errno.h>
#include <sys/socket.h>

static int is_gone(mega_wire *wire, mega_message *message) {
    mega_wire_close(wire);
    return mega_message_set(message, "rank %u is gone: it has ended, or its connection is lost", wire->rank);
}

static bool would_block(void) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

// Sends as much as can be without waiting.
static int send_some(mega_wire *wire, mega_message *message) {
    while (wire->waiting > 0) {
        const mega_wire_post *post = &wire->posts[wire->first];
        const ssize_t sent =
            send(wire->handle, post->bytes + wire->done, post->size - wire->done, MSG_NOSIGNAL);
        if (sent < 0) {
            return would_block() ? 0 : is_gone(wire, message);
        }
        wire->done += (size_t)sent;
        if (wire->done == post->size) {
            wire->first = (wire->first + 1) % MEGA_WIRE_POSTS;
            wire->waiting--;
            wire->done = 0;
        }
    }
    return 0;
}

// Until something can be sent, or (reads) has come.
static int wait_for_any(mega_wire *wire, bool reads, mega_message *message) {
    const int events = (reads ? POLLIN : 0) | (wire->waiting > 0 ? POLLOUT : 0);
    struct pollfd poll_one = {.fd = wire->handle, .events = (short)events};
    if (poll(&poll_one, 1, -1) < 0 && errno != EINTR) {
        return is_gone(wire, message);
    }
    return send_some(wire, message);
}

static int check_open(const mega_wire *wire, mega_message *message) {
    return wire->handle >= 0 ? 0 : mega_message_set(message, "rank %u is no longer connected", wire->rank);
}

int mega_wire_begin_send(mega_wire *wire, const void *bytes, size_t size, mega_message *message) {
    if (check_open(wire, message) < 0) {
        return -1;
    }
    while (wire->waiting == MEGA_WIRE_POSTS) {
        if (wait_for_any(wire, false, message) < 0) {
            return -1;
        }
    }
    if (size == 0) {
        return 0;
    }
    wire->posts[(wire->first + wire->waiting++) % MEGA_WIRE_POSTS] = (mega_wire_post){bytes, size};
    return send_some(wire, message);
}

int mega_wire_finish_send(mega_wire *wire, mega_message *message) {
    if (check_open(wire, message) < 0) {
        return -1;
    }
    while (wire->waiting > 0) {
        if (wait_for_any(wire, false, message) < 0) {
            return -1;
        }
    }
    return 0;
}

int mega_wire_receive(mega_wire *wire, void *bytes, size_t size, mega_message *message) {
    size_t done = 0;
    if (check_open(wire, message) < 0) {
        return -1;
    }
    while (done < size) {
        const ssize_t part = recv(wire->handle, (uint8_t *)bytes + done, size - done, 0);
        if (part > 0) {
            done += (size_t)part;
        } else if (part == 0 || !would_block()) {
            return is_gone(wire, message);
        } else if (wait_for_any(wire, true, message) < 0) {
            return -1;
        }
    }
    return 0;
}

void mega_wire_close(mega_wire *wire) {
    mega_tcp_close(&wire->handle);
    wire->waiting = 0;
}
