#!/usr/bin/env python3
"""Measures what it costs a GPU that consoles drift apart, with `megacade bench --device cuda --json`.

Each game is measured three times, with 84 x 84 observations in the GPU's memory: aligned (all environments have one
seed and the same actions, so that the lanes of a warp always do the same), and with actions of their own after --early
and after --late steps of play. The aligned ones have played --early steps, too. `loss` is what is missing late from
the speed of the aligned ones. With --lanes each is run once more with kernels that count how many of 32 lanes are
useful; those have to be compiled, too.

    bench/gpu_divergence.py --out bench/results/gpu_divergence.csv

The exit code is 0 when all is well, 1 when a point failed, 2 when nothing could be measured. Needs nothing but a build
and Python's standard library.
"""

import argparse
import os
import statistics
import sys
from pathlib import Path

from bench_common import GAMES, ROOT, Failure, Results, run_program
from gpu_sweep import describe_run, run_bench

WHEN = ("aligned", "early", "late")
COLUMNS = ("date commit gpu driver machine compiler command game envs when warmup seconds fps lanes resets").split()


def run_point(arguments, game, when, counts):
    """The object that bench prints."""
    steps = arguments.late if when == "late" else arguments.early
    command = [arguments.program, "bench", "--json", "--device", arguments.device, "--game", game]
    command += ["--envs", str(arguments.envs), "--warmup", str(steps), "--autoreset", "next"]
    command += ["--seconds", str(arguments.seconds if not counts else min(arguments.seconds, 0.5))]
    command += ["--aligned"] if when == "aligned" else []
    environment = {**os.environ, "MEGACADE_CUDA_COUNT": "1" if counts else "0"}
    result, error = run_bench(command, arguments.limit, environment)
    if error:
        raise Failure(f"{game}, {when}: {error}", 1)
    return result


def measure_game(arguments, game, about, results):
    """Frames per second and useful lanes, by when."""
    table = {}
    for when in WHEN:
        result = run_point(arguments, game, when, False)
        lanes = run_point(arguments, game, when, True).get("useful_lanes", 0.0) if arguments.lanes else 0.0
        table[when] = (result["raw_fps"], lanes)
        if results:
            results.add(
                {
                    **about,
                    "game": game,
                    "when": when,
                    "warmup": arguments.late if when == "late" else arguments.early,
                    "fps": round(result["raw_fps"]),
                    "lanes": round(lanes, 1) if lanes else "",
                    "resets": result["resets"],
                }
            )
    return table


def loss_of(table):
    return 1.0 - table["late"][0] / table["aligned"][0]


def bench(arguments):
    about = {
        **describe_run("bench/gpu_divergence.py", arguments.device),
        "envs": arguments.envs,
        "seconds": arguments.seconds,
    }
    results = Results(arguments.out, COLUMNS) if arguments.out else None
    print(f"gpu       {about['gpu']}, driver {about['driver']}; {about['machine']}")
    print(f"commit    {about['commit']}, {about['compiler']}; {arguments.envs} environments\n")
    print(f"{'game':20}" + "".join(f"{when:>16}{'lanes':>7}" for when in WHEN) + f"{'loss':>8}")
    losses, failed = [], 0
    for game in arguments.games:
        try:
            table = measure_game(arguments, game, about, results)
        except Failure as failure:
            if failure.exit_code != 1:
                raise
            failed += 1
            print(failure, flush=True)
            continue
        losses.append(loss_of(table))
        numbers = "".join(f"{fps:>16,.0f}{f'{lanes:.1f}' if lanes else '-':>7}" for fps, lanes in table.values())
        print(f"{game:20}{numbers}{losses[-1]:>8.0%}", flush=True)
    if not losses:
        raise Failure("nothing could be measured")
    print(f"{'median':20}{'':69}{statistics.median(losses):>8.0%}")
    if failed:
        raise Failure(f"{failed} games failed", 1)


def parse_arguments():
    def names(text):
        return [name for name in text.split(",") if name]

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=names, default=GAMES, help=f"separated by commas (default {','.join(GAMES)})")
    parser.add_argument("--envs", type=int, default=16384, help="environments (default 16384)")
    parser.add_argument("--early", type=int, default=300, help="steps before the first two points (default 300)")
    parser.add_argument("--late", type=int, default=3000, help="steps before the last (default 3000)")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of a run (default 3)")
    parser.add_argument("--lanes", action="store_true", help="count useful lanes, too")
    parser.add_argument("--device", default="cuda", help="cuda or cuda:1 (default cuda)")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds that a run may take (default 300)")
    parser.add_argument("--program", default=str(ROOT / "build" / "megacade"), help="(default build/megacade)")
    parser.add_argument("--out", type=Path, metavar="FILE.csv", help="add a line per point to this file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(run_program("gpu_divergence", lambda: bench(parse_arguments())))
