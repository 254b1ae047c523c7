// mega_tile_host.h - a block of a GPU's threads on one CPU thread, for tests of mega_conv.h.
//
// Each thread of the block has a stack of its own and runs until it waits for others; then the next one runs. All
// threads of a warp must come to the same loads and products in the same order, as on a GPU. Copies into shared memory
// happen when they are waited for, and until then there is rubbish, so that a wait that is missing shows.
#ifndef MEGA_TILE_HOST_H
#define MEGA_TILE_HOST_H
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define TILE_UNROLL
#define TILE_ROLLED
#define TILE_THREADS 128u
#define TILE_STACK (64u * 1024u)
#define TILE_COPIES 256u // that a thread may have outstanding

typedef struct tile_pending {
    void *to;
    const void *from;
    uint32_t is_there, group;
} tile_pending;

typedef struct tile_fiber {
    ucontext_t context;
    uint8_t *stack;
    uint32_t is_done;
    uint32_t meetings; // loads and products so far
    uint32_t group, copy_count;
    tile_pending copies[TILE_COPIES];
} tile_fiber;

// What lanes show each other, for two meetings: who has seen the last one may already be at the next.
typedef struct tile_slot {
    const uint8_t *row;
    uint32_t a[4], b[2];
} tile_slot;

static struct {
    ucontext_t scheduler;
    tile_fiber fibers[TILE_THREADS];
    tile_slot slots[2][TILE_THREADS];
    uint32_t thread, block;
    uint32_t left; // threads that are not done
    void (*run)(void *argument);
    void *argument;
} tile_host;

static inline uint32_t tile_thread(void) {
    return tile_host.thread;
}
static inline uint32_t tile_block(void) {
    return tile_host.block;
}
static inline void tile_barrier(void) {
    swapcontext(&tile_host.fibers[tile_host.thread].context, &tile_host.scheduler);
}

static inline void tile_enter(void) {
    tile_host.run(tile_host.argument);
    tile_host.fibers[tile_host.thread].is_done = 1;
}

static inline void tile_prepare(tile_fiber *fiber) {
    fiber->stack = fiber->stack != NULL ? fiber->stack : (uint8_t *)malloc(TILE_STACK);
    fiber->is_done = fiber->meetings = fiber->group = fiber->copy_count = 0;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = TILE_STACK;
    fiber->context.uc_link = &tile_host.scheduler;
    makecontext(&fiber->context, tile_enter, 0);
}

// Runs all threads of a block.
static inline void tile_run_block(uint32_t block, void (*run)(void *argument), void *argument) {
    tile_host.block = block;
    tile_host.run = run;
    tile_host.argument = argument;
    for (uint32_t t = 0; t < TILE_THREADS; t++) {
        tile_prepare(&tile_host.fibers[t]);
    }
    for (tile_host.left = TILE_THREADS, tile_host.thread = 0; tile_host.left > 0;
         tile_host.thread = (tile_host.thread + 1) % TILE_THREADS) {
        tile_fiber *fiber = &tile_host.fibers[tile_host.thread];
        if (!fiber->is_done) {
            swapcontext(&tile_host.scheduler, &fiber->context);
            tile_host.left -= fiber->is_done;
        }
    }
}

static inline void tile_release(void) {
    for (uint32_t t = 0; t < TILE_THREADS; t++) {
        free(tile_host.fibers[t].stack);
        tile_host.fibers[t].stack = NULL;
    }
}

// ---- copies ----

static inline void tile_copy16(void *shared, const void *from, uint32_t is_there) {
    tile_fiber *fiber = &tile_host.fibers[tile_host.thread];
    const tile_pending copy = {shared, from, is_there, fiber->group};
    if (fiber->copy_count == TILE_COPIES || (uintptr_t)shared % 16 != 0 || (uintptr_t)from % 16 != 0) {
        abort();
    }
    memset(shared, 0xFF, 16);
    fiber->copies[fiber->copy_count++] = copy;
}
static inline void tile_commit(void) {
    tile_host.fibers[tile_host.thread].group++;
}
static inline void tile_wait_but(uint32_t count) {
    tile_fiber *fiber = &tile_host.fibers[tile_host.thread];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < fiber->copy_count; i++) {
        const tile_pending *copy = &fiber->copies[i];
        if (copy->group + count >= fiber->group) {
            fiber->copies[kept++] = *copy;
        } else if (copy->is_there) {
            memcpy(copy->to, copy->from, 16);
        } else {
            memset(copy->to, 0, 16);
        }
    }
    fiber->copy_count = kept;
}

// ---- what a warp does together ----

// Shows a slot to the others; returns those of the warp.
static inline const tile_slot *tile_meet(const tile_slot *slot) {
    const uint32_t thread = tile_host.thread, turn = tile_host.fibers[thread].meetings++ % 2;
    tile_host.slots[turn][thread] = *slot;
    tile_barrier();
    return &tile_host.slots[turn][thread / 32 * 32];
}

static inline uint32_t tile_half(const uint8_t *row, uint32_t index) {
    uint16_t number;
    memcpy(&number, row + 2 * index, 2);
    return number;
}

static inline void tile_load(uint32_t r[4], const void *row) {
    const tile_slot mine = {.row = (const uint8_t *)row};
    const uint32_t lane = tile_host.thread % 32;
    const tile_slot *warp = tile_meet(&mine);
    for (uint32_t m = 0; m < 4; m++) {
        const uint8_t *from = warp[m * 8 + lane / 4].row;
        r[m] = tile_half(from, lane % 4 * 2) | tile_half(from, lane % 4 * 2 + 1) << 16;
    }
}
static inline void tile_load_turned(uint32_t r[4], const void *row) {
    const tile_slot mine = {.row = (const uint8_t *)row};
    const uint32_t lane = tile_host.thread % 32;
    const tile_slot *warp = tile_meet(&mine);
    for (uint32_t m = 0; m < 4; m++) {
        r[m] = tile_half(warp[m * 8 + lane % 4 * 2].row, lane / 4) |
               tile_half(warp[m * 8 + lane % 4 * 2 + 1].row, lane / 4) << 16;
    }
}

static inline float tile_number(uint32_t word, uint32_t which) {
    return bf16_to((uint16_t)(word >> 16 * which));
}

static inline void tile_multiply(float c[4], const uint32_t a[4], uint32_t b0, uint32_t b1) {
    const tile_slot mine = {.a = {a[0], a[1], a[2], a[3]}, .b = {b0, b1}};
    const uint32_t lane = tile_host.thread % 32;
    const tile_slot *warp = tile_meet(&mine);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t row = lane / 4, column = lane % 4 * 2 + i % 2;
        for (uint32_t k = 0; k < 16; k++) {
            const uint32_t pair = k % 8 / 2;
            c[i] += tile_number(warp[row * 4 + pair].a[k / 8 * 2 + i / 2], k % 2) *
                    tile_number(warp[column * 4 + pair].b[k / 8], k % 2);
        }
    }
}

// ---- words ----

static inline uint32_t tile_pack(float low, float high) {
    return bf16_from(low) | (uint32_t)bf16_from(high) << 16;
}
static inline void tile_store16(void *to, const mega_tile16 *from) {
    memcpy(to, from->words, 16);
}
static inline void tile_store_words(void *to, const uint32_t *words, uint32_t count) {
    if ((uintptr_t)to % (count == 2 ? 8 : 16) != 0) {
        abort();
    }
    memcpy(to, words, 4 * count);
}
static inline void tile_load_words(uint32_t *words, const void *from, uint32_t count) {
    if ((uintptr_t)from % (count == 2 ? 8 : 16) != 0) {
        abort();
    }
    memcpy(words, from, 4 * count);
}

#endif
