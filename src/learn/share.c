// share.c - see share.h.
#define _GNU_SOURCE // the system's own calls for affinity
#include "share.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

static int divide(const char *name, int64_t *number, int64_t ranks, mega_message *message) {
    if (*number % ranks != 0) {
        const int64_t below = *number / ranks * ranks;
        return mega_message_set(
            message, "%s of %lld cannot be shared by %lld processes; %lld can", name, (long long)*number,
            (long long)ranks, (long long)(below > 0 && *number - below <= ranks / 2 ? below : below + ranks));
    }
    *number /= ranks;
    return 0;
}

// Numbers of transitions are those of all environments together.
static int divide_q(mega_train_settings *own, int64_t ranks, mega_message *message) {
    own->replay = (own->replay + ranks - 1) / ranks;
    own->learn_start = (own->learn_start + ranks - 1) / ranks;
    if (!own->asynchronous && (divide("batch", &own->batch, ranks, message) < 0 ||
                               divide("train_every", &own->train_every, ranks, message) < 0)) {
        return -1;
    }
    return divide("target_every", &own->target_every, ranks, message);
}

// Processes of one machine share its cores, unless who started them has given each its own, and have a GPU each where the
// settings name none by its number.
static void divide_machine(mega_train_settings *own, const mega_dist *dist) {
    const int64_t cores = (int64_t)sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t allowed;
    const bool is_known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    if (own->threads == 0 && is_known && CPU_COUNT(&allowed) < cores) {
        own->threads = CPU_COUNT(&allowed);
    } else if (own->threads == 0 && dist->local_size > 1) {
        own->threads = cores > dist->local_size ? cores / dist->local_size : 1;
    }
    if (strcmp(own->device, "cuda") == 0) {
        (void)snprintf(own->device, sizeof own->device, "cuda:%u", dist->local_rank);
    }
}

int mega_share_of(const mega_train_settings *all, const mega_dist *dist, mega_train_settings *own,
                  mega_message *message) {
    *own = *all;
    if (dist == NULL || dist->size == 1) {
        return mega_train_check(own, message);
    }
    const int64_t ranks = dist->size;
    if (all->envs < ranks) {
        return mega_message_set(message,
                                "%lld processes are more than %lld environments: start fewer, or set envs",
                                (long long)ranks, (long long)all->envs);
    }
    if (divide("envs", &own->envs, ranks, message) < 0 ||
        (own->algo == MEGA_ALGO_DQN && divide_q(own, ranks, message) < 0)) {
        return -1;
    }
    own->groups = own->groups < own->envs ? own->groups : own->envs;
    divide_machine(own, dist);
    if (mega_train_check(own, message) < 0) {
        const mega_message why = *message;
        return mega_message_set(message, "%s (numbers of each of %lld processes)", why.text,
                                (long long)ranks);
    }
    return 0;
}
