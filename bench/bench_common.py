"""What the comparisons with other packages share: sides in processes of their own, the machine, the file of results."""

import csv
import os
import re
import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GAMES = (
    "pong breakout ms_pacman riverraid boxing space_invaders qbert seaquest asterix up_n_down assault beam_rider"
).split()
FRAME_SKIP = 4


class Failure(Exception):
    """Ends the program with a sentence and an exit code."""

    def __init__(self, text, exit_code=2):
        super().__init__(text)
        self.exit_code = exit_code


# ---- a side in a process of its own ------------------------------------------------------------------------------


def _serve(pipe, make, arguments):
    """The process: answers requests (a method's name and its arguments) until None comes."""
    try:
        side = make(*arguments)
        for name, values in iter(pipe.recv, None):
            pipe.send((getattr(side, name)(*values), None))
    except Exception as error:  # it is shown by the parent, which has the terminal
        pipe.send((None, f"{type(error).__name__}: {error}"))


class SideProcess:
    """Makes a side (`make(*arguments)`) in a new process. `ask` calls its methods."""

    def __init__(self, name, make, *arguments):
        context = get_context("spawn")
        self.name = name
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, make, arguments), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, name, *arguments):
        try:
            self.pipe.send((name, arguments))
            answer, error = self.pipe.recv()
        except (EOFError, OSError):
            raise Failure(f"{self.name}: its process ended") from None
        if error:
            raise Failure(f"{self.name}: {error}")
        return answer

    def close(self):
        try:
            self.pipe.send(None)
        except OSError:
            pass  # it is gone already
        self.process.join()


# ---- where and with what -----------------------------------------------------------------------------------------


def first_line(*command):
    try:
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return ""
    return done.stdout.splitlines()[0].strip() if done.returncode == 0 and done.stdout else ""


def commit():
    name = first_line("git", "rev-parse", "--short", "HEAD") or "unknown"
    changed = first_line("git", "status", "--porcelain", "--untracked-files=no", "--", ".", ":!bench/results")
    return name + ("+changes" if changed else "")


def machine():
    try:
        models = re.findall(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        models = []
    return f"{models[0] if models else 'unknown processor'}, {os.cpu_count()} cores"


def compiler(folder="build"):
    """The compiler of a build folder, its version and the build type."""
    try:
        cache = (ROOT / folder / "CMakeCache.txt").read_text()
    except OSError:
        return "unknown"
    found = dict(re.findall(r"^(CMAKE_C_COMPILER|CMAKE_BUILD_TYPE):\w+=(.*)$", cache, re.MULTILINE))
    program = found.get("CMAKE_C_COMPILER", "")
    return f"{first_line(program, '--version') or program or 'unknown'}, {found.get('CMAKE_BUILD_TYPE', '')}"


class Results:
    """The file: a line per measurement, added as soon as it is made."""

    def __init__(self, path, columns):
        self.path = path
        self.columns = columns
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and path.stat().st_size > 0:
                with path.open(newline="") as file:
                    if next(csv.reader(file), None) != columns:
                        raise Failure(f"{path} has other columns; name another file with --out")
            else:
                self._append(columns)
        except OSError as error:
            raise Failure(f"--out: {error}") from None

    def _append(self, values):
        with self.path.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow(values)

    def add(self, row):
        self._append([row[column] for column in self.columns])


def run_program(name, bench):
    """Runs `bench` and returns the program's exit code."""
    try:
        bench()
    except Failure as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        return failure.exit_code
    except KeyboardInterrupt:
        return 130
    return 0
