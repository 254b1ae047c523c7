// work.c - see work.h.
#include "work.h"

#include <stddef.h>

// ---- rounds --------------------------------------------------------------------------------------------

void round_divide(mega_round *round, mega_range *ranges, uint32_t range_count, uint32_t first,
                  uint32_t count) {
    round->ranges = ranges;
    round->range_count = range_count;
    round->first = first;
    round->count = count;
    atomic_init(&round->left, 0);
    atomic_init(&round->notable, 0);
    for (uint32_t i = 0; i < range_count; i++) {
        ranges[i].first = first + (uint32_t)((uint64_t)count * i / range_count);
        ranges[i].end = first + (uint32_t)((uint64_t)count * (i + 1) / range_count);
        atomic_init(&ranges[i].next, ranges[i].end);
    }
}

// A thread that still looks at the last round may take from this one at once; that is as good.
void round_start(mega_round *round) {
    atomic_store_explicit(&round->notable, 0, memory_order_relaxed);
    atomic_store_explicit(&round->left, round->count, memory_order_relaxed);
    for (uint32_t i = 0; i < round->range_count; i++) {
        atomic_store_explicit(&round->ranges[i].next, round->ranges[i].first, memory_order_release);
    }
}

static uint32_t range_left(mega_range *range) {
    const uint32_t next = atomic_load_explicit(&range->next, memory_order_relaxed);
    return next < range->end ? range->end - next : 0;
}

static bool range_take(mega_range *range, uint32_t *env) {
    // Looked at first, so that idle threads do not count the cursor up for ever.
    if (range_left(range) == 0) {
        return false;
    }
    *env = atomic_fetch_add_explicit(&range->next, 1, memory_order_acquire);
    return *env < range->end;
}

bool round_take(mega_round *round, uint32_t thread, uint32_t *env) {
    if (range_take(&round->ranges[thread], env)) {
        return true;
    }
    for (;;) {
        mega_range *fullest = NULL;
        uint32_t most = 0;
        for (uint32_t i = 0; i < round->range_count; i++) {
            const uint32_t left = range_left(&round->ranges[i]);
            if (left > most) {
                most = left;
                fullest = &round->ranges[i];
            }
        }
        if (fullest == NULL) {
            return false;
        }
        if (range_take(fullest, env)) {
            return true;
        }
    }
}

bool round_finish(mega_round *round, bool notable) {
    if (notable) {
        atomic_fetch_add_explicit(&round->notable, 1, memory_order_relaxed);
    }
    return atomic_fetch_sub_explicit(&round->left, 1, memory_order_acq_rel) == 1;
}

// ---- rings ---------------------------------------------------------------------------------------------

uint32_t ring_size(uint32_t count) {
    uint32_t size = 1;
    while (size < count) {
        size *= 2;
    }
    return size;
}

void ring_init(mega_ring *ring, atomic_uint *slots, uint32_t size) {
    atomic_init(&ring->head, 0);
    atomic_init(&ring->tail, 0);
    ring->slots = slots;
    ring->mask = size - 1;
    for (uint32_t i = 0; i < size; i++) {
        atomic_init(&slots[i], 0);
    }
}

void ring_give(mega_ring *ring, uint32_t env) {
    const uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    atomic_store_explicit(&ring->slots[tail & ring->mask], env + 1, memory_order_relaxed);
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
}

bool ring_take(mega_ring *ring, uint32_t *env) {
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    while (head < atomic_load_explicit(&ring->tail, memory_order_acquire)) {
        // Read before it is claimed: afterwards the slot may be filled again.
        *env = atomic_load_explicit(&ring->slots[head & ring->mask], memory_order_relaxed) - 1;
        if (atomic_compare_exchange_weak_explicit(&ring->head, &head, head + 1, memory_order_acq_rel,
                                                  memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

void ring_add(mega_ring *ring, uint32_t env) {
    const uint64_t tail = atomic_fetch_add_explicit(&ring->tail, 1, memory_order_relaxed);
    atomic_store_explicit(&ring->slots[tail & ring->mask], env + 1, memory_order_release);
}

bool ring_peek(mega_ring *ring, uint32_t k, uint32_t *env) {
    const uint64_t at = atomic_load_explicit(&ring->head, memory_order_relaxed) + k;
    const uint32_t slot = atomic_load_explicit(&ring->slots[at & ring->mask], memory_order_acquire);
    *env = slot - 1;
    return slot != 0;
}

void ring_drop(mega_ring *ring, uint32_t count) {
    const uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    for (uint32_t k = 0; k < count; k++) {
        atomic_store_explicit(&ring->slots[(head + k) & ring->mask], 0, memory_order_relaxed);
    }
    atomic_store_explicit(&ring->head, head + count, memory_order_relaxed);
}
