// compute_cpu.h - learners on the CPU: what compute_cpu.c and compute_q_cpu.c share.
#ifndef COMPUTE_CPU_H
#define COMPUTE_CPU_H
#include "compute.h"

typedef struct cpu_compute {
    mega_compute base;
    const mega_net_backend *nets;
    uint32_t threads; // of networks
    double stats[MEGA_STAT_COUNT];
    double norm;      // of the last gradient, or the first that was not finite
    bool may_descend; // the last one was finite
} cpu_compute;

static inline void cpu_add_stats(cpu_compute *cpu, const float stats[MEGA_STAT_COUNT]) {
    for (uint32_t k = 0; k < MEGA_STAT_COUNT; k++) {
        cpu->stats[k] += (double)stats[k];
    }
}

#endif
