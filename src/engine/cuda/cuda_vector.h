// cuda_vector.h - a vector of environments on a GPU and what its parts tell each other. Host code.
//
//     cuda_vector_create.c  description, memory, kernels    cuda_vector_step.c   reset, step, groups
//     cuda_vector_state.c   save, restore                   cuda_vector_look.c   views, screens, statistics
//     cuda_vector_stream.c  streams and arrays of others    cuda_vector_starts.c start states
//
// All of an environment is in the GPU's memory (mega_cell.h); the host keeps what it must know to check
// calls. A group has a stream of its own: its work is done in order, and groups do not wait for each other.
#ifndef CUDA_VECTOR_H
#define CUDA_VECTOR_H
#include "cuda_parts.h"
#include "cuda_programs.h"
#include "mega_cell.h"
#include "mega_start_state.h"
#include "vector_engine.h"
#include "vector_games.h"

// KERNEL(name): those of kernels.cu.
#define CUDA_KERNELS(KERNEL)    \
    KERNEL(mega_step)           \
    KERNEL(mega_look)           \
    KERNEL(mega_look_begun)     \
    KERNEL(mega_start_episodes) \
    KERNEL(mega_copy_starts)    \
    KERNEL(mega_keep_finals)    \
    KERNEL(mega_prepare_begun)  \
    KERNEL(mega_take_actions)   \
    KERNEL(mega_take_orders)    \
    KERNEL(mega_settle_steps)   \
    KERNEL(mega_settle_orders)  \
    KERNEL(mega_settle_begun)   \
    KERNEL(mega_observe)        \
    KERNEL(mega_observe_begun)  \
    KERNEL(mega_show)           \
    KERNEL(mega_replace)        \
    KERNEL(mega_sample)

enum {
#define KERNEL(name) KERNEL_##name,
    CUDA_KERNELS(KERNEL)
#undef KERNEL
    KERNEL_COUNT
};

// Environments with the same game, mode and difficulty share start states.
typedef struct mega_cuda_pool {
    mega_lane_setup *setup;
    int32_t mode; // or MEGA_MODE_DEFAULT
    uint32_t difficulty;
    uint32_t first; // environment
} mega_cuda_pool;

typedef struct mega_cuda_group {
    mega_batch batch; // its first environment and count, its lanes, its roster
    CUstream stream;
    CUstream side; // for those that begin an episode meanwhile
    CUevent forked, joined;
    mega_cuda_parts steps, starts; // of different games, which have kernels of their own
    uint32_t *first_lane;          // [games.count + 1]
    bool running;                  // between group_send and group_recv
    bool unread;                   // work was done whose failures nobody has looked at
} mega_cuda_group;

struct mega_cuda_vector {
    mega_vector base;
    mega_vector_games games;
    uint32_t count, autoreset, seed;
    int32_t *course_of; // [count]: index into games.setups
    uint8_t *started;   // [count]: a reset has been asked for, or a state restored
    uint8_t *powered;   // [count]: the console has been switched on
    uint32_t unstarted;
    int32_t failed; // the environment that made the last call fail, or -1

    mega_cuda_device *device;
    CUmodule module;
    CUfunction kernels[KERNEL_COUNT];
    mega_cuda_program *programs; // [games.count]
    bool translated;             // there is at least one
    bool counts;                 // $MEGACADE_CUDA_COUNT: lanes count what they execute
    CUdeviceptr *blocks;         // allocations
    uint32_t block_count;
    size_t video_size;     // of a mega_video there
    size_t memo_size;      // of a mega_memo_entry
    mega_batch all;        // what groups share
    mega_starts starts;    // that episodes begin in
    mega_cuda_pool *pools; // [pool_count], with room for count
    uint32_t *pool_of;     // [count]
    uint32_t pool_count;
    mega_cuda_group *groups;
    uint32_t group_count;
    bool unusual;         // observations that mega_look does not make
    uint64_t steps;       // since create
    int32_t *numbers;     // [count], of action numbers
    int32_t *indices;     // [count] in the GPU's memory: what the view calls actions
    float *strengths;     // likewise
    uint8_t *orders;      // likewise
    int32_t *seeds;       // likewise
    uint8_t *pixels;      // likewise, of two pictures
    uint8_t *host_orders; // [count]
    int32_t *host_seeds;
    uint8_t *host_ends;
    uint8_t *ram;          // [count][128], copies for mega_vector_ram
    uint8_t *observations; // for mega_vector_observations, once somebody asked

    mega_episode *episodes; // ring of episode_capacity
    uint32_t episode_capacity, episode_count;
    uint64_t episode_next;
    uint32_t noticed; // notices that were taken from the GPU
    mega_episode last_episode;
};

// ---- cuda_vector_create.c

// Memory of the GPU that lives as long as the vector and is zero; NULL for no bytes, or when *status says why.
void *cuda_vector_take(mega_cuda_vector *vector, size_t size, mega_status *status);

// ---- cuda_vector_starts.c

// How many start states there are, and how large; then makes them on the CPU and sends them.
mega_status cuda_vector_plan_starts(mega_cuda_vector *vector, const mega_vector_desc *desc);
size_t cuda_vector_bytes_of_starts(const mega_cuda_vector *vector);
mega_status cuda_vector_send_starts(mega_cuda_vector *vector, const mega_vector_desc *desc);

// ---- cuda_vector_step.c

// Starts a kernel.
mega_status cuda_vector_launch(mega_cuda_vector *vector, uint32_t kernel, CUstream stream, uint32_t blocks,
                               uint32_t threads, void **parameters);
// No work is outstanding in any group.
mega_status cuda_vector_check_idle(const mega_cuda_vector *vector);
// There is such an environment, and its work is not outstanding.
mega_status cuda_vector_check_free(const mega_cuda_vector *vector, int32_t env_id);
// Waits for all that is in the streams.
mega_status cuda_vector_wait(mega_cuda_vector *vector);

// There is such a group.
mega_status cuda_vector_check_group(const mega_cuda_vector *vector, uint32_t group);

// Copies to the GPU, complete when it returns. The groups' streams do not wait for copies that are in none,
// and the driver may still be at work on a small one when cuMemcpyHtoD returns.
mega_status cuda_vector_put(mega_cuda_vector *vector, void *to, const void *from, size_t size);

// ---- cuda_vector_stream.c

// What is put into `after` from now on begins after what is in `before`.
mega_status cuda_vector_order(const mega_cuda_vector *vector, const mega_cuda_group *group, CUstream before,
                              CUstream after);

#define CUDA_ADDRESS(pointer) ((CUdeviceptr)(uintptr_t)(pointer))

// Runs `call`, which gives a mega_status, with the vector's GPU current.
#define CUDA_INSIDE(vector, call)                      \
    do {                                               \
        MEGA_TRY(cuda_device_enter((vector)->device)); \
        const mega_status inside_status = (call);      \
        cuda_device_leave((vector)->device);           \
        return inside_status;                          \
    } while (0)

#endif
