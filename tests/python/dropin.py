"""The same script against ale_py and megacade, every output compared.

A script is a function of the package under test and a Transcript. It notes what it sees; compare() runs it once with
each package and points to the first entry that differs. Exceptions are compared by type: texts may be better than the
reference's.
"""

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

# Classes of either package are compared by name.
PACKAGES = ("ale_py", "megacade")


def plain(value: Any) -> Any:
    """``value`` in a form that is equal exactly when type and contents are."""
    if isinstance(value, np.ndarray):
        return ("array", str(value.dtype), value.shape, value.flags.writeable, value.tobytes())
    if isinstance(value, np.generic):
        return (str(value.dtype), value.tobytes())
    if isinstance(value, enum.Enum):
        return (type(value).__name__, value.name, value.value)
    if isinstance(value, float):
        return ("float", repr(value))  # NaN equals NaN here
    if isinstance(value, Mapping):
        return (type(value).__name__, [(plain(key), plain(value[key])) for key in value])
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [plain(item) for item in value])
    if type(value).__module__.split(".")[0] in PACKAGES:
        return type(value).__name__
    return (type(value).__name__, repr(value))


class Transcript:
    def __init__(self) -> None:
        self.entries: list[tuple[str, Any]] = []

    def note(self, label: str, value: Any) -> None:
        self.entries.append((label, plain(value)))

    def attempt(self, label: str, call: Callable[[], Any]) -> None:
        """Notes the result of a call, or the type of its exception."""
        try:
            self.note(label, call())
        except Exception as error:
            assert str(error) or isinstance(error, AssertionError), f"{label}: an exception without a sentence"
            self.entries.append((label, f"raises {type(error).__name__}"))


def quiet(package: Any) -> Any:
    package.ALEInterface.setLoggerMode(package.LoggerMode.Error)
    return package


def both() -> Sequence[Any]:
    import ale_py
    import megacade

    return quiet(ale_py), quiet(megacade)


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 300 else text[:300] + "..."


def compare(script: Callable[..., None], *args: Any) -> int:
    """Runs a script with both packages. Returns how many entries were compared."""
    transcripts = []
    for package in both():
        transcript = Transcript()
        script(package, transcript, *args)
        transcripts.append(transcript.entries)
    reference, ours = transcripts
    for index, ((label, expected), (_, found)) in enumerate(zip(reference, ours)):
        assert found == expected, f"entry {index}, {label}: ale_py {short(expected)}, megacade {short(found)}"
    assert [label for label, _ in reference] == [label for label, _ in ours]
    return len(ours)


def try_all(transcript: Transcript, expressions: str, names: Mapping[str, Any]) -> None:
    """Evaluates one expression per line."""
    for line in expressions.strip().splitlines():
        code = compile(line.strip(), line.strip(), "eval")
        transcript.attempt(line.strip(), lambda: eval(code, dict(names)))
