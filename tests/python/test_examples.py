"""The examples run, with tiny sizes. Those that need torch or Stable-Baselines3 are skipped without it."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = {
    "random_search.py": ["--envs", "4", "--moves", "3", "--depth", "5"],
    "ppo.py": ["--envs", "2", "--rollout", "8", "--total-steps", "32"],
    "sb3.py": ["--envs", "2", "--rollout", "8", "--total-steps", "32"],
}
NEEDS = {"ppo.py": "torch", "sb3.py": "stable_baselines3"}


def test_all_are_run():
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    path = ROOT / "examples" / name
    assert len(path.read_text().splitlines()) < 120
    if name in NEEDS and find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")
    done = subprocess.run([sys.executable, path, *EXAMPLES[name]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout
