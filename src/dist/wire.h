// wire.h - a connection to one other rank, besides the calls of dist.h: another thread may use it at the same time.
//
// Wires are TCP however the ranks have found each other, so that who waits sleeps. mega_dist_part() makes them.
#ifndef WIRE_H
#define WIRE_H
#include "message.h"

#include <stddef.h>
#include <stdint.h>

enum {
    MEGA_WIRE_POSTS = 128 // that may be on their way
};

typedef struct mega_wire_post {
    const uint8_t *bytes;
    size_t size;
} mega_wire_post;

// One thread at a time.
typedef struct mega_wire {
    int handle; // -1: closed
    uint32_t rank;
    mega_wire_post posts[MEGA_WIRE_POSTS]; // a ring
    uint32_t first, waiting;
    size_t done; // bytes of the first
} mega_wire;

// Begins to send, and waits only if very much is on its way. The bytes stay the caller's, and have to stay there until the
// other rank has received them: it says so by what it sends next.
int mega_wire_begin_send(mega_wire *wire, const void *bytes, size_t size, mega_message *message);
// Sends all that has begun.
int mega_wire_finish_send(mega_wire *wire, mega_message *message);
// Waits for so many bytes, and meanwhile sends what has begun. So two ranks that both send much do not block each other.
int mega_wire_receive(mega_wire *wire, void *bytes, size_t size, mega_message *message);
void mega_wire_close(mega_wire *wire);

#endif
