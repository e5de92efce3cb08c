#!/usr/bin/env python3
"""Values for the tests of `mendel_arena::statistics`, by other means.

    pip install numpy==2.4.6 scipy==1.17.1 mpmath
    python3 tools/reference_statistics.py        # writes crates/arena/tests/reference/*.json

Nothing here follows the Rust code. Likelihoods are maximised over the probabilities
themselves: SLSQP from several starts finds the maximum, Newton's method on the full
Lagrange equations, with 30 digits, polishes it, and the conditions of a maximum are
checked. Intervals are the extreme means over the region of likely distributions, not
roots of a profile. Ratings come from a general minimiser, errors from a pseudo-inverse.
"""
import functools
import itertools
import json
import math
import pathlib

import mpmath as mp
import numpy as np
from scipy import optimize, stats

OUT = pathlib.Path(__file__).resolve().parent.parent / "crates/arena/tests/reference"
Z = stats.norm.ppf(0.975)
mp.mp.dps = 30

SAMPLES = [
    # pairs: 0, 1/2, 1, 3/2, 2 points
    [0, 0, 0, 0, 1], [1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0],
    [0, 0, 0, 0, 10], [0, 0, 50, 0, 0], [0, 0, 0, 7, 0], [100, 0, 0, 0, 0],
    [1, 0, 0, 0, 1], [0, 1, 0, 1, 0], [0, 0, 1, 1, 0], [0, 0, 10, 1, 0], [0, 0, 3, 2, 5],
    [0, 0, 0, 1, 9], [0, 1, 0, 0, 9], [1, 0, 0, 0, 9], [9, 0, 0, 0, 1], [0, 0, 999, 1, 0],
    [2, 8, 15, 11, 4], [3, 10, 40, 60, 20], [10, 50, 100, 40, 8], [0, 20, 100, 25, 0],
    [120, 480, 1300, 520, 140], [365, 16618, 36229, 16974, 390], [127, 4883, 10712, 5150, 104],
    [0, 10, 300, 500, 190], [1, 0, 0, 0, 9999], [0, 1, 0, 0, 1000000],
    [1500000, 2000000, 3000000, 2100000, 1400000],
    # single games: lost, drawn, won
    [0, 0, 1], [0, 1, 0], [1, 0, 1], [0, 5, 1], [0, 0, 30], [0, 40, 0], [30, 50, 38],
    [400, 1200, 450], [36027, 68692, 36433], [3, 0, 500], [1, 0, 1000000],
]
BOUNDS = [(0, 5), (-5, 5), (-1.75, 0.25), (-60, 40), (0, 200)]


def values(counts):
    return np.linspace(0, 1, len(counts))


class Problem:
    """The greatest of f(p), p a distribution with g(p) = 0, f and g smooth.

    `make` gives f, its slope, g and its slope, in floats (mp.fp) or in many digits.
    """

    def __init__(self, counts, make):
        self.counts, self.k = counts, len(counts)
        self.f, self.df, self.g, self.dg = make(mp.mp)
        self.rough = make(mp.fp)

    def climb(self, start):
        bounds = [(1e-300 if self.needs(i) else 0, 1) for i in range(self.k)]
        f, df, g, dg = self.rough
        found = optimize.minimize(
            lambda p: -f(list(p)), start, jac=lambda p: -np.array(df(list(p))),
            bounds=bounds, method="SLSQP", options={"maxiter": 300, "ftol": 1e-15},
            constraints=[
                {"type": "eq", "fun": lambda p: sum(p) - 1, "jac": lambda p: np.ones(self.k)},
                {"type": "eq", "fun": lambda p: g(list(p)), "jac": lambda p: np.array(dg(list(p)))},
            ])
        return found.x

    def needs(self, i):
        return self.counts[i] > 0

    def polish(self, p):
        """A solution of the Lagrange equations near p that is a maximum."""
        p = np.clip(p, 0, 1)
        unseen = [i for i in range(self.k) if not self.needs(i)]
        extras = [[i for i in unseen if p[i] > 1e-7], []] + [[i] for i in unseen]
        found = (self.polish_on(p, extra) for extra in extras)
        return next((q for q in found if q is not None), None)

    def polish_on(self, p, extra):
        support = [i for i in range(self.k) if self.needs(i) or i in extra]
        full = lambda q: [q[support.index(i)] if i in support else mp.mpf(0) for i in range(self.k)]
        df, dg = np.array(self.df(p), float), np.array(self.dg(p), float)
        a = np.array([[1, dg[i]] for i in support])
        weights = np.array([max(p[i], 1e-12) for i in support])
        lam, nu = np.linalg.lstsq(a * weights[:, None], df[support] * weights, rcond=None)[0]

        def equations(*q):
            *q, lam, nu = q
            q = full(q)
            df, dg = self.df(q), self.dg(q)
            rows = [(q[i] if self.needs(i) else 1) * (df[i] - lam - nu * dg[i]) for i in support]
            return rows + [sum(q) - 1, self.g(q)]

        start = [mp.mpf(p[i]) for i in support] + [mp.mpf(lam), mp.mpf(nu)]
        try:
            solution = mp.findroot(equations, start, tol=1e-40, maxsteps=40)
        except (ValueError, ZeroDivisionError, TypeError):
            return None
        *q, lam, nu = list(solution)
        q = full(q)
        df, dg = self.df(q), self.dg(q)
        is_maximum = all(x >= 0 for x in q) and all(
            df[i] - lam - nu * dg[i] <= mp.mpf("1e-20") for i in range(self.k) if i not in support)
        return q if is_maximum else None

    def solve(self, starts, is_convex):
        """In a convex problem the first maximum found is the only one."""
        best = None
        for start in starts:
            rough = self.climb(start)
            is_new = best is None or (
                abs(self.rough[2](list(rough))) < 1e-9 and self.rough[0](list(rough)) > self.f(best) + 1e-10)
            p = self.polish(rough) or self.polish(np.array(start)) if is_new else None
            if p is not None and (best is None or self.f(p) > self.f(best)):
                best = p
            if best is not None and is_convex:
                break
        assert best is not None, self.counts
        return best


def starts(counts):
    n, k = sum(counts), len(counts)
    p = np.array(counts) / n
    rng = np.random.default_rng(1)
    yield 0.999 * p + 0.001 / k
    yield 0.7 * p + 0.3 / k
    for _ in range(6):
        yield 0.5 * p + 0.5 * rng.dirichlet(np.full(k, 0.5))


def scores(counts, numbers):
    return [numbers.mpf(i) / (len(counts) - 1) for i in range(len(counts))]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def log_likelihood(counts, numbers):
    share = [numbers.mpf(c) / sum(counts) for c in counts]
    tiny = numbers.mpf("1e-300")
    f = lambda p: sum(s * numbers.log(max(q, tiny)) if s else 0 for s, q in zip(share, p))
    df = lambda p: [s / max(q, tiny) if s else numbers.mpf(0) for s, q in zip(share, p)]
    return f, df, f(share)


def greatest_likelihood(counts, make_g, is_convex):
    """Of the sample under g(p) = 0, over that of the observed shares; a logarithm."""
    f, _, best = log_likelihood(counts, mp.mp)
    if make_g(mp.mp)[0]([mp.mpf(c) / sum(counts) for c in counts]) == 0:
        return mp.mpf(0)
    make = lambda numbers: log_likelihood(counts, numbers)[:2] + make_g(numbers)
    p = Problem(counts, make).solve(starts(counts), is_convex)
    return sum(counts) * (f(p) - best)


def under_mean(counts, score):
    def make_g(numbers):
        x, s = scores(counts, numbers), numbers.mpf(score)
        return lambda p: dot(x, p) - s, lambda p: x
    return greatest_likelihood(counts, make_g, True)


def under_lead(counts, lead):
    def make_g(numbers):
        x, t = scores(counts, numbers), numbers.mpf(lead)

        def moments(p):
            mean = dot(x, p)
            return mean, max(dot(p, [(a - mean) ** 2 for a in x]), numbers.mpf("1e-60"))

        def g(p):
            mean, variance = moments(p)
            return mean - numbers.mpf(1) / 2 - t * numbers.sqrt(variance)

        def dg(p):
            mean, variance = moments(p)
            rest = dot(p, [a - mean for a in x])  # zero once p adds up to one
            slope = t / (2 * numbers.sqrt(variance))
            return [a - slope * ((a - mean) ** 2 - 2 * rest * a) for a in x]
        return g, dg
    return greatest_likelihood(counts, make_g, False)


def extreme_mean(counts, sign):
    """The greatest (or least) mean of a distribution within the interval."""
    n = sum(counts)

    def make(numbers):
        x = [sign * a for a in scores(counts, numbers)]
        f, df, best = log_likelihood(counts, numbers)
        limit = best - numbers.mpf(Z) ** 2 / 2 / n
        return lambda p: dot(x, p), lambda p: x, lambda p: f(p) - limit, df
    problem = Problem(counts, make)
    share = np.array(counts) / n
    mean = float(share @ values(counts))
    deviation = math.sqrt(float(share @ (values(counts) - mean) ** 2)) or 0.1
    tilted = share * np.maximum(1 + sign * Z / deviation / math.sqrt(n) * (values(counts) - mean), 0.01)
    # What was never seen may have happened: some of it at the end.
    end = np.zeros(len(counts))
    end[-1 if sign > 0 else 0] = 1
    gone = -math.expm1(-Z ** 2 / 2 / n)
    guesses = [tilted / tilted.sum(), (1 - gone) * share + gone * end,
               (1 - gone / 2) * tilted / tilted.sum() + gone / 2 * end]
    p = problem.solve(itertools.chain(guesses, starts(counts)), True)
    return dot(scores(counts, mp.mp), p)


def elo_of(score):
    return float(-400 * mp.log10(1 / mp.mpf(score) - 1))


def estimate(counts):
    n, x = sum(counts), values(counts)
    games_each = 2 if len(counts) == 5 else 1
    won = sum(c * i for i, c in enumerate(counts))
    mean = mp.mpf(won) / (n * (len(counts) - 1))
    row = {"counts": counts, "elo": None, "low": None, "high": None,
           "normalized": None, "normalized_error": None}
    if 0 < mean < 1:
        row["elo"] = elo_of(mean)
    if mean > 0:
        row["low"] = elo_of(extreme_mean(counts, -1))
    if mean < 1:
        row["high"] = elo_of(extreme_mean(counts, 1))
    outcomes = stats.rv_discrete(values=(range(len(x)), np.array(counts) / n))
    if max(counts) < n:
        # scipy's moments of the outcome's index; t does not care for the unit.
        m, v, skew, excess = (float(a) for a in outcomes.stats(moments="mvsk"))
        t = (m - (len(x) - 1) / 2) / math.sqrt(v)
        spread = 1 + t * t / 2 - skew * t + excess * t * t / 4
        unit = 800 / math.log(10) / math.sqrt(games_each)
        row["normalized"] = unit * t
        row["normalized_error"] = float(Z * unit * math.sqrt(spread / n))
    ratio = -2 * under_mean(counts, 0.5)
    root = math.sqrt(max(float(ratio), 0))
    row["superiority"] = float(stats.norm.cdf(math.copysign(root, float(mean) - 0.5)))
    return row


@functools.cache
def at_elo(counts, model, elo):
    if model == "logistic":
        return under_mean(counts, 1 / (1 + mp.mpf(10) ** (-mp.mpf(elo) / 400)))
    games_each = 2 if len(counts) == 5 else 1
    return under_lead(counts, mp.mpf(elo) * mp.log(10) / 800 * mp.sqrt(games_each))


def ratio(counts, elo0, elo1, model):
    return float(at_elo(tuple(counts), model, elo1) - at_elo(tuple(counts), model, elo0))


def pool(players, tallies, prior, anchor):
    """tallies: (i, j, wins, draws, losses) as i sees it."""
    def loss(r):
        total = 0.0
        for i, j, w, d, l in tallies:
            total += (w + d / 2) * np.logaddexp(0, r[j] - r[i]) + (l + d / 2) * np.logaddexp(0, r[i] - r[j])
        return total + prior / 2 * float(np.sum(np.logaddexp(0, r) + np.logaddexp(0, -r))) + level(r)
    # Without a prior only differences matter; this picks one solution of many.
    level = (lambda r: 0.0) if prior else (lambda r: float(np.mean(r)) ** 2)

    def slope(r):
        g = np.zeros(players)
        for i, j, w, d, l in tallies:
            miss = (w + d / 2) - (w + d + l) / (1 + np.exp(r[j] - r[i]))
            g[i] -= miss
            g[j] += miss
        g += prior * (1 / (1 + np.exp(-r)) - 0.5)
        return g if prior else g + 2 * np.mean(r) / players

    r = optimize.minimize(loss, np.zeros(players), jac=slope, method="BFGS", options={"gtol": 1e-9, "maxiter": 9999}).x
    r = optimize.root(slope, r, method="hybr", tol=1e-15).x
    info = np.diag(prior * np.exp(-np.abs(r)) / (1 + np.exp(-np.abs(r))) ** 2)
    for i, j, w, d, l in tallies:
        e = np.zeros(players)
        e[i], e[j] = 1, -1
        q = 1 / (1 + math.exp(r[j] - r[i]))
        info += (w + d + l) * q * (1 - q) * np.outer(e, e)
    cov = np.linalg.pinv(info, rcond=1e-13)
    shift = np.eye(players) - (np.ones((players, players)) / players if anchor is None
                               else np.outer(np.ones(players), np.eye(players)[anchor[0]]))
    unit = 400 / math.log(10)
    return {
        "players": players, "tallies": tallies, "prior_games": prior, "anchor": anchor,
        "ratings": list(unit * (shift @ r) + (anchor[1] if anchor else 0)),
        "errors": list(Z * unit * np.sqrt(np.maximum(np.diag(shift @ cov @ shift.T), 0))),
    }


POOLS = [
    (2, [(0, 1, 10, 5, 3)], 0, None),
    (2, [(0, 1, 10, 5, 3)], 0, (1, 2000)),
    (2, [(0, 1, 0, 1, 0)], 0, None),
    (2, [(0, 1, 10, 0, 0)], 1, None),
    (2, [(0, 1, 1, 0, 0)], 1, (0, -100)),
    (2, [(0, 1, 5000000, 0, 1)], 0, None),
    (3, [(0, 1, 30, 20, 10), (1, 2, 15, 40, 5), (2, 0, 4, 20, 36)], 0, None),
    (3, [(0, 1, 30, 20, 10), (1, 2, 15, 40, 5), (2, 0, 4, 20, 36)], 0, (2, 2500)),
    (3, [(0, 1, 1, 0, 0), (1, 2, 1, 0, 0), (2, 0, 1, 0, 0)], 0, None),
    (3, [(0, 1, 20, 0, 0), (1, 2, 5, 10, 5), (0, 2, 20, 0, 0)], 1, None),
    (4, [(0, 1, 6, 2, 2), (2, 3, 1, 4, 5)], 1, None),
    (4, [(0, 1, 6, 2, 2), (2, 3, 1, 4, 5)], 1, (0, 1500)),
    (5, [(0, 1, 8, 2, 0), (1, 2, 7, 3, 0), (2, 3, 9, 1, 0), (3, 4, 6, 4, 0)], 0, None),
    (6, [(i, j, 3 * (j - i) + 2, 7, 4 - (j - i) // 2) for i in range(6) for j in range(i + 1, 6)], 0, (3, 0)),
]


def write(name, rows):
    OUT.mkdir(exist_ok=True)
    text = "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"
    (OUT / f"{name}.json").write_text(text, encoding="utf-8")
    print(name, len(rows), "rows")


if __name__ == "__main__":
    write("ratings", [pool(*row) for row in POOLS])
    write("elo", [estimate(counts) for counts in SAMPLES])
    write("sprt", [
        {"counts": counts, "model": model, "elo0": elo0, "elo1": elo1,
         "llr": ratio(counts, elo0, elo1, model)}
        for counts in SAMPLES for elo0, elo1 in BOUNDS for model in ("logistic", "normalized")])
