// test_cuda_device.c - names of devices; opening, memory and failures of the fake driver's GPUs.
#include "cuda_device.h"

#include "mega_test_cuda.h"

static void test_parse(void) {
    static const struct {
        const char *text;
        bool is_cuda;
        int32_t index;
    } good[] = {{"cpu", false, 0},
                {"cuda", true, 0},
                {"cuda:0", true, 0},
                {"cuda:1", true, 1},
                {"cuda:15", true, 15}};
    static const char *const bad[] = {NULL,      "",         "gpu",        "CUDA",    "cpu:0",
                                      "cuda:",   "cuda:x",   "cuda:1x",    "cuda:-1", "cuda: 1",
                                      "cuda:+1", "cuda1",    "cuda:99999", " cuda",   "cuda:1:2",
                                      "c",       "cudacuda", "cuda:0x10",  "cuda:1 "};
    bool is_cuda;
    int32_t index;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        MEGA_CHECK_EQ(cuda_device_parse(good[i].text, &is_cuda, &index), MEGA_OK);
        MEGA_CHECK_EQ(is_cuda, good[i].is_cuda);
        MEGA_CHECK_EQ(index, good[i].index);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        MEGA_CHECK_EQ(cuda_device_parse(bad[i], &is_cuda, &index), MEGA_ERROR_ARGUMENT);
        MEGA_CHECK(!is_cuda && index == 0);
    }
    cuda_device_parse("gpu", &is_cuda, &index);
    MEGA_CHECK_MESSAGE("unknown device \"gpu\"; expected \"cpu\", \"cuda\" or a numbered GPU");
    cuda_device_parse("cuda:x", &is_cuda, &index);
    MEGA_CHECK_MESSAGE("device \"cuda:x\" has no GPU's number after the colon");
}

static mega_cuda_device *open_device(int32_t index) {
    mega_cuda_device *device;
    MEGA_CHECK_EQ(cuda_device_open(index, &device), MEGA_OK);
    if (device == NULL) {
        fprintf(stderr, "%s\n", mega_last_error());
        exit(1);
    }
    return device;
}

static void case_one(void) {
    mega_cuda_device *device = open_device(0), *none = device;
    MEGA_CHECK(strcmp(device->name, "Fake GPU") == 0);
    MEGA_CHECK_EQ(device->capability, 90);
    MEGA_CHECK_EQ(device->processors, 4);
    MEGA_CHECK_EQ(device->threads, 2048);
    MEGA_CHECK_EQ(device->memory_size, 1 << 30);
    MEGA_CHECK_EQ(cuda_device_open(1, &none), MEGA_ERROR_CUDA);
    MEGA_CHECK(none == NULL);
    MEGA_CHECK_MESSAGE("no GPU has number 1: there is one, \"cuda:0\"");
    MEGA_CHECK_EQ(cuda_device_open(-1, &none), MEGA_ERROR_CUDA);
    cuda_device_close(device);
    cuda_device_close(NULL);
    MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_held"), 0);
}

static void case_three(void) {
    mega_cuda_device *none, *device = open_device(2);
    MEGA_CHECK_EQ(device->index, 2);
    cuda_device_close(device);
    MEGA_CHECK_EQ(cuda_device_open(3, &none), MEGA_ERROR_CUDA);
    MEGA_CHECK_MESSAGE("no GPU has number 3: there are 3, \"cuda:0\" to \"cuda:2\"");
}

// Two copies, a fill and the way back.
static mega_status copy_around(const mega_cuda_device *device, CUdeviceptr memory, uint8_t *bytes) {
    const mega_cuda_driver *cuda = device->driver;
    CUDA_TRY(cuda, cuMemcpyHtoD, memory, bytes, 8);
    CUDA_TRY(cuda, cuMemcpyDtoD, memory + 8, memory, 8);
    CUDA_TRY(cuda, cuMemsetD8Async, memory, 7, 4, NULL);
    CUDA_TRY(cuda, cuStreamSynchronize, NULL);
    CUDA_TRY(cuda, cuMemcpyDtoH, bytes, memory, 16);
    return MEGA_OK;
}

static void case_memory(void) {
    static const uint8_t expected[16] = {7, 7, 7, 7, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t bytes[16] = {1, 2, 3, 4, 5, 6, 7, 8};
    mega_cuda_device *device = open_device(0);
    CUdeviceptr memory, more = 1;
    MEGA_CHECK_EQ(cuda_device_enter(device), MEGA_OK);
    MEGA_CHECK_EQ(cuda_device_alloc(device, 1 << 20, "a test", &memory), MEGA_OK);
    MEGA_CHECK_EQ(copy_around(device, memory, bytes), MEGA_OK);
    MEGA_CHECK_BYTES(bytes, expected, 16);
    MEGA_CHECK_EQ(cuda_device_alloc(device, (size_t)5 << 30, "70000 environments", &more),
                  MEGA_ERROR_CUDA_MEMORY);
    MEGA_CHECK_EQ(more, 0);
    MEGA_CHECK_MESSAGE(
        "not enough GPU memory for 70000 environments: 5.0 GiB were asked for, and of the 4.0 MiB of "
        "cuda:0 3.0 MiB are free");
    device->driver->cuMemFree(memory);
    cuda_device_leave(device);
    cuda_device_close(device);
    MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_held"), 0);
}

static void case_lost(void) {
    uint8_t bytes[16] = {0};
    mega_cuda_device *device = open_device(0);
    CUdeviceptr memory;
    MEGA_CHECK_EQ(cuda_device_enter(device), MEGA_OK);
    MEGA_CHECK_EQ(cuda_device_alloc(device, 1024, "a test", &memory), MEGA_OK);
    MEGA_CHECK_EQ(copy_around(device, memory, bytes), MEGA_ERROR_CUDA_LOST);
    MEGA_CHECK_MESSAGE(
        "the GPU failed: cuStreamSynchronize ended with CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory "
        "access was encountered); this process cannot use it any more, start the program again");
    MEGA_CHECK_EQ(copy_around(device, memory, bytes), MEGA_ERROR_CUDA_LOST);
    device->driver->cuMemFree(memory);
    cuda_device_leave(device);
    cuda_device_close(device);
    MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_held"), 0);
}

int main(void) {
    test_parse();
    mega_test_case(case_one, NULL);
    mega_test_case(case_three, "FAKE_CUDA_DEVICES=3");
    mega_test_case(case_memory, "FAKE_CUDA_MEMORY=4194304");
    mega_test_case(case_lost, "FAKE_CUDA_LOST_AFTER=4");
    return mega_test_result();
}
