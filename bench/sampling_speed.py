#!/usr/bin/env python3
"""Measures how fast environments and a network play together: figure 2 of Stooke & Abbeel 2018.

Environments on so many threads of the CPU, a network that looks at their pictures (on a GPU with --device cuda, else on the
same processors), nothing learned. A point is a number of threads, of environments for each of them, and of alternating
groups: with two, one group's environments play while the network looks at the other's. Points without a network are how
fast the same threads emulate.

    bench/sampling_speed.py --threads 1,2 --out FILE.csv --plot FILE.png
    bench/sampling_speed.py --device cuda --threads 1,2,4,8,16 --out FILE.csv --plot FILE.png
    bench/sampling_speed.py --from FILE.csv --plot FILE.png                         # only the picture

Needs nothing but a build and Python's standard library; the picture needs matplotlib.
"""

import argparse
import sys
from pathlib import Path

from bench_common import FRAME_SKIP, ROOT, Failure, Results, run_program
from gpu_sweep import describe_run, read_rows, run_bench

COLUMNS = (
    "date commit gpu driver machine compiler command device game preset seconds repeats threads per_thread groups fps "
    "samples_per_second per_thread_samples"
).split()
ALONE = "0"  # groups of a point without a network


def point(arguments, threads, per_thread, groups):
    """The command of a point."""
    command = [arguments.program, "bench", "--json", "--game", arguments.game, "--envs", str(threads * per_thread)]
    command += ["--threads", str(threads), "--seconds", str(arguments.seconds), "--repeat", str(arguments.repeats)]
    command += ["--warmup", "100"]
    if groups == 0:
        return [*command, "--load", "emulate", "--obs", "104x80", "--autoreset", "next"]
    command += ["--load", "infer", "--preset", arguments.preset, "--groups", str(groups), "--device", arguments.device]
    return command if arguments.device == "cpu" else [*command, "--env-device", "cpu"]


def measure(arguments):
    about = {
        **describe_run("bench/sampling_speed.py", arguments.device),
        "device": arguments.device,
        "game": arguments.game,
        "preset": arguments.preset,
        "seconds": arguments.seconds,
        "repeats": arguments.repeats,
    }
    results = Results(arguments.out, COLUMNS) if arguments.out else None
    print(f"{about['machine']}; {about['gpu']}; commit {about['commit']}; samples per second")
    print(f"{'threads':>7} {'envs':>6} {'groups':>7} {'samples/s':>12} {'per thread':>12}")
    rows = []
    for threads in arguments.threads:
        for per_thread in arguments.envs:
            for groups in (0, 1, 2):
                if groups > threads * per_thread:
                    continue
                result, error = run_bench(point(arguments, threads, per_thread, groups), arguments.limit)
                if error:
                    raise Failure(f"{threads} threads, {per_thread} environments each: {error}", 1)
                samples = result["raw_fps"] / FRAME_SKIP
                row = {**about, "threads": threads, "per_thread": per_thread, "groups": groups}
                row.update(fps=round(result["raw_fps"]), samples_per_second=round(samples))
                row["per_thread_samples"] = round(samples / threads)
                rows.append(row)
                numbers = f"{row['samples_per_second']:>12,} {row['per_thread_samples']:>12,}"
                print(f"{threads:>7} {threads * per_thread:>6} {groups or '-':>7} {numbers}", flush=True)
                if results:
                    results.add(row)
    return rows


def draw(rows, path):
    """A line for each number of threads: solid with alternating groups, dashed without, dotted without a network."""
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not installed; --from draws it elsewhere")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    styles = {ALONE: (":", "no network"), "1": ("--", "one group"), "2": ("-", "two groups")}
    lines = {}
    for row in rows:
        key = (int(row["threads"]), str(row["groups"]))
        lines.setdefault(key, {})[int(row["per_thread"])] = int(row["per_thread_samples"])
    threads = sorted({key[0] for key in lines})
    figure, axes = pyplot.subplots(figsize=(9, 6))
    for (count, groups), points in sorted(lines.items()):
        style, name = styles[groups]
        label = f"{count} thread{'s' if count > 1 else ''}, {name}"
        colour = f"C{threads.index(count)}"
        axes.plot(sorted(points), [points[x] for x in sorted(points)], style, marker="o", color=colour, label=label)
    sizes = sorted({x for points in lines.values() for x in points})
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, sizes)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("environments per thread")
    axes.set_ylabel("samples per second and thread")
    row = rows[-1]
    where = row["gpu"] if row["device"] != "cpu" else "network on the same processors"
    axes.set_title(f"{row['game']}, {row['preset']}; {row['machine']}; {where}; {row['commit']}", fontsize=9)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    print(f"picture: {path}")


def numbers(text):
    try:
        values = [int(word) for word in text.split(",")]
    except ValueError:
        values = []
    if not values or min(values) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of numbers such as 1,2,4")
    return values


def bench(arguments):
    rows = read_rows(arguments.source) if arguments.source else measure(arguments)
    if arguments.plot:
        draw(rows, arguments.plot)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "build" / "megacade"), help="the program to measure")
    parser.add_argument("--device", default="cpu", help="of the network: cpu, cuda or cuda:1")
    parser.add_argument("--game", default="breakout")
    parser.add_argument("--preset", default="stooke-a2c", help="whose network and pictures")
    parser.add_argument("--threads", type=numbers, default=[1, 2], help="of the environments")
    parser.add_argument("--envs", type=numbers, default=[1, 2, 4, 8, 16, 32], help="for each thread")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of a run")
    parser.add_argument("--repeats", type=int, default=3, help="runs of a point; the median counts")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds that a point may take")
    parser.add_argument("--out", type=Path, help="a CSV file; lines are added")
    parser.add_argument("--plot", type=Path, help="a picture")
    parser.add_argument("--from", dest="source", type=Path, help="draw the points of a file")
    arguments = parser.parse_args()
    return run_program("sampling_speed.py", lambda: bench(arguments))


if __name__ == "__main__":
    sys.exit(main())
