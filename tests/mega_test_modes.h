// mega_test_modes.h - three consoles in step: one in plain mode, one in fast mode that is rarely looked at, and
// one that is drawn now and then. After every frame their states must be equal byte by byte, and so must every
// picture that is looked at.
#ifndef MEGA_TEST_MODES_H
#define MEGA_TEST_MODES_H
#include "mega_test_program.h"

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

// Compares with the plain console what may be looked at without drawing it first, and the pictures if `look`.
static inline int test_compare(const char *name, test_trio *trio, test_rig *other, uint32_t lines,
                               uint32_t other_lines, uint32_t frame, const char *who, int look) {
    char text[64];
    const char *difference = test_state_difference(&trio->plain, other);
    if (difference != NULL) {
        return test_report(name, trio, frame, who, difference);
    }
    if (lines != other_lines) {
        snprintf(text, sizeof text, "%u and %u lines", lines, other_lines);
        return test_report(name, trio, frame, who, text);
    }
    for (uint32_t ago = 0; ago < 2 && look; ago++) {
        difference = test_picture_difference(&trio->plain, other, ago);
        if (difference != NULL) {
            return test_report(name, trio, frame, who, difference);
        }
    }
    return 0;
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
        const uint32_t how = test_below(&random, 2) != 0 ? MEGA_RUN_DRAWN : MEGA_RUN_FAST;
        lines[0] = console_run_frame(&trio->plain.machine, MEGA_RUN_PLAIN);
        lines[1] = console_run_frame(&trio->fast.machine, MEGA_RUN_FAST);
        lines[2] = console_run_frame(&trio->mixed.machine, how);
        const int look_fast = test_once_in(&random, looks) || frame + 1 == frames;
        const int look_mixed = how == MEGA_RUN_DRAWN || test_once_in(&random, 2);
        if (test_compare(name, trio, &trio->fast, lines[0], lines[1], frame, "fast", look_fast) ||
            test_compare(name, trio, &trio->mixed, lines[0], lines[2], frame, "drawn", look_mixed)) {
            return 1;
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
