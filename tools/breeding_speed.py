#!/usr/bin/env python3
"""How long whole runs take, in seconds on the wall and of CPU.

Runs published experiments in their own numbers, and the first experiment of a
newcomer, each several times; random search runs beside, as it always does, so
that twice as many judgements are made as are counted. The best of the rounds is
what the program can do, the median what this machine did just now.
"""

import argparse
import statistics
import sys
from typing import NamedTuple

import mendel

# What the papers report for the same work.
PAPERS = {
    "gerald-eval": "the thesis: 222 s on twenty cores",
    "lambda-ga": "the paper: four days",
}


class Case(NamedTuple):
    recipe: str
    threads: int
    # Bounds for the wall and, where there is one, for the CPU, in seconds.
    least: float
    most: float
    cpu: float | None


CASES = [
    Case("gerald-eval", threads=2, least=0, most=3, cpu=6),
    Case("lambda-ga", threads=2, least=0, most=4, cpu=None),
    Case("first-steps", threads=1, least=5, most=20, cpu=None),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mendel", default="target/release/mendel")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--recipes", nargs="+", default=[case.recipe for case in CASES])
    parser.add_argument(
        "--data",
        metavar="RECIPE=SET",
        action="append",
        default=[],
        help="a data set instead of the recipe's own",
    )
    parser.add_argument("--strict", action="store_true", help="fail where a bound is missed")
    arguments = parser.parse_args()
    data = dict(pair.split("=", 1) for pair in arguments.data)
    unknown = set(arguments.recipes) - {case.recipe for case in CASES}
    if unknown:
        sys.exit(f"error: no bounds are known for: {', '.join(sorted(unknown))}")

    kept = [
        measure(arguments.mendel, case, data.get(case.recipe), arguments.rounds)
        for case in CASES
        if case.recipe in arguments.recipes
    ]
    if arguments.strict and not all(kept):
        sys.exit(1)


def measure(program, case, data, rounds):
    """Prints how one recipe did; whether it kept its bounds."""
    runs = [mendel.breed(program, case.recipe, data, case.threads) for _ in range(rounds)]
    if any(run.journal != runs[0].journal for run in runs):
        sys.exit(f"error: the same seed gave different runs of {case.recipe}")
    last = runs[0].generations[-1]
    generations, judgements = last["generation"] + 1, last["judgements"]
    wall, cpu = min(run.wall for run in runs), min(run.cpu for run in runs)
    middle = statistics.median(run.wall for run in runs)
    kept = case.least <= wall <= case.most and (case.cpu is None or cpu <= case.cpu)
    asked = f"at most {case.most:g} s" if not case.least else f"{case.least:g} to {case.most:g} s"
    asked += f" and {case.cpu:g} s of CPU" if case.cpu else ""
    print(
        f"{case.recipe}: {wall:.2f} s, {cpu:.2f} s of CPU on {case.threads} thread(s), "
        f"best of {rounds} (median {middle:.2f} s); asked: {asked}: {'kept' if kept else 'MISSED'}"
    )
    print(
        f"    {generations} generations, {judgements / 1e6:.0f} million judgements and as many by "
        f"random search: {2 * judgements / cpu / 1e6:.0f} million a second of CPU, "
        f"{generations / wall:.0f} generations a second"
    )
    if case.recipe in PAPERS:
        print(f"    {PAPERS[case.recipe]}")
    return kept


if __name__ == "__main__":
    main()
