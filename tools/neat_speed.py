#!/usr/bin/env python3
"""Generations a second of our NEAT against neat-python's.

Both breed 150 networks with the configuration of neat-python's own example for the
exclusive or, on that problem and on one pole, which both simulate by the same
equations, each in its own language. Nothing ends a run early. In turns within one run,
by processor time, so that whatever else the machine does matters little; the best of
some rounds counts. Mean scores and sizes show that both do the same work.
"""

import argparse
import math
import pathlib
import resource
import subprocess
import tempfile
import time
from typing import NamedTuple

import environment

EXAMPLE = environment.ROOT / "target" / "release" / "examples" / "neat_speed"
# What the issue asks for.
WANTED = 50
LIMIT = 600
STEPS = 500

CONFIGURATION = """
[NEAT]
fitness_criterion = max
fitness_threshold = 1e9
no_fitness_termination = True
pop_size = 150
reset_on_extinction = False

[DefaultGenome]
activation_default = sigmoid
activation_mutate_rate = 0.0
activation_options = sigmoid
aggregation_default = sum
aggregation_mutate_rate = 0.0
aggregation_options = sum
bias_init_mean = 0.0
bias_init_stdev = 1.0
bias_init_type = gaussian
bias_max_value = 30.0
bias_min_value = -30.0
bias_mutate_power = 0.5
bias_mutate_rate = 0.7
bias_replace_rate = 0.1
compatibility_disjoint_coefficient = 1.0
compatibility_weight_coefficient = 0.5
conn_add_prob = 0.5
conn_delete_prob = 0.5
enabled_default = True
enabled_mutate_rate = 0.01
enabled_rate_to_true_add = 0.0
enabled_rate_to_false_add = 0.0
feed_forward = True
initial_connection = full_direct
node_add_prob = 0.2
node_delete_prob = 0.2
num_hidden = 0
num_inputs = {inputs}
num_outputs = 1
response_init_mean = 1.0
response_init_stdev = 0.0
response_init_type = gaussian
response_max_value = 30.0
response_min_value = -30.0
response_mutate_power = 0.0
response_mutate_rate = 0.0
response_replace_rate = 0.0
single_structural_mutation = False
structural_mutation_surer = default
time_constant_init_mean = 1.0
time_constant_init_stdev = 0.0
time_constant_init_type = gaussian
time_constant_max_value = 10.0
time_constant_min_value = 0.01
time_constant_mutate_power = 0.0
time_constant_mutate_rate = 0.0
time_constant_replace_rate = 0.0
weight_init_mean = 0.0
weight_init_stdev = 1.0
weight_init_type = gaussian
weight_max_value = 30
weight_min_value = -30
weight_mutate_power = 0.5
weight_mutate_rate = 0.8
weight_replace_rate = 0.1

[DefaultSpeciesSet]
compatibility_threshold = 3.0

[DefaultStagnation]
species_fitness_func = max
max_stagnation = 20
species_elitism = 2

[DefaultReproduction]
elitism = 2
survival_threshold = 0.2
min_species_size = 1
"""


class Problem(NamedTuple):
    """A problem, and how much of it tells the speed."""

    name: str
    inputs: int
    generations: int
    our_runs: int


PROBLEMS = [Problem("xor", 2, 100, 100), Problem("pole", 4, 10, 100)]


class Figures(NamedTuple):
    """Generations a second; the mean score of all members; the best score and the
    links of a network at the end of a run."""

    speed: float
    mean: float
    best: float
    links: float


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--example", type=pathlib.Path, help="the built example, else it is built")
    arguments = parser.parse_args()
    environment.need_packages("requirements-neat.txt", "python-neat")

    example = arguments.example or build()
    kept = True
    for problem in PROBLEMS:
        ours, theirs = [], []
        for seed in range(1, arguments.rounds + 1):
            ours.append(run_ours(example, problem, seed))
            theirs.append(run_neat_python(problem, seed))
        ratio = max(ours).speed / max(theirs).speed
        kept &= ratio >= WANTED
        print(f"{problem.name}: {tell(ours)}; neat-python {tell(theirs)}; ratio {ratio:.0f}", flush=True)
    large = run_ours(example, Problem("large", 64, 20, 1), 1)
    print(f"networks of 8320 links, 16 of them, breeding alone: {large.speed:.0f} generations a second")
    print(f"asked: at least {WANTED} times neat-python: {'kept' if kept else 'MISSED'}")


def tell(rounds):
    mean, links = (sum(values) / len(rounds) for values in ([it.mean for it in rounds], [it.links for it in rounds]))
    return f"{max(rounds).speed:.1f} generations a second (mean score {mean:.2f}, {links:.1f} links)"


def build():
    command = ["cargo", "build", "--release", "--locked", "-p", "mendel-evolve", "--example", EXAMPLE.name]
    subprocess.run(command, check=True, cwd=environment.ROOT)
    return EXAMPLE


def run_ours(example, problem, seed):
    command = [example, problem.name, str(problem.generations), str(problem.our_runs), str(seed)]
    begun = children_time()
    told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=LIMIT).stdout
    seconds = children_time() - begun
    _, *rest = map(float, told.split())
    return Figures(problem.generations * problem.our_runs / seconds, *rest)


def children_time():
    """Seconds of processor time of all programs that were run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_neat_python(problem, seed):
    import neat

    with tempfile.NamedTemporaryFile("w", suffix=".ini", encoding="utf-8") as file:
        file.write(CONFIGURATION.format(inputs=problem.inputs))
        file.flush()
        config = neat.Config(neat.DefaultGenome, neat.DefaultReproduction, neat.DefaultSpeciesSet,
                             neat.DefaultStagnation, file.name)
    judge, scores, links = JUDGES[problem.name], [], []

    def generation(genomes, config):
        for _, genome in genomes:
            genome.fitness = judge(neat.nn.FeedForwardNetwork.create(genome, config))
            scores.append(genome.fitness)
        links.append(sum(len(genome.connections) for _, genome in genomes) / len(genomes))

    population = neat.Population(config, seed=seed)
    begun = time.process_time()
    population.run(generation, problem.generations)
    seconds = time.process_time() - begun
    return Figures(problem.generations / seconds, sum(scores) / len(scores), max(scores), links[-1])


def judge_xor(network):
    """4 less the squared errors."""
    cases = [((0.0, 0.0), 0.0), ((0.0, 1.0), 1.0), ((1.0, 0.0), 1.0), ((1.0, 1.0), 0.0)]
    return 4.0 - sum((network.activate(seen)[0] - wanted) ** 2 for seen, wanted in cases)


def judge_pole(network):
    """The steps balanced, as `problems::Poles` has it for one pole."""
    state = (0.0, 0.0, math.radians(4), 0.0)
    limit = math.radians(12)
    for step in range(STEPS):
        place, speed, angle, spin = state
        force = 10 * (2 * network.activate((place / 4.8, speed / 2, angle / 0.52, spin / 2))[0] - 1)
        for _ in range(2):
            state = tick(state, force)
        if abs(state[0]) > 2.4 or abs(state[2]) > limit:
            return float(step)
    return float(STEPS)


def tick(state, force):
    first = slope(state, force)
    second = slope([value + 0.005 * by for value, by in zip(state, first)], force)
    third = slope([value + 0.005 * by for value, by in zip(state, second)], force)
    fourth = slope([value + 0.01 * by for value, by in zip(state, third)], force)
    return [value + 0.01 / 6 * (a + 2 * (b + c) + d)
            for value, a, b, c, d in zip(state, first, second, third, fourth)]


def slope(state, force):
    _, speed, angle, spin = state
    sine, cosine = math.sin(angle), math.cos(angle)
    turn = 0.000002 * spin / 0.05 - 9.8 * sine
    push = force - (math.copysign(0.0005, speed) if speed else 0.0)
    push += 0.05 * spin * spin * sine + 0.075 * cosine * turn
    faster = push / (1 + 0.1 * (1 - 0.75 * cosine * cosine))
    return speed, faster, spin, -1.5 * (faster * cosine + turn)


JUDGES = {"xor": judge_xor, "pole": judge_pole}

if __name__ == "__main__":
    main()
