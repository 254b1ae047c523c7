// share.c - see share.h.
#define _GNU_SOURCE // the system's own calls for affinity
#include "share.h"

#include <sched.h>
#include <stdlib.h>
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

// Processes of one machine share its cores, unless who started them has given each its own.
int64_t mega_share_threads(const mega_train_settings *all, const mega_dist *dist) {
    const int64_t cores = (int64_t)sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t allowed;
    const bool is_known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    if (all->threads == 0 && is_known && CPU_COUNT(&allowed) < cores) {
        return CPU_COUNT(&allowed);
    }
    if (all->threads == 0 && dist->local_size > 1) {
        return cores > dist->local_size ? cores / dist->local_size : 1;
    }
    return all->threads;
}

// They have a GPU each where the settings name none by its number.
static void divide_machine(mega_train_settings *own, const mega_dist *dist) {
    own->threads = mega_share_threads(own, dist);
    if (strcmp(own->device, "cuda") == 0) {
        (void)snprintf(own->device, sizeof own->device, "cuda:%u", dist->local_rank);
    }
    if (mega_share_has_samplers(dist)) { // their environments are on CPUs, and so are those of evaluations
        strcpy(own->env_device, "cpu");
    }
}

int mega_share_check_samplers(const mega_train_settings *all, uint32_t ranks, mega_message *message) {
    const long long samplers = all->samplers, learners = (long long)ranks - samplers;
    mega_train_settings own = *all;
    if (samplers == 0) {
        return 0;
    }
    if (all->asynchronous) {
        return mega_message_set(
            message, "asynchronous processes play their own environments: set asynchronous = false "
                     "or samplers = 0");
    }
    if (all->resets == MEGA_RESETS_PAUSE) {
        return mega_message_set(
            message, "environments of samplers are reset at once: set resets = now or samplers = 0");
    }
    if (ranks == 1) {
        return mega_message_set(
            message,
            "samplers = %lld needs processes besides the one that learns: start %lld, or set samplers = 0",
            samplers, samplers + 1);
    }
    if (learners <= 0) {
        return mega_message_set(message,
                                "%lld samplers of %u processes leave none that learns; at most %u can be",
                                samplers, ranks, ranks - 1);
    }
    if (samplers % learners != 0) {
        long long nearest = 0; // that leaves learners with equally many
        for (long long s = 1; s < ranks; s++) {
            const bool fits = s % (ranks - s) == 0;
            nearest =
                fits && (nearest == 0 || llabs(s - samplers) <= llabs(nearest - samplers)) ? s : nearest;
        }
        return mega_message_set(
            message, "%lld samplers cannot be shared by %lld learners; of %u processes %lld can sample",
            samplers, learners, ranks, nearest);
    }
    return divide("envs", &own.envs, samplers, message);
}

int mega_share_of(const mega_train_settings *all, const mega_dist *dist, mega_train_settings *own,
                  mega_message *message) {
    *own = *all;
    if (dist != NULL && mega_share_has_samplers(dist)) {
        divide_machine(own, dist);
    }
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
