#!/usr/bin/env python3
"""Compares the speed of one environment on one thread with that of ale-py, game by game.

Both sides do the same work: frame skip 4, maximum of the last two frames, 84 x 84 gray, stack of 4, random actions
of the minimal action set, rewards clipped, up to 29 no-ops and a press of FIRE at the start of an episode.

  ale-py    AtariVectorEnv(game, num_envs=1, num_threads=1), stepped from Python in a process of its own
  Megacade  build/megacade bench --game GAME --envs 1 --load emulate --seconds T --repeat 1 --json

What counts as a frame: 4 per step on both sides, also for the step that ends an episode. The frames of a reset are
not counted, and its time is: `megacade bench` resets right after the step that ended the episode, inside the timed
loop; AtariVectorEnv is made to do the same with autoreset_mode=SAME_STEP. (Its default, NEXT_STEP, makes the reset a
step call of its own, which would have to be left out of the count.)

The two take turns (A B A B ...), --repeats times. In each turn a side starts from seed 0, plays the hashed steps and
a quarter of --seconds as warm-up (1 s at most), then plays for --seconds. The clock is read by each side around its
own loop: starting a process is not timed. Actions of ale-py are drawn before the loop. The Python call of
AtariVectorEnv.step and its hand-over to the worker thread are part of ale-py's time, since every user pays for them.

A fast wrong answer fails. The checksum that `megacade bench` prints (observations and rewards of the first steps) is
computed from ale-py's observations as well and must be equal, game by game and turn by turn; and for two games 16
environments must have the same checksum with and without fast paths (--plain). The exit code is 0 when all is well,
1 when a checksum differs, 2 when nothing could be measured.
"""

import argparse
import datetime
import json
import os
import shlex
import statistics
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench_common import (
    FRAME_SKIP,
    GAMES,
    ROOT,
    Failure,
    Results,
    SideProcess,
    commit,
    compiler,
    machine,
    run_program,
)

PROGRAM = ROOT / "build" / "megacade"
REFERENCE_VERSION = "0.12.1"
PLAIN_GAMES = 2  # how many of the games are compared with a run without fast paths
PLAIN_ENVS = 16  # environments of that comparison; each adds CHECK_STEPS steps
CHECK_STEPS = 32  # hashed steps of each environment, as in src/cli/cmd_bench.c
CLOCK_STEPS = 16  # steps of ale-py between two looks at the clock
M64 = (1 << 64) - 1
FNV_START = 0xCBF29CE484222325


# ---- ale-py's side, in a process of its own ----------------------------------------------------------------------


def splitmix(count, bound, state=0):
    """The first numbers below `bound` of the action stream of `megacade bench` for environment 0."""
    numbers = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & M64
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & M64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
        numbers.append((((z ^ (z >> 31)) >> 32) * bound) >> 32)
    return numbers


def fnv(hash_, data):
    for byte in data:
        hash_ = ((hash_ ^ byte) * 0x100000001B3) & M64
    return hash_


class AleSide:
    def __init__(self, game):
        import numpy as np
        from ale_py import ALEInterface, LoggerMode
        from ale_py.vector_env import AtariVectorEnv
        from gymnasium.vector import AutoresetMode

        ALEInterface.setLoggerMode(LoggerMode.Error)
        self.env = AtariVectorEnv(game, num_envs=1, num_threads=1, autoreset_mode=AutoresetMode.SAME_STEP)
        self.count = int(self.env.single_action_space.n)
        random = np.random.default_rng(0)
        self.actions = [np.array([action]) for action in random.integers(self.count, size=1 << 16)]
        self.checked = [np.array([action]) for action in splitmix(CHECK_STEPS, self.count)]

    def checksum(self):
        """From the seeded reset on, what `megacade bench --envs 1` prints."""
        lane = FNV_START
        self.env.reset(seed=0)
        for action in self.checked:
            observation, reward, *_ = self.env.step(action)
            lane = fnv(fnv(lane, observation.tobytes()), int(reward[0]).to_bytes(4, "little", signed=True))
        return f"{fnv(FNV_START, lane.to_bytes(8, 'little')):016x}"

    def run(self, seconds):
        """Steps for about `seconds`. Returns steps, resets and the time it took."""
        step, actions, mask = self.env.step, self.actions, len(self.actions) - 1
        steps = resets = 0
        start = time.perf_counter()
        while True:
            for _ in range(CLOCK_STEPS):
                _, _, terminated, truncated, _ = step(actions[steps & mask])
                resets += bool(terminated[0] or truncated[0])
                steps += 1
            taken = time.perf_counter() - start
            if taken >= seconds:
                return steps, resets, taken

    def turn(self, seconds):
        self.env.reset(seed=0)
        for action in self.checked:
            self.env.step(action)
        self.run(min(seconds / 4, 1.0))
        steps, resets, taken = self.run(seconds)
        return {"fps": steps * FRAME_SKIP / taken, "resets": resets}


# ---- our side ----------------------------------------------------------------------------------------------------


def bench_command(game, seconds, envs=1, plain=False):
    command = ["build/megacade", "bench", "--game", game, "--envs", str(envs), "--load", "emulate"]
    command += ["--seconds", str(seconds), "--repeat", "1", "--json"]
    return command + ["--plain"] * plain


def run_bench(*arguments, **keywords):
    command = bench_command(*arguments, **keywords)
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failure(f"{shlex.join(command)} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def mega_turn(game, seconds):
    result = run_bench(game, seconds)
    for key, expected in (("game", game), ("envs", 1), ("threads", 1), ("frame_skip", 4), ("obs", "84x84")):
        if result[key] != expected:
            raise Failure(f"{game}: bench says {key} {result[key]!r}, expected {expected!r}")
    return {"fps": result["raw_fps"], "resets": result["resets"], "checksum": result["checksum"]}


# ---- the comparison ----------------------------------------------------------------------------------------------


def check_plain(games):
    for game in games[:PLAIN_GAMES]:
        fast = run_bench(game, 0.01, envs=PLAIN_ENVS)["checksum"]
        plain = run_bench(game, 0.01, envs=PLAIN_ENVS, plain=True)["checksum"]
        if fast != plain:
            raise Failure(f"{game}: checksum {fast} with fast paths, {plain} without", 1)
        print(f"{game}: {PLAIN_ENVS * CHECK_STEPS} steps are the same with and without fast paths", flush=True)


def measure(game, seconds, repeats):
    """Both sides in turns. Returns the columns of the game's line that are measured."""
    ale = SideProcess(f"{game}: ale-py", AleSide, game)
    try:
        expected = ale.ask("checksum")
        turns = []
        for _ in range(repeats):
            theirs, ours = ale.ask("turn", seconds), mega_turn(game, seconds)
            if ours["checksum"] != expected:
                raise Failure(f"{game}: checksum {ours['checksum']}, and {expected} from ale-py's observations", 1)
            turns.append((theirs, ours))
    finally:
        ale.close()
    ale_fps, mega_fps = ([turn[side]["fps"] for turn in turns] for side in (0, 1))
    row = {"checksum": expected}
    for name, fps, side in (("ale", ale_fps, 0), ("mega", mega_fps, 1)):
        row[f"{name}_fps"] = round(statistics.median(fps))
        row[f"{name}_fps_low"] = round(min(fps))
        row[f"{name}_fps_high"] = round(max(fps))
        row[f"{name}_resets"] = sum(turn[side]["resets"] for turn in turns)
    row["ratio"] = round(statistics.median(mega_fps) / statistics.median(ale_fps), 2)
    return row


COLUMNS = (
    "date commit machine load compiler ale_py command game seconds repeats ale_fps ale_fps_low ale_fps_high ale_resets "
    "mega_fps mega_fps_low mega_fps_high mega_resets ratio checksum"
).split()


# ---- command -----------------------------------------------------------------------------------------------------


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", default=",".join(GAMES), help="names, separated by commas (default: 12 games)")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a turn (default 1)")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each side; the median counts (default 5)")
    parser.add_argument("--out", type=Path, metavar="FILE.csv", help="add a line per game to this file")
    arguments = parser.parse_args()
    arguments.games = [game for game in arguments.games.split(",") if game]
    if not arguments.games:
        parser.error("--games: no game is named")
    if not 0.01 <= arguments.seconds <= 3600:
        parser.error("--seconds: must be 0.01 to 3600")
    if not 1 <= arguments.repeats <= 1000:
        parser.error("--repeats: must be 1 to 1000")
    return arguments


def check_parts():
    if not PROGRAM.exists():
        raise Failure(f"{PROGRAM.relative_to(ROOT)} is missing; `make` builds it")
    try:
        found = version("ale-py")
    except PackageNotFoundError:
        raise Failure("ale-py is not installed here; `make setup-test` installs it into .venv/") from None
    if found != REFERENCE_VERSION:
        raise Failure(f"ale-py {found} is installed; Megacade is compared with {REFERENCE_VERSION}")


def compare(arguments):
    check_parts()
    results = Results(arguments.out, COLUMNS) if arguments.out else None
    about = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "commit": commit(),
        "machine": machine(),
        "load": f"{os.getloadavg()[0]:.2f}",
        "compiler": compiler(),
        "ale_py": version("ale-py"),
        "command": shlex.join(["bench/compare_ale.py", *sys.argv[1:]]),
        "seconds": arguments.seconds,
        "repeats": arguments.repeats,
    }
    print(f"machine   {about['machine']}, load {about['load']}")
    print(f"commit    {about['commit']}, {about['compiler']}")
    if arguments.repeats < 5:
        print("note: fewer than 5 repeats are a trial, not a measurement")
    check_plain(arguments.games)
    print(f"\n{'frames/s':16}{'ale-py':>10}{'Megacade':>12}{'ratio':>9}", flush=True)
    ratios = []
    for game in arguments.games:
        row = {**about, "game": game, **measure(game, arguments.seconds, arguments.repeats)}
        ratios.append(row["ratio"])
        print(f"{game:16}{row['ale_fps']:>10,}{row['mega_fps']:>12,}{row['ratio']:>9.2f}", flush=True)
        if results:
            results.add(row)
    print(f"\nratio: median {statistics.median(ratios):.2f}, minimum {min(ratios):.2f}")


if __name__ == "__main__":
    sys.exit(run_program("compare_ale", lambda: compare(parse_arguments())))
