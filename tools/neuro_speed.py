#!/usr/bin/env python3
"""Generations a second of our CoSyNE against EvoTorch's, on the CPU.

Both breed the same network on the same problem: populations of the same size, a
quarter parents of half as many children, all weights permuted, the same rates. EvoTorch
gets its whole population judged at once in tensors. It judges children and permuted
members beside each other, 1.5 times the population in a generation, so judgements a
second are told, too. One thread each, in turns, and seconds of the processor, so that
whatever else the machine does changes little.
"""

import argparse
import logging
import math
import pathlib
import resource
import subprocess
import time
from typing import NamedTuple

import environment

EXAMPLE = environment.ROOT / "target" / "release" / "examples" / "neuro_speed"
# What the issue asks for.
WANTED = 20
LIMIT = 600


class Problem(NamedTuple):
    """A problem, its size, and how many generations tell its speed."""

    name: str
    population: int
    weights: int
    ours: int
    theirs: int
    asked: bool


PROBLEMS = [
    Problem("xor", 30, 9, 20_000, 200, True),
    Problem("xor", 100, 9, 6_000, 200, True),
    # As many for both: the better the networks, the longer they balance.
    Problem("two-poles", 30, 28, 12, 12, True),
    Problem("two-poles", 100, 28, 12, 12, True),
    # A network for chess, and breeding alone.
    Problem("none", 16, 8448, 200, 40, False),
]


class Figures(NamedTuple):
    """Generations and judgements a second, and the best score seen."""

    speed: float
    judgements: float
    best: float


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="one problem", choices=sorted({it.name for it in PROBLEMS}))
    parser.add_argument("--example", type=pathlib.Path, help="the built example, else it is built")
    arguments = parser.parse_args()
    environment.need_packages("requirements-neuro.txt", "python-neuro")

    example = arguments.example or build()
    kept = True
    for problem in PROBLEMS:
        if arguments.only not in (None, problem.name):
            continue
        ours, theirs = [], []
        run_evotorch(problem._replace(theirs=1), 0)  # what it does once only
        for seed in range(1, arguments.rounds + 1):
            ours.append(run_ours(example, problem, seed))
            theirs.append(run_evotorch(problem, seed))
        ours, theirs = max(ours), max(theirs)
        ratio = ours.speed / theirs.speed
        kept &= ratio >= WANTED or not problem.asked
        print(f"{problem.name}, {problem.population} networks of {problem.weights} weights: "
              f"{ours.speed:.1f} generations a second (best {ours.best:g}), "
              f"EvoTorch {theirs.speed:.2f} (best {theirs.best:g}), ratio {ratio:.1f}; "
              f"of judgements {ours.judgements / theirs.judgements:.1f}", flush=True)
    print(f"asked: at least {WANTED} times EvoTorch: {'kept' if kept else 'MISSED'}")


def build():
    command = ["cargo", "build", "--release", "--locked", "-p", "mendel-evolve", "--example", EXAMPLE.name]
    subprocess.run(command, check=True, cwd=environment.ROOT)
    return EXAMPLE


def run_ours(example, problem, seed):
    command = [example, problem.name, str(problem.population), str(problem.ours), str(seed)]
    begun = child_seconds()
    told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=LIMIT).stdout
    seconds = child_seconds() - begun
    _, count, best = map(float, told.split())
    return Figures(problem.ours / seconds, count / seconds, best)


def child_seconds():
    """The processor's seconds for programs that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_evotorch(problem, seed):
    import torch
    from evotorch import Problem as Search
    from evotorch.algorithms import Cosyne

    logging.getLogger("evotorch").setLevel(logging.ERROR)
    torch.set_num_threads(1)
    judged = {"count": 0, "best": -math.inf}

    def judge(networks):
        with torch.no_grad():
            # Plain tensors: EvoTorch's own may not be changed, nor what comes of them.
            scores = JUDGES[problem.name](networks.as_subclass(torch.Tensor))
        judged["count"] += len(networks)
        judged["best"] = max(judged["best"], float(scores.max()))
        return scores

    search = Search("max", judge, solution_length=problem.weights, initial_bounds=(-10, 10),
                    dtype=torch.float32, vectorized=True, seed=seed)
    cosyne = Cosyne(search, popsize=problem.population, tournament_size=4, mutation_stdev=0.3,
                    mutation_probability=0.3, permute_all=True,
                    num_children=problem.population // 2 // 2 * 2)
    begun = time.process_time()
    cosyne.run(problem.theirs)
    seconds = time.process_time() - begun
    return Figures(problem.theirs / seconds, judged["count"] / seconds, judged["best"])


def judge_xor(networks):
    """2-2-1 with biases; the score is (4 - the distances from the right answers) squared."""
    import torch

    seen = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    wanted = torch.tensor([0.0, 1.0, 1.0, 0.0])
    neurons = networks.view(-1, 3, 3)
    hidden = torch.tanh(torch.einsum("ci,nhi->nch", seen, neurons[:, :2, :2]) + neurons[:, None, :2, 2])
    output = torch.tanh((hidden * neurons[:, None, 2, :2]).sum(2) + neurons[:, 2, 2, None])
    return (4 - ((1 + output) / 2 - wanted).abs().sum(1)).square()


def judge_poles(networks):
    """6-4-1; the score is the steps balanced of 1000. Ends when all have fallen."""
    import torch

    hidden, last = networks[:, :24].view(-1, 4, 6), networks[:, 24:]
    state = torch.zeros(len(networks), 6)
    state[:, 2] = math.radians(4)
    scales = torch.tensor([4.8, 2.0, 0.52, 2.0, 0.52, 2.0])
    limits = torch.tensor([2.4, math.radians(36), math.radians(36)])
    standing = torch.ones(len(networks), dtype=torch.bool)
    steps = torch.zeros(len(networks))
    for _ in range(1000):
        neurons = torch.tanh(torch.bmm(hidden, (state / scales).unsqueeze(2)).squeeze(2))
        force = 10 * torch.tanh((neurons * last).sum(1))
        for _ in range(2):
            first = slope(state, force)
            second = slope(state + 0.005 * first, force)
            third = slope(state + 0.005 * second, force)
            fourth = slope(state + 0.01 * third, force)
            state = state + 0.01 / 6 * (first + 2 * (second + third) + fourth)
        standing &= (state[:, ::2].abs() <= limits).all(1)
        if not standing.any():
            break
        steps += standing
    return steps


def slope(state, force):
    """As `problems::Poles`: both poles at once."""
    import torch

    halves, masses = torch.tensor([0.5, 0.05]), torch.tensor([0.1, 0.01])
    angles, spins = state[:, 2::2], state[:, 3::2]
    sines, cosines = angles.sin(), angles.cos()
    turns = 0.000002 * spins / (masses * halves) - 9.8 * sines
    push = force - 0.0005 * state[:, 1].sign()
    push = push + (masses * halves * spins * spins * sines + 0.75 * masses * cosines * turns).sum(1)
    mass = 1 + (masses * (1 - 0.75 * cosines * cosines)).sum(1)
    faster = push / mass
    turned = -0.75 / halves * (faster[:, None] * cosines + turns)
    return torch.stack([state[:, 1], faster, spins[:, 0], turned[:, 0], spins[:, 1], turned[:, 1]], 1)


JUDGES = {"xor": judge_xor, "two-poles": judge_poles, "none": lambda networks: networks[:, 0]}

if __name__ == "__main__":
    main()
