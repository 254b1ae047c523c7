// mega_test.h - the checks that the C tests are made of.
//
// A test calls the macros and ends with `return mega_test_result();`. A failed check prints where and what
// and the test goes on; the result is then 1. A test without a single check also fails. Any thread may check.
#ifndef MEGA_TEST_H
#define MEGA_TEST_H
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static _Atomic int mega_test_checks;
static _Atomic int mega_test_failures;

static inline void mega_test_check(int passed, const char *text, const char *file, int line) {
    mega_test_checks++;
    if (!passed) {
        mega_test_failures++;
        fprintf(stderr, "%s:%d: check failed: %s\n", file, line, text);
    }
}

static inline void mega_test_equal(int64_t a, int64_t b, const char *a_text, const char *b_text,
                                   const char *file, int line) {
    mega_test_checks++;
    if (a != b) {
        mega_test_failures++;
        fprintf(stderr, "%s:%d: %s is %" PRId64 ", %s is %" PRId64 "\n", file, line, a_text, a, b_text, b);
    }
}

static inline void mega_test_bytes(const void *a, const void *b, size_t size, const char *a_text,
                                   const char *b_text, const char *file, int line) {
    const uint8_t *left = (const uint8_t *)a;
    const uint8_t *right = (const uint8_t *)b;
    mega_test_checks++;
    for (size_t i = 0; i < size; i++) {
        if (left[i] != right[i]) {
            mega_test_failures++;
            fprintf(stderr, "%s:%d: byte %zu of %zu: %s has %02X, %s has %02X\n", file, line, i, size, a_text,
                    left[i], b_text, right[i]);
            return;
        }
    }
}

static inline int mega_test_result(void) {
    fprintf(stderr, "%d checks, %d failed\n", mega_test_checks, mega_test_failures);
    return mega_test_checks == 0 || mega_test_failures != 0;
}

#define MEGA_CHECK(condition) mega_test_check((condition) != 0, #condition, __FILE__, __LINE__)
#define MEGA_FAIL(why) mega_test_check(0, why, __FILE__, __LINE__)
// Integers of any type up to 64 bits.
#define MEGA_CHECK_EQ(a, b) mega_test_equal((int64_t)(a), (int64_t)(b), #a, #b, __FILE__, __LINE__)
#define MEGA_CHECK_BYTES(a, b, size) mega_test_bytes((a), (b), (size), #a, #b, __FILE__, __LINE__)

#endif
