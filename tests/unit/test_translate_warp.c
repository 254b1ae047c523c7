// test_translate_warp.c - translated programs as a GPU runs them, in a warp of one console, do what interpreted
// ones do. Built with MEGA_AHEAD (tests/CMakeLists.txt).
#include <dlfcn.h>

#define FUZZED_IMAGES 4 // each takes a second to compile

#include "mega_test_translate_programs.h"
#include "mega_warp.h"

#include "mega_test.h"
#include "mega_test_files.h"

#define TRIAL_FRAMES 8
#define COMPILE_SECONDS 60.0

typedef uint32_t test_warp_size(void);
typedef uint32_t test_warp_frame(mega_machine *m, uint32_t how, mega_warp *warp, uint64_t counts[2]);

// Runs a frame as batch_step() does, and counts the cycles in blocks and elsewhere.
static const char counted[] =
    "#include \"translated.c\"\n"
    "static uint64_t in_blocks;\n"
    "static void count_run(mega_machine *m, mega_console *c, mega_warp_lane *lane) {\n"
    "    const uint32_t cycles = m->console->cycles;\n"
    "    warp_run_translated(m, c, lane);\n"
    "    in_blocks += m->console->cycles - cycles;\n"
    "}\n"
    "#define warp_run_translated count_run\n";
// What any lane wants decides how far the others' notes are drained, so here there is somebody who wants things now and
// then.
static const char program[] =
    "#include \"mega_base.h\"\n"
    "static uint32_t whims;\n"
    "static uint32_t whim(void) { return (whims = 1664525u * whims + 1013904223u) >> 30 == 0; }\n"
    "#undef MEGA_WARP_ANY\n"
    "#define MEGA_WARP_ANY(condition) ((condition) | whim())\n"
    "#include \"mega_warp.h\"\n"
    "uint32_t test_size(void) { return (uint32_t)(sizeof(mega_machine) + sizeof(mega_video)); }\n"
    "uint32_t test_frame(mega_machine *m, uint32_t how, mega_warp *warp, uint64_t counts[2]) {\n"
    "    console_begin_request(m, how);\n"
    "    const uint32_t cycles = m->console->cycles;\n"
    "    in_blocks = 0;\n"
    "    warp_run_frame(m, m->console, warp, 1, 1);\n"
    "    counts[0] += in_blocks;\n"
    "    counts[1] += m->console->cycles - cycles - in_blocks;\n"
    "    warp_settle(m, warp, 1);\n"
    "    warp_draw_ragged(m, 1);\n"
    "    const uint32_t lines = console_end_request(m, how);\n"
    "    if (!m->run.unseen) {\n"
    "        notes_write_records(m);\n" // who looks at records of a clean frame that can be drawn without them
    "    }\n"
    "    return lines;\n"
    "}\n";

static test_pair pair;
static uint32_t ragged, painted; // requests, and those of them that warp_draw_ragged() drew
static mega_host_compiler compiler;
static char source[MEGA_TEST_PATH_SIZE], folder[MEGA_TEST_PATH_SIZE + 2], log_file[MEGA_TEST_PATH_SIZE];

// The files that are the same for all programs.
static void open_folder(void) {
    snprintf(log_file, sizeof log_file, "%s", mega_test_path("log"));
    snprintf(folder, sizeof folder, "-I%s", mega_test_folder);
    mega_test_write("counted.c", counted, sizeof counted - 1);
    (void)mega_test_path("translated.c");
    snprintf(source, sizeof source, "%s", mega_test_write("program.c", program, sizeof program - 1));
}

// Compiles and loads the text; loaders know libraries by their path, so each has its own.
static void *load(const char *text, size_t size) {
    static uint32_t next;
    char path[MEGA_TEST_PATH_SIZE], library[MEGA_TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/translated.c", mega_test_folder);
    snprintf(library, sizeof library, "%s/warp%u.so", mega_test_folder, next++);
    FILE *file = fopen(path, "wb");
    MEGA_CHECK(file != NULL && fwrite(text, 1, size, file) == size);
    MEGA_CHECK(file != NULL && fclose(file) == 0);
    const char *const words[] = {"-O1",
                                 "-std=gnu11",
                                 "-w",
                                 "-fPIC",
                                 "-shared",
                                 "-fno-strict-aliasing",
                                 "-DMEGA_AHEAD=1",
                                 "-DMEGA_PROGRAM=\"counted.c\"",
                                 "-Isrc/console",
                                 folder,
                                 source,
                                 "-o",
                                 library,
                                 NULL};
    const mega_compiler_job job = {words, log_file};
    if (host_compiler_run(&compiler, &job, 1, COMPILE_SECONDS) != MEGA_OK) {
        fprintf(stderr, "%s\n", mega_last_error());
        MEGA_FAIL("a program of a warp does not compile");
        return NULL;
    }
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    unlink(library);
    MEGA_CHECK(loaded != NULL);
    return loaded;
}

// Returns 0 when `frames` frames were equal, or 1 after a message.
static int agrees(const char *name, test_warp_frame *run, uint32_t frames) {
    test_random random = {1};
    mega_warp warp;
    uint64_t counts[2] = {0, 0};
    mega_machine *one = &pair.interpreted.machine, *other = &pair.translated.machine;
    test_rig_open(&pair.interpreted, &image.cartridge, image.bytes);
    test_rig_open(&pair.translated, &image.cartridge, image.bytes);
    for (uint32_t frame = 0; frame < frames; frame++) {
        if (test_once_in(&random, 8)) {
            test_pair_press(&pair, &random);
        }
        if (test_once_in(&random, 600) || (pair.interpreted.console.cpu.jammed && test_once_in(&random, 8))) {
            test_rig_reset(&pair.interpreted);
            test_rig_reset(&pair.translated);
        }
        const uint32_t how = test_once_in(&random, 2) ? MEGA_RUN_UNSEEN : MEGA_RUN_FAST;
        const uint32_t lines = console_run_frame(one, MEGA_RUN_FAST);
        const uint32_t other_lines = run(other, how, &warp, counts);
        ragged += !log_is_clean(other, other->run.log);
        painted += other->run.painted;
        const int looks = frame < 8 || test_once_in(&random, other->run.painted ? 2 : 16);
        const char *difference = test_pair_difference(&pair, lines, other_lines, looks);
        if (difference != NULL) {
            fprintf(stderr, "%s: frame %u, at $%04X, interpreted and translated differ: %s\n", name, frame,
                    pair.interpreted.console.cpu.pc, difference);
            return 1;
        }
    }
    test_in_blocks = counts[0];
    test_elsewhere = counts[1];
    return 0;
}

// At least `least` of 1,000 cycles must have been in blocks.
static void check_after(const char *name, uint32_t trial_frames, uint32_t frames, uint32_t least) {
    mega_translated_text text;
    MEGA_CHECK_EQ(translator_write(&image.cartridge, image.bytes, trial_frames, &text), MEGA_OK);
    MEGA_CHECK(least == 0 || text.text != NULL);
    void *library = text.text != NULL ? load(text.text, text.size) : NULL;
    translator_release(&text);
    if (library == NULL) {
        return;
    }
    test_warp_frame *run;
    test_warp_size *size;
    void *const run_symbol = dlsym(library, "test_frame"), *const size_symbol = dlsym(library, "test_size");
    memcpy(&run, &run_symbol, sizeof run); // ISO C has no cast from an object pointer to a function pointer
    memcpy(&size, &size_symbol, sizeof size);
    MEGA_CHECK_EQ(size(), sizeof(mega_machine) + sizeof(mega_video));
    MEGA_CHECK_EQ(agrees(name, run, frames), 0);
    if (1000 * test_in_blocks < least * (test_in_blocks + test_elsewhere)) {
        fprintf(stderr, "%s: %llu cycles in blocks, %llu elsewhere\n", name,
                (unsigned long long)test_in_blocks, (unsigned long long)test_elsewhere);
        MEGA_FAIL("too little was translated");
    }
    dlclose(library);
}

// Only that blocks were entered: more is left to the interpreter than where there is one console.
static void check(const char *name, uint32_t frames, uint32_t least) {
    check_after(name, TRIAL_FRAMES, frames, least != 0);
}

static void test_builtin(void) {
    image.cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
    memcpy(image.bytes, mega_builtin_rom, 4096);
    check_after("built-in", 2000, 1500, 999);
}

// Frames that end anywhere, drawn by the warp or not.
static void test_ragged_frames(void) {
    test_random random = {1};
    for (uint32_t end = 0; end < TEST_ENDS; end++) {
        test_ragged_image(&image, end, end == TEST_END_SHOWN, end != TEST_END_BLANK, &random);
        ragged = painted = 0;
        check_after(image.kind, 100, 400, 500);
        printf("%s: %u ragged, %u of them drawn by the warp\n", image.kind, ragged, painted);
        MEGA_CHECK(painted > 20 && painted <= ragged);
        MEGA_CHECK(end != TEST_END_SHOWN || painted < ragged);
    }
}

int main(void) {
    if (host_compiler_find(&compiler) != MEGA_OK) {
        printf("skipped: %s\n", mega_last_error());
        return 77;
    }
    open_folder();
    test_builtin();
    test_programs();
    test_ragged_frames();
    mega_test_remove_files();
    MEGA_CHECK(access(mega_test_folder, F_OK) != 0); // nothing was left behind
    return mega_test_result();
}
