"""ALEVectorInterface: many consoles stepped by several threads, with the names and the behaviour of ale-py's class."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import numpy as np
from gymnasium import error

from megacade import _core
from megacade.arguments import INT32, UINT32, boolean, integer, real, text
from megacade.enums import Action
from megacade.vector_device import ARRAYS, DeviceRows, find_compiler, is_on_gpu
from megacade.vector_rows import Block, NewRows, SharedRows

Path = str | os.PathLike[str]
Result = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]

_AUTORESET: Final = ("NextStep", "SameStep")
_EPISODES: Final = ("ale", "envpool")
_TRANSLATE: Final = {True: 0, False: 1, "now": 2}  # MEGA_TRANSLATE_*


class _Closed:
    """Stands for the parts of a closed vector."""

    def __getattr__(self, name: str) -> NoReturn:
        raise error.ClosedEnvironmentError("this vector environment was closed; make a new one")


def _numbers(values: Any, what: str) -> np.ndarray:
    """A sequence of integers that fit int32."""
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int32)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError(f"{what} must be a sequence of integers that fit 32 bits")
    if array.size and not INT32[0] <= int(array.min()) <= int(array.max()) <= INT32[1]:
        raise TypeError(f"{what} must be integers that fit 32 bits")
    return array.astype(np.int32)


class ALEVectorInterface:
    """Many environments. ``reset``, then ``send`` and ``recv``; AtariVectorEnv makes a Gymnasium environment of it."""

    def __init__(
        self,
        rom_path: Path | Sequence[Path],
        num_envs: int,
        frame_skip: int = 4,
        stack_num: int = 4,
        img_height: int = 84,
        img_width: int = 84,
        grayscale: bool = True,
        maxpool: bool = True,
        noop_max: int = 30,
        use_fire_reset: bool = True,
        episodic_life: bool = False,
        life_loss_info: bool = False,
        reward_clipping: bool = True,
        max_episode_steps: int = 108000,
        repeat_action_probability: float = 0.0,
        full_action_space: bool = False,
        batch_size: int = 0,
        num_threads: int = 0,
        thread_affinity_offset: int = -1,
        autoreset_mode: str = "NextStep",
        *,
        modes: Sequence[int] | None = None,
        difficulties: Sequence[int] | None = None,
        continuous_action_threshold: float = 0.5,
        copy: bool | None = None,
        groups: int = 1,
        start_states: int = 0,
        start_seed: int = 0,
        episodes: str = "ale",
        translate: bool | str = True,
        device: str = "cpu",
        array: str | None = None,
    ) -> None:
        """Starts the threads. The arguments are explained at AtariVectorEnv; ``max_episode_steps`` counts frames.

        Args after ``autoreset_mode`` are Megacade's own: modes and difficulties per environment (-1 and 0 are the
        defaults), the threshold of continuous actions, whether results are new arrays, and those of AtariVectorEnv.
        """
        if isinstance(num_envs, bool):
            raise TypeError("num_envs must be an integer, not bool")
        count = integer(num_envs, INT32, "num_envs")
        batch = integer(batch_size, INT32, "batch_size") or count
        if text(autoreset_mode, "autoreset_mode") not in _AUTORESET:
            raise ValueError(f"autoreset_mode is {autoreset_mode!r}, expected one of {', '.join(_AUTORESET)}")
        if text(episodes, "episodes") not in _EPISODES:
            raise ValueError(f"episodes is {episodes!r}, expected one of {', '.join(_EPISODES)}")
        if not isinstance(translate, (bool, str)) or translate not in _TRANSLATE:
            raise ValueError(f"translate is {translate!r}, expected True, False or 'now'")
        if episodes == "envpool" and not (maxpool and (frame_skip == 1 or max_episode_steps % frame_skip == 0)):
            raise ValueError("EnvPool's episodes have maxpool, and a limit that is a multiple of the frame skip")
        on_gpu = text(device, "device") != "cpu"
        if array is not None and text(array, "array") not in (ARRAYS if on_gpu else ("numpy",)):
            raise ValueError(f"array is {array!r}, expected one of {', '.join(ARRAYS)}; on the CPU it is numpy")
        new_arrays = boolean(copy, "copy") if copy is not None else not on_gpu or array == "numpy"
        if on_gpu and new_arrays != (array == "numpy"):
            raise ValueError("on a GPU copy is False but for array='numpy': its arrays are shown where they are")
        if on_gpu:
            find_compiler()
        paths = [rom_path] if isinstance(rom_path, (str, os.PathLike)) else list(rom_path)
        threads = max(0, integer(num_threads, INT32, "num_threads"))
        pinned = max(-1, integer(thread_affinity_offset, INT32, "thread_affinity_offset"))
        height, width = integer(img_height, INT32, "img_height"), integer(img_width, INT32, "img_width")
        stack, gray = integer(stack_num, INT32, "stack_num"), boolean(grayscale, "grayscale")
        sticky = real(repeat_action_probability, "repeat_action_probability")
        loaded = {path: _core.Rom.load(path) for path in set(paths)}
        self._core: Any = _core.Vector(
            [loaded[path] for path in paths],
            count=count,
            batch=batch,
            threads=min(threads, os.cpu_count() or 1),
            pin=pinned % (os.cpu_count() or 1) + 1 if pinned >= 0 else 0,
            same_step=autoreset_mode == "SameStep",
            seed=int.from_bytes(os.urandom(4), "little"),
            modes=None if modes is None else _numbers(modes, "modes").tobytes(),
            difficulties=None if difficulties is None else _numbers(difficulties, "difficulties").tobytes(),
            frame_skip=integer(frame_skip, INT32, "frame_skip"),
            height=height,
            width=width,
            stack=stack,
            noop_max=integer(noop_max, INT32, "noop_max"),
            max_episode_frames=integer(max_episode_steps, INT32, "max_episode_steps"),
            sticky=sticky if sticky != sticky else min(max(sticky, 0.0), 1.0),  # ale-py takes any number
            grayscale=gray,
            maxpool=boolean(maxpool, "maxpool"),
            fire_reset=boolean(use_fire_reset, "use_fire_reset"),
            reward_clipping=boolean(reward_clipping, "reward_clipping"),
            full_actions=boolean(full_action_space, "full_action_space"),
            episodic_life=boolean(episodic_life, "episodic_life"),
            life_loss_info=boolean(life_loss_info, "life_loss_info"),
            envpool=episodes == "envpool",
            threshold=real(continuous_action_threshold, "continuous_action_threshold"),
            groups=integer(groups, INT32, "groups"),
            start_states=integer(start_states, INT32, "start_states"),
            start_seed=integer(start_seed, UINT32, "start_seed"),
            translate=_TRANSLATE[translate],
            device=device,
        )
        self._count = count
        self._batch = batch
        self._shape = (stack, height, width) if gray else (stack, height, width, 3)
        self._same_step = autoreset_mode == "SameStep"
        if on_gpu and array != "numpy":
            self._rows: Any = DeviceRows(self._core, count, self._shape, array == "torch")
        else:
            self._rows = (NewRows if new_arrays else SharedRows)(self._core, count, batch, self._shape)
        self._on_gpu = on_gpu
        self._own = self._rows.own

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("an ALEVectorInterface cannot be pickled; clone_states saves what it plays")

    # ---- playing ----

    def reset(self, env_ids: Sequence[int], seeds: Sequence[int], /) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Starts new episodes in some environments; a seed that is not negative also turns the console off and on.

        The first reset must be of all environments, and so must each one if ``batch_size`` is less than ``num_envs``.
        """
        ids, numbers = _numbers(env_ids, "env_ids"), _numbers(seeds, "seeds")
        if len(ids) != len(numbers):
            raise ValueError(f"{len(ids)} env_ids, but {len(numbers)} seeds")
        for env_id in ids[(ids < 0) | (ids >= self._count)]:
            raise IndexError(f"environment {env_id} is not one of 0 to {self._count - 1}")
        mask, all_seeds = np.zeros(self._count, np.bool_), np.full(self._count, -1, np.int32)
        mask[ids] = True
        all_seeds[ids] = numbers
        block = self._rows.take()
        self._core.reset(None if mask.all() else mask.tobytes(), all_seeds.tobytes(), block.data, self._own)
        observations, _, _, _, info = self._result(block, False)
        return observations, info

    def send(self, action_ids: Sequence[int], paddle_strengths: Sequence[float], /) -> None:
        """Gives each environment of the last batch an action, by its index, and returns at once."""
        actions = _numbers(action_ids, "action_ids")
        strengths = np.asarray(paddle_strengths, np.float32)
        if len(actions) != len(strengths):
            raise ValueError(f"{len(actions)} actions, but {len(strengths)} paddle strengths")
        self._rows.begin()
        self._core.send(actions.tobytes(), strengths.tobytes())

    def recv(self) -> Result:
        """Waits for a batch: observations, rewards, terminations, truncations, info."""
        block = self._rows.take()
        return self._result(block, self._core.recv(block.data, self._own))

    def _step(self, actions: bytes) -> Result:
        block = self._rows.take()
        return self._result(block, self._core.step(actions, None, block.data, self._own))

    def _takes(self, actions: Any) -> bool:
        """Whether actions are taken where they are, in a GPU's memory."""
        return self._on_gpu and isinstance(self._rows, DeviceRows) and is_on_gpu(actions)

    def _step_device(self, actions: Any) -> Result:
        """Returns when the GPU has got its work."""
        block = self._rows.take()
        self._core.step_device(actions.__dlpack__(stream=self._rows.stream))
        return self._result(block, True)

    def _send(self, actions: bytes) -> None:
        self._rows.begin()
        self._core.send(actions, None)

    def _group_send(self, group: int, actions: bytes) -> None:
        self._rows.begin()
        self._core.group_send(group, actions)

    def _group_recv(self, group: int) -> Result:
        block = self._rows.take()
        ended = self._core.group_recv(group, block.data, self._own)
        first, count = self._core.group(group)
        return self._result(block, ended, slice(first, first + count))

    def _result(self, block: Block, ended: bool, rows: slice | None = None) -> Result:
        arrays = self._rows.arrays(block)
        if rows is not None:
            arrays = [array[rows] for array in arrays]
        observations, rewards, terminations, truncations, ids, lives, frames, episode_frames = arrays
        info = {"env_id": ids, "lives": lives, "frame_number": frames, "episode_frame_number": episode_frames}
        if ended and self._same_step:
            info["final_obs"] = block.finals(rows)
        return observations, rewards, terminations, truncations, info

    def _close(self) -> None:
        # Threads and memory go when nobody looks at them any more: arrays of copy=False may still be around.
        self._core = self._rows = _Closed()

    # ---- what is known ----

    def get_action_set(self) -> list[Action]:
        """The actions, in the order of their indices."""
        return [Action(number) for number in self._core.actions()]

    def get_num_envs(self) -> int:
        """How many environments there are."""
        return self._count

    def get_observation_shape(self) -> tuple[int, ...]:
        """Of one environment: stack, height, width, and 3 for RGB."""
        return self._shape

    def handle(self) -> NoReturn:
        """For XLA in ale-py, and not there in Megacade."""
        raise NotImplementedError("Megacade has no XLA handle; step, or send and recv, work outside of jitted code")
