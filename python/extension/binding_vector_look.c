// binding_vector_look.c - megacade._core.Vector: looking at environments, their states and their episodes.
#include <string.h>

#include "binding_vector.h"

// ---- what is there -----------------------------------------------------------------------------------

PyObject *binding_vector_actions(PyObject *object, PyObject *unused) {
    (void)unused;
    uint32_t count;
    const uint8_t *actions = mega_vector_actions(((vector_object *)object)->vector, &count);
    return PyBytes_FromStringAndSize((const char *)actions, (Py_ssize_t)count);
}

PyObject *binding_vector_threads(PyObject *object, PyObject *unused) {
    (void)unused;
    return PyLong_FromUnsignedLong(mega_vector_threads(((vector_object *)object)->vector));
}

PyObject *binding_vector_outstanding(PyObject *object, PyObject *unused) {
    (void)unused;
    const vector_object *self = binding_vector_idle(object);
    return self != NULL ? PyLong_FromUnsignedLong(mega_vector_outstanding(self->vector)) : NULL;
}

PyObject *binding_vector_group(PyObject *object, PyObject *args) {
    unsigned group;
    uint32_t first;
    if (!PyArg_ParseTuple(args, "I:group", &group)) {
        return NULL;
    }
    const uint32_t count = mega_vector_group(((vector_object *)object)->vector, group, &first);
    return Py_BuildValue("II", (unsigned)first, (unsigned)count);
}

PyObject *binding_vector_observations(PyObject *object, PyObject *unused) {
    (void)unused;
    return PyLong_FromVoidPtr((void *)(uintptr_t)mega_vector_observations(((vector_object *)object)->vector));
}

// ---- RAM and screens ---------------------------------------------------------------------------------

PyObject *binding_vector_ram(PyObject *object, PyObject *env_ids) {
    const vector_object *self = binding_vector_idle(object);
    const int32_t *ids;
    const Py_ssize_t count = self != NULL ? binding_vector_ids(env_ids, &ids) : -1;
    PyObject *bytes = count >= 0 ? PyByteArray_FromStringAndSize(NULL, count * MEGA_RAM_SIZE) : NULL;
    if (bytes == NULL) {
        return NULL;
    }
    char *data = PyByteArray_AsString(bytes);
    for (Py_ssize_t i = 0; i < count; i++, data += MEGA_RAM_SIZE) {
        const uint8_t *ram = mega_vector_ram(self->vector, (uint32_t)ids[i]);
        if (ram == NULL) {
            Py_DECREF(bytes);
            return binding_raise(MEGA_ERROR_ORDER);
        }
        memcpy(data, ram, MEGA_RAM_SIZE);
    }
    return bytes;
}

PyObject *binding_vector_set_ram(PyObject *object, PyObject *args) {
    const vector_object *self = binding_vector_idle(object);
    unsigned env_id, index, value;
    if (self == NULL || !PyArg_ParseTuple(args, "III:set_ram", &env_id, &index, &value)) {
        return NULL;
    }
    return binding_done(mega_vector_set_ram(self->vector, env_id, index, value));
}

PyObject *binding_vector_screen(PyObject *object, PyObject *args) {
    vector_object *self = binding_vector_idle(object);
    unsigned env_id;
    if (self == NULL || !PyArg_ParseTuple(args, "I:screen", &env_id)) {
        return NULL;
    }
    const uint32_t height = mega_vector_screen_height(self->vector, env_id);
    const size_t size = (size_t)height * MEGA_SCREEN_WIDTH * 3;
    PyObject *pixels = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (pixels == NULL) {
        return NULL;
    }
    uint8_t *data = (uint8_t *)PyByteArray_AsString(pixels);
    mega_status status;
    BINDING_RUN(self, status = mega_vector_screen_rgb(self->vector, env_id, data, size));
    if (status != MEGA_OK) {
        Py_DECREF(pixels);
        return binding_raise(status);
    }
    return Py_BuildValue("IN", (unsigned)height, pixels);
}

// ---- states ------------------------------------------------------------------------------------------

PyObject *binding_vector_save(PyObject *object, PyObject *env_ids) {
    vector_object *self = binding_vector_idle(object);
    const int32_t *ids;
    const Py_ssize_t count = self != NULL ? binding_vector_ids(env_ids, &ids) : -1;
    if (count < 0) {
        return NULL;
    }
    const size_t size = mega_vector_state_size(self->vector) * (size_t)count;
    PyObject *states = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (states == NULL) {
        return NULL;
    }
    void *data = PyByteArray_AsString(states);
    mega_status status;
    BINDING_RUN(self, status = mega_vector_save(self->vector, ids, (uint32_t)count, data, size));
    if (status != MEGA_OK) {
        Py_DECREF(states);
        return binding_raise(status);
    }
    return states;
}

PyObject *binding_vector_restore(PyObject *object, PyObject *args) {
    vector_object *self = binding_vector_idle(object);
    PyObject *env_ids, *states;
    const int32_t *ids;
    char *data;
    Py_ssize_t size, count;
    if (self == NULL || !PyArg_ParseTuple(args, "OO:restore", &env_ids, &states) ||
        (count = binding_vector_ids(env_ids, &ids)) < 0 ||
        PyBytes_AsStringAndSize(states, &data, &size) != 0) {
        return NULL;
    }
    mega_status status;
    BINDING_RUN(self, status = mega_vector_restore(self->vector, ids, (uint32_t)count, data, (size_t)size));
    return binding_done(status);
}

PyObject *binding_vector_copy(PyObject *object, PyObject *args) {
    vector_object *self = binding_vector_idle(object), *from;
    PyObject *to_ids, *source, *from_ids;
    const int32_t *to, *sources;
    if (self == NULL || !PyArg_ParseTuple(args, "SO!S:copy", &to_ids, Py_TYPE(object), &source, &from_ids) ||
        (from = binding_vector_idle(source)) == NULL) {
        return NULL;
    }
    const Py_ssize_t count = binding_vector_ids(to_ids, &to);
    if (binding_vector_ids(from_ids, &sources) != count) {
        PyErr_SetString(PyExc_ValueError, "to_ids and from_ids have different lengths");
        return NULL;
    }
    mega_status status;
    from->busy = 1;
    BINDING_RUN(self, status = mega_vector_copy(self->vector, to, from->vector, sources, (uint32_t)count));
    from->busy = 0;
    return binding_done(status);
}

// ---- episodes ----------------------------------------------------------------------------------------

PyObject *binding_vector_statistics(PyObject *object, PyObject *unused) {
    (void)unused;
    const vector_object *self = binding_vector_idle(object);
    if (self == NULL) {
        return NULL;
    }
    const size_t size = self->count * sizeof(mega_vector_statistics);
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes == NULL) {
        return NULL;
    }
    mega_vector_statistics *rows = (mega_vector_statistics *)(void *)PyByteArray_AsString(bytes);
    for (uint32_t i = 0; i < self->count; i++) {
        const mega_status status = mega_vector_get_statistics(self->vector, (int32_t)i, &rows[i]);
        if (status != MEGA_OK) {
            Py_DECREF(bytes);
            return binding_raise(status);
        }
    }
    return bytes;
}

PyObject *binding_vector_episodes(PyObject *object, PyObject *unused) {
    (void)unused;
    const vector_object *self = binding_vector_idle(object);
    PyObject *bytes = self != NULL ? PyByteArray_FromStringAndSize(NULL, 0) : NULL;
    mega_episode episodes[64];
    uint32_t count = 0;
    Py_ssize_t size = 0;
    while (bytes != NULL && (count = mega_vector_drain_episodes(self->vector, episodes, 64)) > 0) {
        const size_t more = count * sizeof(episodes[0]);
        if (PyByteArray_Resize(bytes, size + (Py_ssize_t)more) != 0) {
            Py_CLEAR(bytes);
            break;
        }
        memcpy(PyByteArray_AsString(bytes) + size, episodes, more);
        size += (Py_ssize_t)more;
    }
    return bytes;
}
