"""AtariEnv: one game as a Gymnasium environment, with the arguments and the behaviour of ale-py's class."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

import gymnasium
import numpy as np
from gymnasium import error, spaces, utils
from gymnasium.utils import seeding

from megacade import _core, roms
from megacade.enums import Action
from megacade.interface import ALEInterface
from megacade.state import ALEState

_VERTICAL = {-1: "DOWN", 0: "", 1: "UP"}
_HORIZONTAL = {-1: "LEFT", 0: "", 1: "RIGHT"}
_KEYS = {"UP": "w", "DOWN": "s", "RIGHT": "d", "LEFT": "a", "FIRE": " "}  # in the order of an action's name


class AtariEnvStepMetadata(TypedDict, total=False):
    """What ``reset`` and ``step`` report beside the observation."""

    lives: int
    episode_frame_number: int
    frame_number: int
    seeds: tuple[int, int]  # only after reset(seed=...): of the frame skip's and of the sticky actions' generator


def _check_frameskip(frameskip: Any) -> None:
    # Exact types, as in ale-py: a bool or a NumPy integer here is most often a mistake.
    if type(frameskip) is int:
        if frameskip <= 0:
            raise error.Error(f"frameskip is {frameskip}, but must be positive")
    elif type(frameskip) is tuple:
        if len(frameskip) != 2:
            raise error.Error(f"a range of frameskips has a low and a high end, not {len(frameskip)} values")
        if frameskip[0] >= frameskip[1]:
            raise error.Error(f"the frameskips {frameskip} are empty: low must be less than high, which is excluded")
        if frameskip[0] <= 0:
            raise error.Error(f"the frameskips {frameskip} must be positive")
    else:
        raise error.Error(f"frameskip must be an int or a tuple of two, not {type(frameskip).__name__}")


class AtariEnv(gymnasium.Env, utils.EzPickle):
    """A game of the Atari 2600. The defaults are those of Machado et al. (2018), with the minimal action set.

    The same arguments, seed and actions give the same observations, rewards and ends as ale-py 0.12.1.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 30}

    def __init__(
        self,
        game: str,
        mode: int | None = None,
        difficulty: int | None = None,
        obs_type: Literal["rgb", "grayscale", "ram"] = "rgb",
        frameskip: tuple[int, int] | int = 4,
        repeat_action_probability: float = 0.25,
        full_action_space: bool = False,
        continuous: bool = False,
        continuous_action_threshold: float = 0.5,
        max_num_frames_per_episode: int | None = None,
        render_mode: Literal["human", "rgb_array"] | None = None,
        sound_obs: bool = False,
    ) -> None:
        """Finds the game's ROM and starts it.

        Args:
            game: the game's name in snake_case; ``megacade.roms.get_all_rom_ids()`` lists them, and ``comet_catch``
                is built in.
            mode: the game's mode; its default mode if None.
            difficulty: the game's difficulty; 0 if None.
            obs_type: "rgb", "grayscale" or "ram".
            frameskip: frames per step, or (low, high) to draw low to high - 1 for each step.
            repeat_action_probability: that a frame repeats the previous action.
            full_action_space: all actions instead of those that make a difference in the game.
            continuous: actions are (radius, angle, fire) instead of numbers.
            continuous_action_threshold: how far a stick must be moved to count.
            max_num_frames_per_episode: the episode is truncated after so many frames; never if None.
            render_mode: "rgb_array" for ``render``; "human" for a window, which needs pygame.
            sound_obs: observations are dicts of "image" and "sound".
        """
        if obs_type not in {"rgb", "grayscale", "ram"}:  # a set, as there: a list is a TypeError
            raise error.Error(f"obs_type is {obs_type!r}, expected 'rgb', 'grayscale' or 'ram'")
        _check_frameskip(frameskip)
        if render_mode is not None and render_mode not in set(self.metadata["render_modes"]):
            raise error.Error(f"render_mode is {render_mode!r}, expected 'human', 'rgb_array' or None")
        utils.EzPickle.__init__(
            self,
            game=game,
            mode=mode,
            difficulty=difficulty,
            obs_type=obs_type,
            frameskip=frameskip,
            repeat_action_probability=repeat_action_probability,
            full_action_space=full_action_space,
            continuous=continuous,
            continuous_action_threshold=continuous_action_threshold,
            max_num_frames_per_episode=max_num_frames_per_episode,
            render_mode=render_mode,
            sound_obs=sound_obs,
        )
        self.ale = ALEInterface()
        self._game = game
        self._game_mode = mode
        self._game_difficulty = difficulty
        self._frameskip = frameskip
        self._obs_type = obs_type
        self.render_mode = render_mode
        self.sound_obs = sound_obs
        self.continuous = continuous
        self.continuous_action_threshold = continuous_action_threshold

        self.ale.setFloat("repeat_action_probability", repeat_action_probability)
        if max_num_frames_per_episode is not None:
            self.ale.setInt("max_num_frames_per_episode", max_num_frames_per_episode)
        self.ale.setBool("sound_obs", sound_obs)
        if render_mode == "human":
            self.ale.setBool("display_screen", True)
        self.seed_game()
        self.load_game()

        every_action = full_action_space or continuous
        self._action_set = self.ale.getLegalActionSet() if every_action else self.ale.getMinimalActionSet()
        self.action_space: spaces.Space[Any] = spaces.Discrete(len(self._action_set))
        if continuous:
            self.action_space = spaces.Box(
                np.array([0, -np.pi, 0], np.float32), np.array([1, np.pi, 1], np.float32), dtype=np.float32
            )
        self.observation_space = self._make_observation_space()

    def _make_observation_space(self) -> spaces.Space[Any]:
        screen = self.ale.getScreenDims()
        shapes = {"rgb": (*screen, 3), "grayscale": screen, "ram": (self.ale.getRAMSize(),)}
        image = spaces.Box(0, 255, shapes[self._obs_type], np.uint8)
        if not self.sound_obs:
            return image
        return spaces.Dict(image=image, sound=spaces.Box(0, 255, (self.ale.getAudioSize(),), np.uint8))

    # ---- starting ----

    def seed_game(self, seed: int | None = None) -> tuple[int, int]:
        """Splits a seed into that of the frame skip's generator and that of the sticky actions'.

        The second takes effect with ``load_game``.
        """
        np_seed, ale_seed = np.random.SeedSequence(seed).generate_state(2)
        self._np_random, _ = seeding.np_random(int(np_seed))
        self.ale.setInt("random_seed", ale_seed.astype(np.int32))
        return np_seed, ale_seed

    def load_game(self) -> None:
        """Turns the console on, with the game and its mode and difficulty; the mode holds from the next reset on."""
        self.ale.loadROM(roms.get_rom_path(self._game))  # type: ignore[arg-type]  # None is refused with a sentence
        if self._game_mode is not None:
            self.ale.setMode(self._game_mode)
        if self._game_difficulty is not None:
            self.ale.setDifficulty(self._game_difficulty)

    def reset(  # type: ignore[override]  # info is a dict with known keys
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray | dict[str, np.ndarray], AtariEnvStepMetadata]:
        """Starts an episode. A seed also turns the console off and on, so that everything begins anew.

        Without a seed RAM and the generators carry over, as they do in the reference.
        """
        super().reset(seed=seed, options=options)
        seeds = None
        if seed is not None:
            seeds = self.seed_game(seed)
            self.load_game()
        self.ale.reset_game()
        info = self._get_info()
        if seeds is not None:
            info["seeds"] = seeds
        return self._get_obs(), info

    # ---- playing ----

    def step(  # type: ignore[override]  # info is a dict with known keys
        self, action: int | np.ndarray
    ) -> tuple[np.ndarray | dict[str, np.ndarray], float, bool, bool, AtariEnvStepMetadata]:
        """Plays an action for as many frames as ``frameskip`` says.

        Args:
            action: the index in the action set or, if ``continuous``, a float32 array of radius, angle and fire.

        Returns:
            Observation, reward, terminated, truncated, info.
        """
        frames = self._frameskip
        if not isinstance(frames, int):
            frames = int(self.np_random.integers(*frames))
        if self.continuous:
            number, strength = self._continuous_action(action)
        else:
            number, strength = self._action_set[action].value, 1.0
        reward = float(self.ale._act(number, strength, frames))
        return (
            self._get_obs(),
            reward,
            self.ale.game_over(with_truncation=False),
            self.ale.game_truncated(),
            self._get_info(),
        )

    def _continuous_action(self, action: Any) -> tuple[int, float]:
        is_triple = isinstance(action, np.ndarray) and action.dtype == np.float32 and action.shape == (3,)
        assert is_triple, "a continuous action is a float32 array of radius, angle and fire"
        radius, theta, fire = (float(value) for value in action)
        return _core.action_from_polar(radius, theta, fire, self.continuous_action_threshold), radius

    def _get_obs(self) -> np.ndarray | dict[str, np.ndarray]:
        if self._obs_type == "rgb":
            image = self.ale.getScreenRGB()
        elif self._obs_type == "grayscale":
            image = self.ale.getScreenGrayscale()
        else:
            image = self.ale.getRAM()
        return {"image": image, "sound": self.ale.getAudio()} if self.sound_obs else image

    def _get_info(self) -> AtariEnvStepMetadata:
        return {
            "lives": self.ale.lives(),
            "episode_frame_number": self.ale.getEpisodeFrameNumber(),
            "frame_number": self.ale.getFrameNumber(),
        }

    def render(self) -> np.ndarray | None:
        """The screen's colours for "rgb_array"; None for "human", whose window is drawn while playing."""
        if self.render_mode == "rgb_array":
            return self.ale.getScreenRGB()
        if self.render_mode == "human":
            return None
        raise error.Error("there is no render_mode; make the environment with 'rgb_array' or 'human'")

    def close(self) -> None:
        """Closes the window of "human". There is nothing else to release: the environment can still be used."""
        self.ale._close_window()

    # ---- actions by name ----

    def get_action_meanings(self) -> list[str]:
        """The names of the actions, in the order of their indices."""
        return [action.name for action in self._action_set]

    def get_keys_to_action(self) -> dict[tuple[str, ...], int]:
        """Which keys mean which action: w, a, s, d to move, space for fire, e for nothing."""
        if self.continuous:
            raise AttributeError("with continuous=True there are no keys for actions")
        keys: dict[tuple[str, ...], int] = {}
        for index, name in enumerate(self.get_action_meanings()):
            keys[tuple(key for part, key in _KEYS.items() if part in name) or ("e",)] = index
        return keys

    @staticmethod
    def map_action_idx(left_center_right: int, down_center_up: int, fire: bool) -> Action:
        """The action of a stick's position, each axis -1, 0 or 1, and the button."""
        if left_center_right not in _HORIZONTAL or down_center_up not in _VERTICAL:
            raise LookupError(f"a stick's axes are -1, 0 or 1, not {left_center_right} and {down_center_up}")
        name = _VERTICAL[down_center_up] + _HORIZONTAL[left_center_right] + ("FIRE" if fire else "")
        return Action[name or "NOOP"]

    # ---- states ----

    def clone_state(self, include_rng: bool = False) -> ALEState:
        """The present moment. With ``include_rng`` the generator of sticky actions is part of it."""
        return self.ale.cloneState(include_rng=include_rng)

    def restore_state(self, state: ALEState) -> None:
        """Returns to a moment of the same game."""
        self.ale.restoreState(state)
