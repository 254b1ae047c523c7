// test_cuda_driver.c - the driver is opened, and every way in which it cannot be is said in a sentence.
#include "cuda_driver.h"

#include <pthread.h>

#include "mega_test_cuda.h"

static void check_refused(mega_status expected, const char *message) {
    const mega_cuda_driver *driver = (const mega_cuda_driver *)&driver;
    MEGA_CHECK_EQ(cuda_driver_get(&driver), expected);
    MEGA_CHECK(driver == NULL);
    MEGA_CHECK_MESSAGE(message);
}

static void case_missing(void) {
    check_refused(MEGA_ERROR_CUDA,
                  "no NVIDIA driver: /nowhere/libcuda.so was not found; device \"cpu\" works without one");
    // A later call tries again.
    const mega_cuda_driver *driver;
    setenv("MEGACADE_LIBCUDA", MEGA_FAKE_CUDA, 1);
    MEGA_CHECK_EQ(cuda_driver_get(&driver), MEGA_OK);
}

static void case_not_a_library(void) {
    check_refused(MEGA_ERROR_CUDA, "the NVIDIA driver cannot be loaded: ./README.md: ");
}

static void case_another_library(void) {
    check_refused(MEGA_ERROR_CUDA, "the NVIDIA driver lacks cuInit; update it");
}

static void case_no_gpu(void) {
    unsetenv("CUDA_VISIBLE_DEVICES");
    check_refused(MEGA_ERROR_CUDA,
                  "no GPU: the NVIDIA driver finds none; see whether `nvidia-smi` lists one");
    setenv("CUDA_VISIBLE_DEVICES", "7", 1);
    check_refused(MEGA_ERROR_CUDA, "finds none with CUDA_VISIBLE_DEVICES=\"7\"; unset it");
}

static void case_old(void) {
    check_refused(MEGA_ERROR_CUDA,
                  "too old: it supports CUDA 11.4, and 12.0 is needed; update it to 525 or newer");
}

static void case_made_for_linking(void) {
    check_refused(MEGA_ERROR_CUDA, "is the toolkit's, made only for linking");
}

static void case_broken(void) {
    check_refused(MEGA_ERROR_CUDA_LOST, "the GPU failed: cuInit ended with CUDA_ERROR_UNKNOWN");
}

static void case_strange(void) {
    check_refused(MEGA_ERROR_CUDA, "cuInit ended with an unknown error (no description, code 803)");
}

static void case_forked(void) {
    check_refused(MEGA_ERROR_CUDA, "before the fork");
}

static void *get_driver(void *out) {
    const mega_cuda_driver **driver = out;
    cuda_driver_get(driver);
    return NULL;
}

static void case_good(void) {
    enum {
        THREADS = 8
    };
    pthread_t threads[THREADS];
    const mega_cuda_driver *drivers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        MEGA_CHECK_EQ(pthread_create(&threads[i], NULL, get_driver, &drivers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        MEGA_CHECK_EQ(pthread_join(threads[i], NULL), 0);
        MEGA_CHECK(drivers[i] != NULL && drivers[i] == drivers[0]);
    }
    MEGA_CHECK_EQ(drivers[0]->version, 13000);
    MEGA_CHECK(!drivers[0]->has_graphs && drivers[0]->cuGraphLaunch == NULL);
    MEGA_CHECK_EQ(cuda_fail(drivers[0], CUDA_ERROR_OUT_OF_MEMORY, "cuThis"), MEGA_ERROR_CUDA_MEMORY);
    MEGA_CHECK_MESSAGE("out of GPU memory in cuThis; use fewer environments");
}

int main(void) {
    mega_test_case(case_missing, "MEGACADE_LIBCUDA=/nowhere/libcuda.so");
    mega_test_case(case_not_a_library, "MEGACADE_LIBCUDA=./README.md");
    mega_test_case(case_another_library, "MEGACADE_LIBCUDA=libz.so.1");
    mega_test_case(case_no_gpu, "FAKE_CUDA_DEVICES=0");
    mega_test_case(case_old, "FAKE_CUDA_VERSION=11040");
    mega_test_case(case_made_for_linking, "FAKE_CUDA_INIT=34");
    mega_test_case(case_broken, "FAKE_CUDA_INIT=999");
    mega_test_case(case_strange, "FAKE_CUDA_INIT=803");
    mega_test_case(case_forked, "FAKE_CUDA_INIT=3");
    mega_test_case(case_good, NULL);
    return mega_test_result();
}
