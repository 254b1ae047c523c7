// share.h - what each of several processes does of a run that they make together.
//
// Settings are of the whole run: `envs` environments, `batch` samples in an update. Of R ranks each plays the R-th part of
// the environments, in order, and learns from its own; gradients are added up before every step of the optimiser. So a
// run does not depend on R but for rounding, and for what is drawn from each rank's own steps: PPO's and V-trace's
// batches, and samples of a replay memory.
//
// With samplers the last ranks learn nothing and play the environments of the others, which share the run as if they were
// all: see remote.h.
//
// Asynchronous processes (async.h) share the environments likewise; each learns with batches of its own.
#ifndef SHARE_H
#define SHARE_H
#include "dist.h"
#include "train_settings.h"

// The settings by which this rank's part is made; `dist` may be NULL: one process. Fails where they cannot be divided, and
// says what can.
int mega_share_of(const mega_train_settings *all, const mega_dist *dist, mega_train_settings *own,
                  mega_message *message);

// Whether samplers play this rank's environments (mega_dist_part), or have to be told apart from those who learn.
static inline bool mega_share_has_samplers(const mega_dist *dist) {
    return dist != NULL && dist->wire_count > 0;
}
// Fails where so many processes cannot have the settings' samplers, and says what can.
int mega_share_check_samplers(const mega_train_settings *all, uint32_t ranks, mega_message *message);
// Threads of a process that shares a machine with others.
int64_t mega_share_threads(const mega_train_settings *all, const mega_dist *dist);

static inline uint32_t mega_share_ranks(const mega_dist *dist) {
    return dist == NULL ? 1 : dist->size;
}
static inline uint32_t mega_share_rank(const mega_dist *dist) {
    return dist == NULL ? 0 : dist->rank;
}

#endif
