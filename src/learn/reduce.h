// reduce.h - how the gradients of processes that wait for each other become their mean.
//
//     host   through the host's memory and src/dist: ranks are added in their order. For CPUs, for ranks that share a GPU,
//            and wherever there is no NCCL
//     nccl   from GPU to GPU (collective.h): each rank has a GPU of its own, and all have the same version of NCCL
//     auto   nccl where all ranks can, else host
//
// One process alone needs neither; with nccl it goes that way all the same, which changes nothing but the time.
#ifndef REDUCE_H
#define REDUCE_H
#include "collective.h"
#include "dist.h"

typedef struct mega_reduce mega_reduce;

enum {
    MEGA_REDUCE_AUTO,
    MEGA_REDUCE_HOST,
    MEGA_REDUCE_NCCL
};
extern const char *const mega_reduce_names[]; // "auto", ..., NULL

typedef struct mega_reduce_desc {
    mega_dist *dist; // may be NULL: one process
    mega_compute *compute;
    uint32_t how;        // MEGA_REDUCE_*, the same for all
    size_t count;        // of gradients, the same for all
    double join_seconds; // that NCCL has to connect the ranks; 0: a minute
} mega_reduce_desc;

// Collective; fails on all ranks with one sentence, or on none. *out is NULL where there is nobody to share with.
int mega_reduce_create(const mega_reduce_desc *desc, mega_reduce **out, mega_message *message);
// NULL is allowed. Collective, but after a failure and the dist's abort().
void mega_reduce_destroy(mega_reduce *reduce);

// "host" or "nccl".
const char *mega_reduce_name(const mega_reduce *reduce);
// In words, with the version of NCCL, or with the reason why it is not used.
const char *mega_reduce_about(const mega_reduce *reduce);

// Collective. `count` numbers of the compute's become the mean of all ranks', in place. The compute may do that later, and
// what is asked for after it comes after it.
int mega_reduce_average(mega_reduce *reduce, float *numbers, mega_message *message);
// Waits for it; fails if one of the others is gone. To be called before anything else that waits for the compute.
int mega_reduce_wait(mega_reduce *reduce, mega_message *message);

#endif
