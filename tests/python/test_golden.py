"""Recorded traces of the reference: tests/golden/golden.tsv against `megacade trace`.

Needs the cartridge images, not the reference: they are looked for where the program looks ($MEGACADE_ROMS, the
user's folder), and in the folder of an ale_py package beside this Python, which is not imported.
"""

import csv
import importlib.util
import os
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "golden.tsv"
PROGRAM = os.environ.get("MEGACADE") or ROOT / "build" / "megacade"
NOT_FOUND = "no ROM of"  # what the program says when it has no image of a game


def read_golden():
    """The options of each configuration, from the comments, and the rows."""
    lines = GOLDEN.read_text().splitlines()
    options = {}
    for line in lines:
        if line.startswith("# config "):
            name, _, text = line.removeprefix("# config ").partition(": ")
            options[name] = shlex.split(text)
    rows = csv.DictReader([line for line in lines if not line.startswith("#")], delimiter="\t")
    return options, list(rows)


OPTIONS, ROWS = read_golden()


def folders():
    """Where images may be: None is the program's own search."""
    yield None
    spec = importlib.util.find_spec("ale_py")
    for place in (spec.submodule_search_locations or []) if spec else []:
        yield os.path.join(place, "roms")


def trace(game, options):
    for folder in folders():
        where = ["--roms", folder] if folder else []
        run = subprocess.run([PROGRAM, "trace", game, *options, *where], capture_output=True, text=True)
        if run.returncode == 0:
            return run.stdout
        assert NOT_FOUND in run.stderr, run.stderr
    pytest.skip(f"no image of {game} found; set MEGACADE_ROMS")


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def test_golden_is_complete():
    assert len(ROWS) == 312
    assert len({row["game"] for row in ROWS}) == 104
    assert {row["config"] for row in ROWS} == set(OPTIONS)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['game']}-{row['config']}" for row in ROWS])
def test_trace(row):
    lines = [line for line in trace(row["game"], OPTIONS[row["config"]]).splitlines() if line[0] != "#"]
    assert lines[0] == row["first"]
    assert lines[-1] == row["last"]
    assert fnv("".join(line + "\n" for line in lines)) == row["trace"]
