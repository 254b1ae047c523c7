"""ALEState: a moment of a game, to return to."""

from __future__ import annotations

import struct
from typing import overload

# Magic, version, frame number, episode's frame number, mode, difficulty; the library's state follows.
_HEADER = struct.Struct("<4sIIIiI")
_MAGIC = b"MGST"
_VERSION = 1


class ALEState:
    """What ``ALEInterface.cloneState`` returns and ``restoreState`` takes.

    A state fits every interface that plays the same cartridge. It can be pickled and turned into bytes and back; the
    bytes are Megacade's own and fit the same version of it.
    """

    __slots__ = ("_bytes",)

    @overload
    def __init__(self) -> None: ...
    @overload
    def __init__(self, data: bytes, /) -> None: ...
    @overload
    def __init__(self, state: ALEState, data: bytes, /) -> None: ...
    def __init__(self, *args: ALEState | bytes) -> None:
        """An empty state, or the one that ``data`` was serialized from.

        The form with a state and bytes is there because ale-py has it; the bytes alone matter.
        """
        if len(args) == 2 and isinstance(args[0], ALEState):
            args = args[1:]
        data = args[0] if args else _HEADER.pack(_MAGIC, _VERSION, 0, 0, 0, 0)
        if len(args) > 1 or not isinstance(data, bytes):
            raise TypeError("ALEState takes nothing, or the bytes that serialize() returned")
        self.__setstate__(data)

    @classmethod
    def _take(cls, machine: bytes, frame: int, episode_frame: int, mode: int, difficulty: int) -> ALEState:
        return cls(_HEADER.pack(_MAGIC, _VERSION, frame, episode_frame, mode, difficulty) + machine)

    @property
    def _machine(self) -> bytes:
        return self._bytes[_HEADER.size :]

    def _field(self, index: int) -> int:
        return int(_HEADER.unpack_from(self._bytes)[index])

    def getFrameNumber(self) -> int:
        """Frames since the ROM was loaded."""
        return self._field(2)

    def getEpisodeFrameNumber(self) -> int:
        """Frames since the episode began."""
        return self._field(3)

    def getCurrentMode(self) -> int:
        """The game's mode."""
        return self._field(4)

    def getDifficulty(self) -> int:
        """The game's difficulty."""
        return self._field(5)

    def serialize(self) -> bytes:
        """The state as bytes."""
        return self._bytes

    def equals(self, other: ALEState, /) -> bool:
        """Whether both are the same moment, and both have the random generator in them or none has."""
        if not isinstance(other, ALEState):
            raise TypeError(f"an ALEState can only be compared with another, not with {type(other).__name__}")
        return self._bytes == other._bytes

    def __eq__(self, other: object, /) -> bool:
        return self.equals(other)  # type: ignore[arg-type]  # it says what is wrong with anything else

    __hash__ = object.__hash__

    def __getstate__(self) -> bytes:
        return self._bytes

    def __setstate__(self, data: bytes, /) -> None:
        if len(data) < _HEADER.size or data[:4] != _MAGIC:
            raise RuntimeError("these bytes are not a state of Megacade; serialize() makes them")
        version = struct.unpack_from("<I", data, 4)[0]
        if version != _VERSION:
            raise RuntimeError(f"the state has version {version}, and this Megacade reads {_VERSION}")
        self._bytes = data
