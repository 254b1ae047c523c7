#!/usr/bin/env python3
"""Measures environments on a GPU over games and sizes, with `megacade bench --device cuda --json`.

Frame skip 4, maximum of the last two frames, 84 x 84 gray, stack of 4 in the GPU's memory, actions drawn there. The
step after the end of an episode begins the next one, as by default in the library; such steps and the frames of resets
do not count, but their time does. Environments play --warmup steps before the clock starts, so that they are at
different places of their games.

    bench/gpu_sweep.py --out bench/results/gpu_sweep.csv --plot bench/results/gpu_sweep.png
    bench/gpu_sweep.py --from bench/results/gpu_sweep.csv --plot bench/results/gpu_sweep.png   # only the picture

Each point is a process of its own, and its line is written at once; --resume leaves out those that the file has from
the same commit, GPU and settings. A point that fails, for instance because its environments do not fit, is reported
and left out. The exit code is 0 when all is well, 1 when a point failed, 2 when nothing could be measured.

Needs nothing but a build and Python's standard library; the picture needs matplotlib.
"""

import argparse
import csv
import datetime
import json
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench_common import ROOT, Failure, Results, commit, compiler, first_line, machine, run_program

CLASSIC = Path(__file__).resolve().parent / "classic57.txt"
SIZES = [4096, 16384, 65536, 131072]
COLUMNS = (
    "date commit gpu driver machine compiler command game envs obs translate warmup seconds repeats "
    "fps best_fps fps_per_env steps resets start_seconds checksum"
).split()
SETTINGS = "commit gpu obs translate warmup seconds repeats".split()  # of a point, beside game and size


def gpu_facts(device):
    """Name and driver's version of a GPU, as NVIDIA's tool has them."""
    index = device.partition(":")[2] or "0"
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", f"--id={index}"]
    name, _, driver = first_line(*query).partition(", ")
    return {"gpu": name or "unknown", "driver": driver or "unknown"}


def describe_run(script, device):
    """What every line of a file of results has."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "commit": commit(),
        **gpu_facts(device),
        "machine": machine(),
        "compiler": compiler(),
        "command": shlex.join([script, *sys.argv[1:]]),
    }


def run_bench(command, limit, environment=None):
    """The object that bench prints, or None and why there is none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=environment)
    except OSError as error:
        raise Failure(f"{command[0]}: {error.strerror}; `make` builds it, --program names another") from None
    except subprocess.TimeoutExpired:
        return None, f"took more than {limit} s"
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return json.loads(done.stdout), None


def run_point(arguments, game, envs):
    """The object that bench prints, and how long it took around the measured runs."""
    command = [arguments.program, "bench", "--json", "--device", arguments.device, "--game", game, "--envs", str(envs)]
    command += ["--warmup", str(arguments.warmup), "--seconds", str(arguments.seconds)]
    command += ["--repeat", str(arguments.repeats), "--obs", arguments.obs, "--autoreset", "next"]
    command += [] if arguments.translate else ["--no-translate"]
    start = time.perf_counter()
    result, error = run_bench(command, arguments.limit)
    if result:
        result["around"] = time.perf_counter() - start - result["seconds"] * arguments.repeats
    return result, error


def row_of(about, game, envs, result):
    return {
        **about,
        "game": game,
        "envs": envs,
        "fps": round(result["raw_fps"]),
        "best_fps": round(result["best_fps"]),
        "fps_per_env": round(result["raw_fps"] / envs, 1),
        "steps": result["steps"],
        "resets": result["resets"],
        "start_seconds": round(result["around"], 1),
        "checksum": result["checksum"],
    }


def read_rows(path):
    try:
        with path.open(newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None


# ---- picture -----------------------------------------------------------------------------------------------------


def draw(rows, path):
    """Bars: each game at its best size. Lines: frames per second by size, with the median of the games."""
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not installed; --from draws it elsewhere")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    table = {}  # the last line of a point counts
    for row in rows:
        table.setdefault(row["game"], {})[int(row["envs"])] = float(row["fps"]) / 1e6
    games = sorted(table, key=lambda game: -max(table[game].values()))
    figure, (bars, lines) = pyplot.subplots(2, 1, figsize=(13, 10))
    heights = [max(table[game].values()) for game in games]
    bars.bar(range(len(games)), heights)
    bars.axhline(statistics.median(heights), color="black", linewidth=1)
    bars.set_xticks(range(len(games)), games, rotation=90, fontsize=7)
    bars.set_ylabel("million frames/s")
    bars.set_title(f"best size; median {statistics.median(heights):.1f}, slowest {min(heights):.1f}")
    for game in games:
        sizes = sorted(table[game])
        lines.plot(sizes, [table[game][size] for size in sizes], linewidth=0.7, color="tab:blue", alpha=0.5)
        if len(sizes) > 1:
            lines.annotate(game, (sizes[-1], table[game][sizes[-1]]), fontsize=6)
    sizes = sorted({size for points in table.values() for size in points})
    medians = [statistics.median(points[size] for points in table.values() if size in points) for size in sizes]
    lines.plot(sizes, medians, marker="o", color="black", label="median")
    lines.set_xscale("log", base=2)
    lines.set_xticks(sizes, [f"{size:,}" for size in sizes])
    lines.set_yscale("log")
    lines.set_xlabel("environments")
    lines.set_ylabel("million frames/s")
    lines.legend()
    row = rows[-1]
    figure.suptitle(f"Observation {row['obs']}, stack 4, frame skip 4. {row['gpu']}, {row['commit']}, {row['date']}")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    print(f"picture: {path}")


# ---- the sweep ---------------------------------------------------------------------------------------------------


def describe(arguments):
    return {
        **describe_run("bench/gpu_sweep.py", arguments.device),
        "obs": arguments.obs,
        "translate": int(arguments.translate),
        "warmup": arguments.warmup,
        "seconds": arguments.seconds,
        "repeats": arguments.repeats,
    }


def known_points(arguments, about):
    if not arguments.resume or not arguments.out or not arguments.out.exists():
        return set()
    alike = [row for row in read_rows(arguments.out) if all(row[name] == str(about[name]) for name in SETTINGS)]
    return {(row["game"], int(row["envs"])) for row in alike}


def sweep(arguments):
    """Measures all points. Returns their lines and how many failed."""
    about = describe(arguments)
    results = Results(arguments.out, COLUMNS) if arguments.out else None
    known = known_points(arguments, about)
    print(f"gpu       {about['gpu']}, driver {about['driver']}; {about['machine']}")
    print(f"commit    {about['commit']}, {about['compiler']}")
    rows, failed = [], 0
    for envs in arguments.envs:
        print(f"\n{f'{envs} envs':22}{'frames/s':>14}{'best':>14}{'resets':>10}{'start':>8}")
        for game in arguments.games:
            if (game, envs) in known:
                continue
            result, error = run_point(arguments, game, envs)
            if error:
                failed += 1
                print(f"{game:22}{error}", flush=True)
                continue
            row = row_of(about, game, envs, result)
            rows.append(row)
            numbers = f"{row['fps']:>14,}{row['best_fps']:>14,}{row['resets']:>10,}{row['start_seconds']:>7} s"
            print(f"{game:22}{numbers}", flush=True)
            if results:
                results.add(row)
        here = [row["fps"] for row in rows if row["envs"] == envs]
        if here:
            print(f"{'median':22}{round(statistics.median(here)):>14,}\n{'slowest':22}{min(here):>14,}")
    if not rows and failed:
        raise Failure("nothing could be measured")
    return rows, failed


def bench(arguments):
    failed = 0
    if arguments.source:
        rows = read_rows(arguments.source)
    else:
        rows, failed = sweep(arguments)
        rows = read_rows(arguments.out) if arguments.out and arguments.resume else rows
    if arguments.plot and rows:
        draw(rows, arguments.plot)
    if failed:
        raise Failure(f"{failed} points failed", 1)


def parse_arguments():
    def names(text):
        return [name for name in text.split(",") if name]

    def sizes(text):
        return [int(size) for size in names(text)]

    games = CLASSIC.read_text().split()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=names, default=games, help="separated by commas (default: the 57 classic ones)")
    parser.add_argument("--envs", type=sizes, default=SIZES, help=f"sizes (default {','.join(map(str, SIZES))})")
    parser.add_argument("--device", default="cuda", help="cuda or cuda:1 (default cuda)")
    parser.add_argument("--warmup", type=int, default=300, help="steps that are not timed (default 300)")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of a run (default 3)")
    parser.add_argument("--repeats", type=int, default=1, help="runs of a point; the median counts (default 1)")
    parser.add_argument("--obs", default="84x84", help="as for `megacade bench` (default 84x84)")
    parser.add_argument("--no-translate", dest="translate", action="store_false", help="interpret the cartridges")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds that a point may take (default 300)")
    parser.add_argument("--program", default=str(ROOT / "build" / "megacade"), help="(default build/megacade)")
    parser.add_argument("--resume", action="store_true", help="leave out points that the file has already")
    parser.add_argument("--out", type=Path, metavar="FILE.csv", help="add a line per point to this file")
    parser.add_argument("--from", dest="source", type=Path, metavar="FILE.csv", help="measure nothing, draw this file")
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="draw the results")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(run_program("gpu_sweep", lambda: bench(parse_arguments())))
