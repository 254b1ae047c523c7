// tcp_socket.c - plain sockets; see tcp_link.h.
#include "tcp_link.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int64_t mega_tcp_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t mega_tcp_deadline(double seconds) {
    const double most = 1e9; // thirty years
    return mega_tcp_now() + (int64_t)((seconds < most ? seconds : most) * 1e9);
}

int mega_tcp_left(int64_t deadline, int most) {
    if (deadline == TCP_NEVER) {
        return most;
    }
    const int64_t left = (deadline - mega_tcp_now() + 999999) / 1000000;
    return left < 0 ? 0 : left < most ? (int)left : most;
}

static int set(int handle, int level, int option, int value) {
    return setsockopt(handle, level, option, &value, sizeof value);
}

// A machine that loses its power says nothing. After 20 seconds of silence it is asked, six times; what it does
// not confirm within a minute has not arrived. Where these are not to be had the connection works all the same.
static void watch(int handle) {
    (void)set(handle, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
    (void)set(handle, IPPROTO_TCP, TCP_KEEPIDLE, 20);
    (void)set(handle, IPPROTO_TCP, TCP_KEEPINTVL, 5);
    (void)set(handle, IPPROTO_TCP, TCP_KEEPCNT, 6);
#endif
#ifdef TCP_USER_TIMEOUT
    (void)set(handle, IPPROTO_TCP, TCP_USER_TIMEOUT, 60000);
#endif
}

int mega_tcp_prepare(int handle) {
    const int flags = fcntl(handle, F_GETFL);
    if (flags < 0 || fcntl(handle, F_SETFL, flags | O_NONBLOCK) != 0 ||
        fcntl(handle, F_SETFD, FD_CLOEXEC) != 0) {
        return -1;
    }
    (void)set(handle, IPPROTO_TCP, TCP_NODELAY, 1);
    watch(handle);
    return 0;
}

static int wait_for(int handle, short events, int64_t deadline) {
    struct pollfd poll_one = {.fd = handle, .events = events};
    for (;;) {
        const int left = mega_tcp_left(deadline, 60000);
        const int ready = poll(&poll_one, 1, left);
        if (ready > 0) {
            return 0;
        }
        if (ready < 0 && errno != EINTR) {
            return -1;
        }
        if (ready == 0 && deadline != TCP_NEVER && mega_tcp_now() >= deadline) {
            errno = ETIMEDOUT;
            return -1;
        }
    }
}

int mega_tcp_write(int handle, const void *bytes, size_t size, int64_t deadline) {
    size_t done = 0;
    while (done < size) {
        const ssize_t part = send(handle, (const uint8_t *)bytes + done, size - done, MSG_NOSIGNAL);
        if (part >= 0) {
            done += (size_t)part;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (wait_for(handle, POLLOUT, deadline) != 0) {
                return -1;
            }
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return 0;
}

int mega_tcp_read(int handle, void *bytes, size_t size, int64_t deadline) {
    size_t done = 0;
    while (done < size) {
        const ssize_t part = recv(handle, (uint8_t *)bytes + done, size - done, 0);
        if (part > 0) {
            done += (size_t)part;
        } else if (part == 0) {
            errno = 0;
            return -1;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (wait_for(handle, POLLIN, deadline) != 0) {
                return -1;
            }
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return 0;
}

void mega_tcp_close(int *handle) {
    if (*handle >= 0) {
        (void)close(*handle);
    }
    *handle = -1;
}
