// test_code_warp.c - what the translator decides for warps: which blocks run on into others, and how lanes are served.
#include <string.h>

#include "code_chain.h"
#include "code_flow.h"
#include "code_schedule.h"

#include "mega_test.h"
#include "mega_test_machine.h"

// ---- chains ----------------------------------------------------------------------------------------------

static uint8_t image[4096];

// Follows the program at $F000 and numbers its blocks.
static void open_map(const uint8_t *program, uint32_t size, code_map *map, uint32_t *rank) {
    const mega_cartridge cartridge = test_cartridge(MEGA_SCHEME_4K, sizeof image);
    code_edges none;
    memset(image, 0xEA, sizeof image); // NOP
    memcpy(image, program, size);
    MEGA_CHECK_EQ(code_map_make(&cartridge, image, map), MEGA_OK);
    MEGA_CHECK(code_map_add(map, 0, 0xF000));
    map->flags[0] |= CODE_BLOCK;
    MEGA_CHECK_EQ(code_flow(map), MEGA_OK);
    MEGA_CHECK_EQ(code_edges_make(code_map_nodes(map), &none), MEGA_OK);
    MEGA_CHECK_EQ(code_order(map, &none, rank), MEGA_OK);
    code_edges_release(&none);
}

static uint32_t rank[sizeof image + CODE_RAM_RUNS];

static void test_chains(void) {
    static const uint8_t program[] = {
        0xA5, 0x80,       // F000 LDA $80
        0xF0, 0x06,       // F002 BEQ $F00A
        0xA9, 0x01,       // F004 LDA #1      only from F002: goes on
        0x30, 0x02,       // F006 BMI $F00A
        0xA9, 0x02,       // F008 LDA #2      only from F006: goes on
        0x85, 0x81,       // F00A STA $81     from three places
        0xCA,             // F00C DEX         a loop
        0xD0, 0xFD,       // F00D BNE $F00C
        0x85, 0x82,       // F00F STA $82     only from F00D, but lanes wait here for those in the loop
        0x20, 0x20, 0xF0, // F011 JSR $F020
        0x4C, 0x00, 0xF0, // F014 JMP $F000
    };
    code_map map;
    open_map(program, sizeof program, &map, rank);
    const struct {
        uint32_t index;
        uint8_t flags;
    } expected[] = {{0x00, CODE_BLOCK}, {0x04, CODE_CHAINED}, {0x08, CODE_CHAINED}, {0x0A, CODE_BLOCK},
                    {0x0C, CODE_BLOCK}, {0x0F, CODE_BLOCK},   {0x14, CODE_BLOCK},   {0x20, CODE_BLOCK}};
    for (uint32_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        MEGA_CHECK_EQ(map.flags[expected[i].index] & (CODE_BLOCK | CODE_CHAINED), expected[i].flags);
        MEGA_CHECK_EQ(rank[expected[i].index] != 0, expected[i].flags == CODE_BLOCK);
    }
    // Numbers rise along the way, without gaps.
    MEGA_CHECK(rank[0x00] < rank[0x0A] && rank[0x0A] < rank[0x0C] && rank[0x0C] < rank[0x0F]);
    uint32_t sum = 0, blocks = 0;
    for (uint32_t i = 0; i < sizeof image; i++) {
        sum += rank[i];
        blocks += rank[i] != 0;
    }
    MEGA_CHECK_EQ(sum, blocks * (blocks + 1) / 2);
    code_map_release(&map);
}

// A block has room for 24 notes, so chains end before there are more.
static void test_long_chain(void) {
    static uint8_t program[123];
    uint32_t size = 0;
    for (uint32_t i = 0; i < 10; i++) {
        for (uint32_t k = 0; k < 5; k++) {
            program[size++] = 0x85; // STA COLUBK
            program[size++] = 0x09;
        }
        program[size++] = 0xF0; // BEQ to the end
        program[size] = (uint8_t)(120 - size - 1);
        size++;
    }
    MEGA_CHECK_EQ(size, 120);
    program[size++] = 0x4C; // JMP $F000
    program[size++] = 0x00;
    program[size++] = 0xF0;
    code_map map;
    open_map(program, size, &map, rank);
    uint32_t writes = 0, most = 0, chained = 0;
    for (uint32_t i = 0; i < 120; i++) {
        writes = (map.flags[i] & CODE_BLOCK) != 0 ? 0 : writes;
        writes += (map.flags[i] & CODE_START) != 0 && map.image[i] == 0x85;
        most = writes > most ? writes : most;
        chained += (map.flags[i] & CODE_CHAINED) != 0;
    }
    MEGA_CHECK_EQ(most, 20); // four blocks of five
    MEGA_CHECK_EQ(chained, 7);
    code_map_release(&map);
}

// ---- schedules -------------------------------------------------------------------------------------------

// The cost of a schedule, by another way than code_schedule.c: one lane after the other is asked who is first.
static uint64_t cost_of(const code_frames *frames, uint32_t lanes, code_schedule schedule) {
    uint32_t at[CODE_LANES] = {0};
    uint64_t sum = 0;
    for (;;) {
        uint32_t first = CODE_LANES;
        uint64_t best[3] = {0, 0, 0};
        for (uint32_t i = 0; i < lanes; i++) {
            if (at[i] < frames->count[i]) {
                const code_step *step = &frames->step[i * CODE_STEPS + at[i]];
                const uint64_t key[3] = {step->cycle >> schedule.window, schedule.depth ? step->sp : 0,
                                         step->index};
                int less = 0;
                for (uint32_t k = 3; k-- > 0;) {
                    less = key[k] != best[k] ? key[k] < best[k] : less;
                }
                if (first == CODE_LANES || less) {
                    first = i;
                    memcpy(best, key, sizeof best);
                }
            }
        }
        if (first == CODE_LANES) {
            return sum;
        }
        sum += 25 + 4;
        for (uint32_t i = 0; i < lanes; i++) {
            at[i] += at[i] < frames->count[i] && frames->step[i * CODE_STEPS + at[i]].index == best[2];
        }
    }
}

// Frames at random, every instruction of which is a block: nothing is cheaper than what is chosen.
static void test_schedules(void) {
    test_random random = {5};
    code_map map;
    static const uint8_t program[] = {0x4C, 0x00, 0xF0};
    open_map(program, sizeof program, &map, rank);
    memset(rank, 0, sizeof rank);
    for (uint32_t i = 1; i <= 40; i++) {
        map.flags[i] = CODE_START | CODE_BLOCK;
        rank[i] = i;
    }
    uint32_t windows = 0;
    for (uint32_t round = 0; round < 40; round++) {
        code_frames frames;
        code_schedule chosen;
        MEGA_CHECK_EQ(code_frames_make(&frames), MEGA_OK);
        const uint32_t lanes = round == 0 ? 0 : 1 + test_below(&random, CODE_LANES);
        const uint32_t blocks = 2 + test_below(&random, 38), pace = 1 + test_below(&random, 400);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t cycle = 0, last = 0;
            code_frames_begin(&frames);
            for (uint32_t i = 0; i < 100; i++) {
                uint32_t block = 1 + test_below(&random, blocks);
                block = block == last ? block % blocks + 1 : block;
                code_frames_add(&frames, block, cycle, 0xF0 + test_below(&random, 8));
                cycle += 1 + test_below(&random, pace);
                last = block;
            }
        }
        MEGA_CHECK_EQ(code_schedule_find(&map, &frames, rank, &chosen), MEGA_OK);
        if (lanes == 0) {
            MEGA_CHECK(chosen.window == CODE_NO_WINDOW && chosen.depth == 1);
        }
        const uint64_t cost = cost_of(&frames, lanes, chosen);
        for (uint32_t window = 7; window <= 13; window++) {
            for (uint32_t depth = 0; depth < 2; depth++) {
                const code_schedule other = {window == 13 ? CODE_NO_WINDOW : window, depth};
                MEGA_CHECK(cost <= cost_of(&frames, lanes, other));
            }
        }
        windows += chosen.window != CODE_NO_WINDOW;
        code_frames_release(&frames);
    }
    MEGA_CHECK(windows > 0);
    code_map_release(&map);
}

int main(void) {
    test_chains();
    test_long_chain();
    test_schedules();
    return mega_test_result();
}
