// async.h - processes that learn without waiting for each other: parameters and the optimiser's means are in a central
// store that each of them takes, moves and puts back (A3C; sections 4.3 and A of Stooke & Abbeel 2018).
//
// The store is a few chunks with a lock each, so that several processes are in it at the same time. With `sync_every` 1 a
// gradient of old parameters moves the newest ones. With more, a process does so many updates of its own, and then adds
// what they did (the appendix's rule, here for every optimiser).
#ifndef ASYNC_H
#define ASYNC_H
#include "compute.h"
#include "dist.h"

typedef struct mega_async mega_async;

typedef struct mega_async_desc {
    mega_dist *dist;
    mega_compute *compute;
    mega_slab learned;
    mega_optimizer *optimizer;
    uint32_t sync_every;
} mega_async_desc;

// What all processes together have done, as far as this one knows.
typedef struct mega_async_count {
    uint64_t frames;
    uint64_t updates;
    uint64_t samples;
} mega_async_count;

// Collective.
int mega_async_create(const mega_async_desc *desc, mega_async **out, mega_message *message);
// NULL is allowed. Collective, but after a failure and the dist's abort().
void mega_async_destroy(mega_async *async);

// Collective. Rank 0's parameters and means become everybody's, and counts begin at rank 0's.
int mega_async_begin(mega_async *async, mega_async_count count, mega_message *message);
// A step down the slab's gradients, clipped to `norm_max` (0: not). Fails if they are not finite.
int mega_async_descend(mega_async *async, double rate, double norm_max, mega_message *message);
// Takes the newest parameters and means, unless updates of one's own wait to be added.
int mega_async_pull(mega_async *async, mega_message *message);
// Collective. Adds what waits, and then takes the newest: all have the same.
int mega_async_settle(mega_async *async, mega_message *message);

// One of the two; the other number is 0.
int mega_async_add(mega_async *async, uint64_t frames, uint64_t samples, mega_message *message);
mega_async_count mega_async_counted(const mega_async *async);
// One process asks all to stop; each hears of it when it asks.
int mega_async_ask_to_stop(mega_async *async, mega_message *message);
int mega_async_is_stopped(mega_async *async, bool *is_stopped, mega_message *message);

#endif
