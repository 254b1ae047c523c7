// binding_vector_play.c - megacade._core.Vector: playing, with results into a block.
//
// A step is one call with a bytes object of actions and a block for the results, so that Python pays for it
// once and not once per environment.
#include <string.h>

#include "binding_vector.h"

#define BLOCK_ALIGNMENT 64
#define SLICE_MS 100 // how long recv waits before it looks for an interrupt

// ---- blocks ------------------------------------------------------------------------------------------

static char *align(char *data) {
    return data + (-(uintptr_t)data & (BLOCK_ALIGNMENT - 1));
}

PyObject *binding_vector_new_block(PyObject *object, PyObject *unused) {
    (void)unused;
    const vector_object *self = (vector_object *)object;
    PyObject *block = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(self->block_size + BLOCK_ALIGNMENT));
    if (block == NULL) {
        return NULL;
    }
    char *data = PyByteArray_AsString(block);
    // Rows of final observations are seldom written, and should not show what the memory held before.
    const size_t final = self->offsets[SECTION_FINAL_OBSERVATIONS];
    memset(align(data) + final, 0, self->offsets[SECTION_REWARDS] - final);
    return Py_BuildValue("Nn", block, (Py_ssize_t)(align(data) - data));
}

PyObject *binding_vector_sections(PyObject *object, PyObject *unused) {
    static const char *const names[SECTION_COUNT] = {
        [SECTION_OBSERVATIONS] = "observations",
        [SECTION_FINAL_OBSERVATIONS] = "final_observations",
        [SECTION_REWARDS] = "rewards",
        [SECTION_TERMINATIONS] = "terminations",
        [SECTION_TRUNCATIONS] = "truncations",
        [SECTION_ENV_IDS] = "env_ids",
        [SECTION_LIVES] = "lives",
        [SECTION_FRAME_NUMBERS] = "frame_numbers",
        [SECTION_EPISODE_FRAME_NUMBERS] = "episode_frame_numbers",
    };
    (void)unused;
    const vector_object *self = (vector_object *)object;
    PyObject *sections = PyDict_New();
    for (int i = 0; sections != NULL && i < SECTION_COUNT; i++) {
        if (i == SECTION_FINAL_OBSERVATIONS && !self->same_step) {
            continue;
        }
        const char *type = i <= SECTION_FINAL_OBSERVATIONS                         ? "u1"
                           : i == SECTION_TERMINATIONS || i == SECTION_TRUNCATIONS ? "?"
                                                                                   : "i4";
        PyObject *section = Py_BuildValue("ns", (Py_ssize_t)self->offsets[i], type);
        if (section == NULL || PyDict_SetItemString(sections, names[i], section) != 0) {
            Py_CLEAR(sections);
        }
        Py_XDECREF(section);
    }
    return sections;
}

// Where the results go, from row `first` on. With `own`, observations stay where the vector keeps them. Returns
// -1 with an exception. None: all results stay where the vector keeps them.
static int read_block(const vector_object *self, PyObject *block, PyObject *own, uint32_t first,
                      mega_vector_out *out) {
    if (block == Py_None) {
        *out = (mega_vector_out){0};
        return 0;
    }
    const Py_ssize_t size = PyByteArray_Check(block) ? PyByteArray_Size(block) : -1;
    if (size != (Py_ssize_t)(self->block_size + BLOCK_ALIGNMENT)) {
        PyErr_SetString(PyExc_TypeError, "results need a bytearray that new_block made");
        return -1;
    }
    uint8_t *data = (uint8_t *)align(PyByteArray_AsString(block));
    const size_t *offsets = self->offsets, skipped = first * mega_vector_observation_size(self->vector);
    *out = (mega_vector_out){
        .observations = PyObject_IsTrue(own) ? NULL : data + offsets[SECTION_OBSERVATIONS] + skipped,
        .final_observations = self->same_step ? data + offsets[SECTION_FINAL_OBSERVATIONS] + skipped : NULL,
        .rewards = (int32_t *)(void *)(data + offsets[SECTION_REWARDS]) + first,
        .terminations = data + offsets[SECTION_TERMINATIONS] + first,
        .truncations = data + offsets[SECTION_TRUNCATIONS] + first,
        .env_ids = (int32_t *)(void *)(data + offsets[SECTION_ENV_IDS]) + first,
        .lives = (int32_t *)(void *)(data + offsets[SECTION_LIVES]) + first,
        .frame_numbers = (int32_t *)(void *)(data + offsets[SECTION_FRAME_NUMBERS]) + first,
        .episode_frame_numbers = (int32_t *)(void *)(data + offsets[SECTION_EPISODE_FRAME_NUMBERS]) + first,
    };
    return 0;
}

// Whether a row says that an episode ended, or may have done so unseen; the exception of a failed call.
static PyObject *any_end(uint32_t rows, mega_status status, const mega_vector_out *out) {
    if (status != MEGA_OK) {
        return binding_raise(status);
    }
    return PyBool_FromLong(out->terminations == NULL || memchr(out->terminations, 1, rows) != NULL ||
                           memchr(out->truncations, 1, rows) != NULL);
}

// ---- actions -----------------------------------------------------------------------------------------

static int read_indices(vector_object *self, const int64_t *indices, uint32_t rows) {
    for (uint32_t i = 0; i < rows; i++) {
        if (indices[i] < 0 || indices[i] >= (int64_t)self->action_count) {
            PyErr_Format(PyExc_ValueError, "action %lld in row %u is not one of 0 to %u",
                         (long long)indices[i], i, self->action_count - 1);
            return -1;
        }
        self->actions[i] = (int32_t)indices[i];
    }
    return 0;
}

// Radius, angle and fire of each row. The number of the action that is meant serves as index, as in ale-py:
// the two are the same wherever all actions are legal.
static int read_polar(vector_object *self, const float *polar, uint32_t rows) {
    for (uint32_t i = 0; i < rows; i++, polar += 3) {
        uint32_t action;
        const mega_status status =
            mega_action_from_polar(polar[0], polar[1], polar[2], self->threshold, &action);
        if (status != MEGA_OK) {
            binding_raise(status);
            return -1;
        }
        self->actions[i] = (int32_t)action;
        self->strengths[i] = polar[0];
    }
    return 0;
}

// Takes actions over: the size of the bytes tells int32, int64 and float32 triples apart. *out is what the
// library gets as strengths. Returns -1 with an exception.
static int read_actions(vector_object *self, PyObject *actions, PyObject *strengths, uint32_t rows,
                        const float **out) {
    char *data, *forces = NULL;
    Py_ssize_t size, forces_size = 0;
    const Py_ssize_t batch = (Py_ssize_t)rows;
    if (PyBytes_AsStringAndSize(actions, &data, &size) != 0 ||
        (strengths != Py_None && PyBytes_AsStringAndSize(strengths, &forces, &forces_size) != 0)) {
        return -1;
    }
    *out = NULL;
    if (size == batch * (Py_ssize_t)sizeof(float[3])) {
        *out = self->strengths;
        return read_polar(self, (const float *)(const void *)data, rows);
    }
    if (forces != NULL && forces_size == batch * (Py_ssize_t)sizeof(float)) {
        memcpy(self->strengths, forces, (size_t)forces_size);
        *out = self->strengths;
    }
    if (size == batch * (Py_ssize_t)sizeof(int64_t)) {
        return read_indices(self, (const int64_t *)(const void *)data, rows);
    }
    if (size != batch * (Py_ssize_t)sizeof(int32_t) || (forces != NULL && *out == NULL)) {
        PyErr_Format(PyExc_ValueError, "expected %zd actions", batch);
        return -1;
    }
    memcpy(self->actions, data, (size_t)size);
    return 0;
}

// ---- methods -----------------------------------------------------------------------------------------

static vector_object *check_call(PyObject *self, Py_ssize_t count, Py_ssize_t expected) {
    if (count != expected) {
        PyErr_Format(PyExc_TypeError, "expected %zd arguments, got %zd", expected, count);
        return NULL;
    }
    return binding_vector_idle(self);
}

// A bytes object with `size` bytes, or NULL for None. Returns -1 with an exception.
static int read_optional(PyObject *bytes, size_t size, const void **out) {
    char *data;
    Py_ssize_t found;
    *out = NULL;
    if (bytes == Py_None) {
        return 0;
    }
    if (PyBytes_AsStringAndSize(bytes, &data, &found) != 0) {
        return -1;
    }
    if (found != (Py_ssize_t)size) {
        PyErr_Format(PyExc_ValueError, "a mask or seeds of %zd bytes, expected %zu", found, size);
        return -1;
    }
    *out = data;
    return 0;
}

PyObject *binding_vector_reset(PyObject *object, PyObject *const *args, Py_ssize_t count) {
    vector_object *self = check_call(object, count, 4);
    mega_vector_out out;
    const void *mask, *seeds;
    mega_status status;
    if (self == NULL || read_optional(args[0], self->count, &mask) != 0 ||
        read_optional(args[1], self->count * sizeof(int32_t), &seeds) != 0 ||
        read_block(self, args[2], args[3], 0, &out) != 0) {
        return NULL;
    }
    BINDING_RUN(self, status = mega_vector_reset(self->vector, mask, seeds, &out));
    return binding_done(status);
}

PyObject *binding_vector_step(PyObject *object, PyObject *const *args, Py_ssize_t count) {
    vector_object *self = check_call(object, count, 4);
    mega_vector_out out;
    const float *strengths;
    mega_status status;
    if (self == NULL || read_actions(self, args[0], args[1], self->batch, &strengths) != 0 ||
        read_block(self, args[2], args[3], 0, &out) != 0) {
        return NULL;
    }
    BINDING_RUN(self, status = mega_vector_step(self->vector, self->actions, strengths, &out));
    return any_end(self->batch, status, &out);
}

PyObject *binding_vector_send(PyObject *object, PyObject *const *args, Py_ssize_t count) {
    vector_object *self = check_call(object, count, 2);
    const float *strengths;
    if (self == NULL || read_actions(self, args[0], args[1], self->batch, &strengths) != 0) {
        return NULL;
    }
    return binding_done(mega_vector_send(self->vector, NULL, self->batch, self->actions, strengths));
}

PyObject *binding_vector_recv(PyObject *object, PyObject *const *args, Py_ssize_t count) {
    vector_object *self = check_call(object, count, 2);
    mega_vector_out out;
    mega_status status;
    if (self == NULL || read_block(self, args[0], args[1], 0, &out) != 0) {
        return NULL;
    }
    do {
        BINDING_RUN(self, status = mega_vector_recv(self->vector, SLICE_MS, &out));
        if (status == MEGA_ERROR_TIMEOUT && PyErr_CheckSignals() != 0) {
            return NULL; // nothing is lost: the results wait for the next recv
        }
    } while (status == MEGA_ERROR_TIMEOUT);
    return any_end(self->batch, status, &out);
}

// ---- groups ------------------------------------------------------------------------------------------

// The group that the first argument names, and how many environments it has; 0 with an exception.
static uint32_t read_group(const vector_object *self, PyObject *number, uint32_t *group, uint32_t *first) {
    const unsigned long value = PyLong_AsUnsignedLong(number);
    if (PyErr_Occurred()) {
        return 0;
    }
    *group = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    const uint32_t rows = mega_vector_group(self->vector, *group, first);
    if (rows == 0) {
        PyErr_Format(PyExc_IndexError, "there is no group %lu", value);
    }
    return rows;
}

PyObject *binding_vector_group_send(PyObject *object, PyObject *const *args, Py_ssize_t count) {
    vector_object *self = check_call(object, count, 2);
    const float *strengths;
    uint32_t group, first;
    const uint32_t rows = self != NULL ? read_group(self, args[0], &group, &first) : 0;
    if (rows == 0 || read_actions(self, args[1], Py_None, rows, &strengths) != 0) {
        return NULL;
    }
    return binding_done(mega_vector_group_send(self->vector, group, self->actions, strengths));
}

PyObject *binding_vector_group_recv(PyObject *object, PyObject *const *args, Py_ssize_t count) {
    vector_object *self = check_call(object, count, 3);
    mega_vector_out out;
    mega_status status;
    uint32_t group, first;
    const uint32_t rows = self != NULL ? read_group(self, args[0], &group, &first) : 0;
    if (rows == 0 || read_block(self, args[1], args[2], self->batch == self->count ? first : 0, &out) != 0) {
        return NULL;
    }
    do {
        BINDING_RUN(self, status = mega_vector_group_recv(self->vector, group, SLICE_MS, &out));
        if (status == MEGA_ERROR_TIMEOUT && PyErr_CheckSignals() != 0) {
            return NULL; // nothing is lost: the results wait for the next group_recv
        }
    } while (status == MEGA_ERROR_TIMEOUT);
    return any_end(rows, status, &out);
}
