"""ALEInterface: one console, with the names and the behaviour of ale-py's class."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, Final, overload

import numpy as np

from megacade import _core
from megacade.arguments import INT32, UINT8, UINT32, boolean, integer, real, text
from megacade.enums import Action, LoggerMode
from megacade.png import write_screen
from megacade.settings import Settings
from megacade.state import ALEState
from megacade.watching import Album, Recorder, Viewer, WatchedEnv, Window

_ACTIONS: Final = tuple(Action)
_GAMES: Final = {game["name"]: game for game in _core.games()}

# Two games write a limit of their own into the settings, where it stays for the next ROM.
_PADDLE_MAX: Final = {"backgammon": 1000000, "blackjack": 795000}

# The one game in which the reference's other processor, any `cpu` but "low", plays differently.
_CPU_MATTERS: Final = "pitfall2"

# Stands for a buffer that was not given; None is a wrong one.
_NEW: Final[Any] = object()

_logger_mode = LoggerMode.Warning


def _warn(message: str) -> None:
    if _logger_mode is not LoggerMode.Error:
        print(f"megacade: {message}", file=sys.stderr)


def _paddle_limit(setting: int) -> int:
    """What the library takes: 0 is the usual limit and -1 is none, where the setting has it the other way round."""
    return -1 - setting if setting in (-1, 0) else setting


def _deliver(data: bytearray, shape: tuple[int, ...], buffer: Any, wrong_shape: type[Exception]) -> np.ndarray | None:
    """The array that ``data`` holds, or None when it was copied into the caller's buffer."""
    array = np.frombuffer(data, np.uint8).reshape(shape)
    if buffer is _NEW:
        return array
    try:
        view = memoryview(buffer)
    except TypeError:
        raise TypeError(f"buffer must be an array, not {type(buffer).__name__}") from None
    if view.format != "B" or not view.c_contiguous or view.readonly:
        raise TypeError("buffer must be a writable, C-contiguous array of uint8")
    if view.shape != shape:
        raise wrong_shape(f"buffer has the shape {view.shape}, expected {shape}")
    np.asarray(view)[...] = array
    return None


class ALEInterface:
    """A console and the rules of the game in it.

    Settings (``setInt`` and so on) take effect with the next ``loadROM``. The same settings, ROM and seed give the
    same screens, RAM, rewards and lives as ale-py 0.12.1. An interface may be used by one thread at a time.
    """

    __slots__ = ("_settings", "_env", "_player", "_game", "_screen_shape", "_has_audio")

    def __init__(self) -> None:
        self._settings = Settings()
        self._env: _core.Env | None = None  # its methods raise when another thread is inside
        self._player: _core.Env | WatchedEnv | None = None  # who plays: the env, or one that shows what it plays
        self._game: _core.GameInfo | None = None
        self._screen_shape = (0, 0)
        self._has_audio = False

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("an ALEInterface cannot be pickled; pickle the ALEState that cloneState returns")

    # ---- settings ----

    def getString(self, key: str, /) -> str:
        """A setting as text; empty when there is none of that name."""
        return self._settings.get_string(text(key, "the setting's name"))

    def getInt(self, key: str, /) -> int:
        """A setting as int; -1 when there is none of that name."""
        return self._settings.get_int(text(key, "the setting's name"))

    def getBool(self, key: str, /) -> bool:
        """A setting as bool; False when there is none of that name."""
        return self._settings.get_bool(text(key, "the setting's name"))

    def getFloat(self, key: str, /) -> float:
        """A setting as float; -1.0 when there is none of that name."""
        return self._settings.get_float(text(key, "the setting's name"))

    def setString(self, key: str, value: str, /) -> None:
        """Sets a text. RuntimeError when there is no such setting, or one of another type."""
        self._settings.set_string(text(key, "the setting's name"), text(value, "the value"))

    def setInt(self, key: str, value: int, /) -> None:
        """Sets an int. RuntimeError when there is no such setting, or one of another type."""
        self._settings.set_int(text(key, "the setting's name"), integer(value, INT32, "the value"))

    def setBool(self, key: str, value: bool, /) -> None:
        """Sets a bool. RuntimeError when there is no such setting, or one of another type."""
        self._settings.set_bool(text(key, "the setting's name"), boolean(value, "the value"))

    def setFloat(self, key: str, value: float, /) -> None:
        """Sets a float, of which six digits are kept. RuntimeError when there is no such setting."""
        self._settings.set_float(text(key, "the setting's name"), real(value, "the value"))

    @staticmethod
    def setLoggerMode(mode: LoggerMode, /) -> None:
        """Which messages go to standard error, in the whole process."""
        global _logger_mode
        try:
            if not isinstance(mode, (LoggerMode, int)):
                raise ValueError
            _logger_mode = LoggerMode(mode)
        except ValueError:
            raise TypeError(f"{mode!r} is not a LoggerMode") from None

    # ---- cartridge ----

    @staticmethod
    def isSupportedROM(path: str | os.PathLike[str], /) -> str | None:
        """The name of the game whose image this file is, or None. RuntimeError when there is no such file."""
        if not os.path.isfile(os.fspath(path)):
            raise RuntimeError(f"there is no ROM file {os.fspath(path)!r}")
        try:
            info = _core.Rom.load(path).info()
        except RuntimeError:  # not an image of a cartridge
            return None
        game = info["game"]
        return game if game is not None and _GAMES[game]["md5"] == info["md5"] else None

    def loadROM(self, path: str | os.PathLike[str], /) -> None:
        """Puts a cartridge in, turns the console on and starts the first episode, all with the settings so far."""
        try:
            path = os.fspath(path)
        except TypeError:
            raise TypeError(f"loadROM takes the path of a ROM, not {type(path).__name__}") from None
        rom = _core.Rom.load(path)
        info = rom.info()
        if info["game"] is None:
            raise RuntimeError(
                f"no game's rules are known for the ROM {os.fsdecode(path)!r} with md5 {info['md5']}; "
                "megacade.roms.get_all_rom_ids() lists the games"
            )
        game = _GAMES[info["game"]]
        if game["md5"] != info["md5"]:
            _warn(f"{os.fsdecode(path)} has md5 {info['md5']}, but {game['name']} has {game['md5']}")
        self._turn_on(rom, info)
        self._game = game
        self._screen_shape = (info["screen_height"], _core.SCREEN_WIDTH)
        self._settings.set_string("rom_file", os.fsdecode(path))
        if game["name"] in _PADDLE_MAX:
            self._settings.set_int("paddle_max", _PADDLE_MAX[game["name"]])

    def _turn_on(self, rom: _core.Rom, info: _core.RomInfo) -> None:
        settings = self._settings
        if info["game"] == _CPU_MATTERS and settings.get_string("cpu") != "low":
            raise RuntimeError(f"{_CPU_MATTERS} can only be played with the setting cpu = 'low'")
        viewers: list[Viewer] = []
        if settings.get_bool("display_screen"):
            viewers.append(Window(info["name"]))
        if settings.get_string("record_screen_dir"):
            viewers.append(Album(settings.get_string("record_screen_dir")))
        if settings.get_string("record_sound_filename") and settings.get_bool("sound"):
            viewers.append(Recorder(settings.get_string("record_sound_filename")))
        self._has_audio = settings.get_bool("sound_obs")
        seed = settings.get_int("random_seed")
        frame_skip = settings.get_int("frame_skip") or 1
        rewards = (settings.get_int("reward_min"), settings.get_int("reward_max"))
        limits = {} if viewers else {"reward_min": rewards[0], "reward_max": rewards[1]}
        try:
            self._env = _core.Env(
                rom,
                seed=seed if seed != -1 else int(time.time()) & INT32[1],
                frame_skip=1 if viewers else frame_skip,
                sticky=min(max(settings.get_float("repeat_action_probability"), 0.0), 1.0),
                max_episode_frames=max(settings.get_int("max_num_frames_per_episode"), 0),
                paddle_min=_paddle_limit(settings.get_int("paddle_min")),
                paddle_max=_paddle_limit(settings.get_int("paddle_max")),
                truncate_on_life_loss=settings.get_bool("truncate_on_loss_of_life"),
                color_averaging=settings.get_bool("color_averaging"),
                sound=self._has_audio or any(isinstance(viewer, Recorder) for viewer in viewers),
                console_seed=settings.get_int("system_random_seed"),
                **limits,
            )
        except ValueError as error:
            raise RuntimeError(f"a setting has a value that cannot be played: {error}") from None
        self._player = WatchedEnv(self._env, frame_skip, rewards, viewers) if viewers else self._env

    def _close_window(self) -> None:
        """What AtariEnv.close does; playing on opens it again."""
        if isinstance(self._player, WatchedEnv):
            self._player.close()

    def _loaded(self) -> _core.Env:
        if self._env is None:
            raise RuntimeError("no ROM is loaded; call loadROM first")
        return self._env

    def _rules(self) -> _core.GameInfo:
        if self._game is None:
            raise RuntimeError("no ROM is loaded; call loadROM first")
        return self._game

    # ---- playing ----

    def act(self, action: int | Action, paddle_strength: float = 1.0) -> int:
        """Plays an action for ``frame_skip`` frames and returns the reward.

        ``paddle_strength`` scales the movement in games that are played with paddles. After the end of an episode
        nothing happens until ``reset_game``.
        """
        number = action.value if isinstance(action, Action) else integer(action, UINT32, "the action")
        return self._act(number, paddle_strength, 1)

    def _act(self, action: int, strength: float, acts: int) -> int:
        """Plays so many acts; what AtariEnv's frame skip is made of."""
        if self._player is None:
            raise RuntimeError("no ROM is loaded; call loadROM first")
        return self._player.act(action, strength, acts)

    def reset_game(self) -> None:
        """Starts a new episode."""
        self._loaded().reset()

    def game_over(self, with_truncation: bool = True) -> bool:
        """Whether the episode is over, by the game's rules or, unless told otherwise, by a limit."""
        env = self._loaded()
        return env.game_over() if boolean(with_truncation, "with_truncation") else env.terminal()

    def game_truncated(self) -> bool:
        """Whether the episode was cut by a limit."""
        return self._loaded().truncated()

    def lives(self) -> int:
        """Lives that are left; 0 in games without lives."""
        return self._loaded().lives()

    def getFrameNumber(self) -> int:
        """Frames since the ROM was loaded."""
        return self._loaded().frame_number()

    def getEpisodeFrameNumber(self) -> int:
        """Frames since the episode began."""
        return self._loaded().episode_frame_number()

    def getLegalActionSet(self) -> list[Action]:
        """All actions that the game knows."""
        return [_ACTIONS[number] for number in self._rules()["legal_actions"]]

    def getMinimalActionSet(self) -> list[Action]:
        """The actions that make a difference in the game."""
        return [_ACTIONS[number] for number in self._rules()["minimal_actions"]]

    # ---- modes and difficulties ----

    def getAvailableModes(self) -> list[int]:
        """The game's modes, the default one first."""
        return list(self._rules()["modes"])

    def setMode(self, mode: int, /) -> None:
        """Chooses the mode of the next episode and those after it."""
        number = integer(mode, UINT32, "the mode")
        game = self._rules()
        if number not in game["modes"]:
            raise RuntimeError(f"{game['name']} has no mode {number}; it has {game['modes']}")
        self._loaded().set_mode(number)

    def getAvailableDifficulties(self) -> list[int]:
        """The game's difficulties."""
        return list(self._rules()["difficulties"])

    def setDifficulty(self, difficulty: int, /) -> None:
        """Sets the difficulty from the next frame on."""
        number = integer(difficulty, UINT32, "the difficulty")
        game = self._rules()
        if number not in game["difficulties"]:
            raise RuntimeError(f"{game['name']} has no difficulty {number}; it has {game['difficulties']}")
        self._loaded().set_difficulty(number)

    # ---- screen, RAM, sound ----
    # Each array comes in two ways: as a new one, or into a buffer that the caller brings.

    def getScreenDims(self) -> tuple[int, int]:
        """Rows and columns of the screen."""
        self._loaded()
        return self._screen_shape

    @overload
    def getScreen(self) -> np.ndarray: ...
    @overload
    def getScreen(self, buffer: Any) -> None: ...
    def getScreen(self, buffer: Any = _NEW) -> np.ndarray | None:
        """The screen's palette indices."""
        return _deliver(self._loaded().screen(), self._screen_shape, buffer, RuntimeError)

    @overload
    def getScreenRGB(self) -> np.ndarray: ...
    @overload
    def getScreenRGB(self, buffer: Any) -> None: ...
    def getScreenRGB(self, buffer: Any = _NEW) -> np.ndarray | None:
        """The screen's colours: red, green, blue."""
        return _deliver(self._loaded().screen_rgb(), (*self._screen_shape, 3), buffer, RuntimeError)

    @overload
    def getScreenGrayscale(self) -> np.ndarray: ...
    @overload
    def getScreenGrayscale(self, buffer: Any) -> None: ...
    def getScreenGrayscale(self, buffer: Any = _NEW) -> np.ndarray | None:
        """The screen's gray values."""
        return _deliver(self._loaded().screen_gray(), self._screen_shape, buffer, RuntimeError)

    def saveScreenPNG(self, path: str, /) -> None:
        """Writes the screen to a PNG file, with pixels of double width."""
        write_screen(text(path, "the path"), self.getScreenRGB())

    @overload
    def getRAM(self) -> np.ndarray: ...
    @overload
    def getRAM(self, buffer: Any) -> None: ...
    def getRAM(self, buffer: Any = _NEW) -> np.ndarray | None:
        """The console's 128 bytes of RAM."""
        return _deliver(self._loaded().ram(), (_core.RAM_SIZE,), buffer, TypeError)

    def getRAMSize(self) -> int:
        """How many bytes of RAM there are."""
        return _core.RAM_SIZE

    def setRAM(self, index: int, value: int, /) -> None:
        """Writes a byte of RAM."""
        place = integer(index, (0, 2**64 - 1), "the index")
        byte = integer(value, UINT8, "the value")
        if place >= _core.RAM_SIZE:
            raise RuntimeError(f"there is no RAM byte {place}; the last one is {_core.RAM_SIZE - 1}")
        self._loaded().set_ram(place, byte)

    @overload
    def getAudio(self) -> np.ndarray: ...
    @overload
    def getAudio(self, buffer: Any) -> None: ...
    def getAudio(self, buffer: Any = _NEW) -> np.ndarray | None:
        """The 512 samples of the last act; zeros unless the setting ``sound_obs`` is on."""
        samples = self._loaded().audio()
        return _deliver(samples if self._has_audio else bytearray(len(samples)), (len(samples),), buffer, TypeError)

    def getAudioSize(self) -> int:
        """How many samples ``getAudio`` returns."""
        return _core.AUDIO_SIZE

    # ---- states ----

    def cloneState(self, include_rng: bool = False) -> ALEState:
        """The present moment. With ``include_rng`` the generator of sticky actions is part of it."""
        env = self._loaded()
        return ALEState._take(
            env.save(boolean(include_rng, "include_rng")),
            env.frame_number(),
            env.episode_frame_number(),
            env.mode(),
            env.difficulty(),
        )

    def restoreState(self, state: ALEState, /) -> None:
        """Returns to a moment of the same cartridge. The screen follows with the next frame."""
        if not isinstance(state, ALEState):
            raise TypeError(f"restoreState takes an ALEState, not {type(state).__name__}")
        self._loaded().load(state._machine)

    def cloneSystemState(self) -> ALEState:
        """``cloneState`` with the generator of sticky actions."""
        return self.cloneState(True)

    def restoreSystemState(self, state: ALEState, /) -> None:
        """The same as ``restoreState``: a state knows what it holds."""
        self.restoreState(state)
