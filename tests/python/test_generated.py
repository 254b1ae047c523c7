"""Tables that are written by generators are what the facts give."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("tool", ["gen_opcodes.py", "gen_palettes.py"])
def test_generator_agrees(tool):
    run = subprocess.run([sys.executable, ROOT / "tools" / tool, "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
