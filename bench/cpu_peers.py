#!/usr/bin/env python3
"""Compares the speed of Megacade's vector environment with that of ale-py and EnvPool, through their Python APIs.

All do the same work, with as many threads as processors: frame skip 4, maximum of the last two frames, 84 x 84 gray,
stack of 4, random actions of the minimal set, rewards clipped, no-op starts and a press of FIRE, and a reset in the
step call that follows the end of an episode (EnvPool knows no other way).

  Megacade  megacade.AtariVectorEnv(game, envs, num_threads=threads, translate="now")
  ale-py    ale_py.AtariVectorEnv(game, envs, num_threads=threads)
  EnvPool   envpool.make("Pong-v5", env_type="gymnasium", num_envs=envs, num_threads=threads, reward_clip=True)

Each package has a process of its own, and they take turns (A B C A B C ...), --repeats times. In a turn a side plays a
quarter of --seconds to warm up, then for --seconds. A step call counts 4 frames per environment on all sides, also
where it resets one. Actions are drawn before the clock starts. --clock cpu divides by the processor time of all
threads instead: it hardly depends on what else the machine does, and says nothing about how well threads share work.

A fast wrong answer fails: observations, rewards and ends of the first steps must have the same checksum as ale-py's.
EnvPool plays other episodes by its rules and is not compared. The exit code is 0 when all is well, 1 when a checksum
differs, 2 when nothing could be measured. A peer that is not installed is left out, and the output says so.
"""

import argparse
import datetime
import hashlib
import os
import shlex
import statistics
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench_common import FRAME_SKIP, GAMES, Failure, Results, SideProcess, commit, compiler, machine, run_program

CHECK_STEPS = 32
ACTION_ROWS = 256
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}  # the second adds up the time of all threads
SIDES = {"megacade": "Megacade", "ale-py": "ale-py", "envpool": "EnvPool"}  # distribution: name


def make_env(package, game, envs, threads):
    if package == "megacade":
        import megacade

        return megacade.AtariVectorEnv(game, envs, num_threads=threads, translate="now")
    if package == "ale-py":
        import ale_py

        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
        return ale_py.AtariVectorEnv(game, envs, num_threads=threads)
    import envpool

    task = game.title().replace("_", "") + "-v5"
    return envpool.make(task, env_type="gymnasium", num_envs=envs, num_threads=threads, reward_clip=True)


class Side:
    """One package, with one vector at a time."""

    def __init__(self, package):
        self.package = package
        self.env = None

    def open(self, game, envs, threads):
        """Makes the vector and plays its first steps. Returns their checksum."""
        import numpy as np

        if self.env is not None:
            self.env.close()
        self.env = make_env(self.package, game, envs, threads)
        space = getattr(self.env, "single_action_space", self.env.action_space)
        self.actions = list(np.random.default_rng(0).integers(space.n, size=(ACTION_ROWS, envs), dtype=np.int32))
        self.frames = FRAME_SKIP * envs
        observations, _ = self.env.reset() if self.package == "envpool" else self.env.reset(seed=0)
        digest = hashlib.md5(observations.tobytes(), usedforsecurity=False)
        for step in range(CHECK_STEPS):
            for array in self.env.step(self.actions[step])[:4]:
                digest.update(array.tobytes())
        return digest.hexdigest()[:16]

    def run(self, seconds, clock):
        """Frames per second of a clock, over about `seconds`."""
        step, actions, steps = self.env.step, self.actions, 0
        start, clock_start = time.perf_counter(), clock()
        while time.perf_counter() - start < seconds:
            step(actions[steps % ACTION_ROWS])
            steps += 1
        return steps * self.frames / (clock() - clock_start)

    def turn(self, seconds, clock):
        self.run(seconds / 4, CLOCKS[clock])
        return self.run(seconds, CLOCKS[clock])


# ---- the comparison ----------------------------------------------------------------------------------------------


def measure(processes, game, envs, arguments):
    """All sides in turns. Returns the columns of the line that are measured."""
    checksums = {side: process.ask("open", game, envs, arguments.threads) for side, process in processes.items()}
    if checksums.get("ale-py", checksums["megacade"]) != checksums["megacade"]:
        raise Failure(f"{game}: checksum {checksums['megacade']}, and {checksums['ale-py']} from ale-py", 1)
    fps = {side: [] for side in processes}
    for _ in range(arguments.repeats):
        for side, process in processes.items():
            fps[side].append(process.ask("turn", arguments.seconds, arguments.clock))
    row = {"checksum": checksums["megacade"] if "ale-py" in checksums else "unchecked"}
    for side in SIDES:
        name = side.replace("-", "_")
        row[f"{name}_fps"] = round(statistics.median(fps[side])) if side in fps else ""
        row[f"{name}_low"] = round(min(fps[side])) if side in fps else ""
        row[f"{name}_high"] = round(max(fps[side])) if side in fps else ""
    peers = {side: statistics.median(fps[side]) for side in fps if side != "megacade"}
    row["better_peer"] = max(peers, key=peers.get)
    row["ratio"] = round(statistics.median(fps["megacade"]) / max(peers.values()), 2)
    return row


COLUMNS = (
    "date commit machine load compiler ale_py envpool command clock game envs threads seconds repeats "
    "megacade_fps megacade_low megacade_high ale_py_fps ale_py_low ale_py_high envpool_fps envpool_low envpool_high "
    "better_peer ratio checksum"
).split()


def draw(rows, path):
    """A picture of the ratios, if matplotlib is there."""
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not installed")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    sizes = sorted({row["envs"] for row in rows})
    games = list(dict.fromkeys(row["game"] for row in rows))
    figure, axes = pyplot.subplots(len(sizes), 1, figsize=(11, 3.4 * len(sizes)), squeeze=False, sharex=True)
    for axis, envs in zip(axes[:, 0], sizes):
        table = {row["game"]: row for row in rows if row["envs"] == envs}
        for offset, (side, name) in enumerate(SIDES.items()):
            heights = [(table[game][f"{side.replace('-', '_')}_fps"] or 0) / 1000 for game in games]
            axis.bar([x + 0.27 * (offset - 1) for x in range(len(games))], heights, 0.25, label=name)
        for x, game in enumerate(games):
            row = table[game]
            axis.annotate(f"{row['ratio']:.1f}x", (x - 0.27, row["megacade_fps"] / 1000), ha="center", va="bottom")
        axis.set_ylabel("1000 frames/s")
        axis.set_title(f"{envs} environments, {rows[0]['threads']} threads; x: times the better peer")
    axes[0, 0].legend()
    axes[-1, 0].set_xticks(range(len(games)), games, rotation=30, ha="right")
    figure.suptitle(f"Python API, 84 x 84 gray, stack 4, frame skip 4. {rows[0]['machine']}, {rows[0]['date']}")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    print(f"picture: {path}")


def installed(package):
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def compare(arguments):
    versions = {side: installed(side) for side in SIDES}
    if not versions["megacade"]:
        raise Failure("megacade is not installed here; `make package` installs it into .venv/")
    present = [side for side in SIDES if versions[side]]
    if len(present) < 2:
        raise Failure("there is no peer: install ale-py or envpool")
    about = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "commit": commit(),
        "machine": machine(),
        "load": f"{os.getloadavg()[0]:.2f}",
        "compiler": compiler("build/python"),
        "ale_py": versions["ale-py"] or "absent",
        "envpool": versions["envpool"] or "absent",
        "command": shlex.join(["bench/cpu_peers.py", *sys.argv[1:]]),
        "clock": arguments.clock,
        "threads": arguments.threads,
        "seconds": arguments.seconds,
        "repeats": arguments.repeats,
    }
    results = Results(arguments.out, COLUMNS) if arguments.out else None
    print(f"machine   {about['machine']}, load {about['load']}, {arguments.threads} threads")
    print(f"commit    {about['commit']}, {about['compiler']}; ale-py {about['ale_py']}, envpool {about['envpool']}")
    if arguments.clock == "cpu":
        print("note: frames per second of processor time, summed over the threads")
    if arguments.repeats < 5:
        print("note: fewer than 5 repeats are a trial, not a measurement")
    processes = {side: SideProcess(SIDES[side], Side, side) for side in present}
    rows = []
    for envs in arguments.envs:
        print(f"\n{f'{envs} envs':16}" + "".join(f"{SIDES[side]:>12}" for side in present) + f"{'ratio':>9}")
        for game in arguments.games:
            row = {**about, "game": game, "envs": envs, **measure(processes, game, envs, arguments)}
            rows.append(row)
            values = "".join(f"{row[side.replace('-', '_') + '_fps']:>12,}" for side in present)
            print(f"{game:16}{values}{row['ratio']:>9.2f}", flush=True)
            if results:
                results.add(row)
        ratios = [row["ratio"] for row in rows if row["envs"] == envs]
        print(f"ratio to the better peer: median {statistics.median(ratios):.2f}, minimum {min(ratios):.2f}")
    for process in processes.values():
        process.close()
    if arguments.plot:
        draw(rows, arguments.plot)


def parse_arguments():
    def names(text):
        return [name for name in text.split(",") if name]

    def sizes(text):
        return [int(size) for size in names(text)]

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=names, default=GAMES, help="names, separated by commas (default: 12 games)")
    parser.add_argument("--envs", type=sizes, default=[16, 128], help="numbers of environments (default 16,128)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of each side (default: all processors)")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a turn (default 1)")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each side; the median counts (default 5)")
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: processor time, if the machine is busy")
    parser.add_argument("--out", type=Path, metavar="FILE.csv", help="add a line per game and size to this file")
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="draw the results")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(run_program("cpu_peers", lambda: compare(parse_arguments())))
