// mega_test_translate.h - two consoles in step, one interpreted and one translated. After every frame their states,
// logs and pictures must be equal.
#ifndef MEGA_TEST_TRANSLATE_H
#define MEGA_TEST_TRANSLATE_H
#include "mega_test_program.h"
#include "native_code.h"
#include "status.h"

typedef struct test_pair {
    test_rig interpreted, translated;
} test_pair;

// Who executed how many instructions since the last call of test_pair_agrees.
static uint64_t test_in_blocks, test_elsewhere;
static mega_translated *test_code_run;
static uint32_t test_budget_left;

// Stands between the console and the code, and counts. What is executed after the last call of a frame is not seen.
static inline uint32_t test_count_run(mega_machine *m, uint32_t budget, const mega_outside *outside) {
    if (budget <= test_budget_left) {
        test_elsewhere += test_budget_left - budget;
    }
    test_budget_left = test_code_run(m, budget, outside);
    test_in_blocks += budget - test_budget_left;
    return test_budget_left;
}

// Translates an image after a trial run of so many frames. Returns 1 after a message when that is not possible; a
// cartridge without code that can be translated gives 0 and no code.
static inline int test_translate(const mega_cartridge *cartridge, const uint8_t *image, uint32_t frames,
                                 mega_native *out) {
    mega_host_compiler compiler;
    mega_code code = {NULL, 0};
    mega_translated_text text;
    memset(out, 0, sizeof(*out));
    mega_status status = host_compiler_find(&compiler);
    status = status == MEGA_OK ? translator_write(cartridge, image, frames, &text) : status;
    if (status == MEGA_OK && text.text != NULL) {
        status = native_build(&compiler, text.text, &code);
        if (status == MEGA_OK && !native_open(&code, out)) {
            status = mega_fail(MEGA_ERROR_FILE, "the library cannot be loaded");
        }
        translator_release(&text);
    }
    if (status != MEGA_OK) {
        fprintf(stderr, "%s\n", mega_last_error());
    }
    code_release(&code);
    return status != MEGA_OK;
}

static inline void test_pair_press(test_pair *pair, test_random *random) {
    mega_pads *pads = &pair->interpreted.pads;
    memset(pads, 0, sizeof(*pads));
    pads->press[0] = test_below(random, 32);
    pads->press[1] = test_once_in(random, 4) ? test_below(random, 32) : 0u;
    pads->resistance[0] = test_once_in(random, 8) ? 0 : (int32_t)test_below(random, 1000000);
    pads->resistance[1] = (int32_t)test_below(random, 1000000);
    pads->select = test_once_in(random, 20);
    pads->reset = test_once_in(random, 10);
    pads->difficulty = test_below(random, 4);
    console_set_input(&pair->interpreted.machine, pads);
    console_set_input(&pair->translated.machine, pads);
}

// The first difference after a frame as text, or NULL.
static inline const char *test_pair_difference(test_pair *pair, uint32_t lines, uint32_t other_lines,
                                               int look) {
    static char text[96];
    const mega_video *a = &pair->interpreted.video, *b = &pair->translated.video;
    const mega_log *log = &a->log[a->slot], *other = &b->log[b->slot];
    const char *difference = test_state_difference(&pair->interpreted, &pair->translated);
    if (difference != NULL) {
        return difference;
    }
    if (lines != other_lines || log->count != other->count) {
        snprintf(text, sizeof text, "%u and %u lines, %u and %u records", lines, other_lines, log->count,
                 other->count);
        return text;
    }
    for (uint32_t i = 0; i < log->count; i++) {
        if (log->record[i] != other->record[i]) {
            snprintf(text, sizeof text, "record %u: %08X and %08X", i, log->record[i], other->record[i]);
            return text;
        }
    }
    return look ? test_picture_difference(&pair->interpreted, &pair->translated, 0) : NULL;
}

// Returns 0 when `frames` frames were equal, or 1 after a message. Without code it is 0.
static inline int test_pair_agrees(test_pair *pair, const char *name, const mega_cartridge *cartridge,
                                   const uint8_t *image, const mega_native *native, uint32_t frames,
                                   uint64_t seed) {
    test_random random = {seed};
    test_in_blocks = test_elsewhere = 0;
    if (native->run == NULL) {
        return 0;
    }
    test_rig_open(&pair->interpreted, cartridge, image);
    test_rig_open(&pair->translated, cartridge, image);
    test_code_run = native->run;
    pair->translated.machine.translated = test_count_run;
    for (uint32_t frame = 0; frame < frames; frame++) {
        if (test_once_in(&random, 8)) {
            test_pair_press(pair, &random);
        }
        if (test_once_in(&random, 600) ||
            (pair->interpreted.console.cpu.jammed && test_once_in(&random, 8))) {
            test_rig_reset(&pair->interpreted);
            test_rig_reset(&pair->translated);
        }
        test_budget_left = 0;
        const uint32_t how =
            test_once_in(&random, 8) ? MEGA_RUN_FAST + test_below(&random, 3) : MEGA_RUN_FAST;
        const uint32_t lines = console_run_frame(&pair->interpreted.machine, how);
        const uint32_t other_lines = console_run_frame(&pair->translated.machine, how);
        const char *difference =
            test_pair_difference(pair, lines, other_lines, frame < 8 || test_once_in(&random, 16));
        if (difference != NULL) {
            fprintf(stderr, "%s: frame %u, at $%04X, interpreted and translated differ: %s\n", name, frame,
                    pair->interpreted.console.cpu.pc, difference);
            return 1;
        }
    }
    return 0;
}

#endif
