// binding.h - what the files of the extension megacade._core share.
//
// The extension is C on Python's stable ABI of 3.10. That ABI has no buffer protocol, so arrays travel as
// bytearray objects: this side makes and fills them, NumPy looks at them without a copy.
//
// Objects here are thin: one handle of megacade.h each. What ale-py's classes mean is Python's part.
#ifndef BINDING_H
#define BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <megacade.h>

typedef struct rom_object {
    PyObject ob_base;
    mega_rom *rom;
} rom_object;

extern PyType_Spec rom_type_spec;    // megacade._core.Rom
extern PyType_Spec env_type_spec;    // megacade._core.Env
extern PyType_Spec vector_type_spec; // megacade._core.Vector

// The type Rom, which the other constructors want; borrowed from the module that `type` belongs to.
PyTypeObject *binding_rom_type(PyTypeObject *type);

// Sets the Python exception that stands for a failed call, with the library's sentence. Returns NULL.
PyObject *binding_raise(mega_status status);

// Runs `call` without the GIL. `busy` of the object, read and written with the GIL held, keeps others out.
#define BINDING_RUN(object, call)                    \
    do {                                             \
        (object)->busy = 1;                          \
        PyThreadState *thread = PyEval_SaveThread(); \
        call;                                        \
        PyEval_RestoreThread(thread);                \
        (object)->busy = 0;                          \
    } while (0)

// None, or the exception of a failed call.
PyObject *binding_done(mega_status status);

// Frees an object of a heap type, after its own parts were released.
void binding_free(PyObject *self);

#endif
