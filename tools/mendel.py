"""Calling Mendel from the measuring tools: whole runs with their times, and rows."""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import tomllib
from typing import NamedTuple

LIMIT = 900


class Run(NamedTuple):
    """One run of a recipe: seconds on the wall and of CPU, and what it wrote."""

    wall: float
    cpu: float
    generations: list
    manifest: dict
    # The journal as it was written: the same seed must give the same bytes.
    journal: bytes


def breed(program, recipe, data=None, threads=2, settings=()):
    """Runs a recipe without its proof, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="mendel-speed-") as folder:
        out = pathlib.Path(folder) / "run"
        command = [program, "breed", recipe, "--no-proof", "--quiet"]
        command += ["--threads", str(threads), "--out", str(out)]
        command += ["--data", data] if data else []
        for setting in settings:
            command += ["--set", setting]
        # Mendel keeps a list of runs; these are not worth remembering.
        environment = dict(os.environ, MENDEL_HOME=folder)
        before, begun = os.times(), time.perf_counter()
        call(command, environment)
        wall, after = time.perf_counter() - begun, os.times()
        cpu = after.children_user - before.children_user
        cpu += after.children_system - before.children_system
        journal = (out / "generations.jsonl").read_bytes()
        manifest = tomllib.loads((out / "manifest.toml").read_text(encoding="utf-8"))
    generations = [json.loads(line) for line in journal.splitlines()]
    return Run(wall, cpu, generations, manifest, journal)


def rows(program, data, player, part="all"):
    """A data set as a list of weights (name and value) and rows, the label last."""
    with tempfile.TemporaryDirectory(prefix="mendel-rows-") as folder:
        out = pathlib.Path(folder) / "rows.csv"
        command = [program, "data", "rows", data, "--player", player]
        command += ["--part", part, "--json", "--out", str(out)]
        report = json.loads(call(command))
        with open(out, encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            next(lines)
            table = [list(map(float, line)) for line in lines]
    return report["weights"], table


def call(command, environment=None):
    """What a command prints; a failure ends the measurement."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT, check=True, env=environment
        )
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: a command failed: {' '.join(command)}\n{error.stderr.strip()}")
    except (OSError, subprocess.SubprocessError) as error:
        sys.exit(f"error: a command failed: {' '.join(command)}: {error}")
    return done.stdout
