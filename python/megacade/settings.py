"""The named settings of an ALEInterface: kept as text, as the reference keeps them, and read at the next loadROM."""

from __future__ import annotations

import re

import numpy as np

INT, FLOAT, BOOL, STRING = "int", "float", "bool", "str"

# Settings that have a type: it must be the one that is set.
TYPED = {
    "random_seed": (INT, "-1"),
    "repeat_action_probability": (FLOAT, "0.25"),
    "frame_skip": (INT, "1"),
    "max_num_frames_per_episode": (INT, "0"),
    "truncate_on_loss_of_life": (BOOL, "0"),
    "reward_min": (INT, str(-(2**31))),
    "reward_max": (INT, str(2**31 - 1)),
    "color_averaging": (BOOL, "0"),
    "paddle_min": (INT, "-1"),
    "paddle_max": (INT, "-1"),
    "system_random_seed": (INT, "4753849"),
    "sound_obs": (BOOL, "0"),
    "display_screen": (BOOL, "0"),
    "record_screen_dir": (STRING, ""),
    "record_sound_filename": (STRING, ""),
    "cpu": (STRING, "low"),
    "rom_file": (STRING, ""),
    "max_num_frames": (INT, "0"),
    "restricted_action_set": (BOOL, "0"),
    "send_rgb": (BOOL, "0"),
    "run_length_encoding": (BOOL, "1"),
}

# Settings of the television set, which take any type. They have no effect here.
UNTYPED = {
    "sound": "false",
    "palette": "standard",
    "freq": "31400",
    "tiafreq": "31400",
    "volume": "100",
    "clipvol": "true",
    "fragsize": "64",
}

_WHOLE = re.compile(r"\s*([+-]?\d+)")
_DECIMAL = re.compile(r"\s*([+-]?(?:inf|nan|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))", re.IGNORECASE)


class Settings:
    """Texts by name. Reading an unknown name gives -1, -1.0, False or an empty text."""

    def __init__(self) -> None:
        self._texts = {name: default for name, (_, default) in TYPED.items()} | UNTYPED

    def get_string(self, name: str) -> str:
        """The text itself."""
        return self._texts.get(name, "")

    def get_int(self, name: str) -> int:
        """The whole number that the text begins with, or 0."""
        if name not in self._texts:
            return -1
        match = _WHOLE.match(self._texts[name])
        number = int(match[1]) if match else 0
        return (number + 2**31) % 2**32 - 2**31

    def get_float(self, name: str) -> float:
        """The number that the text begins with, in single precision, or 0.0."""
        if name not in self._texts:
            return -1.0
        match = _DECIMAL.match(self._texts[name])
        with np.errstate(over="ignore"):
            return float(np.float32(match[1])) if match else 0.0

    def get_bool(self, name: str) -> bool:
        """Whether the text says yes."""
        value = self._texts.get(name, "")
        return value in ("1", "true") or (value == "True" and name in UNTYPED)

    def set_int(self, name: str, value: int) -> None:
        """Sets an int."""
        self._set(name, INT, str(value))

    def set_float(self, name: str, value: float) -> None:
        """Sets a float; six digits are kept."""
        with np.errstate(over="ignore"):
            self._set(name, FLOAT, f"{float(np.float32(value)):.6g}")

    def set_bool(self, name: str, value: bool) -> None:
        """Sets a bool."""
        self._set(name, BOOL, str(int(value)))

    def set_string(self, name: str, value: str) -> None:
        """Sets a text."""
        self._set(name, STRING, value)

    def _set(self, name: str, kind: str, value: str) -> None:
        if name not in UNTYPED:
            expected, _ = TYPED.get(name, (None, ""))
            if expected is None:
                raise RuntimeError(f"there is no setting {name!r}; docs/python.md lists them")
            if expected != kind:
                raise RuntimeError(f"the setting {name!r} is of type {expected}, not {kind}")
        self._texts[name] = value
        # The reference puts these two right at once.
        if name == "volume" and not 0 <= self.get_int(name) <= 100:
            self._texts[name] = "100"
        elif name == "palette" and value not in ("standard", "z26", "user"):
            self._texts[name] = "standard"
