#!/usr/bin/env python3
"""Nodes a second of `mendel bench` against Stockfish's classical evaluation.

Both search the same positions on one thread, in turns within one run, so that
whatever else the machine does hits both alike. Prints each round and the median.
"""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mendel", default="target/release/mendel")
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    parser.add_argument("--depth", type=int, help="of mendel; else that of `mendel bench`")
    parser.add_argument("--stockfish-depth", type=int, default=13)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=600, help="seconds for one bench")
    arguments = parser.parse_args()

    with tempfile.NamedTemporaryFile("w", suffix=".fen") as file:
        file.write(run([arguments.mendel, "bench", "--positions"], arguments.limit))
        file.flush()
        ours = [arguments.mendel, "bench"]
        if arguments.depth:
            ours += ["--depth", str(arguments.depth)]
        theirs = [arguments.stockfish, "bench", "16", "1", str(arguments.stockfish_depth)]
        theirs += [file.name, "depth", "classical"]
        rounds = [
            (
                speed(ours, r"(?P<nodes>\d+) nodes (?P<speed>\d+) nps", arguments.limit),
                speed(theirs, r"Nodes/second\s*: (?P<speed>\d+)", arguments.limit),
            )
            for _ in range(arguments.rounds)
        ]
    for number, (mendel, stockfish) in enumerate(rounds, 1):
        print(f"round {number}: mendel {mendel:>9} nps  stockfish {stockfish:>9} nps  ratio {mendel / stockfish:.3f}")
    mendel, stockfish, ratio = (
        statistics.median(values)
        for values in (*zip(*rounds), [mendel / stockfish for mendel, stockfish in rounds])
    )
    print(f"median: mendel {mendel:.0f} nps, stockfish classical {stockfish:.0f} nps, ratio {ratio:.3f}")


def run(command, limit):
    """What a command says on both channels; a failure ends the measurement."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        sys.exit(f"error: a command failed: {' '.join(command)}: {error}")
    return done.stdout + done.stderr


def speed(command, pattern, limit):
    output = run(command, limit)
    found = list(re.finditer(pattern, output))
    if not found:
        sys.exit(f"error: no speed in the output of: {' '.join(command)}")
    return int(found[-1]["speed"])


if __name__ == "__main__":
    main()
