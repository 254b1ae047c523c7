// test_shuffle.c - random orders that are computed place by place: each element comes once, everywhere equally often,
// and a neighbour's place says nothing.
#include "mega_shuffle.h"

#include "mega_test.h"

#include <stdlib.h>

static void test_permutation(uint32_t count, uint64_t index) {
    const mega_shuffle shuffle = shuffle_make(count, 5, 1, index);
    uint8_t *seen = calloc(count, 1);
    uint32_t twice = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t element = shuffle_at(&shuffle, i);
        twice += element >= count || seen[element];
        seen[element < count ? element : 0] = 1;
    }
    MEGA_CHECK_EQ(twice, 0);
    free(seen);
}

// Chi-square of counts that should all be the same: its mean is cells - 1, its deviation sqrt(2 (cells - 1)).
static double chi_square(const uint32_t *counts, uint32_t cells, double expected) {
    double sum = 0;
    for (uint32_t i = 0; i < cells; i++) {
        sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    }
    return sum;
}

enum {
    CELLS = 100,
    ORDERS = 40000
};

static void test_uniform(void) {
    static uint32_t places[CELLS], distances[CELLS];
    for (uint32_t k = 0; k < ORDERS; k++) {
        const mega_shuffle shuffle = shuffle_make(CELLS, 9, 2, k);
        const uint32_t first = shuffle_at(&shuffle, 17), second = shuffle_at(&shuffle, 18);
        places[first]++;
        distances[(first + CELLS - second) % CELLS]++;
    }
    MEGA_CHECK(chi_square(places, CELLS, ORDERS / (double)CELLS) < 99 + 5 * 14.1);
    MEGA_CHECK_EQ(distances[0], 0);
    MEGA_CHECK(chi_square(distances + 1, CELLS - 1, ORDERS / (double)(CELLS - 1)) < 98 + 5 * 14.0);
}

int main(void) {
    for (uint32_t count = 1; count < 70; count++) {
        test_permutation(count, count);
    }
    test_permutation(1000, 0);
    test_permutation(65536, 1);
    test_permutation(65537, 2);
    test_permutation(1200 * 20, 3);
    test_uniform();
    return mega_test_result();
}
