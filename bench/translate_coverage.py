#!/usr/bin/env python3
"""Says how much of what games execute is translated, with `megacade translate GAME --json` for each of them.

    bench/translate_coverage.py --out bench/results/translate_coverage.csv

Each game is played at random for --frames frames, from the same seed each time: the shares are the same on every
machine, the seconds are not. A game without an image is reported and left out. The end of the output has the median and
the worst share. The exit code is 0 when all is well, 1 when a game failed, 2 when nothing could be measured.

Needs nothing but a build and Python's standard library.
"""

import argparse
import datetime
import json
import os
import shlex
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench_common import ROOT, Failure, Results, commit, machine, run_program

COLUMNS = (
    "date commit machine load compiler command game scheme frames played translated coverage units blocks "
    "instructions translate_seconds compile_seconds"
).split()


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megacade", type=Path, default=ROOT / "build" / "megacade", help="the program")
    parser.add_argument("--games", help="names, separated by commas (all that are known)")
    parser.add_argument("--frames", type=int, default=10000, help="frames to play")
    parser.add_argument("--jobs", type=int, default=1, help="games at a time")
    parser.add_argument("--out", type=Path, help="a CSV file to add lines to")
    return parser.parse_args()


def all_games(program):
    try:
        done = subprocess.run([program, "games", "--json"], stdout=subprocess.PIPE, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Failure(f"{error}; `make` builds it") from None
    return sorted(json.loads(line)["name"] for line in done.stdout.splitlines())


def measure(program, game, frames):
    """The facts of a game, or None after a message."""
    load = f"{os.getloadavg()[0]:.2f}"
    command = [program, "translate", game, "--frames", str(frames), "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(f"{game}: {done.stderr.strip()}", file=sys.stderr)
        return None
    return {**json.loads(done.stdout), "load": load}


def bench():
    options = read_options()
    games = options.games.split(",") if options.games else all_games(options.megacade)
    results = Results(options.out, COLUMNS) if options.out else None
    run = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "commit": commit(),
        "machine": machine(),
        "command": shlex.join(["bench/translate_coverage.py", *sys.argv[1:]]),
    }
    shares = {}
    pool = ThreadPoolExecutor(options.jobs)
    for game, facts in zip(games, pool.map(lambda game: measure(options.megacade, game, options.frames), games)):
        if facts is None:
            continue
        shares[game] = facts["coverage"]
        seconds = {name: f"{facts[name]:.2f}" for name in ("translate_seconds", "compile_seconds")}
        print(f"{game:20} {facts['coverage']:8.4f} %  {facts['instructions']:5} instructions", flush=True)
        if results:
            results.add({**run, **facts, **seconds, "coverage": f"{facts['coverage']:.4f}"})
    if not shares:
        raise Failure("nothing was measured")
    worst = min(shares, key=shares.get)
    print(f"{len(shares)} games: median {statistics.median(shares.values()):.4f} %, worst {shares[worst]:.4f} % ({worst})")
    if len(shares) < len(games):
        raise Failure(f"{len(games) - len(shares)} games were not measured", 1)


if __name__ == "__main__":
    sys.exit(run_program("translate_coverage.py", bench))
