#!/usr/bin/env python3
"""Compares Megacade with ale-py, game by game, after every frame.

For each game two parts: every mode with every difficulty that ale-py offers, from a fresh console, with a reset in
the middle; and a long play in the default mode. Reward, lives, end, frame numbers, all RAM and the whole screen
must be equal after each frame and each reset. See README.md in this folder for how to read a mismatch.
"""

import argparse
import os
import shutil
import signal
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

REFERENCE_VERSION = "0.12.1"
# Frames of the long play, frames of each mode and difficulty.
QUICK = (1000, 60)
LONG = (20000, 600)

TIMES = """\
times with two processes, at about 3,500 frames a second each:
  --quick   about 3 minutes: 1,000 frames per game, 60 per mode and difficulty (1,100 of these)
  --long    about 8 minutes: 20,000 frames per game, 600 per mode and difficulty; 2.7 million frames
The exit code is 0 when everything is equal, 1 when something differs, 2 when nothing could be compared.
"""


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIMES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="a short run (the default)")
    size.add_argument("--long", action="store_true", help="what `make parity` runs")
    parser.add_argument("--games", metavar="LIST", help="only these games, as in pong,breakout (default: all)")
    parser.add_argument("--frames", type=int, metavar="N", help="frames of the long play; 0: leave it out")
    parser.add_argument("--mode-frames", type=int, metavar="N", help="frames of each mode; 0: leave the modes out")
    parser.add_argument("--mode", type=int, metavar="M", help="only this mode, with --difficulty")
    parser.add_argument("--difficulty", type=int, metavar="D", help="only this difficulty, with --mode")
    parser.add_argument("--seed", type=int, metavar="S", help="seed of the actions (default: one of each game's own)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default 2)")
    parser.add_argument("--plain", action="store_true", help="compare the library without its fast paths")
    arguments = parser.parse_args()
    frames, mode_frames = LONG if arguments.long else QUICK
    if arguments.frames is None:
        arguments.frames = frames
    if arguments.mode_frames is None:
        arguments.mode_frames = mode_frames
    if (arguments.mode is None) != (arguments.difficulty is None):
        parser.error("--mode and --difficulty go together")
    if arguments.mode is not None:
        arguments.mode_frames = arguments.mode_frames or arguments.frames
        arguments.frames = 0
    if arguments.jobs < 1 or arguments.frames < 0 or arguments.mode_frames < 0:
        parser.error("numbers must not be negative, and there must be a job")
    if not arguments.frames and not arguments.mode_frames:
        parser.error("nothing to compare: --frames and --mode-frames are both 0")
    return arguments


class Report:
    """What was compared for one game."""

    def __init__(self, game):
        self.game = game
        self.settings = self.frames = self.resets = 0
        self.mismatches = []
        self.seconds = 0.0


def game_seed(game):
    """A seed of its own for each game, the same in every run."""
    seed = 0
    for byte in game.encode():
        seed = (seed * 131 + byte) & 0x7FFFFFFF
    return seed


def attempt(report, options, arguments, start):
    """Plays one configuration from a fresh console: `start` is given the pair and plays it."""
    import compare

    pair = None
    try:
        pair = compare.Pair(report.game, plain=arguments.plain)
        start(pair)
    except (compare.Mismatch, compare.binding.MegaError) as error:
        repeat = f"tests/parity/parity.py --games {report.game} {options}" + (" --plain" if arguments.plain else "")
        report.mismatches.append(f"{type(error).__name__}: {error}\n    again: {repeat}")
    if pair:
        report.frames += pair.acts
        report.resets += 1 + pair.resets


def compare_game(game, arguments):
    """Both parts for one game; runs in a process of its own."""
    import compare

    report = Report(game)
    started = time.monotonic()
    seed = game_seed(game) if arguments.seed is None else arguments.seed

    if arguments.mode_frames:
        ale = compare.reference(game)
        modes, difficulties = list(ale.getAvailableModes()), list(ale.getAvailableDifficulties())
        if arguments.mode is not None:
            modes, difficulties = [arguments.mode], [arguments.difficulty]
        half = arguments.mode_frames // 2
        for mode in modes:
            for difficulty in difficulties:

                def modes_play(pair):
                    stream = compare.Splitmix(seed)
                    pair.choose(mode, difficulty)
                    compare.play(pair, half, stream=stream)
                    pair.reset()
                    compare.play(pair, arguments.mode_frames - half, stream=stream)

                options = f"--mode {mode} --difficulty {difficulty} --mode-frames {arguments.mode_frames} --seed {seed}"
                attempt(report, options, arguments, modes_play)
                report.settings += 1

    if arguments.frames:

        def long_play(pair):
            compare.play(pair, arguments.frames, seed)

        options = f"--mode-frames 0 --frames {arguments.frames} --seed {seed}"
        attempt(report, options, arguments, long_play)
    report.seconds = time.monotonic() - started
    return report


class Progress:
    """A line at the bottom of a terminal; nothing elsewhere."""

    def __init__(self, total):
        self.total, self.done, self.started = total, 0, time.monotonic()
        self.shown = sys.stdout.isatty()

    def clear(self):
        if self.shown:
            print("\r\033[K", end="")

    def show(self):
        if not self.shown:
            return
        width = max(10, min(40, shutil.get_terminal_size().columns - 40))
        filled = width * self.done // self.total
        elapsed = time.monotonic() - self.started
        bar = "#" * filled + "." * (width - filled)
        print(f"\r\033[K[{bar}] {self.done}/{self.total} games, {elapsed:.0f} s", end="", flush=True)


ROW = "{:<20} {:>6} {:>10} {:>7} {:>8}  {}"


def choose_games(arguments):
    import binding

    known = [game.name for game in binding.games() if not game.builtin]
    if not arguments.games:
        return known
    chosen = [name for name in arguments.games.split(",") if name]
    unknown = [name for name in chosen if name not in known]
    if unknown:
        print(f"parity: no such game: {', '.join(unknown)}", file=sys.stderr)
        sys.exit(2)
    return chosen


def longest_first(names):
    """Games with many modes first, so that no process is left alone with a long one."""
    import binding

    work = {game.name: len(game.modes) * len(game.difficulties) for game in binding.games()}
    return sorted(names, key=lambda name: -work[name])


def run(names, arguments):
    print(ROW.format("game", "modes", "frames", "resets", "seconds", "result"), flush=True)
    progress = Progress(len(names))
    reports = []
    with ProcessPoolExecutor(arguments.jobs, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(compare_game, name, arguments): name for name in longest_first(names)}
        progress.show()
        for future in as_completed(waiting):
            try:
                report = future.result()
            except Exception as error:  # a process that died: its game was not compared
                report = Report(waiting[future])
                report.mismatches.append(f"{report.game}: not compared: {type(error).__name__}: {error}")
            reports.append(report)
            progress.done += 1
            progress.clear()
            result = f"{len(report.mismatches)} DIFFER" if report.mismatches else "equal"
            print(
                ROW.format(
                    report.game, report.settings, report.frames, report.resets, f"{report.seconds:.1f}", result
                ),
                flush=True,
            )
            for text in report.mismatches[:1]:
                print("  " + text, flush=True)
            progress.show()
        progress.clear()
    return reports


def summarize(reports, seconds):
    different = [report for report in reports if report.mismatches]
    result = f"{len(different)} games DIFFER" if different else "equal"
    print(
        ROW.format(
            f"{len(reports)} games",
            sum(report.settings for report in reports),
            sum(report.frames for report in reports),
            sum(report.resets for report in reports),
            f"{seconds:.1f}",
            result,
        )
    )
    for report in sorted(different, key=lambda report: report.game):
        for text in report.mismatches:
            print(text)
    return 1 if different else 0


def main():
    arguments = parse_arguments()
    try:
        import ale_py
    except ImportError:
        print("parity: ale_py is not installed; `make setup-test` installs it into .venv", file=sys.stderr)
        return 2
    if ale_py.__version__ != REFERENCE_VERSION:
        print(f"parity: needs ale_py {REFERENCE_VERSION}, found {ale_py.__version__}", file=sys.stderr)
        return 2
    try:
        names = choose_games(arguments)
    except OSError as error:
        print(f"parity: cannot open the library ({error}); `make` builds it", file=sys.stderr)
        return 2
    started = time.monotonic()
    return summarize(run(names, arguments), time.monotonic() - started)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        os._exit(130)
