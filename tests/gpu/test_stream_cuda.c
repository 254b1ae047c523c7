// test_stream_cuda.c - on a machine with a GPU: a learner's stream and a vector wait for each other, and actions are taken
// where they are, against a vector on the CPU. Skipped, with the reason, where there is no GPU.
#include "cuda_vector.h"
#include "mega_test_machine.h"
#include "mega_test_pair.h"

#define COUNT 256u
#define STEPS 300u

static test_pair pair;

typedef struct learner {
    const mega_cuda_driver *cuda;
    CUstream stream;
    CUdeviceptr actions; // [COUNT] of int64, or every third of int32
    int32_t host[3 * COUNT];
    uint8_t *observations;
    int32_t rewards[COUNT];
} learner;

// One index each, in one of the layouts; returns the bytes from one to the next.
static size_t lay_out(learner *self, uint32_t layout) {
    const size_t stride = layout == 0   ? 1
                          : layout == 1 ? 2
                                        : 3; // int32; int64 of small numbers; strided int32
    memset(self->host, 0, sizeof self->host);
    for (uint32_t i = 0; i < COUNT; i++) {
        self->host[stride * i] = pair.actions[i];
    }
    return 4 * stride;
}

static void step(learner *self, const mega_vector_device_view *view, uint32_t t) {
    const mega_cuda_driver *cuda = self->cuda;
    for (uint32_t i = 0; i < COUNT; i++) {
        pair.actions[i] = (int32_t)((t / 3 + i * 7) % pair.choices);
    }
    const size_t pitch = lay_out(self, t % 3);
    MEGA_CHECK_EQ(cuda->cuMemcpyHtoDAsync(self->actions, self->host, sizeof self->host, self->stream), 0);
    MEGA_CHECK_EQ(mega_vector_wait_for_stream(pair.gpu.vector, self->stream), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_take_actions(pair.gpu.vector, (const void *)(uintptr_t)self->actions, pitch),
                  MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_step_device(pair.gpu.vector, MEGA_STEP_NO_WAIT, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_make_stream_wait(pair.gpu.vector, self->stream), MEGA_OK);
    MEGA_CHECK_EQ(cuda->cuMemcpyDtoHAsync(self->observations, CUDA_ADDRESS(view->observations),
                                          COUNT * pair.size, self->stream),
                  0);
    MEGA_CHECK_EQ(cuda->cuMemcpyDtoHAsync(self->rewards, CUDA_ADDRESS(view->rewards), sizeof self->rewards,
                                          self->stream),
                  0);
    MEGA_CHECK_EQ(mega_vector_step(pair.cpu.vector, pair.actions, NULL, &pair.cpu.out), MEGA_OK);
    MEGA_CHECK_EQ(cuda->cuStreamSynchronize(self->stream), 0);
    MEGA_CHECK_BYTES(self->observations, pair.cpu.out.observations, COUNT * pair.size);
    MEGA_CHECK_BYTES(self->rewards, pair.cpu.out.rewards, sizeof self->rewards);
}

static void play(void) {
    static learner self;
    const mega_cuda_device *device = ((const mega_cuda_vector *)pair.gpu.vector)->device;
    mega_vector_device_view view;
    void *const defaults[] = {NULL, (void *)(uintptr_t)1, (void *)(uintptr_t)2};
    self.cuda = device->driver;
    self.observations = malloc(COUNT * pair.size);
    MEGA_CHECK_EQ(mega_vector_get_device_view(pair.gpu.vector, &view), MEGA_OK);
    MEGA_CHECK_EQ(cuda_device_enter(device), MEGA_OK);
    MEGA_CHECK_EQ(self.cuda->cuStreamCreate(&self.stream, CU_STREAM_NON_BLOCKING), 0);
    MEGA_CHECK_EQ(self.cuda->cuMemAlloc(&self.actions, sizeof self.host), 0);
    for (uint32_t t = 0; t < STEPS && mega_test_failures == 0; t++) {
        step(&self, &view, t);
    }
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        MEGA_CHECK_EQ(mega_vector_wait_for_stream(pair.gpu.vector, defaults[i]), MEGA_OK);
        MEGA_CHECK_EQ(mega_vector_make_stream_wait(pair.gpu.vector, defaults[i]), MEGA_OK);
    }
    self.cuda->cuMemFree(self.actions);
    self.cuda->cuStreamDestroy(self.stream);
    cuda_device_leave(device);
    free(self.observations);
}

int main(void) {
    const mega_cuda_driver *driver;
    mega_rom *builtin;
    if (cuda_driver_get(&driver) != MEGA_OK) {
        printf("skipped: %s\n", mega_last_error());
        return 77;
    }
    MEGA_CHECK_EQ(mega_rom_builtin(&builtin), MEGA_OK);
    const mega_rom *const roms[1] = {builtin};
    const mega_vector_desc desc = {.struct_size = sizeof desc,
                                   .count = COUNT,
                                   .roms = roms,
                                   .rom_count = 1,
                                   .task = {.struct_size = sizeof desc.task, .max_episode_frames = 400}};
    MEGA_CHECK(pair_open(&pair, &desc, "cuda"));
    if (pair.gpu.vector != NULL) {
        MEGA_CHECK_EQ(pair_reset(&pair, NULL, NULL), 0);
        play();
        pair_close(&pair);
    }
    mega_rom_destroy(builtin);
    return mega_test_result();
}
