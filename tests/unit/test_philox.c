// test_philox.c - the generator without state gives the published numbers.
#include "mega_philox.h"

#include "mega_test.h"

typedef struct known_answer {
    uint32_t counter[4], key[2], answer[4];
} known_answer;

// Random123's kat_vectors, philox4x32 with 10 rounds.
static const known_answer known[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627E8D5u, 0xE169C58Du, 0xBC57AC4Cu, 0x9B00DBD8u}},
    {{0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu},
     {0xFFFFFFFFu, 0xFFFFFFFFu},
     {0x408F276Du, 0x41C83B0Eu, 0xA20BC7C6u, 0x6D5451FDu}},
    {{0x243F6A88u, 0x85A308D3u, 0x13198A2Eu, 0x03707344u},
     {0xA4093822u, 0x299F31D0u},
     {0xD16CFE09u, 0x94FDCCEBu, 0x5001E420u, 0x24126EA1u}},
};

static void test_known_answers(void) {
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        mega_philox_block counter;
        memcpy(counter.word, known[i].counter, sizeof counter.word);
        const mega_philox_block block = mega_philox(counter, known[i].key[0], known[i].key[1]);
        MEGA_CHECK_BYTES(block.word, known[i].answer, sizeof block.word);
    }
}

// Where seed, stream and index go.
static void test_places(void) {
    const known_answer *pi = &known[2];
    const uint64_t seed = (uint64_t)pi->key[1] << 32 | pi->key[0];
    const uint64_t index = (uint64_t)pi->counter[1] << 32 | pi->counter[0];
    const uint64_t stream = (uint64_t)pi->counter[3] << 32 | pi->counter[2];
    const mega_philox_block block = mega_philox_at(seed, stream, index);
    MEGA_CHECK_BYTES(block.word, pi->answer, sizeof block.word);
    for (uint64_t i = 0; i < 12; i++) {
        MEGA_CHECK_EQ(mega_philox_word(7, 5, i), mega_philox_at(7, 5, i / 4).word[i % 4]);
    }
}

static void test_ranges(void) {
    MEGA_CHECK(mega_philox_uniform(0) == 0.0f);
    MEGA_CHECK(mega_philox_uniform(0xFFFFFFFFu) == 1.0f - 0x1p-24f);
    MEGA_CHECK(mega_philox_uniform(0x80000000u) == 0.5f);
    MEGA_CHECK_EQ(mega_philox_below(0xFFFFFFFFu, 18), 17);
    MEGA_CHECK_EQ(mega_philox_below(0, 18), 0);
    MEGA_CHECK_EQ(mega_philox_below(0xFFFFFFFFu, 0xFFFFFFFFu), 0xFFFFFFFEu);
    // Each of 16 comes up a sixteenth of the time: the spread of a count is about 61.
    uint32_t counts[16] = {0};
    for (uint64_t i = 0; i < 64000; i++) {
        counts[mega_philox_below(mega_philox_word(1, 2, i), 16)]++;
    }
    for (uint32_t i = 0; i < 16; i++) {
        MEGA_CHECK(counts[i] > 3700 && counts[i] < 4300);
    }
}

int main(void) {
    test_known_answers();
    test_places();
    test_ranges();
    return mega_test_result();
}
