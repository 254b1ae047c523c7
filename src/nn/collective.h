// collective.h - GPUs of several processes that take means of their numbers among themselves, past the host's memory:
// NVIDIA's NCCL, opened at run time.
//
// Calls that all processes have to make, in the same order, are collective. A call returns 0, or -1 and a sentence; after
// a failure only close() is allowed. How processes find each other is not known here: they carry a key from one to all.
// Nobody waits for ever for a process that is gone, as long as `watch` notices it.
//
// Threads: one at a time, with the compute's device entered.
#ifndef COLLECTIVE_H
#define COLLECTIVE_H
#include "compute.h"

#include <stdio.h>

typedef struct mega_collective mega_collective;

enum {
    MEGA_COLLECTIVE_KEY_SIZE = 128,
    MEGA_COLLECTIVE_VERSION_SIZE = 48
};

// What processes compare before they join: a GPU takes part once, and all need the same version.
typedef struct mega_collective_card {
    uint8_t gpu[16]; // no other one in the world has this
    int32_t version; // of the library: 22809 is 2.28.9
} mega_collective_card;

// Looks whether the other processes are there, without waiting: 0, or -1 and a sentence about who is not.
typedef struct mega_collective_watch {
    int (*look)(void *context, mega_message *message);
    void *context;
} mega_collective_watch;

typedef struct mega_collective_ops {
    const char *name; // "NCCL"
    // Opens the library and fills the card in. The watch is the caller's to set, before joining.
    int (*open)(mega_compute *compute, mega_collective **out, mega_message *message);
    // For one process, which carries it to all.
    int (*make_key)(mega_collective *collective, uint8_t key[MEGA_COLLECTIVE_KEY_SIZE],
                    mega_message *message);
    // Collective. Gives up after so many seconds; *is_late tells that from other failures.
    int (*join)(mega_collective *collective, const uint8_t key[MEGA_COLLECTIVE_KEY_SIZE], uint32_t rank,
                uint32_t size, double seconds, bool *is_late, mega_message *message);
    // Collective. Numbers in the device's memory become the mean of all processes', in place: the same bits for all. It is
    // work of the compute like any other, but not in a bundle; returns at once.
    int (*average)(mega_collective *collective, float *numbers, size_t count, mega_message *message);
    // Waits until the last mean is taken. To be called before anything else that waits for the device.
    int (*wait)(mega_collective *collective, mega_message *message);
    // Collective if all are there; else leaves without them.
    void (*close)(mega_collective *collective, bool are_all_there);
} mega_collective_ops;

struct mega_collective {
    const mega_collective_ops *ops;
    mega_collective_card card;
    mega_collective_watch watch; // may be empty: nobody looks
};

// "2.28.9".
static inline void mega_collective_version(int32_t version, char text[MEGA_COLLECTIVE_VERSION_SIZE]) {
    const int32_t hundreds = version < 10000 ? 10 : 100; // 2.8.4 was 2804
    (void)snprintf(text, MEGA_COLLECTIVE_VERSION_SIZE, "%d.%d.%d", version / (100 * hundreds),
                   version / 100 % hundreds, version % 100);
}

#endif
