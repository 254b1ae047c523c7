// mega_test_warp.h - a warp of 32 lanes on the host, for tests of what lanes do together. To be included before any
// shared source. Each lane has a stack of its own and runs until it meets the others; slow, and one thread only.
#ifndef MEGA_TEST_WARP_H
#define MEGA_TEST_WARP_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "mega_base.h"

// Lanes hand on what they have, also where nobody is going to use it.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define TEST_LANES 32u
#define TEST_ALL_LANES 0xFFFFFFFFu
#define TEST_LANE_STACK (256u * 1024u)

typedef struct test_lane {
    ucontext_t context;
    uint32_t waits_for;          // lanes that it is going to meet, itself among them, or 0
    uint32_t done;               // 1: it has come to its end
    uint64_t brings;             // its value ...
    uint64_t values[TEST_LANES]; // ... and those of all whom it met last
    uint8_t stack[TEST_LANE_STACK];
} test_lane;

static test_lane test_lanes[TEST_LANES];
static ucontext_t test_lanes_home;
static uint32_t test_lane_now;
static void (*test_lane_play)(uint32_t lane);

// Waits for the lanes of the mask, who say the same; then each has the values of all.
static inline void test_lanes_meet(uint32_t mask, uint64_t value) {
    test_lane *lane = &test_lanes[test_lane_now];
    uint32_t missing = 0;
    lane->waits_for = mask;
    lane->brings = value;
    for (uint32_t i = 0; i < TEST_LANES; i++) {
        missing |= (mask >> i & 1u) != 0 && test_lanes[i].waits_for != mask;
    }
    if (missing) {
        swapcontext(&lane->context, &test_lanes_home);
        return;
    }
    for (uint32_t i = 0; i < TEST_LANES; i++) {
        for (uint32_t k = 0; k < TEST_LANES && (mask >> i & 1u) != 0; k++) {
            test_lanes[i].values[k] = test_lanes[k].brings;
        }
    }
    for (uint32_t i = 0; i < TEST_LANES; i++) {
        test_lanes[i].waits_for = (mask >> i & 1u) != 0 ? 0u : test_lanes[i].waits_for;
    }
}

static inline uint64_t test_lanes_from(uint64_t value, uint32_t lane) {
    test_lanes_meet(TEST_ALL_LANES, value);
    return test_lanes[test_lane_now].values[lane % TEST_LANES];
}
static inline uint64_t test_lanes_from_below(uint64_t value, uint32_t distance) {
    return test_lanes_from(value, test_lane_now >= distance ? test_lane_now - distance : test_lane_now);
}
static inline uint32_t test_lanes_ballot(uint32_t mask, uint32_t condition) {
    uint32_t bits = 0;
    test_lanes_meet(mask, condition != 0);
    for (uint32_t i = 0; i < TEST_LANES; i++) {
        bits |= (mask >> i & 1u) != 0 && test_lanes[test_lane_now].values[i] != 0 ? 1u << i : 0u;
    }
    return bits;
}
static inline uint32_t test_lanes_least(uint32_t value) {
    test_lanes_meet(TEST_ALL_LANES, value);
    for (uint32_t i = 0; i < TEST_LANES; i++) {
        const uint32_t other = (uint32_t)test_lanes[test_lane_now].values[i];
        value = other < value ? other : value;
    }
    return value;
}

static void test_lane_begin(void) {
    test_lane_play(test_lane_now);
    test_lanes[test_lane_now].done = 1;
}

static inline void test_lane_prepare(test_lane *lane) {
    lane->waits_for = lane->done = 0;
    getcontext(&lane->context);
    lane->context.uc_stack.ss_sp = lane->stack;
    lane->context.uc_stack.ss_size = sizeof lane->stack;
    lane->context.uc_link = &test_lanes_home;
    makecontext(&lane->context, test_lane_begin, 0);
}

// Calls play() in all lanes, and returns when all are through. Lanes that wait for each other in vain end the program.
static inline void test_lanes_run(void (*play)(uint32_t lane)) {
    uint32_t left = TEST_LANES;
    test_lane_play = play;
    for (uint32_t i = 0; i < TEST_LANES; i++) {
        test_lane_prepare(&test_lanes[i]);
    }
    while (left != 0) {
        uint32_t ran = 0;
        for (uint32_t i = 0; i < TEST_LANES; i++) {
            if (!test_lanes[i].done && test_lanes[i].waits_for == 0) {
                test_lane_now = i;
                swapcontext(&test_lanes_home, &test_lanes[i].context);
                left -= test_lanes[i].done;
                ran = 1;
            }
        }
        if (!ran) {
            fprintf(stderr, "the lanes of a warp wait for each other\n");
            exit(1);
        }
    }
}

#undef MEGA_WARP
#undef MEGA_WARP_LANE
#undef MEGA_WARP_MIN
#undef MEGA_WARP_MAX
#undef MEGA_WARP_FROM
#undef MEGA_WARP_BALLOT
#undef MEGA_WARP_ANY
#undef MEGA_WARP_BARRIER
#undef MEGA_WARP_JOIN
#define MEGA_WARP TEST_LANES
#define MEGA_WARP_LANE test_lane_now
#define MEGA_WARP_MIN(value) test_lanes_least(value)
#define MEGA_WARP_FROM(value, lane) \
    ((__typeof__(+(value)))test_lanes_from((uint64_t)(value), (uint32_t)(lane)))
#define MEGA_WARP_BALLOT(mask, condition) test_lanes_ballot(mask, (uint32_t)(condition))
#define MEGA_WARP_ANY(condition) (test_lanes_ballot(TEST_ALL_LANES, (uint32_t)(condition)) != 0)
#define MEGA_WARP_BARRIER() test_lanes_meet(TEST_ALL_LANES, 0)
// CUDA's own, which shared source calls where a warp is more than one console.
#define __shfl_up_sync(mask, value, distance) ((__typeof__(+(value)))test_lanes_from_below(value, distance))

#endif
