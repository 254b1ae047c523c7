// gate.h - where threads wait for news: a short spin, then sleep. Host code.
//
// A waiter notes the gate's count, looks for what it wants, and if there is none waits for the count to move.
// The one who brings news moves the count, and takes a lock only when somebody sleeps.
#ifndef GATE_H
#define GATE_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

typedef struct mega_gate {
    atomic_uint count;
    atomic_uint sleepers;
    pthread_mutex_t mutex;
    pthread_cond_t moved;
} mega_gate;

// A moment of the monotonic clock, or never.
typedef struct mega_deadline {
    struct timespec at;
    bool never;
} mega_deadline;

// In so many milliseconds; never when negative.
mega_deadline deadline_in(int timeout_ms);
bool deadline_passed(const mega_deadline *deadline);

// Also makes a gate of one whose sleepers are gone, as after a fork.
bool gate_open(mega_gate *gate);
void gate_close(mega_gate *gate);

static inline unsigned gate_look(mega_gate *gate) {
    return atomic_load(&gate->count);
}
void gate_signal(mega_gate *gate);
// Returns when the count is no longer `seen`, or false when the deadline has passed.
bool gate_wait(mega_gate *gate, unsigned seen, const mega_deadline *deadline);

#endif
