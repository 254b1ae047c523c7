// binding_module.c - the module megacade._core: its types, and the functions that need no object.
#include "binding.h"

typedef struct module_state {
    PyTypeObject *rom_type;
} module_state;

PyTypeObject *binding_rom_type(PyTypeObject *type) {
    const module_state *state = PyType_GetModuleState(type);
    return state != NULL ? state->rom_type : NULL;
}

PyObject *binding_raise(mega_status status) {
    PyObject *kind = PyExc_RuntimeError; // what ale-py raises for all but wrong types
    if (status == MEGA_ERROR_MEMORY) {
        kind = PyExc_MemoryError;
    } else if (status == MEGA_ERROR_ARGUMENT || status == MEGA_ERROR_ACTION) {
        kind = PyExc_ValueError;
    } else if (status == MEGA_ERROR_ROM_NOT_FOUND) {
        kind = PyExc_FileNotFoundError;
    }
    PyObject *sentence = PyUnicode_DecodeFSDefault(mega_last_error()); // it may name a file
    if (sentence != NULL) {
        PyErr_SetObject(kind, sentence);
        Py_DECREF(sentence);
    }
    return NULL;
}

PyObject *binding_done(mega_status status) {
    return status == MEGA_OK ? Py_NewRef(Py_None) : binding_raise(status);
}

void binding_free(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

// ---- functions ---------------------------------------------------------------------------------------

static PyObject *version(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return PyUnicode_FromString(mega_version());
}

// The action numbers whose bits are set.
static PyObject *actions_of(uint32_t set) {
    PyObject *list = PyList_New(0);
    for (uint32_t action = 0; list != NULL && action < MEGA_ACTION_COUNT; action++) {
        if ((set >> action & 1u) == 0) {
            continue;
        }
        PyObject *number = PyLong_FromUnsignedLong(action);
        if (number == NULL || PyList_Append(list, number) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(number);
    }
    return list;
}

static PyObject *modes_of(const mega_game_info *info) {
    PyObject *list = PyList_New((Py_ssize_t)info->mode_count);
    for (uint32_t i = 0; list != NULL && i < info->mode_count; i++) {
        if (PyList_SetItem(list, (Py_ssize_t)i, PyLong_FromLong(info->modes[i])) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *difficulties_of(const mega_game_info *info) {
    PyObject *list = PyList_New((Py_ssize_t)info->difficulty_count);
    for (uint32_t i = 0; list != NULL && i < info->difficulty_count; i++) {
        if (PyList_SetItem(list, (Py_ssize_t)i, PyLong_FromLong(info->difficulties[i])) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

// "N" hands the lists over; a NULL among them makes Py_BuildValue fail with the exception already set.
static PyObject *game_of(const mega_game_info *info) {
    return Py_BuildValue("{s:s,s:s,s:s,s:N,s:N,s:N,s:N,s:N}", "name", info->name, "title", info->title, "md5",
                         info->md5, "minimal_actions", actions_of(info->minimal_actions), "legal_actions",
                         actions_of(info->legal_actions), "modes", modes_of(info), "difficulties",
                         difficulties_of(info), "builtin", PyBool_FromLong((long)info->builtin));
}

static PyObject *games(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    for (int32_t i = 0; list != NULL && i < (int32_t)mega_game_count(); i++) {
        PyObject *game = game_of(mega_game_get_info(i));
        if (game == NULL || PyList_Append(list, game) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(game);
    }
    return list;
}

static PyObject *rom_folders(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    const char *path;
    for (uint32_t i = 0; list != NULL && (path = mega_rom_search_path(i)) != NULL; i++) {
        PyObject *folder = PyUnicode_DecodeFSDefault(path);
        if (folder == NULL || PyList_Append(list, folder) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(folder);
    }
    return list;
}

static PyObject *add_compiler_folder(PyObject *module, PyObject *name) {
    (void)module;
    PyObject *bytes;
    if (!PyUnicode_FSConverter(name, &bytes)) {
        return NULL;
    }
    const mega_status status = mega_cuda_add_folder(PyBytes_AsString(bytes));
    Py_DECREF(bytes);
    return binding_done(status);
}

static PyObject *action_from_polar(PyObject *module, PyObject *args) {
    (void)module;
    float radius, theta, fire, threshold;
    uint32_t action;
    if (!PyArg_ParseTuple(args, "ffff:action_from_polar", &radius, &theta, &fire, &threshold)) {
        return NULL;
    }
    const mega_status status = mega_action_from_polar(radius, theta, fire, threshold, &action);
    return status == MEGA_OK ? PyLong_FromUnsignedLong(action) : binding_raise(status);
}

static PyMethodDef functions[] = {
    {"version", version, METH_NOARGS, "The version of the library."},
    {"games", games, METH_NOARGS, "The games that rules are known for, sorted by name."},
    {"rom_folders", rom_folders, METH_NOARGS, "The folders that are searched for cartridge images."},
    {"add_compiler_folder", add_compiler_folder, METH_O,
     "add_compiler_folder(folder): a further place where the GPU's compiler is looked for."},
    {"action_from_polar", action_from_polar, METH_VARARGS,
     "action_from_polar(radius, theta, fire, threshold) -> the number of the action that is meant."},
    {NULL, NULL, 0, NULL},
};

// ---- module ------------------------------------------------------------------------------------------

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec) {
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    if (type != NULL && PyModule_AddType(module, type) != 0) {
        Py_CLEAR(type);
    }
    return type;
}

static int fill_module(PyObject *module) {
    module_state *state = PyModule_GetState(module);
    state->rom_type = add_type(module, &rom_type_spec);
    if (state->rom_type == NULL) {
        return -1;
    }
    PyTypeObject *env_type = add_type(module, &env_type_spec);
    PyTypeObject *vector_type = add_type(module, &vector_type_spec);
    const int failed = env_type == NULL || vector_type == NULL ||
                       PyModule_AddIntConstant(module, "SCREEN_WIDTH", MEGA_SCREEN_WIDTH) != 0 ||
                       PyModule_AddIntConstant(module, "RAM_SIZE", MEGA_RAM_SIZE) != 0 ||
                       PyModule_AddIntConstant(module, "AUDIO_SIZE", MEGA_AUDIO_SIZE) != 0;
    Py_XDECREF(env_type);
    Py_XDECREF(vector_type);
    return failed ? -1 : 0;
}

static int visit_module(PyObject *module, visitproc visit, void *arg) {
    module_state *state = PyModule_GetState(module);
    Py_VISIT(state->rom_type);
    return 0;
}

static int clear_module(PyObject *module) {
    module_state *state = PyModule_GetState(module);
    Py_CLEAR(state->rom_type);
    return 0;
}

static void free_module(void *module) {
    clear_module(module);
}

// ISO C has no cast from function to data pointers, which the slots are made of; POSIX does.
static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)(intptr_t)fill_module},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_core",
    .m_doc = "The C library of Megacade, as close to megacade.h as Python allows. Use megacade instead.",
    .m_size = sizeof(module_state),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = visit_module,
    .m_clear = clear_module,
    .m_free = free_module,
};

PyMODINIT_FUNC PyInit__core(void) {
    return PyModuleDef_Init(&definition);
}
