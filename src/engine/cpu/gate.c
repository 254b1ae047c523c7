// gate.c - see gate.h.
#include "gate.h"

#include <errno.h>

// Long enough for a caller that comes back with the next actions at once, far shorter than a time slice.
#define SPINS 2000

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// ---- time ----------------------------------------------------------------------------------------------

mega_deadline deadline_in(int timeout_ms) {
    mega_deadline deadline = {{0, 0}, timeout_ms < 0};
    if (!deadline.never) {
        clock_gettime(CLOCK_MONOTONIC, &deadline.at);
        const long nanoseconds = deadline.at.tv_nsec + (long)(timeout_ms % 1000) * 1000000;
        deadline.at.tv_sec += timeout_ms / 1000 + nanoseconds / 1000000000;
        deadline.at.tv_nsec = nanoseconds % 1000000000;
    }
    return deadline;
}

bool deadline_passed(const mega_deadline *deadline) {
    struct timespec now;
    if (deadline->never) {
        return false;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > deadline->at.tv_sec ||
           (now.tv_sec == deadline->at.tv_sec && now.tv_nsec >= deadline->at.tv_nsec);
}

// ---- gate ----------------------------------------------------------------------------------------------

bool gate_open(mega_gate *gate) {
    pthread_condattr_t attributes;
    atomic_init(&gate->count, 0);
    atomic_init(&gate->sleepers, 0);
    if (pthread_mutex_init(&gate->mutex, NULL) != 0) {
        return false;
    }
    bool opened = pthread_condattr_init(&attributes) == 0;
    if (opened) {
        opened = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                 pthread_cond_init(&gate->moved, &attributes) == 0;
        pthread_condattr_destroy(&attributes);
    }
    if (!opened) {
        pthread_mutex_destroy(&gate->mutex);
    }
    return opened;
}

void gate_close(mega_gate *gate) {
    pthread_cond_destroy(&gate->moved);
    pthread_mutex_destroy(&gate->mutex);
}

// The count moves before the sleepers are counted, and a sleeper is counted before it looks at the count: one
// of the two sees the other.
void gate_signal(mega_gate *gate) {
    atomic_fetch_add(&gate->count, 1);
    if (atomic_load(&gate->sleepers) != 0) {
        pthread_mutex_lock(&gate->mutex);
        pthread_cond_broadcast(&gate->moved);
        pthread_mutex_unlock(&gate->mutex);
    }
}

bool gate_wait(mega_gate *gate, unsigned seen, const mega_deadline *deadline) {
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&gate->count, memory_order_acquire) != seen) {
            return true;
        }
        relax();
    }
    int result = 0;
    pthread_mutex_lock(&gate->mutex);
    atomic_fetch_add(&gate->sleepers, 1);
    while (atomic_load(&gate->count) == seen && result != ETIMEDOUT) {
        result = deadline->never ? pthread_cond_wait(&gate->moved, &gate->mutex)
                                 : pthread_cond_timedwait(&gate->moved, &gate->mutex, &deadline->at);
    }
    atomic_fetch_sub(&gate->sleepers, 1);
    pthread_mutex_unlock(&gate->mutex);
    return result != ETIMEDOUT || gate_look(gate) != seen;
}
