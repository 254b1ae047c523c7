// binding_env.c - megacade._core.Env, one console with its game's rules.
//
// Playing and drawing release the GIL. An environment belongs to one call at a time; a second thread that uses
// it meanwhile gets an exception. `busy` is read and written with the GIL held.
#include "binding.h"

typedef struct env_object {
    PyObject ob_base;
    mega_env *env;
    int32_t reward_min; // of one act
    int32_t reward_max;
    int busy;
} env_object;

// The handle, or NULL with an exception when another thread is using it.
static mega_env *idle_env(PyObject *self) {
    env_object *object = (env_object *)self;
    if (object->busy) {
        PyErr_SetString(PyExc_RuntimeError,
                        "another thread is using this environment; give each thread one of its own");
        return NULL;
    }
    return object->env;
}

#define ENV_RUN(self, call) BINDING_RUN((env_object *)(self), call)

// A method without arguments that returns the value of an expression of `env`.
#define ENV_GETTER(name, value)                               \
    static PyObject *name(PyObject *self, PyObject *unused) { \
        (void)unused;                                         \
        mega_env *env = idle_env(self);                       \
        return env != NULL ? (value) : NULL;                  \
    }

// ---- life --------------------------------------------------------------------------------------------

static PyObject *env_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"rom",
                            "seed",
                            "frame_skip",
                            "sticky",
                            "max_episode_frames",
                            "reward_min",
                            "reward_max",
                            "paddle_min",
                            "paddle_max",
                            "truncate_on_life_loss",
                            "color_averaging",
                            "sound",
                            "console_seed",
                            NULL};
    rom_object *rom;
    mega_env_desc desc = {.struct_size = sizeof(mega_env_desc)};
    int seed = 0, skip = 1, frames = 0, reward_min = INT32_MIN, reward_max = INT32_MAX;
    int paddle_min = 0, paddle_max = 0, truncate = 0, averaging = 0, sound = 0;
    PyObject *console_seed = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|$iifiiiiipppO:Env", names, binding_rom_type(type),
                                     &rom, &seed, &skip, &desc.sticky, &frames, &reward_min, &reward_max,
                                     &paddle_min, &paddle_max, &truncate, &averaging, &sound,
                                     &console_seed)) {
        return NULL;
    }
    if (console_seed != Py_None) {
        desc.own_console_seed = 1;
        desc.console_seed = (uint32_t)PyLong_AsUnsignedLongMask(console_seed);
        if (PyErr_Occurred()) {
            return NULL;
        }
    }
    if (skip < 1) {
        PyErr_Format(PyExc_ValueError, "frame_skip is %d, expected 1 or more", skip);
        return NULL;
    }
    desc.seed = seed;
    desc.frame_skip = (uint32_t)skip;
    desc.max_episode_frames = frames;
    desc.paddle_min = paddle_min;
    desc.paddle_max = paddle_max;
    desc.truncate_on_life_loss = (uint8_t)truncate;
    desc.color_averaging = (uint8_t)averaging;
    desc.sound = (uint8_t)sound;
    env_object *self = (env_object *)PyType_GenericAlloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->reward_min = reward_min;
    self->reward_max = reward_max;
    mega_status status;
    ENV_RUN(self, status = mega_env_create(&desc, rom->rom, &self->env));
    if (status != MEGA_OK) {
        Py_DECREF(self);
        return binding_raise(status);
    }
    return (PyObject *)self;
}

static void env_dealloc(PyObject *self) {
    mega_env_destroy(((env_object *)self)->env);
    binding_free(self);
}

static PyObject *env_reset(PyObject *self, PyObject *unused) {
    (void)unused;
    mega_env *env = idle_env(self);
    mega_status status;
    if (env == NULL) {
        return NULL;
    }
    ENV_RUN(self, status = mega_env_reset(env));
    return binding_done(status);
}

// ---- acting ------------------------------------------------------------------------------------------

// Plays the same action `acts` times; the sum of the rewards, each limited by itself.
static mega_status play(const env_object *self, uint32_t action, float strength, long acts, int64_t *sum) {
    *sum = 0;
    for (; acts > 0; acts--) {
        int32_t reward;
        const mega_status status = mega_env_act(self->env, action, strength, &reward);
        if (status != MEGA_OK) {
            return status;
        }
        reward = reward < self->reward_min ? self->reward_min : reward;
        *sum += reward > self->reward_max ? self->reward_max : reward;
    }
    return MEGA_OK;
}

static PyObject *env_act(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "act takes an action, a paddle strength and a number of acts");
        return NULL;
    }
    const long action = PyLong_AsLong(args[0]), acts = PyLong_AsLong(args[2]);
    const double strength = PyFloat_AsDouble(args[1]);
    if (PyErr_Occurred() || idle_env(self) == NULL) {
        return NULL;
    }
    if (action < 0 || action >= MEGA_ACTION_COUNT) {
        PyErr_Format(PyExc_ValueError, "action %ld is not one of 0 to %d", action, MEGA_ACTION_COUNT - 1);
        return NULL;
    }
    int64_t sum;
    mega_status status;
    ENV_RUN(self, status = play((env_object *)self, (uint32_t)action, (float)strength, acts, &sum));
    return status == MEGA_OK ? PyLong_FromLongLong(sum) : binding_raise(status);
}

// ---- screen, RAM, sound ------------------------------------------------------------------------------

typedef mega_status screen_function(mega_env *env, uint8_t *pixels, size_t size);

static PyObject *draw(PyObject *self, screen_function *function, size_t channels) {
    mega_env *env = idle_env(self);
    if (env == NULL) {
        return NULL;
    }
    const size_t size = (size_t)MEGA_SCREEN_WIDTH * mega_env_screen_height(env) * channels;
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes == NULL) {
        return NULL;
    }
    uint8_t *pixels = (uint8_t *)PyByteArray_AsString(bytes);
    mega_status status;
    ENV_RUN(self, status = function(env, pixels, size));
    if (status != MEGA_OK) {
        Py_DECREF(bytes);
        return binding_raise(status);
    }
    return bytes;
}

static PyObject *env_screen(PyObject *self, PyObject *unused) {
    (void)unused;
    return draw(self, mega_env_screen, 1);
}

static PyObject *env_screen_gray(PyObject *self, PyObject *unused) {
    (void)unused;
    return draw(self, mega_env_screen_gray, 1);
}

static PyObject *env_screen_rgb(PyObject *self, PyObject *unused) {
    (void)unused;
    return draw(self, mega_env_screen_rgb, 3);
}

ENV_GETTER(env_ram, PyByteArray_FromStringAndSize((const char *)mega_env_ram(env), MEGA_RAM_SIZE))

static PyObject *env_set_ram(PyObject *self, PyObject *args) {
    unsigned index, value;
    mega_env *env = idle_env(self);
    if (env == NULL || !PyArg_ParseTuple(args, "II:set_ram", &index, &value)) {
        return NULL;
    }
    const mega_status status = mega_env_set_ram(env, index, value);
    return binding_done(status);
}

ENV_GETTER(env_audio, PyByteArray_FromStringAndSize((const char *)mega_env_audio(env), MEGA_AUDIO_SIZE))

// ---- what it knows -----------------------------------------------------------------------------------

ENV_GETTER(env_game_over, PyBool_FromLong(mega_env_game_over(env)))
ENV_GETTER(env_terminal, PyBool_FromLong(mega_env_terminal(env)))
ENV_GETTER(env_truncated, PyBool_FromLong(mega_env_truncated(env)))
ENV_GETTER(env_lives, PyLong_FromLong(mega_env_lives(env)))
ENV_GETTER(env_frame_number, PyLong_FromUnsignedLong(mega_env_frame_number(env)))
ENV_GETTER(env_episode_frame_number, PyLong_FromUnsignedLong(mega_env_episode_frame_number(env)))

// ---- mode and difficulty -----------------------------------------------------------------------------

ENV_GETTER(env_mode, PyLong_FromLong(mega_env_mode(env)))

static PyObject *env_set_mode(PyObject *self, PyObject *args) {
    int mode;
    mega_env *env = idle_env(self);
    if (env == NULL || !PyArg_ParseTuple(args, "i:set_mode", &mode)) {
        return NULL;
    }
    const mega_status status = mega_env_set_mode(env, mode);
    return binding_done(status);
}

ENV_GETTER(env_difficulty, PyLong_FromUnsignedLong(mega_env_difficulty(env)))

static PyObject *env_set_difficulty(PyObject *self, PyObject *args) {
    unsigned difficulty;
    mega_env *env = idle_env(self);
    if (env == NULL || !PyArg_ParseTuple(args, "I:set_difficulty", &difficulty)) {
        return NULL;
    }
    const mega_status status = mega_env_set_difficulty(env, difficulty);
    return binding_done(status);
}

// ---- save states -------------------------------------------------------------------------------------

static PyObject *env_save(PyObject *self, PyObject *args) {
    int with_random;
    mega_env *env = idle_env(self);
    if (env == NULL || !PyArg_ParseTuple(args, "p:save", &with_random)) {
        return NULL;
    }
    const size_t size = mega_env_state_size(env);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes == NULL) {
        return NULL;
    }
    const mega_status status = mega_env_save(env, with_random, PyBytes_AsString(bytes), size);
    if (status != MEGA_OK) {
        Py_DECREF(bytes);
        return binding_raise(status);
    }
    return bytes;
}

static PyObject *env_load(PyObject *self, PyObject *bytes) {
    char *data;
    Py_ssize_t size;
    mega_env *env = idle_env(self);
    if (env == NULL || PyBytes_AsStringAndSize(bytes, &data, &size) != 0) {
        return NULL;
    }
    const mega_status status = mega_env_load(env, data, (size_t)size);
    return binding_done(status);
}

// ---- type --------------------------------------------------------------------------------------------

static PyMethodDef methods[] = {
    {"reset", env_reset, METH_NOARGS, "Starts a new episode."},
    {"act", (PyCFunction)(void (*)(void))env_act, METH_FASTCALL,
     "act(action, strength, acts) -> the sum of the rewards of so many acts."},
    {"screen", env_screen, METH_NOARGS, "The screen's palette indices."},
    {"screen_gray", env_screen_gray, METH_NOARGS, "The screen's gray values."},
    {"screen_rgb", env_screen_rgb, METH_NOARGS, "The screen's colours."},
    {"ram", env_ram, METH_NOARGS, "The 128 bytes of RAM."},
    {"set_ram", env_set_ram, METH_VARARGS, "set_ram(index, value)"},
    {"audio", env_audio, METH_NOARGS, "The 512 samples of the last act."},
    {"game_over", env_game_over, METH_NOARGS, "Whether the episode is over, by the rules or by a limit."},
    {"terminal", env_terminal, METH_NOARGS, "Whether the episode is over by the game's rules."},
    {"truncated", env_truncated, METH_NOARGS, "Whether the episode was cut by a limit."},
    {"lives", env_lives, METH_NOARGS, "Lives that are left."},
    {"frame_number", env_frame_number, METH_NOARGS, "Frames since creation."},
    {"episode_frame_number", env_episode_frame_number, METH_NOARGS, "Frames since the last reset."},
    {"mode", env_mode, METH_NOARGS, "The mode of the next reset."},
    {"set_mode", env_set_mode, METH_VARARGS, "set_mode(mode)"},
    {"difficulty", env_difficulty, METH_NOARGS, "The difficulty in force."},
    {"set_difficulty", env_set_difficulty, METH_VARARGS, "set_difficulty(difficulty)"},
    {"save", env_save, METH_VARARGS, "save(with_random) -> the state as bytes."},
    {"load", env_load, METH_O, "load(bytes): continues from a saved state."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)(intptr_t)env_new},
    {Py_tp_dealloc, (void *)(intptr_t)env_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_doc, "One console with its game's rules: Env(rom, *, ...fields of mega_env_desc)."},
    {0, NULL},
};

PyType_Spec env_type_spec = {
    .name = "megacade._core.Env",
    .basicsize = sizeof(env_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
