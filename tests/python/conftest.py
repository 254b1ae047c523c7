"""What the parity tests share: the reference, if it is installed, and the list of games."""

import json
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REFERENCE_VERSION = "0.12.1"
PARITY_MARK = "parity"

sys.path.insert(0, str(ROOT / "tests" / "parity"))


def missing_reference():
    """Why parity cannot be tested here, or an empty text."""
    try:
        found = version("ale-py")
    except PackageNotFoundError:
        return "ale-py is not installed; `make setup-test` installs it"
    if found != REFERENCE_VERSION:
        return f"the reference is ale-py {REFERENCE_VERSION}, found {found}"
    return ""


def game_names():
    """The games of the reference, from the fact files: all but the built-in one."""
    facts = [json.loads(path.read_text()) for path in sorted((ROOT / "facts" / "games").glob("*.json"))]
    return [game["name"] for game in facts if not game.get("builtin")]


def pytest_configure(config):
    config.addinivalue_line("markers", f"{PARITY_MARK}: compares with ale-py; skipped without it")


def pytest_generate_tests(metafunc):
    if "any_game" in metafunc.fixturenames:
        metafunc.parametrize("any_game", game_names())


def pytest_collection_modifyitems(items):
    reason = missing_reference()
    if reason:
        for item in items:
            if item.get_closest_marker(PARITY_MARK):
                item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter):
    """With -q pytest does not say why tests were skipped; parity must not go missing silently."""
    reason = missing_reference()
    if reason:
        terminalreporter.write_line(f"PARITY WAS NOT TESTED: {reason}", yellow=True, bold=True)
