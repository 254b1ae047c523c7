"""Writes PNG files: just enough for a screen, so that no imaging package is needed."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_screen(path: str | Path, rgb: np.ndarray) -> None:
    """Writes a screen of shape (height, width, 3). Pixels are doubled in width, as a television shows them."""
    rows = np.repeat(rgb, 2, axis=1)
    height, width, _ = rows.shape
    unfiltered = np.zeros((height, 1), np.uint8)  # each row begins with the number of its filter
    pixels = np.concatenate([unfiltered, rows.reshape(height, -1)], axis=1).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, RGB, not interlaced
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(pixels)) + _chunk(b"IEND", b"")
    Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)
