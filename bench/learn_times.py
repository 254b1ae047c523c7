#!/usr/bin/env python3
"""Measures how long games take to learn: `megacade train --preset NAME`, from the start of the process to its end.

A run is a game with the score that the last evaluation must reach, in a process of its own, once for each seed. Code for
a GPU that was not compiled before is compiled first and is part of the time; run the first one twice to leave it out.

    bench/learn_times.py --preset fast-ppo --runs pong:18 --seeds 1,2,3 --out FILE.csv --curves FOLDER
    bench/learn_times.py --preset demo --runs comet_catch:15 --set threads=2     # on a CPU
    bench/learn_times.py --draw FOLDER --plot FILE.png                           # only the picture

The exit code is 0 when all scores were reached, 1 when one was not or a run failed, 2 when nothing could be measured.
Needs nothing but a build and Python's standard library; the picture needs matplotlib.
"""

import argparse
import csv
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_common import ROOT, Failure, Results, run_program
from gpu_sweep import describe_run

COLUMNS = (
    "date commit gpu driver machine compiler command game preset settings seed target score deviation reached "
    "wall_seconds train_seconds frames updates fps"
).split()


def train(arguments, game, seed, folder):
    """What `megacade train` prints, and how long its process took."""
    command = [arguments.program, "train", "--preset", arguments.preset, "--game", game, "--seed", str(seed)]
    command += ["--out", str(folder), "--json"]
    for setting in arguments.set:
        name, _, value = setting.partition("=")
        command += ["--" + name.replace("_", "-"), value]
    start = time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.limit)
    except OSError as error:
        raise Failure(f"{command[0]}: {error.strerror}; `make` builds it, --program names another") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"{game}, seed {seed}: took more than {arguments.limit} s", 1) from None
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise Failure(f"{game}, seed {seed}: {reason}", 1)
    return json.loads(done.stdout), seconds


def measure(arguments, about, game, target, seed):
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "run"
        result, seconds = train(arguments, game, seed, folder)
        if arguments.curves:
            arguments.curves.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / "log.csv", arguments.curves / f"{game}-{arguments.preset}-seed{seed}.csv")
    return {
        **about,
        "game": game,
        "preset": arguments.preset,
        "settings": " ".join(arguments.set),
        "seed": seed,
        "target": target,
        "score": round(result["eval_mean"], 2),
        "deviation": round(result["eval_deviation"], 2),
        "reached": int(result["eval_mean"] >= target),
        "wall_seconds": round(seconds, 1),
        "train_seconds": round(result["frames"] / result["raw_fps"], 1),
        "frames": result["frames"],
        "updates": result["updates"],
        "fps": round(result["raw_fps"]),
    }


def draw(folder, path):
    """The score in training by seconds, a line for each file of a run."""
    try:
        import matplotlib
    except ImportError:
        raise Failure("--plot needs matplotlib") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    games = {}
    for file in sorted(folder.glob("*.csv")):
        games.setdefault(file.stem.partition("-")[0], []).append(file)
    if not games:
        raise Failure(f"{folder} has no curves")
    figure, axes = pyplot.subplots(1, len(games), figsize=(1 + 4 * len(games), 4), squeeze=False)
    for panel, (game, files) in zip(axes[0], games.items()):
        for file in files:
            with file.open(newline="") as lines:
                rows = [row for row in csv.DictReader(lines) if row["score"]]
            label = file.stem.partition("-")[2]
            panel.plot([float(row["seconds"]) for row in rows], [float(row["score"]) for row in rows], label=label)
        panel.set_title(game)
        panel.set_xlabel("seconds")
        panel.legend(fontsize=7)
    axes[0][0].set_ylabel("score, mean of 100 episodes")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(f"{path} written")


def bench(arguments):
    if arguments.draw:
        draw(arguments.draw, arguments.plot)
        return
    about = describe_run("bench/learn_times.py", "cuda")
    results = Results(arguments.out, COLUMNS) if arguments.out else None
    print(f"gpu       {about['gpu']}, driver {about['driver']}; {about['machine']}")
    print(f"commit    {about['commit']}, {about['compiler']}; preset {arguments.preset}\n")
    print(f"{'game':20}{'seed':>6}{'target':>10}{'score':>10}{'seconds':>10}{'frames/s':>14}")
    missed = 0
    for game, target in arguments.runs:
        for seed in arguments.seeds:
            row = measure(arguments, about, game, target, seed)
            if results:
                results.add(row)
            missed += not row["reached"]
            print(
                f"{game:20}{seed:>6}{target:>10g}{row['score']:>10}{row['wall_seconds']:>10}{row['fps']:>14,}", flush=True
            )
    if missed:
        raise Failure(f"{missed} runs did not reach their score", 1)
    if arguments.plot and arguments.curves:
        draw(arguments.curves, arguments.plot)


def parse_arguments():
    def runs(text):
        pairs = [run.partition(":") for run in text.split(",") if run]
        try:
            return [(game, float(score)) for game, _, score in pairs]
        except ValueError:
            raise argparse.ArgumentTypeError("a run is GAME:SCORE") from None

    def numbers(text):
        return [int(number) for number in text.split(",") if number]

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="fast-ppo", help="settings by name (default fast-ppo)")
    parser.add_argument("--runs", type=runs, default=[("pong", 18.0)], help="GAME:SCORE,... (default pong:18)")
    parser.add_argument("--seeds", type=numbers, default=[1], help="separated by commas (default 1)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting over the preset's")
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds that a run may take (default 3600)")
    parser.add_argument("--program", default=str(ROOT / "build" / "megacade"), help="(default build/megacade)")
    parser.add_argument("--out", type=Path, metavar="FILE.csv", help="add a line per run to this file")
    parser.add_argument("--curves", type=Path, metavar="FOLDER", help="keep the logs of the runs here")
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="draw the curves")
    parser.add_argument("--draw", type=Path, metavar="FOLDER", help="only draw the curves that are here")
    arguments = parser.parse_args()
    if arguments.draw and not arguments.plot:
        parser.error("--draw needs --plot")
    return arguments


if __name__ == "__main__":
    sys.exit(run_program("learn_times", lambda: bench(parse_arguments())))
