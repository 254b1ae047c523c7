#!/usr/bin/env python3
"""A model, not a measurement: how synchronous training would scale to many GPUs.

With R ranks, each with as many environments as one has alone, an update takes

    t(R) = t + s + c(R),    c(R) = 2 (R - 1) / R * S / B + 2 log2(R) * L

t is what an update takes on one GPU (measured, bench/results/gpu_learn.csv), S the bytes of all gradients, B the bytes per
second that a GPU sends and receives at the same time, L the time of one message: a ring's volume, a tree's latency. Up to 8
GPUs are in one machine, more are connected by a network. s is what a straggler costs: with a synchronous barrier all wait
for the slowest of R, and if the time of an update spreads by a share d (standard deviation), the expected maximum of R
normal numbers is about d * t * sqrt(2 ln R). Efficiency is t / t(R), frames per second are R times efficiency times
those of one GPU.

    bench/scaling_model.py --plot bench/results/scaling_model.png

What is assumed is printed, and can be set.
"""

import argparse
import math
import sys
from pathlib import Path

from bench_common import ROOT, Failure, run_program
from gpu_sweep import read_rows

PARAMETERS = 1_687_719  # the network of Mnih et al. 2015 with 6 actions and a value
IN_MACHINE = 8
SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
# Frames of an update in bench-vtrace (a step of 16,384 environments) and bench-ppo (8 steps, 32 updates).
FRAMES_PER_UPDATE = {"vtrace": 16384 * 4, "ppo": 16384 * 4 * 8 / 32}


def exchange_seconds(arguments, ranks):
    if ranks == 1:
        return 0.0
    inside = ranks <= IN_MACHINE
    bandwidth = (arguments.link if inside else arguments.network) * 1e9
    latency = (arguments.link_latency if inside else arguments.network_latency) * 1e-6
    return 2 * (ranks - 1) / ranks * PARAMETERS * 4 / bandwidth + 2 * math.log2(ranks) * latency


def update_seconds(arguments, alone, ranks):
    straggler = arguments.spread * alone * math.sqrt(2 * math.log(ranks)) if ranks > 1 else 0.0
    return alone + straggler + exchange_seconds(arguments, ranks)


def measured(path):
    """Frames per second of training on one GPU: the last line of each algorithm counts."""
    rows = [row for row in read_rows(path) if row["load"] == "train" and row["precision"] == "bf16"]
    if not rows:
        raise Failure(f"{path} has no line of training")
    return {row["algo"]: (float(row["fps"]), row["gpu"], row["commit"]) for row in rows}


def model(arguments):
    print(f"assumed: {arguments.link:g} GB/s and {arguments.link_latency:g} us a message between {IN_MACHINE} GPUs of a")
    print(f"machine, {arguments.network:g} GB/s and {arguments.network_latency:g} us between machines; updates spread by")
    print(f"{arguments.spread:.0%}; {PARAMETERS:,} gradients of 4 bytes\n")
    curves = {}
    for algo, (fps, gpu, commit) in sorted(measured(arguments.source).items()):
        alone = FRAMES_PER_UPDATE[algo] / fps
        print(f"{algo}: {fps / 1e6:.1f} M frames/s on one {gpu} ({commit}), an update takes {1e3 * alone:.2f} ms")
        print(f"{'GPUs':>6} {'exchange ms':>12} {'update ms':>10} {'efficiency':>11} {'M frames/s':>11}")
        for ranks in SIZES:
            seconds = update_seconds(arguments, alone, ranks)
            efficiency = alone / seconds
            curves.setdefault(algo, []).append((ranks, efficiency, ranks * efficiency * fps))
            exchange = 1e3 * exchange_seconds(arguments, ranks)
            print(f"{ranks:>6} {exchange:>12.3f} {1e3 * seconds:>10.2f} {efficiency:>11.2f}", end="")
            print(f" {ranks * efficiency * fps / 1e6:>11.0f}")
        print()
    return curves


def draw(curves, path):
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not installed")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5))
    for algo, points in curves.items():
        line = axes.plot([p[0] for p in points], [p[2] / 1e6 for p in points], marker="o", label=algo)[0]
        ideal = [p[0] * points[0][2] / 1e6 for p in points]
        axes.plot([p[0] for p in points], ideal, ":", color=line.get_color(), label=f"{algo}, nothing lost")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(SIZES, SIZES)
    axes.set_xlabel("GPUs")
    axes.set_ylabel("million frames per second")
    axes.set_title("MODEL of synchronous training, 16,384 environments a GPU; only 1 GPU is measured")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    print(f"picture: {path}")


def bench(arguments):
    curves = model(arguments)
    if arguments.plot:
        draw(curves, arguments.plot)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    source = ROOT / "bench" / "results" / "gpu_learn.csv"
    parser.add_argument("--from", dest="source", type=Path, default=source, help="what one GPU does")
    parser.add_argument("--link", type=float, default=200.0, help="GB/s of a GPU in a machine")
    parser.add_argument("--link-latency", type=float, default=10.0, help="microseconds of a message there")
    parser.add_argument("--network", type=float, default=25.0, help="GB/s of a GPU between machines")
    parser.add_argument("--network-latency", type=float, default=20.0, help="microseconds of a message there")
    parser.add_argument("--spread", type=float, default=0.03, help="standard deviation of an update's time, as a share")
    parser.add_argument("--plot", type=Path, help="a picture")
    arguments = parser.parse_args()
    return run_program("scaling_model.py", lambda: bench(arguments))


if __name__ == "__main__":
    sys.exit(main())
