// test_vector_calls.c - what a vector says to wrong arguments and to calls at the wrong time; fork; a program
// that jams; destruction in mid-flight.
#include "mega_test_vector.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "builtin_rom.h"

#define COUNT 4

static mega_rom *builtin;
static const mega_rom *one[1];

static mega_vector_desc usual(void) {
    mega_vector_desc desc = {.struct_size = sizeof desc, .count = COUNT, .roms = one, .rom_count = 1};
    desc.task.struct_size = sizeof desc.task;
    desc.threads = 2;
    return desc;
}

static mega_vector *open_vector(mega_vector_desc desc) {
    mega_vector *vector = NULL;
    MEGA_CHECK_EQ(mega_vector_create(&desc, &vector), MEGA_OK);
    return vector;
}

static void check_desc(mega_vector_desc desc, mega_status expected) {
    mega_vector *vector = (mega_vector *)&desc;
    MEGA_CHECK_EQ(mega_vector_create(&desc, &vector), expected);
    MEGA_CHECK((vector != NULL) == (expected == MEGA_OK));
    if (expected == MEGA_OK) {
        mega_vector_destroy(vector);
    } else {
        MEGA_CHECK(mega_last_error()[0] != '\0');
    }
}

#define CHECK_CHANGED(change, expected)  \
    do {                                 \
        mega_vector_desc desc = usual(); \
        change;                          \
        check_desc(desc, expected);      \
    } while (0)

static void test_descriptions(void) {
    static const int32_t modes[COUNT] = {MEGA_MODE_DEFAULT, 0, 0, 0}, bad_modes[COUNT] = {0, 0, 77, 0};
    static const uint32_t difficulties[COUNT] = {0, 0, 0, 0}, bad_difficulties[COUNT] = {0, 9, 0, 0};
    static const mega_rom *missing[COUNT];
    mega_vector_desc desc = usual();
    CHECK_CHANGED(desc.pin = 1, MEGA_OK);
    CHECK_CHANGED(desc.struct_size = 0, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.count = 0, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.count = 0xFFFFFFFFu, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.batch = COUNT + 1, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.batch = COUNT, MEGA_OK);
    CHECK_CHANGED(desc.threads = 100000, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.threads = 0, MEGA_OK);
    CHECK_CHANGED(desc.groups = COUNT + 1, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED((desc.groups = 2, desc.batch = 3), MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.groups = COUNT, MEGA_OK);
    CHECK_CHANGED(desc.autoreset = MEGA_AUTORESET_OFF, MEGA_OK);
    CHECK_CHANGED(desc.autoreset = 3, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.episode_log = 0xFFFFFFFFu, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.start_states = 65537, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.start_states = 3, MEGA_OK);
    CHECK_CHANGED((desc.start_states = 3, desc.blind = 1), MEGA_OK);
    CHECK_CHANGED(desc.roms = NULL, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.rom_count = 0, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.rom_count = 2, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED((desc.rom_count = COUNT, desc.roms = missing), MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.task.struct_size = 0, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.task.height = 100000, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.task.sticky = NAN, MEGA_ERROR_ARGUMENT);
    CHECK_CHANGED(desc.modes = modes, MEGA_OK);
    CHECK_CHANGED(desc.modes = bad_modes, MEGA_ERROR_MODE);
    CHECK_CHANGED(desc.difficulties = difficulties, MEGA_OK);
    CHECK_CHANGED(desc.difficulties = bad_difficulties, MEGA_ERROR_MODE);
    MEGA_CHECK_EQ(mega_vector_create(&desc, NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_create(NULL, &(mega_vector *){NULL}), MEGA_ERROR_ARGUMENT);
    mega_vector_destroy(NULL);
}

// ---- calls ---------------------------------------------------------------------------------------------

static const int32_t quiet[COUNT] = {0, 0, 0, 0};

static void test_before_reset(void) {
    mega_vector *vector = open_vector(usual());
    const uint8_t some[COUNT] = {1, 0, 1, 1}, none[COUNT] = {0, 0, 0, 0};
    MEGA_CHECK_EQ(mega_vector_step(vector, quiet, NULL, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_send(vector, NULL, COUNT, quiet, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_recv(vector, 10, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_group_send(vector, 0, quiet, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_group_recv(vector, 0, 10, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_reset(vector, some, NULL, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, NULL, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_reset(vector, none, NULL, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_step(vector, quiet, NULL, NULL), MEGA_OK);
    mega_vector_destroy(vector);
}

static void test_wrong_steps(void) {
    mega_vector *vector = open_vector(usual());
    const int32_t beyond[COUNT] = {0, 0, 0, 18}, below[COUNT] = {-1, 0, 0, 0};
    const float bad[COUNT] = {1.0f, NAN, 1.0f, 1.0f}, good[COUNT] = {0.5f, -1.0f, 1e30f, 0.0f};
    const int32_t twice[2] = {1, 1}, outside[2] = {0, COUNT}, negative[1] = {-1};
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, NULL, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_step(vector, NULL, NULL, NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_step(vector, beyond, NULL, NULL), MEGA_ERROR_ACTION);
    MEGA_CHECK(strstr(mega_last_error(), "environment 3") != NULL);
    MEGA_CHECK_EQ(mega_vector_step(vector, below, NULL, NULL), MEGA_ERROR_ACTION);
    MEGA_CHECK_EQ(mega_vector_step(vector, quiet, bad, NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_step(vector, quiet, good, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_send(vector, NULL, 3, quiet, NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_send(vector, twice, 2, quiet, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_send(vector, outside, 2, quiet, NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_send(vector, negative, 1, quiet, NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_send(vector, NULL, COUNT, beyond, NULL), MEGA_ERROR_ACTION);
    MEGA_CHECK_EQ(mega_vector_group_send(vector, 1, quiet, NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_group_recv(vector, 1, 0, NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_group_restart(vector, 0), MEGA_ERROR_ORDER); // episodes begin by themselves
    MEGA_CHECK_EQ(mega_vector_step(vector, quiet, NULL, NULL), MEGA_OK);   // all of these left nothing behind
    mega_vector_destroy(vector);
}

static void test_outstanding(void) {
    mega_vector *vector = open_vector(usual());
    const int32_t two[2] = {1, 2}, rest[2] = {0, 3};
    uint8_t state[64], pixels[64];
    mega_vector_statistics statistics;
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, NULL, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_send(vector, two, 2, quiet, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_send(vector, two, 1, quiet, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_step(vector, quiet, NULL, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_group_send(vector, 0, quiet, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_recv(vector, -1, NULL), MEGA_ERROR_ORDER); // two of four would never come
    MEGA_CHECK_EQ(mega_vector_outstanding(vector), 2);
    MEGA_CHECK(mega_vector_ram(vector, 1) == NULL && mega_vector_ram(vector, 0) != NULL);
    MEGA_CHECK_EQ(mega_vector_set_ram(vector, 1, 0, 0), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_set_ram(vector, 0, 0, 0), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_screen(vector, 2, pixels, sizeof pixels), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_save(vector, two, 1, state, sizeof state), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_get_statistics(vector, 1, &statistics), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_get_statistics(vector, -1, &statistics), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_send(vector, rest, 2, quiet, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_recv(vector, -1, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_recv(vector, -1, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_outstanding(vector), 0);
    MEGA_CHECK_EQ(mega_vector_group_send(vector, 0, quiet, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_outstanding(vector), COUNT);
    MEGA_CHECK_EQ(mega_vector_group_send(vector, 0, quiet, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_send(vector, two, 1, quiet, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, NULL, NULL), MEGA_OK); // drops it
    MEGA_CHECK_EQ(mega_vector_step(vector, quiet, NULL, NULL), MEGA_OK);
    mega_vector_destroy(vector);
}

static void test_looks(void) {
    mega_vector *vector = open_vector(usual());
    static uint8_t pixels[160 * 300 * 3];
    const size_t screen = (size_t)160 * mega_vector_screen_height(vector, 0);
    uint32_t first = 9, actions = 0;
    MEGA_CHECK_EQ(mega_vector_count(vector), COUNT);
    MEGA_CHECK_EQ(mega_vector_batch(vector), COUNT);
    MEGA_CHECK_EQ(mega_vector_threads(vector), 2);
    MEGA_CHECK_EQ(mega_vector_failed(vector), -1);
    MEGA_CHECK_EQ(mega_vector_group(vector, 0, &first), COUNT);
    MEGA_CHECK_EQ(first, 0);
    MEGA_CHECK_EQ(mega_vector_group(vector, 1, NULL), 0);
    MEGA_CHECK(mega_vector_actions(vector, &actions) != NULL && actions > 1);
    MEGA_CHECK_EQ((uintptr_t)mega_vector_observations(vector) % 64, 0);
    MEGA_CHECK(mega_vector_ram(vector, COUNT) == NULL);
    MEGA_CHECK_EQ(mega_vector_screen_height(vector, COUNT), 0);
    MEGA_CHECK_EQ(mega_vector_screen(vector, 0, pixels, screen), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, NULL, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_screen(vector, 0, pixels, screen), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_screen(vector, 0, pixels, screen - 1), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_screen(vector, 0, NULL, screen), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_screen(vector, COUNT, pixels, screen), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_screen_rgb(vector, 0, pixels, 3 * screen), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_screen_rgb(vector, 0, pixels, screen), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_set_ram(vector, 0, 5, 77), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_ram(vector, 0)[5], 77);
    MEGA_CHECK_EQ(mega_vector_set_ram(vector, 0, 128, 0), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_set_ram(vector, 0, 0, 256), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_set_ram(vector, COUNT, 0, 0), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_get_statistics(vector, COUNT, &(mega_vector_statistics){0}),
                  MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_get_statistics(vector, 0, NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_drain_episodes(vector, NULL, 5), 0);
    mega_vector_destroy(vector);
}

static void test_batch_only(void) {
    mega_vector_desc desc = usual();
    const uint8_t some[COUNT] = {1, 0, 1, 1};
    desc.batch = 2;
    mega_vector *vector = open_vector(desc);
    MEGA_CHECK_EQ(mega_vector_reset(vector, some, NULL, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, NULL, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_reset(vector, some, NULL, NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, NULL, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_group_send(vector, 0, quiet, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_step(vector, quiet, NULL, NULL), MEGA_OK);
    mega_vector_destroy(vector); // two results are outstanding
}

// ---- faults --------------------------------------------------------------------------------------------

// One program halts its processor: its index is told, and the others play on.
static void test_jam(void) {
    static uint8_t image[4096];
    mega_rom *jam = NULL;
    memset(image, 0x02, sizeof image);
    MEGA_CHECK_EQ(mega_rom_from_memory(image, sizeof image, "jam", &jam), MEGA_OK);
    const mega_rom *list[COUNT] = {builtin, builtin, jam, builtin};
    int32_t before[COUNT] = {0}, after[COUNT] = {0};
    mega_vector_desc desc = usual();
    desc.roms = list;
    desc.rom_count = COUNT;
    for (desc.batch = 0; desc.batch < 2; desc.batch++) {
        mega_vector *vector = open_vector(desc);
        const mega_vector_out out = {.frame_numbers = after};
        mega_status status =
            mega_vector_reset(vector, NULL, NULL, &(mega_vector_out){.frame_numbers = before});
        MEGA_CHECK_EQ(status, desc.batch == 0 ? MEGA_ERROR_JAMMED : MEGA_OK);
        for (uint32_t t = 0; t < 2 && desc.batch == 0; t++) {
            MEGA_CHECK_EQ(mega_vector_step(vector, quiet, NULL, &out), MEGA_ERROR_JAMMED);
            MEGA_CHECK_EQ(mega_vector_failed(vector), 2);
            MEGA_CHECK(strncmp(mega_last_error(), "environment 2:", 14) == 0);
        }
        for (uint32_t t = 0; t < 3 && desc.batch == 1; t++) {
            status = mega_vector_recv(vector, -1, &(mega_vector_out){.env_ids = after});
            MEGA_CHECK_EQ(status, after[0] == 2 ? MEGA_ERROR_JAMMED : MEGA_OK);
            MEGA_CHECK_EQ(mega_vector_failed(vector), after[0] == 2 ? 2 : -1);
        }
        MEGA_CHECK(desc.batch == 1 || after[3] == before[3] + 8);
        mega_vector_destroy(vector);
    }
    mega_rom_destroy(jam);
}

// ---- processes -----------------------------------------------------------------------------------------

#if defined(__SANITIZE_THREAD__)
#define THREADS_AFTER_FORK 0 // the sanitizer does not allow them
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREADS_AFTER_FORK 0
#endif
#endif
#ifndef THREADS_AFTER_FORK
#define THREADS_AFTER_FORK 1
#endif

// The child's exit code: 0 when all went as it should.
static int play_in_child(mega_vector *vector, int in_flight) {
    int failed = 0;
    if (in_flight) {
        failed |= mega_vector_recv(vector, -1, NULL) != MEGA_ERROR_ORDER;
        failed |= mega_vector_reset(vector, NULL, NULL, NULL) != MEGA_ERROR_ORDER;
    } else {
        failed |= mega_vector_step(vector, quiet, NULL, NULL) != MEGA_OK;
        failed |= mega_vector_reset(vector, NULL, quiet, NULL) != MEGA_OK;
        failed |= mega_vector_step(vector, quiet, NULL, NULL) != MEGA_OK;
    }
    mega_vector_destroy(vector);
    return failed;
}

static void test_fork(void) {
    for (int in_flight = 0; in_flight < 2 && THREADS_AFTER_FORK; in_flight++) {
        mega_vector *vector = open_vector(usual());
        MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, quiet, NULL), MEGA_OK);
        MEGA_CHECK_EQ(mega_vector_step(vector, quiet, NULL, NULL), MEGA_OK);
        if (in_flight) {
            MEGA_CHECK_EQ(mega_vector_send(vector, NULL, COUNT, quiet, NULL), MEGA_OK);
        }
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            _exit(play_in_child(vector, in_flight));
        }
        int code = -1;
        MEGA_CHECK(waitpid(child, &code, 0) == child && WIFEXITED(code) && WEXITSTATUS(code) == 0);
        MEGA_CHECK_EQ(in_flight ? mega_vector_recv(vector, -1, NULL)
                                : mega_vector_step(vector, quiet, NULL, NULL),
                      MEGA_OK);
        mega_vector_destroy(vector);
    }
}

static void test_destroy_in_flight(void) {
    for (uint32_t k = 0; k < 20; k++) {
        mega_vector_desc desc = usual();
        desc.groups = k % 2 + 1;
        desc.threads = 1 + k % 4;
        mega_vector *vector = open_vector(desc);
        MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, NULL, NULL), MEGA_OK);
        if (k % 2 == 0) {
            MEGA_CHECK_EQ(mega_vector_send(vector, NULL, COUNT, quiet, NULL), MEGA_OK);
        } else {
            MEGA_CHECK_EQ(mega_vector_group_send(vector, 1, quiet, NULL), MEGA_OK);
        }
        mega_vector_destroy(vector);
    }
}

int main(void) {
    MEGA_CHECK_EQ(mega_rom_builtin(&builtin), MEGA_OK);
    one[0] = builtin;
    test_descriptions();
    test_before_reset();
    test_wrong_steps();
    test_outstanding();
    test_looks();
    test_batch_only();
    test_jam();
    test_fork();
    test_destroy_in_flight();
    mega_rom_destroy(builtin);
    return mega_test_result();
}
