// binding_vector.h - what the files of megacade._core.Vector share.
//
// Results of a batch lie in one block, its sections in the order of vector_section. The block is the data of
// a bytearray, from the first address in it that is a multiple of 64 on.
#ifndef BINDING_VECTOR_H
#define BINDING_VECTOR_H

#include "binding.h"

typedef enum vector_section {
    SECTION_OBSERVATIONS,
    SECTION_FINAL_OBSERVATIONS,
    SECTION_REWARDS,
    SECTION_TERMINATIONS,
    SECTION_TRUNCATIONS,
    SECTION_ENV_IDS,
    SECTION_LIVES,
    SECTION_FRAME_NUMBERS,
    SECTION_EPISODE_FRAME_NUMBERS,
    SECTION_COUNT
} vector_section;

typedef struct vector_object {
    PyObject ob_base;
    mega_vector *vector;
    uint32_t count;
    uint32_t batch;
    uint32_t action_count;
    float threshold;               // of continuous actions
    size_t offsets[SECTION_COUNT]; // within a block
    size_t block_size;
    int same_step;
    int32_t *actions; // [batch], as the library wants them
    float *strengths; // [batch]
    PyObject *held;   // capsule of the actions of the last step on a GPU, or NULL
    int busy;
} vector_object;

// The object, or NULL with an exception when another thread is using it.
vector_object *binding_vector_idle(PyObject *self);

// Numbers of environments: int32 in a bytes object. Returns how many, or -1 with an exception.
Py_ssize_t binding_vector_ids(PyObject *ids, const int32_t **out);

// Methods; those of playing are in binding_vector_play.c, those of looking in binding_vector_look.c,
// those that only a GPU has in binding_vector_device.c.
typedef PyObject *vector_fast_method(PyObject *self, PyObject *const *args, Py_ssize_t count);
typedef PyObject *vector_method(PyObject *self, PyObject *args);
vector_fast_method binding_vector_reset, binding_vector_step, binding_vector_send, binding_vector_recv;
vector_fast_method binding_vector_group_send, binding_vector_group_recv;
vector_method binding_vector_group, binding_vector_outstanding;
vector_method binding_vector_new_block, binding_vector_sections;
vector_method binding_vector_actions, binding_vector_threads, binding_vector_observations;
vector_method binding_vector_ram, binding_vector_set_ram, binding_vector_screen;
vector_method binding_vector_save, binding_vector_restore, binding_vector_copy;
vector_method binding_vector_statistics, binding_vector_episodes;
vector_method binding_vector_device, binding_vector_read, binding_vector_capsule, binding_vector_step_device;
vector_method binding_vector_wait_for_stream, binding_vector_make_stream_wait;

#endif
