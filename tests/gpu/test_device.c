// test_device.c - on a machine with a GPU: its facts, and a kernel that is compiled, run and checked on each.
// Skipped, with the reason, where there is no GPU.
#include "cuda_module.h"

#include "mega_self_check.h"
#include "mega_test.h"

#define COUNT 100000u
#define SEED 12345u

static uint32_t numbers[COUNT];

static void say(void *context, const char *sentence) {
    (void)context;
    printf("%s\n", sentence);
}

static void print_facts(const mega_cuda_device *device) {
    printf("cuda:%d: %s, sm_%d, %d multiprocessors of %d threads, %.1f GiB, driver for CUDA %d.%d%s\n",
           device->index, device->name, device->capability, device->processors, device->threads,
           (double)device->memory_size / (1 << 30), device->driver->version / 1000,
           device->driver->version % 1000 / 10, device->driver->has_graphs ? ", graphs" : "");
    printf("  per multiprocessor: %d registers, %d KiB shared (%d KiB per block); L2 %d MiB\n",
           device->registers, device->shared_size >> 10, device->shared_size_of_block >> 10,
           device->l2_size >> 20);
}

static mega_status run_kernel(const mega_cuda_device *device, CUmodule module, CUdeviceptr memory) {
    const mega_cuda_driver *cuda = device->driver;
    CUfunction kernel;
    CUstream stream;
    CUevent start, end;
    uint32_t count = COUNT, seed = SEED;
    void *parameters[] = {&memory, &count, &seed};
    float milliseconds = 0.0f;
    int registers = 0, blocks = 0;
    MEGA_TRY(cuda_module_kernel(device, module, "self_check", &kernel));
    CUDA_TRY(cuda, cuFuncGetAttribute, &registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel);
    CUDA_TRY(cuda, cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, kernel, 256, 0);
    CUDA_TRY(cuda, cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    CUDA_TRY(cuda, cuEventCreate, &start, CU_EVENT_DEFAULT);
    CUDA_TRY(cuda, cuEventCreate, &end, CU_EVENT_DEFAULT);
    CUDA_TRY(cuda, cuMemsetD8Async, memory, 0xFF, sizeof numbers, stream);
    CUDA_TRY(cuda, cuEventRecord, start, stream);
    CUDA_TRY(cuda, cuLaunchKernel, kernel, (COUNT + 255) / 256, 1, 1, 256, 1, 1, 0, stream, parameters, NULL);
    CUDA_TRY(cuda, cuEventRecord, end, stream);
    CUDA_TRY(cuda, cuMemcpyDtoHAsync, numbers, memory, sizeof numbers, stream);
    CUDA_TRY(cuda, cuStreamSynchronize, stream);
    CUDA_TRY(cuda, cuEventElapsedTime, &milliseconds, start, end);
    CUDA_TRY(cuda, cuEventDestroy, start);
    CUDA_TRY(cuda, cuEventDestroy, end);
    CUDA_TRY(cuda, cuStreamDestroy, stream);
    printf("  self_check: %d registers, %d blocks of 256 per multiprocessor, %.3f ms\n", registers, blocks,
           (double)milliseconds);
    return MEGA_OK;
}

static mega_status test_device(const mega_cuda_device *device) {
    const mega_cuda_request request = {.program = "self_check.cu", .progress = say};
    CUmodule module;
    CUdeviceptr memory, too_much;
    print_facts(device);
    MEGA_TRY(cuda_module_open(device, &request, &module));
    MEGA_TRY(cuda_device_enter(device));
    MEGA_TRY(cuda_device_alloc(device, sizeof numbers, "the self check", &memory));
    MEGA_TRY(run_kernel(device, module, memory));
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        wrong += numbers[i] != self_check_number(i, SEED);
    }
    MEGA_CHECK_EQ(wrong, 0);
    MEGA_CHECK_EQ(cuda_device_alloc(device, (size_t)1 << 50, "a petabyte", &too_much),
                  MEGA_ERROR_CUDA_MEMORY);
    printf("  %s\n", mega_last_error());
    CUDA_TRY(device->driver, cuMemFree, memory);
    cuda_device_leave(device);
    cuda_module_close(device, module);
    return MEGA_OK;
}

int main(void) {
    const mega_cuda_driver *driver;
    int count = 0;
    if (cuda_driver_get(&driver) != MEGA_OK) {
        printf("skipped: %s\n", mega_last_error());
        return 77;
    }
    MEGA_CHECK_EQ(driver->cuDeviceGetCount(&count), CUDA_SUCCESS);
    for (int32_t i = 0; i < count; i++) {
        mega_cuda_device *device;
        mega_status status = cuda_device_open(i, &device);
        if (status == MEGA_OK) {
            status = test_device(device);
            cuda_device_close(device);
        }
        if (status != MEGA_OK) {
            MEGA_FAIL(mega_last_error());
        }
    }
    return mega_test_result();
}
