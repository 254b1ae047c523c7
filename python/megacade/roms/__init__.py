"""Where the cartridge images are. No commercial game is part of Megacade.

Images are recognised by content, and looked for in ``$MEGACADE_ROMS``, the user's data folder
(``megacade roms import`` copies them there) and an installed ale_py package. ``$ALE_ROMS_DIR`` names one folder to take
``<game>.bin`` from instead, as in ale-py.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from importlib.util import find_spec
from pathlib import Path

from megacade import _core

__all__ = ["get_all_rom_ids", "get_rom_path"]

_HERE = Path(__file__).parent

# Images that ale-py brings although no rules are known for them.
_WITHOUT_RULES = {
    "combat": "0ef64cdbecccb7049752a3de0b7ade14",
    "joust": "3276c777cbe97cdd2b4a63ffc16b7151",
    "maze_craze": "ed2218b3075d15eaa34e3356025ccca3",
    "warlords": "cbe5a166550a8129a5e6d374901dffad",
}
_BUILTIN = {game["name"] for game in _core.games() if game["builtin"]}
_MD5 = {game["name"]: game["md5"] for game in _core.games() if not game["builtin"]} | _WITHOUT_RULES


def get_all_rom_ids() -> list[str]:
    """The names of ale-py's 108 images, in its order. The built-in game ``comet_catch`` is not among them."""
    return sorted(_MD5, key=lambda name: name + "_")  # atlantis2 comes before atlantis


def get_rom_path(name: str) -> Path | None:
    """The file with the image of a game, or None, with a warning, when no game is called so.

    Raises FileNotFoundError when there is no image in the places that are searched, and OSError when the one in
    ``$ALE_ROMS_DIR`` has other contents than expected.
    """
    if name in _BUILTIN:
        return _HERE / f"{name}.bin"
    if name not in _MD5:
        warnings.warn(f"There is no game {name!r}; megacade.roms.get_all_rom_ids() lists them.", stacklevel=2)
        return None
    if os.environ.get("ALE_ROMS_DIR"):
        return _checked(Path(os.environ["ALE_ROMS_DIR"]) / f"{name}.bin", _MD5[name])
    if name in _WITHOUT_RULES:
        return _find_by_name(name)
    return _find(name)


def _md5(path: Path) -> str:
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()


def _checked(path: Path, expected: str) -> Path:
    found = _md5(path)
    if found != expected:
        raise OSError(f"{path} has md5 {found}, expected {expected}: it is another version of the game, or damaged")
    return path


def _ale_py_folder() -> Path | None:
    """The images of the ale_py that this Python would import, which the library may not know of."""
    spec = find_spec("ale_py")
    return Path(spec.origin).parent / "roms" if spec is not None and spec.origin is not None else None


def _find(name: str) -> Path:
    try:
        rom = _core.Rom.find(name)
    except FileNotFoundError:
        folder = _ale_py_folder()
        if folder is None:
            raise
        rom = _core.Rom.find(name, folder)
    return Path(rom.info()["path"])


def _find_by_name(name: str) -> Path:
    folders = [Path(folder) for folder in _core.rom_folders()]
    ale_py = _ale_py_folder()
    for folder in folders + ([ale_py] if ale_py is not None else []):
        path = folder / f"{name}.bin"
        if path.is_file() and _md5(path) == _WITHOUT_RULES[name]:
            return path
    raise FileNotFoundError(f"no image of {name} in {', '.join(map(str, folders))}")
