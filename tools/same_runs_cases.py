"""The experiments that `same_runs.py` runs, and the forms of their commands.

Numbers are small: a run takes about a second of CPU time. Recipes are in the folder
`same_runs`, written with the keys of version 0.1.0, which later versions read.
"""

import pathlib
from typing import NamedTuple

# In arguments: {run} is the folder of results, {here} the folder that the command is
# started in, {engine} an engine that speaks UCI.


class Form(NamedTuple):
    """One way to ask for something, used if `mendel COMMAND --help` shows `flag`."""

    command: str
    flag: str
    arguments: list


# Commands have other forms in later versions. The forms that a program shows in its help
# are tried in this order; if it refuses one (exit code 2), the next is tried.
RESUME_ANY = Form("resume", "", ["resume", "{run}"])
RESUME = {
    "match": [Form("match", "--resume", ["match", "--resume", "{run}"]), RESUME_ANY],
    "train": [Form("train", "--resume", ["train", "--resume", "{run}"]), RESUME_ANY],
    "data": [
        Form("data make", "--resume", ["{start}", "--resume"]),
        # The experiment is in the library, and `--out` names the file only.
        Form("resume", "", ["resume", "{newest}"]),
    ],
    # The same command again.
    "calibrate": [Form("calibrate", "--folder", ["{start}"]), Form("resume", "", ["resume", "{run}/folder"])],
    "learn": [Form("breed", "--opponent", ["{start}"]), RESUME_ANY],
    "breed": [RESUME_ANY],
    "tune": [RESUME_ANY],
}
# How many threads, by the command; the first flag that its help shows.
THREADS = {"match": ["--threads", "--concurrency"], "": ["--threads"]}
# Keys of `--set` with other names in later versions.
SET_NAMES = {"proof.outside-games": "proof.external-games"}


class Case(NamedTuple):
    """One experiment.

    `start`: the forms of the command that starts it.
    `files`: texts that are written before it starts, by name, with {engine} and so on.
    `expected`: files that must be among those compared, and the least number of lines.
    `progress`: files (patterns, from the folder that the command is started in) and the
    number of lines in them after which a killed run is killed.
    `quick`: the variants of the quick mode.
    `threads_matter`: the number of threads is part of the plan, so each has its own result.
    `prepare`: commands that run before the first start.
    """

    name: str
    kind: str
    start: list
    expected: dict
    progress: tuple
    files: dict = {}
    variants: tuple = ("1 thread", "2 threads", "killed", "crew")
    quick: tuple = ("killed",)
    threads_matter: bool = False
    prepare: tuple = ()


def breed(recipe, **settings):
    """The command that breeds by a recipe, with settings (`__` for a dot, `_` for `-`)."""
    command = ["breed", recipe, "--seed", "7", "--out", "{run}", "--quiet"]
    for key, value in settings.items():
        command += ["--set", f"{key.replace('__', '.').replace('_', '-')}={value}"]
    return [Form("breed", "", command)]


def text_of(name):
    """A file of the folder `same_runs`."""
    return (pathlib.Path(__file__).parent / "same_runs" / name).read_text(encoding="utf-8")


# Files of a run that bred something, and the least number of lines.
RUN = {"manifest.toml": 1, "recipe.toml": 1, "generations.jsonl": 3, "lineage.jsonl": 3, "champion.toml": 1}

# It replaces the first of the openings in the self-test.
OTHER_OPENING = "r1bqkbnr/pppp1p2/2n5/4p1pp/P4P2/2P4P/1P1PP1P1/RNBQKBNR w KQkq -"

MATCH = [
    "match", "mendel?Hash=1", "uci:{engine}?Hash=1&.name=program", "material?Hash=1",
    "--nodes", "60", "--games", "16", "--openings", "{here}/openings.epd", "--final-positions",
    "--max-plies", "160", "--seed", "7", "--out", "{run}", "--quiet",
]  # fmt: skip
TUNE = [
    "tune", "uci:{engine}?Hash=1", "--params", "{here}/params.toml",
    "--nodes", "40", "--games", "120", "--proof-games", "8", "--seed", "7",
    "--out", "{run}", "--quiet",
]  # fmt: skip
DATA = ["data", "make", "--seed", "7", "--nodes", "60", "--out", "{run}/set.mds", "--quiet"]
# An expert in this process, and a program that is asked by UCI.
OWN_EXPERT = ["quiet", "--positions", "400", "--expert", "mendel?Hash=1", "--expert-depth", "3"]
UCI_EXPERT = ["moves", "--positions", "200", "--expert", "uci:{engine}?Hash=1", "--expert-nodes", "300"]
# The folder of unfinished work, today and in the library.
LABELS = ["run/set.mds.work/labels.jsonl", "home/*/*/labels.jsonl"]
CALIBRATE = [
    "calibrate", "--table", "{here}/levels.toml", "--games", "24", "--anchor", "material?Hash=1",
    "--anchor-rating", "1000", "--anchor-games", "24", "--nodes", "30", "--seed", "7",
    "--folder", "{run}/folder", "--out", "{run}/strength.toml", "--quiet",
]  # fmt: skip
LEARN = ["breed", "cwu-online", "--seed", "7", "--out", "{run}", "--quiet"]
TRAIN = ["train", "{here}/recipe.toml", "--data", "{here}/scores.csv", "--seed", "7", "--out", "{run}", "--quiet"]

CASES = [
    Case(
        "first-steps",
        "breed",
        breed("first-steps", stop__generations=60, breeder__population=60, proof__games=8, proof__outside_games=4),
        expected={**RUN, "proof/parent/games.jsonl": 8},
        progress=(["run/generations.jsonl"], 15),
    ),
    Case(
        "gerald-eval",
        "breed",
        breed(
            "gerald-eval",
            stop__generations=60,
            breeder__population=60,
            proof__games=8,
            proof__nodes=60,
            proof__outside_games=4,
        ),
        expected={**RUN, "proof/parent/games.jsonl": 8},
        progress=(["run/generations.jsonl"], 15),
    ),
    Case(
        "lambda-ga",
        "breed",
        breed("lambda-ga", stop__generations=12, proof__games=8, proof__nodes=60, proof__outside_games=4),
        expected={**RUN, "proof/parent/games.jsonl": 8},
        progress=(["run/generations.jsonl"], 3),
    ),
    Case(
        "gerald-search",
        "breed",
        breed(
            "gerald-search",
            stop__generations=4,
            trial__games=4,
            trial__nodes=60,
            trial__ladder__games=4,
            trial__rule="{ net-score = 1 }",
            breeder__population=8,
            proof__games=8,
            proof__nodes=60,
            proof__outside_games=4,
        ),
        expected={**RUN, "pairs.jsonl": 40, "proof/parent/games.jsonl": 8},
        progress=(["run/generations.jsonl"], 1),
        quick=("killed", "crew"),
    ),
    Case(
        "cosyne",
        "breed",
        breed("{here}/recipe.toml"),
        files={"recipe.toml": text_of("cosyne.toml")},
        expected={**RUN, "pairs.jsonl": 20, "genotypes.jsonl": 2},
        progress=(["run/generations.jsonl"], 1),
    ),
    Case(
        "neat",
        "breed",
        breed("{here}/recipe.toml"),
        files={"recipe.toml": text_of("neat.toml")},
        expected={**RUN, "pairs.jsonl": 20, "genotypes.jsonl": 2},
        progress=(["run/generations.jsonl"], 1),
    ),
    Case(
        "breeders",
        "breed",
        breed("{here}/recipe.toml"),
        files={"recipe.toml": text_of("breeders.toml")},
        expected={**RUN, "generations.jsonl": 20, "genotypes.jsonl": 5},
        progress=(["run/generations.jsonl"], 8),
    ),
    Case(
        "duels",
        "breed",
        breed("{here}/recipe.toml"),
        files={"recipe.toml": text_of("duels.toml")},
        expected={**RUN, "generations.jsonl": 6, "pairs.jsonl": 40},
        progress=(["run/generations.jsonl"], 1),
    ),
    Case(
        "hyperneat",
        "breed",
        breed("{here}/recipe.toml"),
        files={"recipe.toml": text_of("hyperneat.toml")},
        expected={**RUN, "genotypes.jsonl": 4},
        progress=(["run/generations.jsonl"], 2),
    ),
    Case(
        "es-hyperneat",
        "breed",
        breed("{here}/recipe.toml"),
        files={"recipe.toml": text_of("es-hyperneat.toml")},
        expected={**RUN, "genotypes.jsonl": 4},
        progress=(["run/generations.jsonl"], 2),
    ),
    Case(
        "cwu-selfplay",
        "breed",
        breed("cwu-selfplay", stop__generations=5, breeder__population=16, trial__opponents=4, proof__games=8),
        expected={**RUN, "pairs.jsonl": 100},
        progress=(["run/generations.jsonl"], 1),
    ),
    Case(
        "cwu-online",
        "learn",
        [
            Form("breed", "--opponent", [*LEARN, "--opponent", "material?.depth=1", "--games", "60"]),
            Form("breed", "", [*LEARN, "--set", "learn.opponent='material?.depth=1'", "--set", "learn.games=60"]),
        ],
        expected={"plan.toml": 1, "games.jsonl": 60, "champion.toml": 1},
        progress=(["run/games.jsonl", "run/events.jsonl"], 15),
    ),
    Case(
        "sweep",
        "breed",
        breed("{here}/recipe.toml"),
        files={"recipe.toml": text_of("sweep.toml")},
        expected={"0000/generations.jsonl": 4, "0001/pairs.jsonl": 40, "0001/champion.toml": 1},
        progress=(["run/0001/generations.jsonl"], 1),
        quick=("killed", "crew"),
    ),
    Case(
        "pipeline",
        "breed",
        breed("{here}/recipe.toml"),
        files={"recipe.toml": text_of("pipeline.toml")},
        expected={"steps/*/generations.jsonl": 10, "steps/*/games.jsonl": 8, "champion.toml": 1},
        progress=(["run/steps/*-meeting/games.jsonl"], 2),
    ),
    Case(
        "match",
        "match",
        [Form("match", "", MATCH)],
        files={"openings.epd": text_of("openings.epd")},
        expected={"match.toml": 1, "games.jsonl": 48, "games.pgn": 48, "final.epd": 48, "result.json": 1},
        progress=(["run/games.jsonl"], 12),
        quick=("killed", "crew"),
    ),
    Case(
        "tune",
        "tune",
        [Form("tune", "", TUNE)],
        files={"params.toml": text_of("params.toml")},
        expected={"tune.toml": 1, "pairs.jsonl": 40, "rounds.jsonl": 3, "result.json": 1},
        progress=(["run/pairs.jsonl"], 12),
    ),
    Case(
        "data make",
        "data",
        [Form("data make", "", [*DATA, *OWN_EXPERT])],
        expected={"set.mds": 1},
        progress=(LABELS, 20),
        quick=("killed", "crew"),
    ),
    Case(
        "data make uci",
        "data",
        [Form("data make", "", [*DATA, *UCI_EXPERT])],
        expected={"set.mds": 1},
        progress=(LABELS, 20),
    ),
    Case(
        "calibrate",
        "calibrate",
        [Form("calibrate", "", CALIBRATE)],
        files={"levels.toml": text_of("levels.toml")},
        expected={"folder/ladder/games.jsonl": 24, "folder/anchor/games.jsonl": 24, "strength.toml": 1},
        progress=(["run/folder/*/games.jsonl"], 12),
        variants=("1 thread", "2 threads", "killed"),
    ),
    Case(
        "train",
        "train",
        [Form("train", "", TRAIN)],
        files={"recipe.toml": text_of("training.toml")},
        prepare=(["data", "scores", "quiet", "--out", "{here}/scores.csv"],),
        expected={"manifest.toml": 1, "epochs.jsonl": 5, "tiny.net": 1, "result.json": 1},
        progress=(["run/epochs.jsonl"], 2),
        variants=("1 thread", "2 threads", "killed"),
        threads_matter=True,
    ),
]
