// binding_vector_device.c - megacade._core.Vector on a GPU: its arrays as DLPack capsules, actions from those of others.
//
// Arrays are never copied: a capsule keeps the vector, and so the GPU's memory, until its consumer is done.
#include <stdlib.h>

#include "binding_vector.h"
#include "dlpack.h"

#define DIMENSIONS_MAX 8

static const char plain_name[] = "dltensor", versioned_name[] = "dltensor_versioned";

// ---- what is there -----------------------------------------------------------------------------------

PyObject *binding_vector_device(PyObject *object, PyObject *unused) {
    (void)unused;
    const vector_object *self = binding_vector_idle(object);
    mega_vector_device_view view;
    if (self == NULL) {
        return NULL;
    }
    const mega_status status = mega_vector_get_device_view(self->vector, &view);
    if (status != MEGA_OK) {
        return binding_raise(status);
    }
#define ADDRESS(name) #name, PyLong_FromVoidPtr(view.name)
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:i}", ADDRESS(observations),
                         ADDRESS(final_observations), ADDRESS(rewards), ADDRESS(terminations),
                         ADDRESS(truncations), ADDRESS(lives), ADDRESS(frame_numbers),
                         ADDRESS(episode_frame_numbers), ADDRESS(stream), "device", (int)view.device);
#undef ADDRESS
}

PyObject *binding_vector_read(PyObject *object, PyObject *args) {
    vector_object *self = binding_vector_idle(object);
    unsigned long long address;
    Py_ssize_t size;
    if (self == NULL || !PyArg_ParseTuple(args, "Kn:read", &address, &size)) {
        return NULL;
    }
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, size);
    if (bytes == NULL) {
        return NULL;
    }
    void *data = PyByteArray_AsString(bytes);
    mega_status status;
    BINDING_RUN(
        self, status = mega_vector_read(self->vector, (const void *)(uintptr_t)address, data, (size_t)size));
    if (status != MEGA_OK) {
        Py_DECREF(bytes);
        return binding_raise(status);
    }
    return bytes;
}

// ---- streams -----------------------------------------------------------------------------------------

static PyObject *with_stream(PyObject *object, PyObject *number,
                             mega_status (*order)(mega_vector *vector, void *stream)) {
    const vector_object *self = binding_vector_idle(object);
    const unsigned long long stream = self != NULL ? PyLong_AsUnsignedLongLong(number) : 0;
    if (self == NULL || PyErr_Occurred()) {
        return NULL;
    }
    return binding_done(order(self->vector, (void *)(uintptr_t)stream));
}

PyObject *binding_vector_wait_for_stream(PyObject *object, PyObject *number) {
    return with_stream(object, number, mega_vector_wait_for_stream);
}

PyObject *binding_vector_make_stream_wait(PyObject *object, PyObject *number) {
    return with_stream(object, number, mega_vector_make_stream_wait);
}

// ---- arrays of this vector ---------------------------------------------------------------------------

// Both kinds in one, so that there is one way to make and to free them.
typedef struct array_lease {
    dlpack_managed plain;
    dlpack_versioned versioned;
    int64_t shape[DIMENSIONS_MAX], strides[DIMENSIONS_MAX];
    PyObject *owner;
} array_lease;

// Any thread may be the consumer's, and the interpreter may be gone.
static void end_lease(array_lease *lease) {
    if (Py_IsInitialized()) {
        const PyGILState_STATE state = PyGILState_Ensure();
        Py_DECREF(lease->owner);
        PyGILState_Release(state);
    }
    free(lease);
}

static void delete_plain(dlpack_managed *managed) {
    end_lease(managed->context);
}

static void delete_versioned(dlpack_versioned *managed) {
    end_lease(managed->context);
}

// A capsule that nobody consumed.
static void drop_capsule(PyObject *capsule) {
    const int versioned = PyCapsule_IsValid(capsule, versioned_name);
    if (versioned || PyCapsule_IsValid(capsule, plain_name)) {
        array_lease *lease =
            versioned ? ((dlpack_versioned *)PyCapsule_GetPointer(capsule, versioned_name))->context
                      : ((dlpack_managed *)PyCapsule_GetPointer(capsule, plain_name))->context;
        end_lease(lease);
    }
}

static int fill_shape(array_lease *lease, PyObject *shape) {
    const Py_ssize_t ndim = PyTuple_Size(shape);
    if (ndim < 1 || ndim > DIMENSIONS_MAX) {
        PyErr_SetString(PyExc_ValueError, "an array has 1 to 8 dimensions");
        return -1;
    }
    int64_t stride = 1;
    for (Py_ssize_t i = ndim; i-- > 0;) {
        lease->shape[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
        lease->strides[i] = stride;
        stride *= lease->shape[i];
    }
    lease->plain.tensor.ndim = (int32_t)ndim;
    return PyErr_Occurred() ? -1 : 0;
}

PyObject *binding_vector_capsule(PyObject *object, PyObject *args) {
    unsigned long long address;
    const char *kind;
    PyObject *shape;
    int device, versioned;
    if (!PyArg_ParseTuple(args, "KisO!p:capsule", &address, &device, &kind, &PyTuple_Type, &shape,
                          &versioned)) {
        return NULL;
    }
    array_lease *lease = calloc(1, sizeof(*lease));
    if (lease == NULL) {
        return PyErr_NoMemory();
    }
    if (fill_shape(lease, shape) != 0) {
        free(lease);
        return NULL;
    }
    dlpack_tensor *tensor = &lease->plain.tensor;
    tensor->data = (void *)(uintptr_t)address;
    tensor->device_type = DLPACK_CUDA;
    tensor->device_id = device;
    tensor->code = kind[0] == 'u' ? DLPACK_UINT : kind[0] == 'i' ? DLPACK_INT : DLPACK_BOOL;
    tensor->bits = kind[0] == 'i' ? 32 : 8;
    tensor->lanes = 1;
    tensor->shape = lease->shape;
    tensor->strides = lease->strides;
    lease->plain.context = lease;
    lease->plain.deleter = delete_plain;
    lease->versioned = (dlpack_versioned){1, 0, lease, delete_versioned, 0, *tensor};
    lease->owner = Py_NewRef(object);
    PyObject *capsule = versioned ? PyCapsule_New(&lease->versioned, versioned_name, drop_capsule)
                                  : PyCapsule_New(&lease->plain, plain_name, drop_capsule);
    if (capsule == NULL) {
        end_lease(lease);
    }
    return capsule;
}

// ---- arrays of others --------------------------------------------------------------------------------

// One integer of 32 or 64 bits per environment, on the vector's GPU. *pitch is the way from one to the next.
static int check_actions(const vector_object *self, const dlpack_tensor *tensor, size_t *pitch) {
    mega_vector_device_view view;
    if (mega_vector_get_device_view(self->vector, &view) != MEGA_OK) {
        PyErr_SetString(PyExc_ValueError, "these actions are on a GPU, and the vector is not");
        return -1;
    }
    if ((tensor->device_type != DLPACK_CUDA && tensor->device_type != DLPACK_CUDA_MANAGED) ||
        tensor->device_id != view.device) {
        PyErr_Format(PyExc_ValueError,
                     "the actions are on device %d of DLPack's type %d, the vector is on cuda:%d; copy them",
                     (int)tensor->device_id, (int)tensor->device_type, (int)view.device);
        return -1;
    }
    const int integer = tensor->code == DLPACK_INT || tensor->code == DLPACK_UINT;
    if (!integer || (tensor->bits != 32 && tensor->bits != 64) || tensor->lanes != 1) {
        PyErr_SetString(PyExc_TypeError, "actions on a GPU must be int32 or int64");
        return -1;
    }
    if (tensor->ndim != 1 || tensor->shape[0] != (int64_t)self->count) {
        PyErr_Format(PyExc_ValueError, "actions must have the shape (%u,)", (unsigned)self->count);
        return -1;
    }
    const int64_t stride = tensor->strides != NULL && self->count > 1 ? tensor->strides[0] : 1;
    if (stride < 1) {
        PyErr_SetString(PyExc_ValueError, "actions must lie one after the other; make them contiguous");
        return -1;
    }
    *pitch = (size_t)stride * tensor->bits / 8;
    return 0;
}

// The bytes of the actions must stay until they were taken, which may be later: until the next actions come.
static void hold_actions(vector_object *self, PyObject *capsule) {
    PyObject *before = self->held;
    self->held = Py_NewRef(capsule);
    Py_XDECREF(before);
}

PyObject *binding_vector_step_device(PyObject *object, PyObject *capsule) {
    vector_object *self = binding_vector_idle(object);
    size_t pitch;
    if (self == NULL) {
        return NULL;
    }
    const int versioned = PyCapsule_IsValid(capsule, versioned_name);
    if (!versioned && !PyCapsule_IsValid(capsule, plain_name)) {
        PyErr_SetString(PyExc_TypeError, "actions need a DLPack capsule that nobody has consumed");
        return NULL;
    }
    const dlpack_tensor *tensor =
        versioned ? &((dlpack_versioned *)PyCapsule_GetPointer(capsule, versioned_name))->tensor
                  : &((dlpack_managed *)PyCapsule_GetPointer(capsule, plain_name))->tensor;
    if (check_actions(self, tensor, &pitch) != 0) {
        return NULL;
    }
    const uint8_t *data = (const uint8_t *)tensor->data + tensor->byte_offset;
    mega_status status;
    BINDING_RUN(self, status = mega_vector_take_actions(self->vector, data, pitch));
    if (status == MEGA_OK) {
        hold_actions(self, capsule);
        BINDING_RUN(self, status = mega_vector_step_device(self->vector, MEGA_STEP_NO_WAIT, NULL));
    }
    return binding_done(status);
}
