// test_status.c - status texts and messages.
#include "status.h"

#include <pthread.h>

#include "mega_test.h"

static mega_status forward(mega_status status, int *reached) {
    MEGA_TRY(status == MEGA_OK ? MEGA_OK : mega_fail(status, "number %d", 7));
    *reached = 1;
    return MEGA_OK;
}

static void test_texts(void) {
    static const mega_status all[] = {
        MEGA_OK,
        MEGA_ERROR_ARGUMENT,
        MEGA_ERROR_MODE,
        MEGA_ERROR_ACTION,
        MEGA_ERROR_FILE,
        MEGA_ERROR_ROM,
        MEGA_ERROR_ROM_NOT_FOUND,
        MEGA_ERROR_GAME,
        MEGA_ERROR_MEMORY,
        MEGA_ERROR_CUDA,
        MEGA_ERROR_STATE,
        MEGA_ERROR_STATE_VERSION,
        MEGA_ERROR_JAMMED,
        MEGA_ERROR_ORDER,
        MEGA_ERROR_TIMEOUT,
        MEGA_ERROR_THREAD,
        MEGA_ERROR_CUDA_MEMORY,
        MEGA_ERROR_CUDA_LOST,
        MEGA_ERROR_CUDA_COMPILE,
    };
    const char *unknown = mega_status_string((mega_status)9999);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        MEGA_CHECK(strcmp(mega_status_string(all[i]), unknown) != 0);
        for (size_t j = 0; j < i; j++) {
            MEGA_CHECK(strcmp(mega_status_string(all[i]), mega_status_string(all[j])) != 0);
        }
    }
    MEGA_CHECK(strcmp(mega_version(), MEGA_VERSION) == 0);
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", MEGA_VERSION_MAJOR, MEGA_VERSION_MINOR, MEGA_VERSION_PATCH);
    MEGA_CHECK(strcmp(version, MEGA_VERSION) == 0);
}

static void test_messages(void) {
    int reached = 0;
    MEGA_CHECK(strcmp(mega_last_error(), "") == 0);
    MEGA_CHECK_EQ(forward(MEGA_ERROR_ROM, &reached), MEGA_ERROR_ROM);
    MEGA_CHECK_EQ(reached, 0);
    MEGA_CHECK(strcmp(mega_last_error(), "number 7") == 0);
    MEGA_CHECK_EQ(forward(MEGA_OK, &reached), MEGA_OK);
    MEGA_CHECK_EQ(reached, 1);

    MEGA_CHECK_EQ(mega_fail(MEGA_ERROR_FILE, "file: %s", mega_last_error()), MEGA_ERROR_FILE);
    MEGA_CHECK(strcmp(mega_last_error(), "file: number 7") == 0);

    mega_fail(MEGA_ERROR_FILE, "two\nlines\t%s", "\x1b[31m");
    MEGA_CHECK(strcmp(mega_last_error(), "two?lines??[31m") == 0);

    char huge[5000];
    memset(huge, 'x', sizeof huge);
    huge[sizeof huge - 1] = '\0';
    mega_fail(MEGA_ERROR_FILE, "%s", huge);
    const size_t length = strlen(mega_last_error());
    MEGA_CHECK(length > 100 && length < sizeof huge);
    MEGA_CHECK(strcmp(mega_last_error() + length - 4, "x...") == 0);

    MEGA_CHECK_EQ(mega_fail_memory(123), MEGA_ERROR_MEMORY);
    MEGA_CHECK(strstr(mega_last_error(), "123 bytes") != NULL);
}

static void *fail_elsewhere(void *empty) {
    *(int *)empty = mega_last_error()[0] == '\0';
    mega_fail(MEGA_ERROR_CUDA, "elsewhere");
    return NULL;
}

static void test_threads(void) {
    pthread_t thread;
    int empty = 0;
    mega_fail(MEGA_ERROR_FILE, "here");
    MEGA_CHECK_EQ(pthread_create(&thread, NULL, fail_elsewhere, &empty), 0);
    MEGA_CHECK_EQ(pthread_join(thread, NULL), 0);
    MEGA_CHECK(empty);
    MEGA_CHECK(strcmp(mega_last_error(), "here") == 0);
}

int main(void) {
    test_texts();
    test_messages();
    test_threads();
    return mega_test_result();
}
