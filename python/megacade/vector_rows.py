"""The arrays that a vector's results come in: new ones for every batch, in memory that is used again.

A fresh array of some megabytes costs the operating system more time than the frames in it. So blocks of memory are
kept and used again as soon as nobody looks at the arrays in them any more, which their reference count tells. To the
caller every array is a new one.
"""

from __future__ import annotations

import math
import sys
from typing import Final

import numpy as np

from megacade import _core


class OwnMemory:
    """Lets NumPy look at a vector's own observations. The array keeps the vector alive."""

    def __init__(self, vector: _core.Vector, shape: tuple[int, ...]) -> None:
        self._vector = vector
        # Writable, since torch and DLPack want it so; who writes there changes what the next stacks contain.
        address = vector.observations()
        self.__array_interface__ = {"version": 3, "data": (address, False), "shape": shape, "typestr": "|u1"}


class Block:
    """Memory for one batch, and arrays that look at it."""

    __slots__ = ("data", "arrays", "final_observations", "_root", "_idle_count")

    def __init__(self, vector: _core.Vector, batch: int, observation_shape: tuple[int, ...]) -> None:
        self.data, offset = vector.new_block()
        self._root: np.ndarray = np.frombuffer(self.data, np.uint8, len(self.data) - offset, offset)
        arrays: dict[str, np.ndarray] = {}
        for name, (start, kind) in vector.sections().items():
            dtype = np.dtype(kind)
            shape = (batch, *observation_shape) if "observations" in name else (batch,)
            section = self._root[start : start + math.prod(shape) * dtype.itemsize]
            arrays[name] = section.view(dtype).reshape(shape)
        self.final_observations = arrays.pop("final_observations", None)  # only with SAME_STEP
        self.arrays = list(arrays.values())
        del arrays, section
        # NumPy lets a view of a view refer to the first array, whose count is thus that of all arrays out there.
        self._idle_count = sys.getrefcount(self._root)

    def finals(self, rows: slice | None) -> np.ndarray:
        """A new array of final observations, or of some of its rows."""
        return self.final_observations[slice(None) if rows is None else rows]

    def is_idle(self) -> bool:
        """Whether nobody outside looks at this block."""
        return sys.getrefcount(self._root) == self._idle_count


class NewRows:
    """Every batch gets arrays of its own."""

    own = False  # observations are copied out of the vector

    _KEPT: Final = 4  # blocks; more than a loop needs that drops results, few enough for the processor's cache

    def __init__(self, vector: _core.Vector, count: int, batch: int, observation_shape: tuple[int, ...]) -> None:
        self._make = lambda: Block(vector, batch, observation_shape)
        self._blocks = [self._make()]

    def begin(self) -> None:
        """Before work is asked for."""

    def take(self) -> Block:
        """A block that nobody uses."""
        for block in self._blocks:
            if block.is_idle():
                return block
        block = self._make()
        self._blocks.append(block)
        del self._blocks[: -self._KEPT]  # who keeps all results keeps their memory, too
        return block

    def arrays(self, block: Block) -> list[np.ndarray]:
        """New arrays: observations, then the others in the order of the sections."""
        return [array.view() for array in block.arrays]


class SharedRows:
    """Every batch overwrites the arrays of the one before. Of a whole vector, observations are the vector's own."""

    def __init__(self, vector: _core.Vector, count: int, batch: int, observation_shape: tuple[int, ...]) -> None:
        self.own = batch == count  # else rows are in order of completion, and must be copied
        self._block = Block(vector, batch, observation_shape)
        if self.own:
            self._block.arrays[0] = np.asarray(OwnMemory(vector, (count, *observation_shape)))

    def begin(self) -> None:
        """Before work is asked for."""

    def take(self) -> Block:
        """The block."""
        return self._block

    def arrays(self, block: Block) -> list[np.ndarray]:
        """Its arrays: observations, then the others in the order of the sections."""
        return block.arrays
