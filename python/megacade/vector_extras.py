"""What AtariVectorEnv can do beyond ale-py's class: RAM, screens, states and statistics of its consoles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from megacade import _core
from megacade.arguments import INT32, integer
from megacade.vector_device import DeviceRows
from megacade.vector_interface import ALEVectorInterface
from megacade.vector_rows import OwnMemory

Ids = Sequence[int] | np.ndarray

# mega_episode and mega_vector_statistics of megacade.h.
_EPISODE: Final = np.dtype(
    [
        ("score", np.int64),
        ("env_id", np.int32),
        ("steps", np.uint32),
        ("frames", np.uint32),
        ("terminated", np.bool_),
        ("truncated", np.bool_),
        ("pad", np.void, 2),
    ]
)
_STATISTICS: Final = np.dtype(
    [
        ("episodes", np.uint64),
        ("score_sum", np.int64),
        ("steps_sum", np.uint64),
        ("frames_sum", np.uint64),
        ("last", _EPISODE),
    ]
)
_EPISODE_FIELDS: Final = [name for name in _EPISODE.names or () if name != "pad"]


class VectorExtras:
    """A part of AtariVectorEnv. None of this may look at an environment whose result was not received yet."""

    ale: ALEVectorInterface
    num_envs: int

    def _ids(self, ids: Ids | None) -> bytes:
        if ids is None:
            return np.arange(self.num_envs, dtype=np.int32).tobytes()
        numbers = np.asarray(ids)
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
            raise TypeError("ids must be a sequence of integers")
        for number in numbers[(numbers < 0) | (numbers >= self.num_envs)]:
            raise IndexError(f"environment {number} is not one of 0 to {self.num_envs - 1}")
        return numbers.astype(np.int32).tobytes()

    @property
    def observations(self) -> np.ndarray:
        """The observations of all environments where the vector keeps them, which every step changes. Do not write.

        RuntimeError while results are outstanding: threads may be writing there.
        """
        outstanding = self.ale._core.outstanding()
        if outstanding:
            raise RuntimeError(f"the results of {outstanding} environments are outstanding; receive them first")
        if isinstance(self.ale._rows, DeviceRows):
            return self.ale._rows.observations
        shape = (self.num_envs, *self.ale.get_observation_shape())
        return np.asarray(OwnMemory(self.ale._core, shape))

    # ---- RAM and screens ----

    def ram(self, ids: Ids | None = None) -> np.ndarray:
        """The RAM of some consoles, or of all: (len(ids), 128), a new array. Their results must have been received."""
        return np.frombuffer(self.ale._core.ram(self._ids(ids)), np.uint8).reshape(-1, _core.RAM_SIZE)

    def set_ram(self, env_id: int, index: int, value: int) -> None:
        """Writes a byte of a console's RAM."""
        numbers = (integer(number, INT32, "a number") for number in (env_id, index, value))
        self.ale._core.set_ram(*(number if number >= 0 else 2**32 - 1 for number in numbers))  # refused as too large

    def _screen(self, env_id: int) -> np.ndarray:
        height, pixels = self.ale._core.screen(env_id)
        return np.frombuffer(pixels, np.uint8).reshape(height, _core.SCREEN_WIDTH, 3)

    def render(self, env_id: int | None = None, columns: int | None = None) -> np.ndarray:  # type: ignore[override]
        """The colours of one console's screen, (height, 160, 3), or of a wall of all screens in ``columns`` columns."""
        if env_id is not None:
            (number,) = np.frombuffer(self._ids([env_id]), np.int32)
            return self._screen(int(number))
        screens = [self._screen(index) for index in range(self.num_envs)]
        columns = columns or math.ceil(math.sqrt(self.num_envs))
        height = max(len(screen) for screen in screens)  # games differ in it
        wall = np.zeros((-(-self.num_envs // columns) * height, columns * _core.SCREEN_WIDTH, 3), np.uint8)
        for index, screen in enumerate(screens):
            top, left = index // columns * height, index % columns * _core.SCREEN_WIDTH
            wall[top : top + len(screen), left : left + _core.SCREEN_WIDTH] = screen
        return wall

    # ---- states ----

    def clone_states(self, ids: Ids | None = None) -> np.ndarray:
        """The states of some environments, or of all: (len(ids), bytes of a state), uint8, to keep or to pickle.

        A state is all that an environment plays on with: console, random generators, frame stack, episode.
        """
        numbers = self._ids(ids)
        return np.frombuffer(self.ale._core.save(numbers), np.uint8).reshape(len(numbers) // 4, -1)

    def restore_states(self, states: np.ndarray, ids: Ids | None = None) -> None:
        """Puts states into some environments, or into all. Either all states fit, or nothing changes.

        They may come from another vector with the same games and the same preprocessing.
        """
        numbers = self._ids(ids)
        if not isinstance(states, np.ndarray) or states.dtype != np.uint8 or states.ndim != 2:
            raise TypeError("states must be an array that clone_states returned, or rows of one")
        if len(states) != len(numbers) // 4:
            raise ValueError(f"{len(states)} states for {len(numbers) // 4} environments")
        self.ale._core.restore(numbers, states.tobytes())

    def copy_states(self, from_ids: Ids, to_ids: Ids, source: VectorExtras | None = None) -> None:
        """Copies the states of ``source``, or of this vector, into environments of this one, one after the other."""
        other = self if source is None else source
        self.ale._core.copy(self._ids(to_ids), other.ale._core, other._ids(from_ids))

    # ---- episodes ----

    def episode_statistics(self) -> dict[str, np.ndarray]:
        """Of each environment since the beginning: episodes finished, sums over them, and the last one's figures.

        Scores are sums of rewards before clipping. An episode that a reset cut off does not count.
        """
        table = np.frombuffer(self.ale._core.statistics(), _STATISTICS)
        sums = {name: table[name] for name in _STATISTICS.names or () if name != "last"}
        return sums | {f"last_{name}": table["last"][name] for name in _EPISODE_FIELDS if name != "env_id"}

    def finished_episodes(self) -> dict[str, np.ndarray]:
        """The episodes that ended since the last call, oldest first: score, env_id, steps, frames, how they ended.

        At least the last 1024 are kept until they are asked for.
        """
        table: Any = np.frombuffer(self.ale._core.episodes(), _EPISODE)
        return {name: table[name] for name in _EPISODE_FIELDS}
