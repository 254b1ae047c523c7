// binding_rom.c - megacade._core.Rom, a cartridge image.
#include "binding.h"

// Takes the image over.
static PyObject *wrap_rom(PyTypeObject *type, mega_rom *rom) {
    rom_object *self = (rom_object *)PyType_GenericAlloc(type, 0);
    if (self == NULL) {
        mega_rom_destroy(rom);
        return NULL;
    }
    self->rom = rom;
    return (PyObject *)self;
}

static PyObject *rom_load(PyObject *type, PyObject *args) {
    PyObject *path = NULL;
    mega_rom *rom;
    if (!PyArg_ParseTuple(args, "O&:load", PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    const char *text = PyBytes_AsString(path);
    PyThreadState *thread = PyEval_SaveThread();
    const mega_status status = mega_rom_load(text, &rom);
    PyEval_RestoreThread(thread);
    Py_DECREF(path);
    return status == MEGA_OK ? wrap_rom((PyTypeObject *)type, rom) : binding_raise(status);
}

static PyObject *rom_find(PyObject *type, PyObject *args) {
    const char *game;
    PyObject *folder = NULL;
    mega_rom *rom;
    if (!PyArg_ParseTuple(args, "s|O&:find", &game, PyUnicode_FSConverter, &folder)) {
        return NULL;
    }
    const char *text = folder != NULL ? PyBytes_AsString(folder) : NULL;
    PyThreadState *thread = PyEval_SaveThread();
    const mega_status status = mega_rom_find(game, text, &rom);
    PyEval_RestoreThread(thread);
    Py_XDECREF(folder);
    return status == MEGA_OK ? wrap_rom((PyTypeObject *)type, rom) : binding_raise(status);
}

static PyObject *rom_info(PyObject *self, PyObject *unused) {
    (void)unused;
    const mega_rom_info *info = mega_rom_get_info(((rom_object *)self)->rom);
    const mega_game_info *game = mega_game_get_info(info->game);
    return Py_BuildValue("{s:N,s:N,s:s,s:s,s:s,s:n,s:z,s:I,s:N}", "name",
                         PyUnicode_DecodeFSDefault(info->name), "path", PyUnicode_DecodeFSDefault(info->path),
                         "md5", info->md5, "scheme", info->scheme, "format", info->format, "size",
                         (Py_ssize_t)info->size, "game", game != NULL ? game->name : NULL, "screen_height",
                         (unsigned)info->screen_height, "paddles", PyBool_FromLong((long)info->paddles));
}

static void rom_dealloc(PyObject *self) {
    mega_rom_destroy(((rom_object *)self)->rom);
    binding_free(self);
}

static PyMethodDef methods[] = {
    {"load", rom_load, METH_VARARGS | METH_CLASS, "load(path) -> the image in a file."},
    {"find", rom_find, METH_VARARGS | METH_CLASS,
     "find(game[, folder]) -> the game's image, recognised by content."},
    {"info", rom_info, METH_NOARGS, "info() -> what is known about the image."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)(intptr_t)rom_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_doc, "A cartridge image. Rom.load and Rom.find make one."},
    {0, NULL},
};

PyType_Spec rom_type_spec = {
    .name = "megacade._core.Rom",
    .basicsize = sizeof(rom_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};
