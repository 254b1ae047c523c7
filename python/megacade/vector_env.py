"""AtariVectorEnv: many games as one Gymnasium environment, with the arguments and the behaviour of ale-py's class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from gymnasium import error, utils
from gymnasium.spaces import Box, Discrete, Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from megacade import roms
from megacade.arguments import INT32, integer
from megacade.env import AtariEnv
from megacade.vector_device import is_on_gpu
from megacade.vector_extras import VectorExtras
from megacade.vector_interface import ALEVectorInterface, Result

_INT32 = np.dtype(np.int32)
_INT64 = np.dtype(np.int64)
_FLOAT32 = np.dtype(np.float32)


def _find_roms(games: Sequence[str]) -> list[Any]:
    assert games, "there is no game"
    paths = {game: roms.get_rom_path(game) for game in dict.fromkeys(games)}
    for game, path in paths.items():
        assert path is not None, f"{game!r} is not a game; names are in snake_case, like ms_pacman"
    return [paths[game] for game in games]


def _per_environment(value: int | Sequence[int] | None, count: int, what: str) -> list[int] | None:
    if value is None:
        return None
    values = [value] * count if isinstance(value, int) else list(value)
    if len(values) != count:
        raise ValueError(f"{len(values)} values of {what} for {count} environments")
    return values


def _batch_of_pictures(single: Box, count: int) -> Box:
    """What batch_space makes, but its bounds, which are the same everywhere, are in memory once.

    Gymnasium writes out four arrays of the size of a batch: for 20,000 environments 2 GiB, more than their consoles.
    """
    space: Any = batch_space(single, 1)
    space._shape = (count, *single.shape)
    for name in ("low", "high", "bounded_below", "bounded_above"):
        setattr(space, name, np.broadcast_to(getattr(space, name), space._shape))
    return space


class AtariVectorEnv(VectorExtras, VectorEnv, utils.EzPickle):
    """Many environments that are stepped together, with the usual preprocessing.

    The same arguments, seeds and actions give the same results as ale-py 0.12.1, however many threads there are.
    """

    def __init__(
        self,
        game: str | Sequence[str],
        num_envs: int,
        *,
        batch_size: int = 0,
        num_threads: int = 0,
        thread_affinity_offset: int = -1,
        max_num_frames_per_episode: int = 108_000,
        repeat_action_probability: float = 0.0,
        full_action_space: bool = False,
        continuous: bool = False,
        continuous_action_threshold: float = 0.5,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        img_height: int = 84,
        img_width: int = 84,
        grayscale: bool = True,
        stack_num: int = 4,
        frameskip: int = 4,
        maxpool: bool = True,
        noop_max: int = 30,
        episodic_life: bool = False,
        life_loss_info: bool = False,
        reward_clipping: bool = True,
        use_fire_reset: bool = True,
        mode: int | Sequence[int] | None = None,
        difficulty: int | Sequence[int] | None = None,
        copy: bool | None = None,
        groups: int = 1,
        start_states: int = 0,
        start_seed: int = 0,
        episodes: str = "ale",
        translate: bool | str = True,
        device: str = "cpu",
        array: str | None = None,
    ) -> None:
        """Finds the ROMs and starts the threads.

        Args:
            game: the game's name in snake_case, or several: environment i then plays ``game[i % len(game)]``, and
                the actions are all 18.
            num_envs: how many environments.
            batch_size: results of a ``recv``; 0 means all. With fewer, rows are in order of completion.
            num_threads: 0 means as many as processors; not more than those in any case.
            thread_affinity_offset: the processor that the first thread is bound to; -1 binds none.
            max_num_frames_per_episode: an episode is truncated after so many frames.
            repeat_action_probability: that a frame repeats the previous action.
            full_action_space: all legal actions instead of those that make a difference in the game.
            continuous: actions are (radius, angle, fire) instead of numbers.
            continuous_action_threshold: how far a stick must be moved to count.
            autoreset_mode: NEXT_STEP or SAME_STEP.
            img_height: of an observation.
            img_width: of an observation.
            grayscale: gray instead of RGB.
            stack_num: frames in an observation.
            frameskip: frames of a step.
            maxpool: an observation is the maximum of the last two frames.
            noop_max: an episode starts after 0 to noop_max - 1 frames of doing nothing.
            episodic_life: an episode ends when a life is lost, and the game starts anew.
            life_loss_info: a lost life is reported as terminated, and the game goes on.
            reward_clipping: rewards are limited to -1, 0 and 1.
            use_fire_reset: FIRE is pressed when an episode starts.
            mode: the game's mode, or one for each environment; the default mode if None.
            difficulty: likewise; 0 if None.
            copy: results are new arrays, as they are on the CPU by default. False: every step overwrites the arrays of
                the one before, and observations are looked at where the vector keeps them (do not write there).
            groups: alternating groups, for ``group_send`` and ``group_recv``.
            start_states: 0, or how many starts of each game are made now; every reset then copies one of them. Fast,
                and not what ale-py does: see docs/python.md.
            start_seed: of the first start state; the others have the seeds that follow.
            episodes: "ale", or "envpool": how episodes start, are seen and end there.
            translate: False interprets the cartridges. True changes over to machine code as soon as there is some,
                and "now" waits for it. Results are the same.
            device: "cpu", "cuda" (the first GPU) or a numbered one, "cuda:1". Results are the same: see docs/gpu.md.
            array: of a GPU's results: "dlpack" for DeviceArray, which other libraries take over without a copy (the
                default), "torch" for tensors, both overwritten by every step; "numpy" for copies in the host's memory.
        """
        arguments = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        utils.EzPickle.__init__(self, **arguments)
        if type(frameskip) is not int or frameskip <= 0:
            raise error.Error(f"frameskip must be an int of 1 or more, not {frameskip!r}")
        if not isinstance(continuous, bool):
            raise TypeError(f"continuous must be True or False, not {type(continuous).__name__}")
        names = [game] if isinstance(game, str) or not isinstance(game, Sequence) else list(game)
        paths = _find_roms(names)
        if len(paths) > 1:
            if not 0 < len(paths) <= num_envs:
                raise ValueError(f"{len(paths)} games for {num_envs} environments")
            paths = [paths[index % len(paths)] for index in range(num_envs)]
        self.ale = ALEVectorInterface(
            rom_path=paths,
            num_envs=num_envs,
            frame_skip=frameskip,
            stack_num=stack_num,
            img_height=img_height,
            img_width=img_width,
            grayscale=grayscale,
            maxpool=maxpool,
            noop_max=noop_max,
            use_fire_reset=use_fire_reset,
            episodic_life=episodic_life,
            life_loss_info=life_loss_info,
            reward_clipping=reward_clipping,
            max_episode_steps=max_num_frames_per_episode,
            repeat_action_probability=repeat_action_probability,
            full_action_space=full_action_space or continuous,
            batch_size=batch_size,
            num_threads=num_threads,
            thread_affinity_offset=thread_affinity_offset,
            autoreset_mode=autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode,
            modes=_per_environment(mode, num_envs, "mode"),
            difficulties=_per_environment(difficulty, num_envs, "difficulty"),
            continuous_action_threshold=continuous_action_threshold,
            copy=copy,
            groups=groups,
            start_states=start_states,
            start_seed=start_seed,
            episodes=episodes,
            translate=translate,
            device=device,
            array=array,
        )
        self.device = device
        self.num_groups = groups
        self.num_envs = num_envs
        self.batch_size = batch_size or num_envs
        self.continuous = continuous
        self.continuous_action_threshold = continuous_action_threshold
        self.grayscale = grayscale
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode}
        positions, buttons = (-1, 0, 1), (False, True)
        self.map_action_idx = np.array(  # the action of [left to right + 1][down to up + 1][fire]
            [[[AtariEnv.map_action_idx(x, y, fire).value for fire in buttons] for y in positions] for x in positions],
            np.int32,
        )
        self._make_spaces()

    def _make_spaces(self) -> None:
        self.single_observation_space = Box(0, 255, self.ale.get_observation_shape(), np.uint8)
        self.single_action_space: Space[Any] = Discrete(len(self.ale.get_action_set()))
        self._action_shape: tuple[int, ...] = (self.batch_size,)
        if self.continuous:
            limits = np.array([1, np.pi, 1], np.float32)
            self.single_action_space = Box(limits * np.array([0, -1, 0], np.float32), limits, dtype=np.float32)
            self._action_shape = (self.batch_size, 3)
        self.observation_space = _batch_of_pictures(self.single_observation_space, self.batch_size)
        self.action_space = batch_space(self.single_action_space, self.batch_size)

    # ---- starting ----

    def reset(
        self, *, seed: int | np.ndarray | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Starts new episodes in all environments, or in those of ``options["reset_mask"]``.

        Args:
            seed: an int s gives the environments that are reset the seeds s, s + 1, ...; an array has one seed for each
                of them. A seed of 0 or more also turns the console off and on; with None all carries on.
            options: ``reset_mask`` is a bool array (num_envs,). The others only report what they did last.
        """
        ids = np.arange(self.num_envs)
        if options is not None and "reset_mask" in options:
            ids = self._masked(options["reset_mask"])
        return self.ale.reset(ids, self._seeds(seed, len(ids)))  # type: ignore[arg-type]  # arrays are sequences

    def _masked(self, mask: Any) -> np.ndarray:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            found = getattr(mask, "dtype", type(mask).__name__)
            raise TypeError(f"reset_mask must be a NumPy array of bool, not {found}")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask has the shape {mask.shape}, expected {(self.num_envs,)}")
        return np.flatnonzero(mask)

    @staticmethod
    def _seeds(seed: Any, count: int) -> np.ndarray:
        if seed is None:
            return np.full(count, -1, np.int32)
        if isinstance(seed, int):
            if not INT32[0] <= seed <= INT32[1]:
                raise TypeError(f"the seed {seed} does not fit 32 bits")
            return seed + np.arange(count, dtype=np.int64)
        if not isinstance(seed, np.ndarray):
            raise TypeError(f"seed must be None, an int or a NumPy array of int, not {type(seed).__name__}")
        if seed.shape != (count,):
            raise ValueError(f"seed has the shape {seed.shape}, expected {(count,)}: one for each that is reset")
        return seed

    # ---- playing ----

    def _action_bytes(self, actions: Any, shape: tuple[int, ...]) -> bytes:
        kind = "float32" if self.continuous else "int32 or int64"
        if self.device != "cpu" and not isinstance(actions, np.ndarray):
            if is_on_gpu(actions):
                raise TypeError("actions in a GPU's memory are for step with array='dlpack' or 'torch'; copy them")
            actions = np.asarray(actions, np.float32 if self.continuous else np.int64)
        assert isinstance(actions, np.ndarray), f"actions must be a NumPy array of {kind}"
        dtype = actions.dtype
        fits = dtype == _FLOAT32 if self.continuous else dtype == _INT64 or dtype == _INT32
        assert fits, f"actions must be {kind}, not {dtype}"
        assert actions.shape == shape, f"actions have the shape {actions.shape}, not {shape}"
        return actions.tobytes()

    def step(self, actions: np.ndarray) -> Result:
        """Plays an action in each environment: observations, rewards, terminations, truncations, info.

        With a ``batch_size`` below ``num_envs``, actions are for the last batch received, and the results are those of
        the next batch. On a GPU, actions may be there, too: any array with ``__dlpack__``. The call then returns before
        they are played; an index that is out of its range counts as 0.
        """
        if self.device != "cpu" and not self.continuous and self.ale._takes(actions):
            return self.ale._step_device(actions)
        return self.ale._step(self._action_bytes(actions, self._action_shape))

    def send(self, actions: np.ndarray) -> None:
        """Plays actions without waiting for the results."""
        self.ale._send(self._action_bytes(actions, self._action_shape))

    def recv(self) -> Result:
        """Waits for the results of a batch, as ``step`` returns them. It can be interrupted, and called again then."""
        return self.ale.recv()

    def group_ids(self, group: int) -> range:
        """The environments of a group: group g of G has num_envs * g // G to num_envs * (g + 1) // G - 1."""
        first, count = self.ale._core.group(self._group(group))
        return range(first, first + count)

    def _group(self, group: int) -> int:
        number = integer(group, INT32, "the group")
        if not 0 <= number < self.num_groups:
            raise IndexError(f"group {number} is not one of 0 to {self.num_groups - 1}")
        return number

    def group_send(self, group: int, actions: np.ndarray) -> None:
        """Plays actions in the environments of a group without waiting: the others can be computed meanwhile."""
        shape = (len(self.group_ids(group)), *self._action_shape[1:])
        self.ale._group_send(group, self._action_bytes(actions, shape))

    def group_recv(self, group: int) -> Result:
        """Waits for the results of a group, as ``step`` returns them; the rows are ``group_ids(group)``."""
        return self.ale._group_recv(self._group(group))

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the threads. Arrays that were handed out stay valid."""
        self.ale._close()

    def xla(self) -> NoReturn:
        """Not there: ale-py's step inside of jitted JAX code."""
        raise NotImplementedError("Megacade has no XLA functions yet; call step, or send and recv, outside of jax.jit")
