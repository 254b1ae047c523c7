// work.h - who runs which environment next, without locks. Host code.
//
// Two kinds of work. A round is a contiguous group of environments, divided into one range per thread; a
// thread that is done with its own takes from the range with the most left. A ring holds single environments
// in order. One thread, the caller's, hands out work; all of them take it.
#ifndef WORK_H
#define WORK_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// ---- rounds --------------------------------------------------------------------------------------------

typedef struct mega_range {
    _Alignas(64) atomic_uint next; // the first that nobody took; beyond the end when a round is over
    uint32_t first, end;
} mega_range;

typedef struct mega_round {
    _Alignas(64) atomic_uint left; // environments that are not finished
    atomic_uint notable;           // of these, those that the caller must look at afterwards
    mega_range *ranges;            // range_count
    uint32_t range_count;
    uint32_t first, count; // environments
} mega_round;

// Divides the environments among the ranges; nothing is to be done yet.
void round_divide(mega_round *round, mega_range *ranges, uint32_t range_count, uint32_t first,
                  uint32_t count);
// Everything that the work needs has been written.
void round_start(mega_round *round);
// Takes an environment, first from the thread's own range.
bool round_take(mega_round *round, uint32_t thread, uint32_t *env);
// One that was taken is finished. True for the last: the round is over.
bool round_finish(mega_round *round, bool notable);
static inline bool round_over(mega_round *round) {
    return atomic_load_explicit(&round->left, memory_order_acquire) == 0;
}

// ---- rings ---------------------------------------------------------------------------------------------

// Holds every environment at most once, so it is never full. A slot is an environment's index + 1, or 0.
typedef struct mega_ring {
    _Alignas(64) _Atomic uint64_t head; // next to be taken
    _Alignas(64) _Atomic uint64_t tail; // next to be filled
    atomic_uint *slots;
    uint32_t mask; // a power of two - 1
} mega_ring;

// Slots that a ring for `count` environments needs.
uint32_t ring_size(uint32_t count);
void ring_init(mega_ring *ring, atomic_uint *slots, uint32_t size);

// Jobs: the caller gives, any thread takes.
void ring_give(mega_ring *ring, uint32_t env);
bool ring_take(mega_ring *ring, uint32_t *env);

// Results: any thread adds, the caller looks at the k-th and later drops the first few.
void ring_add(mega_ring *ring, uint32_t env);
bool ring_peek(mega_ring *ring, uint32_t k, uint32_t *env);
void ring_drop(mega_ring *ring, uint32_t count);

#endif
