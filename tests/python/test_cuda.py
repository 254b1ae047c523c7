"""Vectors on a GPU: the same results as on the CPU, and arrays that other libraries take over.

The GPU is the fake one of the C tests, whose memory is the host's and which runs the kernels' source there. What needs
a driver that is missing, or torch, has a process or a stand-in of its own.
"""

import ctypes
import gc
import os
import re
import subprocess
import sys
import types
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import megacade
from megacade.vector_device import DeviceArray

NOWHERE = "/dev/null/nowhere"
BUILD = Path(os.environ.get("MEGACADE_BUILD") or Path(__file__).resolve().parents[2] / "build") / "tests"
FAKE = {
    "MEGACADE_LIBCUDA": str(BUILD / "libfake_cuda.so"),
    "MEGACADE_NVRTC": str(BUILD / "libfake_nvrtc.so"),
    "MEGACADE_CACHE": NOWHERE,
}
GAME = "comet_catch"
STREAM = 0x40  # of somebody else

pytestmark = pytest.mark.skipif(not Path(FAKE["MEGACADE_LIBCUDA"]).exists(), reason="no fake GPU; `make build` has one")


@pytest.fixture(autouse=True)
def gpu(monkeypatch):
    """The fake driver, as a library to ask."""
    for name, value in FAKE.items():
        monkeypatch.setenv(name, value)
    return ctypes.CDLL(FAKE["MEGACADE_LIBCUDA"])


def make(device="cuda", count=4, game=GAME, **arguments):
    return megacade.make_vec(game, count, device=device, **{"max_num_frames_per_episode": 100} | arguments)


def run(code, **variables):
    """Another process with the fake driver and some variables; returns the last line that it wrote."""
    result = subprocess.run(
        [sys.executable, "-c", f"import megacade, numpy as np\n{code}"],
        env={**os.environ, **FAKE, **variables},
        capture_output=True,
        text=True,
    )
    return result.returncode, (result.stdout + result.stderr).strip().splitlines()[-1]


def same(left, right):
    left, right = np.asarray(left), np.asarray(right)
    return left.dtype == right.dtype and np.array_equal(left, right)


def check_same(cpu, gpu_result):
    *arrays, info = cpu
    *others, other_info = gpu_result
    assert all(same(left, right) for left, right in zip(arrays, others, strict=True))
    assert all(same(info[name], other_info[name]) for name in info if name != "final_obs")
    return info, other_info


# ---- playing ----


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"array": "numpy"},
        {"repeat_action_probability": 0.25, "episodic_life": True, "img_height": 100},
        {"grayscale": False, "stack_num": 1, "reward_clipping": False},
        {"preset": "envpool", "max_num_frames_per_episode": 100},
    ],
)
def test_the_same_as_on_the_cpu(arguments):
    cpu = make("cpu", **{name: value for name, value in arguments.items() if name != "array"})
    other = make(**arguments)
    assert other.observation_space == cpu.observation_space and other.action_space == cpu.action_space
    check_same(cpu.reset(seed=5), other.reset(seed=5))
    random = np.random.default_rng(0)
    for step in range(70):
        actions = random.integers(0, cpu.single_action_space.n, 4)
        check_same(cpu.step(actions), other.step(actions if step % 2 else actions.tolist()))
        if step % 20 == 19:
            mask = {"reset_mask": random.integers(0, 2, 4).astype(bool)}
            seed = None if step % 40 == 19 else 7
            check_same(cpu.reset(seed=seed, options=mask), other.reset(seed=seed, options=mask))
    assert same(cpu.ram(), other.ram()) and same(cpu.render(), other.render())
    assert same(cpu.observations, other.observations)
    assert same(cpu.clone_states(), other.clone_states())
    for left, right in (
        (cpu.episode_statistics(), other.episode_statistics()),
        (cpu.finished_episodes(), other.finished_episodes()),
    ):
        assert left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)


def test_final_observations():
    cpu, other = make("cpu", autoreset_mode="SameStep"), make(autoreset_mode="SameStep")
    cpu.reset(seed=1), other.reset(seed=1)
    ended = 0
    for _ in range(60):
        result = cpu.step(np.ones(4, int))
        info, other_info = check_same(result, other.step(np.ones(4, int)))
        ends = result[2] | result[3]
        ended += ends.sum()
        if ends.any():
            assert same(info["final_obs"][ends], other_info["final_obs"].numpy()[ends])
    assert ended >= 4


def test_groups_and_send():
    cpu, other = make("cpu", 5, groups=2), make("cuda", 5, groups=2)
    cpu.reset(seed=1), other.reset(seed=1)
    for step in range(30):
        group = step % 2
        actions = np.full(len(cpu.group_ids(group)), step % 3)
        cpu.group_send(group, actions), other.group_send(group, actions)
        with pytest.raises(RuntimeError, match="outstanding"):
            other.observations
        check_same(cpu.group_recv(group), other.group_recv(group))
    cpu, other = make("cpu"), make()
    cpu.reset(seed=1), other.reset(seed=1)
    cpu.send(np.zeros(4, int)), other.send([0] * 4)
    check_same(cpu.recv(), other.recv())
    with pytest.raises(RuntimeError):
        other.recv()


def test_continuous_actions_and_many_games():
    cpu, other = make("cpu", continuous=True), make(continuous=True)
    cpu.reset(seed=1), other.reset(seed=1)
    for step in range(20):
        actions = np.array([[1, step, step % 2]] * 4, np.float32)
        check_same(cpu.step(actions), other.step(actions))
    cpu, other = make("cpu", 4, [GAME, GAME]), make("cuda", 4, [GAME, GAME])
    check_same(cpu.reset(seed=1), other.reset(seed=1))


def test_states_go_from_device_to_device():
    cpu, other = make("cpu"), make()
    cpu.reset(seed=1), other.reset(seed=2)
    for _ in range(10):
        cpu.step(np.ones(4, int)), other.step(np.zeros(4, int))
    other.restore_states(cpu.clone_states())
    for _ in range(20):
        check_same(cpu.step(np.ones(4, int)), other.step(np.ones(4, int)))
    cpu.copy_states([0, 1], [2, 3], source=other)
    assert same(cpu.ram([2, 3]), other.ram([0, 1]))
    other.set_ram(1, 5, 77)
    assert other.ram([1])[0, 5] == 77
    assert len(other.render(2)) == 210


# ---- arrays ----


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


API = ctypes.pythonapi
API.PyCapsule_GetPointer.restype = ctypes.c_void_p
API.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
API.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
API.PyCapsule_New.restype = ctypes.py_object
API.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
USED = b"used_dltensor"


def consume(capsule, versioned=False):
    """Takes a capsule over, as a library does: the tensor, what it shows, and how to give it back."""
    name = b"dltensor_versioned" if versioned else b"dltensor"
    address = API.PyCapsule_GetPointer(capsule, name)
    managed = (Versioned if versioned else Managed).from_address(address)
    tensor = managed.tensor
    API.PyCapsule_SetName(capsule, USED)
    shape = tensor.shape[: tensor.ndim]
    size = int(np.prod(shape)) * tensor.bits // 8
    array = np.frombuffer((ctypes.c_char * size).from_address(tensor.data), f"u{tensor.bits // 8}").reshape(shape)
    release = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)
    return tensor, array, lambda: release(address)


class Actions:
    """Actions of a library that is on the GPU."""

    def __init__(self, values, kind="i8", device=(2, 0), step=1):
        self.array = np.zeros(len(values) * step, kind)
        self.array[::step] = values
        self.device = device
        self.step = step
        self.streams = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        count = len(self.array) // self.step
        self.shape, self.strides = (ctypes.c_int64 * 1)(count), (ctypes.c_int64 * 1)(self.step)
        code, bits = {"i": 0, "u": 1, "f": 2}[self.array.dtype.kind], self.array.itemsize * 8
        tensor = Tensor(self.array.ctypes.data, self.device, 1, code, bits, 1, self.shape, self.strides, 0)
        self.managed = Managed(tensor, None, None)
        return API.PyCapsule_New(ctypes.addressof(self.managed), b"dltensor", None)


@pytest.mark.parametrize("versioned", [False, True])
def test_dlpack(versioned):
    env = make(autoreset_mode="SameStep")
    env.reset(seed=1)
    for _ in range(5):
        *arrays, info = env.step(np.ones(4, int))
    kinds = {"u": 1, "i": 0, "b": 6}
    for array in (*arrays, *(value for name, value in info.items() if name != "env_id"), env.observations):
        assert isinstance(array, DeviceArray) and array.__dlpack_device__() == (2, 0) and array.device == "cuda:0"
        capsule = array.__dlpack__(max_version=(1, 1) if versioned else None)
        tensor, shown, release = consume(capsule, versioned)
        assert tuple(tensor.device) == (2, 0) and tensor.code == kinds[array.dtype.kind] and tensor.lanes == 1
        assert tensor.data == array.__cuda_array_interface__["data"][0]
        assert shown.shape == array.shape and np.array_equal(shown, array.numpy().view(shown.dtype))
        release()
    tensor, shown, release = consume(arrays[0][1:3].__dlpack__())
    assert np.array_equal(shown, arrays[0].numpy()[1:3])
    env.step(np.ones(4, int))
    assert np.array_equal(shown, env.observations.numpy()[1:3])  # every step writes there
    release()


def test_streams(gpu):
    env = make()
    observations, _ = env.reset(seed=1)
    for stream, waits in ((None, 1), (1, 1), (2, 2), (STREAM, STREAM), (-1, -1)):
        gpu.fake_cuda_waiting_stream()
        observations.__dlpack__(stream=stream)
        assert gpu.fake_cuda_waiting_stream() == waits
    for stream in (0, -2):
        with pytest.raises(ValueError, match="stream"):
            observations.__dlpack__(stream=stream)


def test_other_devices():
    env = make()
    observations, _ = env.reset(seed=1)
    with pytest.raises((BufferError, RuntimeError, ValueError)):
        np.from_dlpack(observations)  # it is not the host's memory
    with pytest.raises(BufferError, match="cannot be shown"):
        observations.__dlpack__(dl_device=(2, 1))
    with pytest.raises(BufferError, match="not copied"):
        observations.__dlpack__(copy=True)
    with pytest.raises(ValueError, match="without a copy"):
        np.array(observations, copy=False)
    observations.__dlpack__(dl_device=(1, 0))  # a copy
    with pytest.raises(TypeError, match="slice"):
        observations[0]
    assert np.asarray(observations, np.float32).dtype == np.float32 and len(observations) == 4


def test_memory_lives_as_long_as_arrays(gpu):
    gc.collect()
    held = gpu.fake_cuda_held()
    env = make()
    observations, _ = env.reset(seed=1)
    capsule, _ = observations.__dlpack__(), observations.__dlpack__()
    _, shown, release = consume(capsule)
    env.close()
    env.close()
    for call in (lambda: env.step(np.zeros(4, int)), env.ram, env.clone_states, lambda: env.reset(seed=1)):
        with pytest.raises(gymnasium.error.ClosedEnvironmentError):
            call()
    before = observations.numpy().copy()
    del env, observations, _
    gc.collect()
    assert gpu.fake_cuda_held() > held and np.array_equal(shown, before)
    release()
    assert gpu.fake_cuda_held() == held


# ---- actions on the GPU ----


@pytest.mark.parametrize("kind, step", [("i8", 1), ("i4", 1), ("i8", 3), ("u4", 2)])
def test_actions_on_the_gpu(kind, step):
    cpu, other = make("cpu"), make()
    cpu.reset(seed=1), other.reset(seed=1)
    random = np.random.default_rng(0)
    for _ in range(40):
        numbers = random.integers(0, cpu.single_action_space.n, 4)
        actions = Actions(numbers, kind, step=step)
        check_same(cpu.step(numbers), other.step(actions))
        (stream,) = actions.streams
        assert stream == other.observations.__cuda_array_interface__["stream"]


def test_wrong_actions_on_the_gpu():
    env = make()
    env.reset(seed=1)
    for actions, kind in (
        (Actions([0] * 3), ValueError),
        (Actions([0] * 4, "f4"), TypeError),
        (Actions([0] * 4, "i2"), TypeError),
        (Actions([0] * 4, device=(2, 1)), ValueError),
    ):
        with pytest.raises(kind):
            env.step(actions)
    with pytest.raises(TypeError, match="copy them"):
        env.send(Actions([0] * 4))
    with pytest.raises(AssertionError):
        env.step([0] * 3)
    with pytest.raises(ValueError, match="action 99"):
        env.step([0, 0, 0, 99])
    with pytest.raises(ValueError, match="one group"):
        groups = make(groups=2)
        groups.reset(seed=1)
        groups.step(Actions([0] * 4))
    with pytest.raises(TypeError):
        make(array="numpy").step(Actions([0] * 4))


# ---- torch ----


class StubTensor:
    """Stands for a tensor that looks at a DeviceArray."""

    def __init__(self, array):
        self.array = array

    def __getitem__(self, rows):
        return StubTensor(self.array[rows])


@pytest.fixture
def pretended_torch(monkeypatch):
    torch = types.ModuleType("torch")
    current = types.SimpleNamespace(cuda_stream=STREAM)
    torch.cuda = types.SimpleNamespace(is_initialized=lambda: True, current_stream=lambda device: current)
    torch.from_dlpack = StubTensor
    monkeypatch.setitem(sys.modules, "torch", torch)


def test_torch_and_its_stream(gpu, pretended_torch):
    env = make(array="torch")
    results = [env.reset(seed=1), env.step([0] * 4), env.step(Actions([0] * 4))]
    for *arrays, info in results:
        assert all(isinstance(array, StubTensor) for array in (*arrays, info["lives"]))
    for call in (lambda: env.step([0] * 4), lambda: env.step(Actions([0] * 4)), lambda: env.reset()):
        gpu.fake_cuda_recorded_stream(), gpu.fake_cuda_waiting_stream()
        call()
        assert gpu.fake_cuda_recorded_stream() == STREAM  # the vector waits for torch ...
        assert gpu.fake_cuda_waiting_stream() == STREAM  # ... and torch for the vector


def test_torch_is_not_needed(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError):
        make(array="torch")
    make().reset(seed=1)


# ---- what goes wrong ----


@pytest.mark.parametrize(
    "arguments, kind, text",
    [
        ({"device": "gpu"}, ValueError, 'unknown device "gpu"'),
        ({"device": "cuda:x"}, ValueError, "no GPU's number"),
        ({"device": "cuda:7"}, RuntimeError, "no GPU has number 7: there is one"),
        ({"device": "cuda", "count": 4000}, RuntimeError, "environments would fit"),
        ({"device": "cuda", "batch_size": 2}, ValueError, "batch"),
        ({"device": "cuda", "start_states": 2**17}, ValueError, "start_states is 131072, expected at most 65536"),
        ({"device": "cuda", "array": "jax"}, ValueError, "expected one of dlpack, torch, numpy"),
        ({"device": "cpu", "array": "torch"}, ValueError, "on the CPU it is numpy"),
        ({"device": "cuda", "copy": True}, ValueError, "copy is False"),
        ({"device": 1}, TypeError, "device"),
    ],
)
def test_refused(arguments, kind, text):
    with pytest.raises(kind, match=text) as caught:
        make(**arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "variables, text",
    [
        ({"MEGACADE_LIBCUDA": NOWHERE}, 'NVIDIA driver.*device "cpu"'),
        ({"FAKE_CUDA_DEVICES": "0"}, 'no GPU.*device "cpu"'),
        ({"FAKE_CUDA_VERSION": "11080"}, 'too old.*device "cpu"'),
        ({"MEGACADE_NVRTC": NOWHERE}, 'MEGACADE_NVRTC.*device "cpu"'),
    ],
)
def test_without_what_it_needs(variables, text):
    code = f"""
try:
    megacade.make_vec({GAME!r}, 2, device="cuda")
except RuntimeError as error:
    message = str(error)
env = megacade.make_vec({GAME!r}, 2)
env.reset(seed=1)
env.step(np.zeros(2, int))
print(message)"""
    returncode, line = run(code, **variables)
    assert returncode == 0
    assert re.search(text, line), line


def test_gpu_lost():
    code = f"""
cpu, gpu = megacade.make_vec({GAME!r}, 2), megacade.make_vec({GAME!r}, 2, device="cuda")
cpu.reset(seed=1), gpu.reset(seed=1)
for step in range(200):
    cpu.step(np.zeros(2, int))
    try:
        observations = gpu.step([0, 0])[0]
    except RuntimeError as error:
        message = str(error)
calls = gpu.clone_states, gpu.ram, gpu.render, gpu.episode_statistics, observations.numpy
for call in (lambda: gpu.reset(seed=1), *calls):
    try:
        call()
        print("no error")
    except RuntimeError as error:
        assert "\\n" not in str(error)
gpu.close()
del gpu, observations
print(cpu.step(np.zeros(2, int))[4]["frame_number"].tolist(), message)"""
    returncode, line = run(code, FAKE_CUDA_LOST_AFTER="900")
    assert returncode == 0 and "the GPU failed" in line and "start the program again" in line, line
