"""For those who look at every frame: a window, a folder of pictures, and a file of sound."""

from __future__ import annotations

import wave
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from gymnasium.error import DependencyNotInstalled

from megacade import _core
from megacade.png import write_screen

FRAMES_PER_SECOND = 60

#: Whether a window can be shown: pygame, which brings SDL, is installed.
SDL_SUPPORT: bool = find_spec("pygame") is not None


class Viewer(Protocol):
    """Somebody who looks at screens, or listens."""

    def show(self, rgb: np.ndarray) -> None:
        """Takes a look at a screen of shape (height, width, 3), before a frame."""

    def hear(self, samples: bytearray) -> None:
        """Hears the sound of a frame, after it."""

    def close(self) -> None:
        """Looks away until the next screen."""


class Window:
    """A window that shows screens at a television's pace. It needs pygame and makes no sound.

    It opens with the first screen, so that an environment can be made and looked at where no window can be.
    """

    SCALE = (4, 3)  # of columns and rows

    def __init__(self, title: str) -> None:
        self._title = title
        self._pygame: Any = None

    def _open(self, rgb: np.ndarray) -> None:
        if not SDL_SUPPORT:
            raise DependencyNotInstalled(
                "a window needs pygame: `pip install pygame`, or use render_mode='rgb_array' and show the arrays"
            )
        import pygame

        pygame.display.init()
        height, width, _ = rgb.shape
        self._surface = pygame.display.set_mode((width * self.SCALE[0], height * self.SCALE[1]))
        self._clock = pygame.time.Clock()
        self._pygame = pygame
        pygame.display.set_caption(self._title)

    def show(self, rgb: np.ndarray) -> None:
        """Shows a screen, and waits until it is time for the next."""
        if self._pygame is None:
            self._open(rgb)
        picture = self._pygame.surfarray.make_surface(rgb.swapaxes(0, 1))
        self._pygame.transform.scale(picture, self._surface.get_size(), self._surface)
        self._pygame.event.pump()
        self._pygame.display.flip()
        self._clock.tick(FRAMES_PER_SECOND)

    def hear(self, samples: bytearray) -> None:
        """Makes no sound."""

    def close(self) -> None:
        """Closes the window; another screen opens it again."""
        if self._pygame is not None:
            self._pygame.display.quit()
            self._pygame = None


class Album:
    """Writes each screen into a folder: 000000.png, 000001.png, ..."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._count = 0

    def show(self, rgb: np.ndarray) -> None:
        """Writes the next picture."""
        write_screen(self._folder / f"{self._count:06}.png", rgb)
        self._count += 1

    def hear(self, samples: bytearray) -> None:
        """Pictures have no sound."""

    def close(self) -> None:
        """Nothing is open between two pictures."""


class Recorder:
    """Writes the sound into a WAV file of the reference's format: 8 bits, mono, 512 samples for each frame."""

    def __init__(self, path: str) -> None:
        try:
            open(path, "wb").close()  # wave, which would do, complains of its own failure later
        except OSError as error:
            raise RuntimeError(f"the sound cannot be recorded into {path!r}: {error}") from None
        self._file = wave.open(path, "wb")
        self._file.setparams((1, 1, _core.AUDIO_SIZE * FRAMES_PER_SECOND, 0, "NONE", "not compressed"))
        self._file.writeframes(b"")  # a file without frames has a header, too

    def show(self, rgb: np.ndarray) -> None:
        """Sees nothing."""

    def hear(self, samples: bytearray) -> None:
        """Writes the samples; what is in the file so far can always be played."""
        self._file.writeframes(samples)

    def close(self) -> None:
        """The file goes on with the next frame, and ends with the interface or its next loadROM."""


class WatchedEnv:
    """Plays like an Env with ``frame_skip``, but shows the viewers the screen before every frame.

    ``env`` has a frame skip of 1 and no limits on rewards. Rewards, screens and random draws are those of the longer
    act; the sound is that of its last frame.
    """

    def __init__(self, env: _core.Env, frame_skip: int, rewards: tuple[int, int], viewers: Sequence[Viewer]) -> None:
        self._env = env
        self._frame_skip = frame_skip
        self._rewards = rewards
        self._viewers = viewers

    def act(self, action: int, strength: float, acts: int) -> int:
        """The sum of the rewards of so many acts."""
        total = 0
        for _ in range(acts):
            reward = sum(self._frame(action, strength) for _ in range(self._frame_skip))
            total += min(max(reward, self._rewards[0]), self._rewards[1])
        return total

    def close(self) -> None:
        """Closes what the viewers have open."""
        for viewer in self._viewers:
            viewer.close()

    def _frame(self, action: int, strength: float) -> int:
        rgb = np.frombuffer(self._env.screen_rgb(), np.uint8).reshape(-1, _core.SCREEN_WIDTH, 3)
        for viewer in self._viewers:
            viewer.show(rgb)
        reward = self._env.act(action, strength, 1)
        samples = self._env.audio()
        for viewer in self._viewers:
            viewer.hear(samples)
        return reward
