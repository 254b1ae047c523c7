# Copyright The Megacade authors.
# SPDX-License-Identifier: Apache-2.0
"""The built-in cartridge: source, image, C array and fact file agree."""
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def check():
    tool = ROOT / "tools" / "gen_builtin_rom.py"
    return subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True)


def test_generated_files_are_up_to_date():
    run = check()
    assert run.returncode == 0, run.stdout + run.stderr


def test_source_assembles_to_the_image():
    run = check()
    if "skipped: dasm not found" in run.stdout:
        pytest.skip("dasm not found")
    assert run.returncode == 0, run.stdout + run.stderr


def test_facts_name_the_builtin_game():
    facts = json.loads((ROOT / "facts" / "games" / "comet_catch.json").read_text())
    assert facts["name"] == "comet_catch"
    assert facts["builtin"] is True
    assert facts["default_mode"] == facts["modes"][0]
