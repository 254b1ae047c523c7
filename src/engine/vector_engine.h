// vector_engine.h - the engines behind mega_vector: threads of the CPU, or a GPU. Host code.
//
// The functions of megacade.h, section vector, only choose (vector_api.c): each calls the function of the same
// name of the vector's engine, cpu_vector_*() or cuda_vector_*().
#ifndef VECTOR_ENGINE_H
#define VECTOR_ENGINE_H
#include "megacade.h"

enum {
    MEGA_ENGINE_CPU,
    MEGA_ENGINE_CUDA
};

// The first member of each engine's own struct.
struct mega_vector {
    uint32_t engine; // MEGA_ENGINE_*
};

typedef struct mega_cpu_vector mega_cpu_vector;
typedef struct mega_cuda_vector mega_cuda_vector;

// What an engine offers. `desc` of create and the ids of save, restore and check_copy are not checked yet.
#define VECTOR_ENGINE(prefix, type)                                                                         \
    mega_status prefix##_create(const mega_vector_desc *desc, mega_vector **out);                           \
    void prefix##_destroy(type *vector);                                                                    \
    mega_status prefix##_reset(type *vector, const uint8_t *mask, const int32_t *seeds,                     \
                               const mega_vector_out *out);                                                 \
    mega_status prefix##_step(type *vector, const int32_t *actions, const float *strengths,                 \
                              const mega_vector_out *out);                                                  \
    mega_status prefix##_send(type *vector, const int32_t *env_ids, uint32_t count, const int32_t *actions, \
                              const float *strengths);                                                      \
    mega_status prefix##_recv(type *vector, int32_t timeout_ms, const mega_vector_out *out);                \
    mega_status prefix##_group_send(type *vector, uint32_t group, const int32_t *actions,                   \
                                    const float *strengths);                                                \
    mega_status prefix##_group_recv(type *vector, uint32_t group, int32_t timeout_ms,                       \
                                    const mega_vector_out *out);                                            \
    mega_status prefix##_group_restart(type *vector, uint32_t group);                                       \
    int32_t prefix##_failed(const type *vector);                                                            \
    uint32_t prefix##_count(const type *vector);                                                            \
    uint32_t prefix##_batch(const type *vector);                                                            \
    uint32_t prefix##_threads(const type *vector);                                                          \
    uint32_t prefix##_group(const type *vector, uint32_t group, uint32_t *first);                           \
    const uint8_t *prefix##_actions(const type *vector, uint32_t *count);                                   \
    size_t prefix##_observation_size(const type *vector);                                                   \
    uint32_t prefix##_outstanding(const type *vector);                                                      \
    const uint8_t *prefix##_observations(const type *vector);                                               \
    const uint8_t *prefix##_ram(const type *vector, uint32_t env_id);                                       \
    mega_status prefix##_set_ram(type *vector, uint32_t env_id, uint32_t index, uint32_t value);            \
    uint32_t prefix##_screen_height(const type *vector, uint32_t env_id);                                   \
    mega_status prefix##_screen(type *vector, uint32_t env_id, uint8_t *pixels, size_t size);               \
    mega_status prefix##_screen_rgb(type *vector, uint32_t env_id, uint8_t *pixels, size_t size);           \
    size_t prefix##_state_size(const type *vector);                                                         \
    mega_status prefix##_save(type *vector, const int32_t *env_ids, uint32_t count, void *bytes,            \
                              size_t size);                                                                 \
    mega_status prefix##_restore(type *vector, const int32_t *env_ids, uint32_t count, const void *bytes,   \
                                 size_t size);                                                              \
    mega_status prefix##_get_statistics(const type *vector, int32_t env_id, mega_vector_statistics *out);   \
    uint32_t prefix##_drain_episodes(type *vector, mega_episode *episodes, uint32_t capacity);              \
    const struct mega_lane_setup *prefix##_setup(const type *vector, uint32_t env_id)

VECTOR_ENGINE(cpu_vector, mega_cpu_vector);
VECTOR_ENGINE(cuda_vector, mega_cuda_vector);
mega_status cpu_vector_copy(mega_cpu_vector *to, const int32_t *to_ids, mega_cpu_vector *from,
                            const int32_t *from_ids, uint32_t count);
// What environment `env_id`, which there is, shares with the others of its game.
const struct mega_lane_setup *vector_setup(const mega_vector *vector, uint32_t env_id);
mega_status cuda_vector_get_device_view(mega_cuda_vector *vector, mega_vector_device_view *out);
mega_status cuda_vector_step_device(mega_cuda_vector *vector, uint32_t flags, const mega_vector_out *out);
mega_status cuda_vector_group_step_device(mega_cuda_vector *vector, uint32_t group, void *stream);
mega_status cuda_vector_group_restart_device(mega_cuda_vector *vector, uint32_t group, void *stream);
mega_status cuda_vector_group_make_stream_wait(mega_cuda_vector *vector, uint32_t group, void *stream);
mega_status cuda_vector_finish(mega_cuda_vector *vector);
mega_status cuda_vector_get_lanes(mega_cuda_vector *vector, uint64_t *needed, uint64_t *executed);
mega_status cuda_vector_wait_for_stream(mega_cuda_vector *vector, void *stream);
mega_status cuda_vector_make_stream_wait(mega_cuda_vector *vector, void *stream);
mega_status cuda_vector_take_actions(mega_cuda_vector *vector, const void *actions, size_t pitch);
mega_status cuda_vector_read(mega_cuda_vector *vector, const void *address, void *bytes, size_t size);

#endif
