#!/usr/bin/env python3
"""The best weights there are for a linear evaluator, by linear programming.

Least absolute deviations: the weights whose scores lie nearest to the labels of a
data set on the average, found exactly, once inside the ranges of a recipe's genes
and once signed and without bounds. What any breeder with these features finds can
be held against it.
"""

import argparse
import sys
import time

import environment
import mendel


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", help="a built-in set or a file")
    parser.add_argument("--mendel", default="target/release/mendel")
    parser.add_argument("--recipe", default="gerald-eval", help="whose genes bound the weights")
    parser.add_argument(
        "--players", nargs="+", default=["gerald-base", "gerald-eval-tuned"], help="to be compared"
    )
    parser.add_argument("--part", choices=["all", "train", "hold-out"], default="all")
    parser.add_argument("--weights", action="store_true", help="print the best weights too")
    arguments = parser.parse_args()
    environment.need_packages()

    # 1. Rows and labels, gene ranges and players' weights: all from Mendel.
    exported = {
        player: mendel.rows(arguments.mendel, arguments.data, player, arguments.part)
        for player in arguments.players
    }
    first = arguments.players[0]
    problem = Problem(exported[first][1])
    names = [weight["name"] for weight in exported[first][0]]
    if any([weight["name"] for weight in weights] != names for weights, _ in exported.values()):
        sys.exit("error: the players have different features; compare them apart")
    settings = ["stop.generations=1", "breeder.population=2"]
    manifest = mendel.breed(
        arguments.mendel, arguments.recipe, arguments.data, 1, settings
    ).manifest
    if manifest["genes"] != names:
        sys.exit(f"error: the recipe {arguments.recipe} breeds other weights than {first} has")

    # 2. What is known.
    print(f"{arguments.data}, {arguments.part}: {len(problem.labels)} positions, "
          f"{len(names)} weights; mean absolute error in centipawns")
    print(f"{'':34}    as scored  before cutting off")
    problem.tell("all weights zero", [0] * len(names))
    for player, (weights, _) in exported.items():
        problem.tell(player, [weight["value"] for weight in weights])

    # 3. What is possible.
    free = [(None, None)] * len(names)
    for what, bounds in ("best inside the gene ranges", manifest["bounds"]), ("best without bounds", free):
        begun = time.perf_counter()
        best = problem.best(bounds)
        seconds = time.perf_counter() - begun
        problem.tell(what, best, f"   found in {seconds:.0f} s")
        problem.tell("    in whole centipawns", best.round())
        if arguments.weights:
            for name, value in zip(names, best):
                print(f"        {name:40} {value:8.1f}")


class Problem:
    """Rows, labels, and the mean absolute error of weights."""

    def __init__(self, table):
        import numpy as np

        table = np.array(table)
        self.rows, self.labels = table[:, :-1], table[:, -1]

    def tell(self, what, weights, remark=""):
        """Prints the error of scores cut to whole centipawns, as evaluators give
        them, and of the plain sums, which the linear program sees."""
        import numpy as np

        sums = self.rows @ np.asarray(weights, dtype=float)
        # A sum that is whole but for rounding is not to be cut one lower.
        scores = np.trunc(sums + 1e-9 * np.sign(sums))
        errors = [np.abs(values - self.labels).mean() for values in (scores, sums)]
        print(f"{what:34} {errors[0]:12.2f} {errors[1]:12.2f}{remark}", flush=True)

    def best(self, bounds):
        """The weights with the least sum of absolute errors.

        Minimises the sum of u + v where rows · weights + u − v = labels and neither
        u nor v is negative.
        """
        import numpy as np
        from scipy import optimize, sparse

        count, weights = self.rows.shape
        ones = sparse.identity(count, format="csr")
        equations = sparse.hstack([sparse.csr_matrix(self.rows), ones, -ones], format="csr")
        cost = np.concatenate([np.zeros(weights), np.ones(2 * count)])
        limits = [*bounds, *[(0, None)] * (2 * count)]
        found = optimize.linprog(cost, A_eq=equations, b_eq=self.labels, bounds=limits, method="highs")
        if not found.success:
            sys.exit(f"error: the linear program was not solved: {found.message}")
        return found.x[:weights]


if __name__ == "__main__":
    main()
