// affinity.h - cores of this machine, as far as the system tells. Host code.
#ifndef AFFINITY_H
#define AFFINITY_H
#include <pthread.h>
#include <stdint.h>

// How many cores this process may use; at least 1.
uint32_t affinity_cores(void);
// Keeps a thread on the index-th of these, modulo their number. Where that is not possible the thread runs
// free: results do not depend on it.
void affinity_pin(pthread_t thread, uint32_t index);

#endif
