// affinity.c - see affinity.h. The one file that asks for more than POSIX.
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "affinity.h"

#include <unistd.h>

#if defined(__linux__)
#include <sched.h>

uint32_t affinity_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0) {
        return (uint32_t)CPU_COUNT(&set);
    }
    return 1;
}

void affinity_pin(pthread_t thread, uint32_t index) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) == 0) {
        return;
    }
    uint32_t left = index % (uint32_t)CPU_COUNT(&allowed);
    for (unsigned core = 0; core < CPU_SETSIZE; core++) {
        if (CPU_ISSET(core, &allowed) && left-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            (void)pthread_setaffinity_np(thread, sizeof(one), &one);
            return;
        }
    }
}
#else
uint32_t affinity_cores(void) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (uint32_t)cores : 1;
}

void affinity_pin(pthread_t thread, uint32_t index) {
    (void)thread;
    (void)index;
}
#endif
