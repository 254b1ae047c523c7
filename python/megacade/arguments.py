"""Checks of arguments. A value of the wrong type, or a number that its C type cannot hold, is a TypeError."""

from __future__ import annotations

import operator
from typing import Any, SupportsFloat, SupportsIndex

INT32 = (-(2**31), 2**31 - 1)
UINT32 = (0, 2**32 - 1)
UINT8 = (0, 255)


def integer(value: SupportsIndex, limits: tuple[int, int], what: str) -> int:
    """``value`` as an int within ``limits``. Booleans and NumPy integers count as integers, floats do not."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} must be an integer, not {type(value).__name__}") from None
    if not limits[0] <= number <= limits[1]:
        raise TypeError(f"{what} is {number}, expected {limits[0]} to {limits[1]}")
    return number


def boolean(value: bool, what: str) -> bool:
    """``value``, which must be True or False and not something like it."""
    if value is not True and value is not False:
        raise TypeError(f"{what} must be True or False, not {type(value).__name__}")
    return value


def real(value: SupportsFloat | SupportsIndex, what: str) -> float:
    """``value`` as a float; texts are not numbers."""
    if not hasattr(type(value), "__float__") and not hasattr(type(value), "__index__"):
        raise TypeError(f"{what} must be a number, not {type(value).__name__}")
    return float(value)


def text(value: Any, what: str) -> str:
    """``value``, which must be a str."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, not {type(value).__name__}")
    return value
