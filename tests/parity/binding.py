"""A small ctypes binding to libmegacade for the parity tests. It adds nothing to the C API.

The library is build/libmegacade.so of this repository, or the file that $MEGACADE_LIBRARY names.
"""

import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint32
from ctypes import c_uint64, c_void_p
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 160
RAM_SIZE = 128
AUDIO_SIZE = 512


class MegaError(Exception):
    """A call into the library failed."""

    def __init__(self, status, text):
        super().__init__(f"{text} (status {status})")
        self.status = status


class RomInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("path", c_char_p),
        ("md5", c_char_p),
        ("scheme", c_char_p),
        ("format", c_char_p),
        ("size", c_size_t),
        ("game", c_int32),
        ("screen_height", c_uint32),
        ("paddles", c_uint32),
    ]


class GameInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("title", c_char_p),
        ("gym_id", c_char_p),
        ("md5", c_char_p),
        ("minimal_actions", c_uint32),
        ("legal_actions", c_uint32),
        ("modes", POINTER(c_int32)),
        ("mode_count", c_uint32),
        ("difficulties", POINTER(c_uint8)),
        ("difficulty_count", c_uint32),
        ("builtin", c_uint32),
    ]


class EnvDesc(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("seed", c_int32),
        ("frame_skip", c_uint32),
        ("frame_skip_high", c_uint32),
        ("sticky", c_float),
        ("max_episode_frames", c_int32),
        ("reward_min", c_int32),
        ("reward_max", c_int32),
        ("paddle_min", c_int32),
        ("paddle_max", c_int32),
        ("console_seed", c_uint32),
        ("truncate_on_life_loss", c_uint8),
        ("color_averaging", c_uint8),
        ("sound", c_uint8),
        ("plain", c_uint8),
        ("own_console_seed", c_uint8),
        ("pad", c_uint8 * 3),
    ]


class TaskDesc(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("frame_skip", c_uint32),
        ("height", c_uint32),
        ("width", c_uint32),
        ("stack", c_uint32),
        ("noop_max", c_int32),
        ("max_episode_frames", c_int32),
        ("sticky", c_float),
        ("rgb", c_uint8),
        ("no_maxpool", c_uint8),
        ("no_fire_reset", c_uint8),
        ("no_reward_clipping", c_uint8),
        ("full_actions", c_uint8),
        ("episodic_life", c_uint8),
        ("life_loss_info", c_uint8),
        ("plain", c_uint8),
        ("envpool", c_uint8),
        ("pad", c_uint8 * 3),
    ]


class TaskResult(ctypes.Structure):
    _fields_ = [
        ("reward", c_int32),
        ("lives", c_int32),
        ("frame_number", c_uint32),
        ("episode_frame_number", c_uint32),
        ("terminated", c_uint8),
        ("truncated", c_uint8),
        ("episode_over", c_uint8),
        ("pad", c_uint8),
    ]


class VectorDesc(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("count", c_uint32),
        ("batch", c_uint32),
        ("threads", c_uint32),
        ("pin", c_uint32),
        ("groups", c_uint32),
        ("autoreset", c_uint32),
        ("seed", c_uint32),
        ("episode_log", c_uint32),
        ("start_states", c_uint32),
        ("start_seed", c_uint32),
        ("blind", c_uint8),
        ("pad", c_uint8 * 3),
        ("task", TaskDesc),
        ("roms", POINTER(c_void_p)),
        ("rom_count", c_uint32),
        ("modes", POINTER(c_int32)),
        ("difficulties", POINTER(c_uint32)),
        ("device", c_char_p),
    ]


# Rows of a vector's results: name in mega_vector_out, and the type of an entry (None for an observation). Like the rest
# of this file it is written from megacade.h alone, so that the package is not needed and is not believed.
VECTOR_ROWS = {
    "observations": None,
    "final_observations": None,
    "rewards": np.int32,
    "terminations": np.bool_,
    "truncations": np.bool_,
    "env_ids": np.int32,
    "lives": np.int32,
    "frame_numbers": np.int32,
    "episode_frame_numbers": np.int32,
    "episode_ends": np.bool_,
}


class VectorOut(ctypes.Structure):
    _fields_ = [(name, c_void_p) for name in VECTOR_ROWS]


SIGNATURES = {  # name: (result, parameters); a result of None stands for mega_status, which is checked
    "mega_rom_load": (None, [c_char_p, POINTER(c_void_p)]),
    "mega_rom_find": (None, [c_char_p, c_char_p, POINTER(c_void_p)]),
    "mega_rom_get_info": (POINTER(RomInfo), [c_void_p]),
    "mega_rom_destroy": (c_int, [c_void_p]),
    "mega_game_count": (c_uint32, []),
    "mega_game_get_info": (POINTER(GameInfo), [c_int32]),
    "mega_env_create": (None, [POINTER(EnvDesc), c_void_p, POINTER(c_void_p)]),
    "mega_env_destroy": (c_int, [c_void_p]),
    "mega_env_reset": (None, [c_void_p]),
    "mega_env_reseed": (None, [c_void_p, c_int32]),
    "mega_env_gym_reset": (None, [c_void_p, c_uint64]),
    "mega_env_act": (None, [c_void_p, c_uint32, c_float, POINTER(c_int32)]),
    "mega_env_game_over": (c_int, [c_void_p]),
    "mega_env_terminal": (c_int, [c_void_p]),
    "mega_env_truncated": (c_int, [c_void_p]),
    "mega_env_lives": (c_int32, [c_void_p]),
    "mega_env_frame_number": (c_uint32, [c_void_p]),
    "mega_env_episode_frame_number": (c_uint32, [c_void_p]),
    "mega_env_set_mode": (None, [c_void_p, c_int32]),
    "mega_env_set_difficulty": (None, [c_void_p, c_uint32]),
    "mega_env_mode": (c_int32, [c_void_p]),
    "mega_env_difficulty": (c_uint32, [c_void_p]),
    "mega_env_screen_height": (c_uint32, [c_void_p]),
    "mega_env_screen": (None, [c_void_p, c_void_p, c_size_t]),
    "mega_env_screen_gray": (None, [c_void_p, c_void_p, c_size_t]),
    "mega_env_screen_rgb": (None, [c_void_p, c_void_p, c_size_t]),
    "mega_env_ram": (POINTER(c_uint8), [c_void_p]),
    "mega_env_set_ram": (None, [c_void_p, c_uint32, c_uint32]),
    "mega_env_audio": (POINTER(c_uint8), [c_void_p]),
    "mega_env_state_size": (c_size_t, [c_void_p]),
    "mega_env_save": (None, [c_void_p, c_int, c_void_p, c_size_t]),
    "mega_env_load": (None, [c_void_p, c_char_p, c_size_t]),
    "mega_task_create": (None, [POINTER(TaskDesc), c_void_p, POINTER(c_void_p)]),
    "mega_task_destroy": (c_int, [c_void_p]),
    "mega_task_action_count": (c_uint32, [c_void_p]),
    "mega_task_observation_size": (c_size_t, [c_void_p]),
    "mega_task_reset": (None, [c_void_p, c_int64, c_void_p, c_size_t, POINTER(TaskResult)]),
    "mega_task_step": (None, [c_void_p, c_uint32, c_float, c_void_p, c_size_t, POINTER(TaskResult)]),
    "mega_vector_create": (None, [POINTER(VectorDesc), POINTER(c_void_p)]),
    "mega_vector_destroy": (c_int, [c_void_p]),
    "mega_vector_actions": (POINTER(c_uint8), [c_void_p, POINTER(c_uint32)]),
    "mega_vector_observation_size": (c_size_t, [c_void_p]),
    "mega_vector_reset": (None, [c_void_p, c_void_p, c_void_p, POINTER(VectorOut)]),
    "mega_vector_step": (None, [c_void_p, c_void_p, c_void_p, POINTER(VectorOut)]),
    "mega_action_from_polar": (None, [c_float, c_float, c_float, c_float, POINTER(c_uint32)]),
}


def library_path():
    return Path(os.environ.get("MEGACADE_LIBRARY") or ROOT / "build" / "libmegacade.so")


def open_library():
    library = ctypes.CDLL(str(library_path()))
    library.mega_last_error.restype = c_char_p

    def check(status, function, arguments):
        if status != 0:
            raise MegaError(status, library.mega_last_error().decode())

    for name, (result, parameters) in SIGNATURES.items():
        function = getattr(library, name)
        function.argtypes = parameters
        function.restype = result or c_int
        if result is None:
            function.errcheck = check
    return library


LIB = open_library()


def make_desc(kind, settings):
    desc = kind(struct_size=ctypes.sizeof(kind))
    for name, value in settings.items():
        if name not in dict(kind._fields_):
            raise TypeError(f"{kind.__name__} has no field {name}")
        setattr(desc, name, value)
    return desc


def bits(mask):
    return [bit for bit in range(32) if mask >> bit & 1]


class Game:
    """What the catalogue says about one game."""

    def __init__(self, index):
        info = LIB.mega_game_get_info(index).contents
        self.name = info.name.decode()
        self.gym_id = info.gym_id.decode()
        self.minimal_actions = bits(info.minimal_actions)
        self.legal_actions = bits(info.legal_actions)
        self.modes = list(info.modes[: info.mode_count])
        self.difficulties = list(info.difficulties[: info.difficulty_count])
        self.builtin = bool(info.builtin)


def games():
    return [Game(index) for index in range(LIB.mega_game_count())]


class Rom:
    def __init__(self, handle):
        self.handle = handle
        info = LIB.mega_rom_get_info(handle).contents
        self.name = info.name.decode()
        self.path = info.path.decode()
        self.scheme = info.scheme.decode()
        self.format = info.format.decode()
        self.screen_height = info.screen_height
        self.paddles = bool(info.paddles)
        self.game = Game(info.game) if info.game >= 0 else None

    @classmethod
    def load(cls, path):
        handle = c_void_p()
        LIB.mega_rom_load(os.fsencode(path), byref(handle))
        return cls(handle)

    @classmethod
    def find(cls, game, folder=None):
        handle = c_void_p()
        LIB.mega_rom_find(game.encode(), os.fsencode(folder) if folder else None, byref(handle))
        return cls(handle)

    def __del__(self):
        LIB.mega_rom_destroy(self.handle)


class Env:
    """Settings are the fields of mega_env_desc. The arrays that the screens return are filled anew by each call."""

    def __init__(self, rom, **settings):
        self.handle = c_void_p()
        LIB.mega_env_create(byref(make_desc(EnvDesc, settings)), rom.handle, byref(self.handle))
        self.height = LIB.mega_env_screen_height(self.handle)
        self.ram = np.ctypeslib.as_array(LIB.mega_env_ram(self.handle), (RAM_SIZE,))  # a view
        self.audio = np.ctypeslib.as_array(LIB.mega_env_audio(self.handle), (AUDIO_SIZE,))  # a view
        self._index = np.zeros((self.height, WIDTH), np.uint8)
        self._gray = np.zeros((self.height, WIDTH), np.uint8)
        self._rgb = np.zeros((self.height, WIDTH, 3), np.uint8)
        self._reward = c_int32()

    def __del__(self):
        LIB.mega_env_destroy(self.handle)

    def reset(self):
        LIB.mega_env_reset(self.handle)

    def reseed(self, seed):
        LIB.mega_env_reseed(self.handle, seed)

    def gym_reset(self, seed):
        LIB.mega_env_gym_reset(self.handle, seed)

    def act(self, action, strength=1.0):
        LIB.mega_env_act(self.handle, action, strength, byref(self._reward))
        return self._reward.value

    def game_over(self):
        return bool(LIB.mega_env_game_over(self.handle))

    def terminal(self):
        return bool(LIB.mega_env_terminal(self.handle))

    def truncated(self):
        return bool(LIB.mega_env_truncated(self.handle))

    def lives(self):
        return LIB.mega_env_lives(self.handle)

    def frame_number(self):
        return LIB.mega_env_frame_number(self.handle)

    def episode_frame_number(self):
        return LIB.mega_env_episode_frame_number(self.handle)

    def set_mode(self, mode):
        LIB.mega_env_set_mode(self.handle, mode)

    def set_difficulty(self, difficulty):
        LIB.mega_env_set_difficulty(self.handle, difficulty)

    def mode(self):
        return LIB.mega_env_mode(self.handle)

    def difficulty(self):
        return LIB.mega_env_difficulty(self.handle)

    def screen(self):
        LIB.mega_env_screen(self.handle, self._index.ctypes.data, self._index.size)
        return self._index

    def screen_gray(self):
        LIB.mega_env_screen_gray(self.handle, self._gray.ctypes.data, self._gray.size)
        return self._gray

    def screen_rgb(self):
        LIB.mega_env_screen_rgb(self.handle, self._rgb.ctypes.data, self._rgb.size)
        return self._rgb

    def set_ram(self, index, value):
        LIB.mega_env_set_ram(self.handle, index, value)

    def save(self, with_random=False):
        data = ctypes.create_string_buffer(LIB.mega_env_state_size(self.handle))
        LIB.mega_env_save(self.handle, with_random, data, len(data))
        return data.raw

    def load(self, data):
        LIB.mega_env_load(self.handle, data, len(data))


class Task:
    """Settings are the fields of mega_task_desc. reset and step return (observation, result)."""

    def __init__(self, rom, **settings):
        self.handle = c_void_p()
        desc = make_desc(TaskDesc, settings)
        LIB.mega_task_create(byref(desc), rom.handle, byref(self.handle))
        shape = (desc.stack or 4, desc.height or 84, desc.width or 84) + ((3,) if desc.rgb else ())
        self.observation = np.zeros(shape, np.uint8)
        assert self.observation.size == LIB.mega_task_observation_size(self.handle)
        self.action_count = LIB.mega_task_action_count(self.handle)

    def __del__(self):
        LIB.mega_task_destroy(self.handle)

    def reset(self, seed=-1):
        result = TaskResult()
        LIB.mega_task_reset(self.handle, seed, self.observation.ctypes.data, self.observation.size, byref(result))
        return self.observation, result

    def step(self, index, strength=1.0):
        result = TaskResult()
        LIB.mega_task_step(
            self.handle, index, strength, self.observation.ctypes.data, self.observation.size, byref(result)
        )
        return self.observation, result


class Vector:
    """A vector of one game. `rows` holds the results of the last call, by the names of mega_vector_out."""

    def __init__(self, rom, count, *, batch=0, threads=0, autoreset=0, **settings):
        self.handle = c_void_p()
        task = make_desc(TaskDesc, settings)
        numbers = {"count": count, "batch": batch, "threads": threads, "autoreset": autoreset}
        desc = make_desc(VectorDesc, {**numbers, "task": task, "rom_count": 1})
        desc.roms = (c_void_p * 1)(rom.handle)
        LIB.mega_vector_create(byref(desc), byref(self.handle))
        shape = (batch or count, task.stack or 4, task.height or 84, task.width or 84) + ((3,) if task.rgb else ())
        self.rows = {name: np.zeros(*((shape, np.uint8) if kind is None else (shape[0], kind)))
                     for name, kind in VECTOR_ROWS.items()}
        assert self.rows["observations"][0].size == LIB.mega_vector_observation_size(self.handle)
        self.out = VectorOut(**{name: rows.ctypes.data for name, rows in self.rows.items()})
        actions = c_uint32()
        LIB.mega_vector_actions(self.handle, byref(actions))
        self.action_count = actions.value

    def __del__(self):
        LIB.mega_vector_destroy(self.handle)

    def reset(self, seeds=None, mask=None):
        seeds = None if seeds is None else np.ascontiguousarray(seeds, np.int32)
        mask = None if mask is None else np.ascontiguousarray(mask, np.uint8)
        pointers = [None if array is None else array.ctypes.data for array in (mask, seeds)]
        LIB.mega_vector_reset(self.handle, *pointers, byref(self.out))
        return self.rows

    def step(self, actions):
        actions = np.ascontiguousarray(actions, np.int32)
        LIB.mega_vector_step(self.handle, actions.ctypes.data, None, byref(self.out))
        return self.rows


def action_from_polar(radius, theta, fire, threshold=0.5):
    action = c_uint32()
    LIB.mega_action_from_polar(radius, theta, fire, threshold, byref(action))
    return action.value
