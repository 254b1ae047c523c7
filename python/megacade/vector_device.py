"""The arrays of a vector on a GPU: looked at where they are, through DLPack, and the order of streams that this needs.

Nothing is copied. Every step overwrites the arrays of the one before, so who keeps something copies it.
"""

from __future__ import annotations

import importlib.util
import math
import os
import sys
from typing import Any, Final

import numpy as np

from megacade import _core

ARRAYS: Final = ("dlpack", "torch", "numpy")

_CPU: Final = 1  # DLPack's numbers of devices
_CUDA: Final = 2
_CUDA_MANAGED: Final = 13
_LEGACY_STREAM: Final = 1  # CUDA's default stream


def is_on_gpu(array: Any) -> bool:
    """Whether an array says through DLPack that it is in a GPU's memory."""
    device = getattr(array, "__dlpack_device__", None)
    return device is not None and device()[0] in (_CUDA, _CUDA_MANAGED)


def find_compiler() -> None:
    """Tells the library where packages of NVIDIA's, which torch brings along, keep the GPU's compiler."""
    spec = importlib.util.find_spec("nvidia")
    for root in spec.submodule_search_locations or () if spec is not None else ():
        for below in ("cu13/lib", "cuda_nvrtc/lib"):
            folder = os.path.join(root, below)
            if os.path.isdir(folder):
                _core.add_compiler_folder(folder)


class DeviceArray:
    """An array in a GPU's memory, to be taken over by another library without a copy.

    ``torch.from_dlpack(array)``, ``jax.dlpack.from_dlpack(array)`` and ``cupy.from_dlpack(array)`` read it; ``numpy()``
    copies it to the host. It shows what the vector does next: its memory is the vector's, which it keeps alive.
    """

    __slots__ = ("_core", "_address", "_device", "_stream", "shape", "dtype")

    def __init__(
        self, core: _core.Vector, address: int, device: int, stream: int, shape: tuple[int, ...], dtype: np.dtype
    ) -> None:
        self._core = core
        self._address = address
        self._device = device
        self._stream = stream
        self.shape = shape
        self.dtype = dtype

    @property
    def device(self) -> str:
        """As make_vec takes it: "cuda:0"."""
        return f"cuda:{self._device}"

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """How many bytes there are."""
        return math.prod(self.shape) * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> DeviceArray:
        """Rows that follow one another; other libraries' arrays offer more."""
        if not isinstance(rows, slice) or rows.step not in (None, 1):
            raise TypeError("rows are chosen by a slice without a step; take the array over for more (docs/gpu.md)")
        start, stop, _ = rows.indices(len(self))
        shape = (max(stop - start, 0), *self.shape[1:])
        offset = start * math.prod(self.shape[1:]) * self.dtype.itemsize
        return DeviceArray(self._core, self._address + offset, self._device, self._stream, shape, self.dtype)

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, device={self.device!r})"

    # ---- for other libraries ----

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, self._device

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A capsule of the array. What follows in the consumer's stream waits for the vector, unless that is -1."""
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            if dl_device[0] != _CPU or copy is False:
                raise BufferError(f"the array is on {self.device} and cannot be shown on device {tuple(dl_device)}")
            return self.numpy().__dlpack__()
        if copy:
            raise BufferError("arrays of a vector are not copied; copy what was taken over")
        if stream == 0 or (stream is not None and stream < -1):
            raise ValueError(f"stream is {stream}, expected None, -1, 1, 2 or the handle of a stream")
        if stream != -1:
            self._core.make_stream_wait(_LEGACY_STREAM if stream is None else stream)
        versioned = max_version is not None and max_version[0] >= 1
        return self._core.capsule(self._address, self._device, self.dtype.kind, self.shape, versioned)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """For libraries that do not know DLPack."""
        return {
            "version": 3,
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._address, False),
            "stream": self._stream,
        }

    def torch(self) -> Any:
        """A torch.Tensor that looks at the same memory."""
        import torch

        return torch.from_dlpack(self)

    def numpy(self) -> np.ndarray:
        """A copy in the host's memory, when the vector's work is done."""
        return np.frombuffer(self._core.read(self._address, self.nbytes), self.dtype).reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError(f"an array on {self.device} cannot be looked at without a copy")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)


class DeviceRows:
    """The results of a vector on a GPU, as rows of a batch and as their block: always the same arrays."""

    own = True
    data = None  # nothing is copied to the host

    def __init__(self, vector: _core.Vector, count: int, observation_shape: tuple[int, ...], as_torch: bool) -> None:
        self._core = vector
        view = vector.device()
        self.device, self.stream = view["device"], view["stream"]

        def array(name: str, kind: str, shape: tuple[int, ...] = ()) -> Any:
            found = DeviceArray(vector, view[name], self.device, self.stream, (count, *shape), np.dtype(kind))
            return found.torch() if as_torch else found

        self._arrays = [
            array("observations", "u1", observation_shape),
            array("rewards", "i4"),
            array("terminations", "?"),
            array("truncations", "?"),
            np.arange(count, dtype=np.int32),
            array("lives", "i4"),
            array("frame_numbers", "i4"),
            array("episode_frame_numbers", "i4"),
        ]
        has_finals = view["final_observations"] != 0
        self.final_observations = array("final_observations", "u1", observation_shape) if has_finals else None

    @property
    def observations(self) -> Any:
        """All observations."""
        return self._arrays[0]

    def _torch_stream(self) -> int | None:
        """The stream that torch works in, if it uses GPUs at all."""
        torch = sys.modules.get("torch")
        if torch is None or not torch.cuda.is_initialized():
            return None
        return torch.cuda.current_stream(self.device).cuda_stream

    def finals(self, rows: slice | None) -> Any:
        """The final observations, or some of their rows."""
        return self.final_observations if rows is None else self.final_observations[rows]

    def begin(self) -> None:
        """Before work is asked for: what torch does with older results comes first."""
        stream = self._torch_stream()
        if stream is not None:
            self._core.wait_for_stream(stream)

    def take(self) -> DeviceRows:
        """Before results are asked for."""
        self.begin()
        return self

    def arrays(self, block: DeviceRows) -> list[Any]:
        """The arrays; what torch does from now on comes after the step that fills them."""
        stream = self._torch_stream()
        if stream is not None:
            self._core.make_stream_wait(stream)
        return self._arrays
