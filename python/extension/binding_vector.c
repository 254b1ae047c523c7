// binding_vector.c - megacade._core.Vector, many environments: its life and its type.
//
// A vector belongs to one call at a time, like an Env. It has no close: its threads and its memory last as
// long as the object, because arrays may look at that memory.
#include <stdlib.h>
#include <string.h>

#include "binding_vector.h"

vector_object *binding_vector_idle(PyObject *self) {
    vector_object *object = (vector_object *)self;
    if (object->busy) {
        PyErr_SetString(PyExc_RuntimeError,
                        "another thread is using this vector; give each thread one of its own");
        return NULL;
    }
    return object;
}

Py_ssize_t binding_vector_ids(PyObject *ids, const int32_t **out) {
    char *data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(ids, &data, &size) != 0) {
        return -1;
    }
    *out = (const int32_t *)(const void *)data;
    return size / (Py_ssize_t)sizeof(int32_t);
}

// ---- description -------------------------------------------------------------------------------------

// The numbers of a desc that are given as int and must not be negative; 0 would mean the library's default.
static int check_positive(const char *name, int value) {
    if (value < 1) {
        PyErr_Format(PyExc_ValueError, "%s is %d, expected 1 or more", name, value);
        return -1;
    }
    return 0;
}

// Borrows the images of a list. The array is the caller's to free.
static const mega_rom **roms_of(PyTypeObject *type, PyObject *list, uint32_t *count) {
    const Py_ssize_t size = PyList_Size(list);
    const mega_rom **roms = size > 0 ? calloc((size_t)size, sizeof(mega_rom *)) : NULL;
    for (Py_ssize_t i = 0; roms != NULL && i < size; i++) {
        PyObject *rom = PyList_GetItem(list, i);
        if (!PyObject_TypeCheck(rom, binding_rom_type(type))) {
            PyErr_SetString(PyExc_TypeError, "roms must be a list of Rom");
            free(roms);
            return NULL;
        }
        roms[i] = ((rom_object *)rom)->rom;
    }
    if (roms == NULL) {
        PyErr_SetString(PyExc_ValueError, "roms is empty, or there is no memory for it");
    }
    *count = (uint32_t)size;
    return roms;
}

// One int32 per environment in a bytes object, or NULL for None. Returns -1 with an exception.
static int numbers_of(PyObject *bytes, uint32_t count, const char *what, const int32_t **out) {
    *out = NULL;
    if (bytes == Py_None) {
        return 0;
    }
    const Py_ssize_t found = binding_vector_ids(bytes, out);
    if (found >= 0 && found != (Py_ssize_t)count) {
        PyErr_Format(PyExc_ValueError, "%zd %s for %u environments", found, what, count);
    }
    return found == (Py_ssize_t)count ? 0 : -1;
}

static int read_desc(PyObject *args, PyObject *kwargs, mega_vector_desc *desc, float *threshold,
                     PyObject **roms, PyObject **modes, PyObject **difficulties) {
    static char *names[] = {"roms",
                            "count",
                            "batch",
                            "threads",
                            "pin",
                            "same_step",
                            "seed",
                            "modes",
                            "difficulties",
                            "frame_skip",
                            "height",
                            "width",
                            "stack",
                            "noop_max",
                            "max_episode_frames",
                            "sticky",
                            "grayscale",
                            "maxpool",
                            "fire_reset",
                            "reward_clipping",
                            "full_actions",
                            "episodic_life",
                            "life_loss_info",
                            "envpool",
                            "threshold",
                            "groups",
                            "start_states",
                            "start_seed",
                            "translate",
                            "device",
                            NULL};
    int count, batch, threads, pin, same_step, skip, height, width, stack, noops, frames, groups, starts,
        translate;
    int gray, pool, fire, clip, full, episodic, life_loss, envpool;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!$iiiipIOOiiiiiifppppppppfiiIis:Vector", names,
                                     &PyList_Type, roms, &count, &batch, &threads, &pin, &same_step,
                                     &desc->seed, modes, difficulties, &skip, &height, &width, &stack, &noops,
                                     &frames, &desc->task.sticky, &gray, &pool, &fire, &clip, &full,
                                     &episodic, &life_loss, &envpool, threshold, &groups, &starts,
                                     &desc->start_seed, &translate, &desc->device)) {
        return -1;
    }
    if (check_positive("num_envs", count) || check_positive("batch_size", batch) ||
        check_positive("frameskip", skip) || check_positive("img_height", height) ||
        check_positive("img_width", width) || check_positive("stack_num", stack) ||
        check_positive("max_num_frames_per_episode", frames) || check_positive("groups", groups) ||
        (starts != 0 && check_positive("start_states", starts))) {
        return -1;
    }
    desc->groups = (uint32_t)groups;
    desc->start_states = (uint32_t)starts;
    desc->task.envpool = (uint8_t)envpool;
    desc->task.translate = (uint8_t)translate;
    desc->count = (uint32_t)count;
    desc->batch = (uint32_t)batch;
    desc->threads = (uint32_t)threads;
    desc->pin = (uint32_t)pin;
    desc->autoreset = same_step ? MEGA_AUTORESET_SAME_STEP : MEGA_AUTORESET_NEXT_STEP;
    desc->task.frame_skip = (uint32_t)skip;
    desc->task.height = (uint32_t)height;
    desc->task.width = (uint32_t)width;
    desc->task.stack = (uint32_t)stack;
    desc->task.noop_max = noops > 0 ? noops : -1;
    desc->task.max_episode_frames = frames;
    desc->task.rgb = !gray;
    desc->task.no_maxpool = !pool;
    desc->task.no_fire_reset = !fire;
    desc->task.no_reward_clipping = !clip;
    desc->task.full_actions = (uint8_t)full;
    desc->task.episodic_life = (uint8_t)episodic;
    desc->task.life_loss_info = (uint8_t)life_loss;
    return 0;
}

// ---- life --------------------------------------------------------------------------------------------

static void lay_out_block(vector_object *self) {
    const size_t observation = mega_vector_observation_size(self->vector);
    const size_t entries[SECTION_COUNT] = {
        [SECTION_OBSERVATIONS] = observation,
        [SECTION_FINAL_OBSERVATIONS] = self->same_step ? observation : 0,
        [SECTION_REWARDS] = sizeof(int32_t),
        [SECTION_TERMINATIONS] = 1,
        [SECTION_TRUNCATIONS] = 1,
        [SECTION_ENV_IDS] = sizeof(int32_t),
        [SECTION_LIVES] = sizeof(int32_t),
        [SECTION_FRAME_NUMBERS] = sizeof(int32_t),
        [SECTION_EPISODE_FRAME_NUMBERS] = sizeof(int32_t),
    };
    for (int i = 0; i < SECTION_COUNT; i++) {
        self->offsets[i] = self->block_size;
        self->block_size += (entries[i] * self->batch + 63) / 64 * 64;
    }
}

// Makes the vector of a complete desc. Returns -1 with an exception.
static int open_vector(vector_object *self, const mega_vector_desc *desc) {
    mega_status status;
    BINDING_RUN(self, status = mega_vector_create(desc, &self->vector));
    if (status != MEGA_OK) {
        binding_raise(status);
        return -1;
    }
    self->count = mega_vector_count(self->vector);
    self->batch = mega_vector_batch(self->vector);
    self->same_step = desc->autoreset == MEGA_AUTORESET_SAME_STEP;
    (void)mega_vector_actions(self->vector, &self->action_count);
    lay_out_block(self);
    self->actions = calloc(self->batch, sizeof(*self->actions));
    self->strengths = calloc(self->batch, sizeof(*self->strengths));
    if (self->actions == NULL || self->strengths == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static PyObject *vector_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    mega_vector_desc desc = {.struct_size = sizeof(desc), .task = {.struct_size = sizeof(desc.task)}};
    PyObject *rom_list, *modes, *difficulties;
    const int32_t *levels;
    float threshold;
    if (read_desc(args, kwargs, &desc, &threshold, &rom_list, &modes, &difficulties) != 0 ||
        numbers_of(modes, desc.count, "modes", &desc.modes) != 0 ||
        numbers_of(difficulties, desc.count, "difficulties", &levels) != 0) {
        return NULL;
    }
    desc.difficulties = (const uint32_t *)levels;
    const mega_rom **roms = roms_of(type, rom_list, &desc.rom_count);
    if (roms == NULL) {
        return NULL;
    }
    desc.roms = roms;
    vector_object *self = (vector_object *)PyType_GenericAlloc(type, 0);
    if (self != NULL) {
        self->threshold = threshold;
        if (open_vector(self, &desc) != 0) {
            Py_CLEAR(self);
        }
    }
    free(roms);
    return (PyObject *)self;
}

static void vector_dealloc(PyObject *object) {
    vector_object *self = (vector_object *)object;
    PyThreadState *thread = PyEval_SaveThread(); // it may have to wait for work that is under way
    mega_vector_destroy(self->vector);
    PyEval_RestoreThread(thread);
    Py_XDECREF(self->held);
    free(self->actions);
    free(self->strengths);
    binding_free(object);
}

// ---- type --------------------------------------------------------------------------------------------

#define FAST(function) (PyCFunction)(void (*)(void)) function, METH_FASTCALL

static PyMethodDef methods[] = {
    {"reset", FAST(binding_vector_reset), "reset(mask, seeds, block, own): starts episodes."},
    {"step", FAST(binding_vector_step),
     "step(actions, strengths, block, own) -> whether an episode ended. Plays and waits."},
    {"send", FAST(binding_vector_send), "send(actions, strengths): plays without waiting."},
    {"recv", FAST(binding_vector_recv), "recv(block, own) -> whether an episode ended. Waits."},
    {"group", binding_vector_group, METH_VARARGS, "group(group) -> (first environment, how many)"},
    {"group_send", FAST(binding_vector_group_send), "group_send(group, actions): plays without waiting."},
    {"group_recv", FAST(binding_vector_group_recv),
     "group_recv(group, block, own) -> whether an episode ended. Waits; rows are those of the environments."},
    {"outstanding", binding_vector_outstanding, METH_NOARGS, "How many results were not received yet."},
    {"new_block", binding_vector_new_block, METH_NOARGS,
     "new_block() -> (bytearray, offset): room for the results of a batch."},
    {"sections", binding_vector_sections, METH_NOARGS,
     "sections() -> {name: (offset in a block, NumPy's name of the type)}"},
    {"actions", binding_vector_actions, METH_NOARGS, "The numbers of the actions, by index."},
    {"threads", binding_vector_threads, METH_NOARGS, "How many threads play, the caller's included."},
    {"observations", binding_vector_observations, METH_NOARGS, "The address of all observations."},
    {"ram", binding_vector_ram, METH_O, "ram(env_ids) -> 128 bytes of each of them."},
    {"set_ram", binding_vector_set_ram, METH_VARARGS, "set_ram(env_id, index, value)"},
    {"screen", binding_vector_screen, METH_VARARGS, "screen(env_id) -> (height, colours)"},
    {"save", binding_vector_save, METH_O, "save(env_ids) -> their states, one after the other."},
    {"restore", binding_vector_restore, METH_VARARGS, "restore(env_ids, states)"},
    {"copy", binding_vector_copy, METH_VARARGS, "copy(to_ids, source, from_ids)"},
    {"statistics", binding_vector_statistics, METH_NOARGS, "A mega_vector_statistics of each environment."},
    {"episodes", binding_vector_episodes, METH_NOARGS, "The finished episodes that nobody has taken yet."},
    {"device", binding_vector_device, METH_NOARGS,
     "device() -> {name: address of a column} with \"stream\" and \"device\". Only on a GPU, like all that follow."},
    {"read", binding_vector_read, METH_VARARGS, "read(address, size) -> bytes of the GPU's memory."},
    {"capsule", binding_vector_capsule, METH_VARARGS,
     "capsule(address, device, kind, shape, versioned) -> DLPack's capsule of a part of the GPU's memory."},
    {"step_device", binding_vector_step_device, METH_O,
     "step_device(capsule): plays the actions in DLPack's capsule without waiting."},
    {"wait_for_stream", binding_vector_wait_for_stream, METH_O,
     "wait_for_stream(stream): what follows is done after what is in the stream."},
    {"make_stream_wait", binding_vector_make_stream_wait, METH_O,
     "make_stream_wait(stream): what follows in the stream is done after what was asked for."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)(intptr_t)vector_new},
    {Py_tp_dealloc, (void *)(intptr_t)vector_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_doc,
     "Many environments stepped by several threads: Vector(roms, *, ...all arguments are required)."},
    {0, NULL},
};

PyType_Spec vector_type_spec = {
    .name = "megacade._core.Vector",
    .basicsize = sizeof(vector_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
