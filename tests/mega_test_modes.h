// mega_test_modes.h - three consoles in step: one in plain mode, one in fast mode that is rarely looked at, and
// one that is drawn on the way now and then, in colours or in shades of gray, and parked
// in between. After every frame their states
// must be equal byte by byte, and so must every picture that is looked at.
#ifndef MEGA_TEST_MODES_H
#define MEGA_TEST_MODES_H
#include "mega_parking.h"
#include "mega_test_program.h"
#include "mega_warp.h"

typedef struct test_trio {
    test_rig plain, fast, mixed;
} test_trio;

static inline void test_press(test_rig *rig, test_random *random) {
    mega_pads *pads = &rig->pads;
    memset(pads, 0, sizeof(*pads));
    pads->press[0] = test_below(random, 32);
    pads->press[1] = test_once_in(random, 4) ? test_below(random, 32) : 0u;
    pads->resistance[0] = test_once_in(random, 8) ? 0 : (int32_t)test_below(random, 1000000);
    pads->resistance[1] = (int32_t)test_below(random, 1000000);
    pads->select = test_once_in(random, 20);
    pads->reset = test_once_in(random, 10);
    pads->difficulty = test_below(random, 4);
    console_set_input(&rig->machine, pads);
}

static inline int test_report(const char *name, const test_trio *trio, uint32_t frame, const char *who,
                              const char *difference) {
    const mega_console *console = &trio->plain.console;
    fprintf(stderr, "%s: frame %u, line %d, plain and %s differ: %s\n", name, frame,
            ((int32_t)(3u * console->cycles) - console->tia.frame_start) / MEGA_CLOCKS_PER_LINE, who,
            difference);
    return 1;
}

// Ragged requests of fast consoles, and those of them that warp_draw_ragged() drew.
static __attribute__((unused)) uint64_t test_ragged, test_painted;

// Where registers run ahead of the picture the fast console runs as a lane of a warp does.
static inline uint32_t test_run_fast(mega_machine *machine) {
#if MEGA_AHEAD
    static mega_warp warp;
    static test_random random = {1};
    const uint32_t how = test_once_in(&random, 2) ? MEGA_RUN_UNSEEN : MEGA_RUN_FAST;
    console_begin_request(machine, how);
    warp_run_frame(machine, machine->console, &warp, 1, 1);
    warp_settle(machine, &warp, 1);
    warp_draw_ragged(machine, 1);
    test_ragged += !log_is_clean(machine, machine->run.log);
    test_painted += machine->run.painted;
    return console_end_request(machine, how);
#else
    return console_run_frame(machine, MEGA_RUN_FAST);
#endif
}

// How a console is looked at after a frame; bits.
enum {
    TEST_LOOK_COLORS = 1,
    TEST_LOOK_SHADES = 2,
    TEST_LOOK_SHADES_FIRST = 4 // in this order, if both: looking must not change what is seen next
};

static inline uint32_t test_look(test_random *random) {
    const uint32_t what = 1u + test_below(random, 3);
    return what | (test_below(random, 2) != 0 ? TEST_LOOK_SHADES_FIRST : 0u);
}

// These tests are built several times (tests/CMakeLists.txt), because the fast paths differ with what the compiler may
// use. Ends the program as skipped where a build cannot run.
static inline void test_skip_unless_runnable(void) {
#ifdef __AVX2__
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2")) {
        printf("skipped: this processor has no AVX2\n");
        exit(77);
    }
#endif
#ifdef __AVX512BW__
    if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl")) {
        printf("skipped: this processor has no AVX-512\n");
        exit(77);
    }
#endif
}

// Compares with the plain console what may be looked at without drawing it first, and the pictures as `look` says.
static inline int test_compare(const char *name, test_trio *trio, test_rig *other, uint32_t lines,
                               uint32_t other_lines, uint32_t frame, const char *who, uint32_t look) {
    char text[64];
    const char *difference = test_state_difference(&trio->plain, other);
    if (difference != NULL) {
        return test_report(name, trio, frame, who, difference);
    }
    if (lines != other_lines) {
        snprintf(text, sizeof text, "%u and %u lines", lines, other_lines);
        return test_report(name, trio, frame, who, text);
    }
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t ago = i & 1u, shades = i >> 1 ^ ((look & TEST_LOOK_SHADES_FIRST) != 0);
        if ((look & (shades ? TEST_LOOK_SHADES : TEST_LOOK_COLORS)) == 0) {
            continue;
        }
        difference = shades ? test_shade_difference(&trio->plain, other, ago)
                            : test_picture_difference(&trio->plain, other, ago);
        if (difference != NULL) {
            return test_report(name, trio, frame, who, difference);
        }
    }
    return 0;
}

// Parks the pictures, spoils what a mega_video shared by many consoles would hold of others, and brings them back.
static inline void test_park(test_rig *rig) {
    static mega_parked parked;
    static uint8_t store[2 * MEGA_WIDTH * MEGA_PICTURE_ROWS];
    mega_video *video = &rig->video;
    if (!video_park(&rig->machine, &parked, store, parking_capacity(&rig->cartridge))) {
        fprintf(stderr, "parking_capacity() is too small\n");
        exit(1);
    }
    for (uint32_t i = 0; i < 2; i++) {
        memset(video->picture[i], 0xA5, (size_t)MEGA_WIDTH * rig->cartridge.height);
#if !MEGA_AHEAD
        memset(video->shaded[i], 0x5A, sizeof(video->shaded[i]));
#endif
    }
    memset(video->log, 0xA5, sizeof(video->log));
    memset(&video->line, 0x5A, sizeof(video->line));
    video_unpark(&rig->machine, &parked, store);
}

// Returns 0 when `frames` frames were equal, or 1 after a message.
static inline int test_modes_agree(test_trio *trio, const char *name, const mega_cartridge *cartridge,
                                   const uint8_t *image, uint32_t frames, uint64_t seed) {
    test_random random = {seed};
    test_rig *rigs[3] = {&trio->plain, &trio->fast, &trio->mixed};
    const uint32_t looks = 1u + test_below(&random, 6); // how often the fast console is looked at
    const int resets = test_once_in(&random, 2);
    for (uint32_t i = 0; i < 3; i++) {
        test_rig_open(rigs[i], cartridge, image);
    }
    for (uint32_t frame = 0; frame < frames; frame++) {
        const int press = test_once_in(&random, 8), reset = resets && test_once_in(&random, 60);
        const test_random same = random;
        uint32_t lines[3];
        for (uint32_t i = 0; i < 3; i++) {
            random = same;
            if (press) {
                test_press(rigs[i], &random);
            }
            if (reset) {
                test_rig_reset(rigs[i]);
            }
        }
        const uint32_t how = MEGA_RUN_FAST + test_below(&random, 3);
        lines[0] = console_run_frame(&trio->plain.machine, MEGA_RUN_PLAIN);
        lines[1] = test_run_fast(&trio->fast.machine);
        lines[2] = console_run_frame(&trio->mixed.machine, how);
        const uint32_t last = frame + 1 == frames;
        const uint32_t look_often = trio->fast.machine.run.painted && test_once_in(&random, 2);
        const uint32_t look_fast =
            test_once_in(&random, looks) || look_often || last ? test_look(&random) : 0u;
        const uint32_t look_mixed = how != MEGA_RUN_FAST || last ? test_look(&random) : 0u;
        if (test_compare(name, trio, &trio->fast, lines[0], lines[1], frame, "fast", look_fast) ||
            test_compare(name, trio, &trio->mixed, lines[0], lines[2], frame, "drawn", look_mixed)) {
            return 1;
        }
        if (test_once_in(&random, 3)) {
            test_park(&trio->mixed);
        }
        if (trio->plain.console.cpu.jammed && frame > 4 && test_once_in(&random, 8)) {
            for (uint32_t i = 0; i < 3; i++) {
                test_rig_reset(rigs[i]);
            }
        }
    }
    return 0;
}

#endif
