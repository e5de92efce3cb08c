#!/usr/bin/env python3
"""Compares the results of two built programs, field by field.

Runs the same experiments with both at fixed seeds: on one thread, on two, killed once
(kill -9) and resumed, and by a crew (a NATS server and two workers on this machine). Each
must give what the old program gives on one thread. The old program runs once; its folders
are kept under target/same-runs. Exit code 1 if anything differs or nothing was compared.

    tools/same_runs.sh OLD NEW quick        a subset, less than a minute
    tools/same_runs.sh OLD NEW              everything, some minutes
    tools/same_runs.sh OLD NEW --only tune
    tools/same_runs.sh --self-test OLD      shows that a planted change is found

Differences that are allowed are listed at the top of tools/same_runs_compare.py.
"""

import argparse
import concurrent.futures
import fcntl
import os
import re
import shutil
import sys
import time
from typing import NamedTuple

from same_runs_cases import CASES, OTHER_OPENING, text_of
from same_runs_compare import compare
from same_runs_play import FOLDER, Cache, Crew, NotRun, Player, Program, RunFailed, install_engine

FORM = "{:<14}{:<10}{:>5}{:>7}{:>8}{:>8}{:>7}  {}"


class Row(NamedTuple):
    """One comparison, as the table shows it."""

    case: str
    variant: str
    result: str
    passed: bool
    comparison: object = None
    wall: float = 0.0
    cpu: float = 0.0
    details: str = ""

    def __str__(self):
        if not self.comparison:
            return FORM.format(self.case, self.variant, "", "", "", "", "", self.result)
        found = self.comparison
        return FORM.format(
            self.case,
            self.variant,
            len(found.lines),
            f"{sum(found.lines.values()):,}",
            f"{found.fields:,}",
            f"{self.wall:.1f}",
            f"{self.cpu:.1f}",
            self.result,
        )


def main():
    parser = argparse.ArgumentParser(
        prog="tools/same_runs.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", nargs="?", help="the program that is right")
    parser.add_argument("new", nargs="?", help="the program that is compared with it")
    parser.add_argument("mode", nargs="?", choices=["quick", "whole"], default="whole", help="[default: whole]")
    parser.add_argument("--only", metavar="NAME", action="append", help="only this run; may be repeated")
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="runs at once [default: 2]")
    parser.add_argument("--self-test", metavar="BINARY", help="plant changes and show that each is found")
    arguments = parser.parse_args()
    names = [case.name for case in CASES]
    for name in arguments.only or []:
        if name not in names:
            parser.error(f"unknown run `{name}`; the runs are {', '.join(names)}")
    if not arguments.self_test and not arguments.new:
        parser.error("two programs are needed, such as `tools/same_runs.sh OLD NEW`")
    for path in filter(None, [arguments.old, arguments.new, arguments.self_test]):
        if not os.access(path, os.X_OK) or os.path.isdir(path):
            parser.error(f"`{path}` is not a program; give the path of a built `mendel`")

    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / "lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit("error: another comparison is running in this checkout\n\nhint: wait for its end")
        if arguments.self_test:
            return self_test(Program(arguments.self_test))
        chosen = chosen_cases(arguments.only, arguments.mode)
        return compare_programs(Program(arguments.old), Program(arguments.new), chosen, arguments.jobs)


def chosen_cases(only, mode):
    """The cases to run, each with its variants."""
    cases = [case for case in CASES if not only or case.name in only]
    chosen = [(case, case.variants if mode == "whole" else case.quick) for case in cases]
    return [(case, variants) for case, variants in chosen if variants]


def compare_programs(old, new, chosen, jobs):
    """Runs everything and prints the table. Returns the exit code."""
    install_engine()
    cache, crew = Cache(old), Crew(new)
    player = Player(new, crew)
    begun = time.perf_counter()
    print(FORM.format("run", "variant", "files", "lines", "fields", "seconds", "CPU s", "result"))
    print("-" * 80, flush=True)
    rows = []
    try:
        with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
            waiting = [pool.submit(compare_case, cache, player, case, variants) for case, variants in chosen]
            for future in waiting:
                for row in future.result():
                    print(row, flush=True)
                    rows.append(row)
    finally:
        crew_cpu = crew.stop()
    failed = [row for row in rows if not row.passed]
    for row in failed:
        print(f"\n{row.case}, {row.variant}: {row.details}")
    wall, cpu = time.perf_counter() - begun, sum(row.cpu for row in rows) + crew_cpu
    compared = sum(1 for row in rows if row.comparison)
    if not compared:
        print("\nerror: nothing was compared")
    times = f"{wall:.0f} s, {cpu:.0f} s of CPU time for the new program"
    print(f"\n{compared} compared, {len(failed)} not the same; {times}")
    return 1 if failed or not compared else 0


def compare_case(cache, player, case, variants):
    """Runs the variants of a case and compares each with the old program's folder."""
    rows = []
    for variant in variants:
        try:
            reference = cache.reference(case, variant)
        except NotRun as reason:
            return [Row(case.name, "all", f"not run: {reason}", True)]
        except RunFailed as reason:
            # It fails in the same way for every variant.
            return [*rows, Row(case.name, "old", "FAILED", False, details=str(reason))]
        try:
            result = player.play(case, variant, FOLDER / "new" / case.name.replace(" ", "-") / variant)
        except NotRun as reason:
            return [Row(case.name, "all", f"not run: {reason}", True)]
        except RunFailed as reason:
            # The other variants may still be the same.
            rows.append(Row(case.name, variant, "FAILED", False, details=str(reason)))
            continue
        rows.append(judged(case, variant, reference, result))
    return rows


def judged(case, variant, reference, result):
    """The comparison of two folders as a row."""
    comparison = compare(reference.folder, result.folder)
    comparison.require(case.expected)
    word = "same" if comparison.equal else "DIFFERS"
    details = ""
    if not comparison.equal:
        first, *others = comparison.differences or ["nothing was compared"]
        more = [it.file for it in others]
        also = f"\n  also different: {', '.join(more[:5])}{' …' if len(more) > 5 else ''}" if more else ""
        details = f"{first}{also}\n  old folder: {reference.folder}\n  new folder: {result.folder}"
    row = Row(case.name, variant, word, comparison.equal, comparison, result.wall, result.cpu, details)
    return row._replace(result=f"{word}, {result.note}") if result.note else row


# The self-test


def self_test(program):
    """Plants changes, one at a time. Returns 0 if each is found, and nothing else."""
    install_engine()
    cases = {case.name: case for case in CASES}
    steps, match = cases["first-steps"], cases["match"]
    player, folder = Player(program), FOLDER / "self-test"
    breed = player.play(steps, "1 thread", folder / "breed")
    games = player.play(match, "1 thread", folder / "match")

    def planted(case, reference, name, change):
        """A copy of a folder with a change in one file."""
        copy = folder / "planted"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(reference.folder, copy)
        path = copy / name
        text = path.read_text(encoding="utf-8")
        changed = change(text)
        if changed == text:
            raise RunFailed(f"nothing could be changed in {name}")
        path.write_text(changed, encoding="utf-8")
        return judged(case, "", reference, reference._replace(folder=copy)).comparison

    def played(case, reference, **changes):
        """The case once more, with changes."""
        result = player.play(case, "1 thread", folder / "again", **changes)
        return judged(case, "", reference, result).comparison

    empty = folder / "empty"
    shutil.rmtree(empty, ignore_errors=True)
    empty.mkdir(parents=True)
    openings = text_of("openings.epd")
    other = {"openings.epd": openings.replace(openings.splitlines()[0], OTHER_OPENING)}
    # What is changed, the file in which it must be found (None: nothing may be found).
    tests = [
        ("nothing: the same run again", None, lambda: played(steps, breed)),
        ("nothing: the same match again", None, lambda: played(match, games)),
        ("one weight of the champion", "champion.toml", lambda: planted(steps, breed, "champion.toml", other_weight)),
        (
            "one gene of one generation",
            "generations.jsonl",
            lambda: planted(steps, breed, "generations.jsonl", other_gene),
        ),
        ("one generation is missing", "lineage.jsonl", lambda: planted(steps, breed, "lineage.jsonl", without_last)),
        ("the seed", "generations.jsonl", lambda: played(steps, breed, seed=8)),
        ("one opening of the match", "games.jsonl", lambda: played(match, games, files=other)),
        ("one move of one game", "games.jsonl", lambda: planted(match, games, "games.jsonl", other_move)),
        ("the folder is empty", "*", lambda: compare(breed.folder, empty)),
        ("both folders are empty", "", lambda: compare(empty, empty)),
    ]
    form = "{:<32}{:<20}{}"
    print(form.format("what is changed", "must be found in", "found"))
    print("-" * 80)
    wrong = 0
    for what, where, run in tests:
        comparison = run()
        difference = comparison.differs_in(where) if where else None
        if where is None:
            right, found = comparison.equal, "no difference"
        elif where == "":
            right, found = not comparison.equal, "nothing was compared, which is a failure"
        else:
            right, found = difference is not None, one_line(difference)
        if not right:
            wrong += 1
            found = f"WRONG: {'; '.join(map(one_line, comparison.differences[:2])) or 'no difference'}"
        print(form.format(what, where or "-", found), flush=True)
    print(f"\n{len(tests)} changes, {wrong} wrong")
    return 1 if wrong else 0


def one_line(difference):
    """A difference without its values."""
    return str(difference).partition("\n")[0] if difference else ""


def other_weight(text):
    """A player file in which one number of the weights is larger by one."""
    head, table, weights = text.partition("[evaluator.weights]")
    return head + table + re.sub(r"-?\d+", lambda found: str(int(found.group()) + 1), weights, count=1)


def other_gene(text):
    """A journal of generations in which the first gene of the third line is another one."""
    lines = text.splitlines(keepends=True)
    lines[2] = re.sub(r'("genes":\[)(-?\d+)', lambda it: f"{it.group(1)}{int(it.group(2)) + 1}", lines[2], count=1)
    return "".join(lines)


def other_move(text):
    """A journal of games in which one move of the third game is another one."""
    lines = text.splitlines(keepends=True)
    lines[2] = re.sub(r'("uci":"|"move":"|"m":")(\w\w)', r"\g<1>a1", lines[2], count=1)
    return "".join(lines)


def without_last(text):
    """A journal without its last line."""
    return "".join(text.splitlines(keepends=True)[:-1])


if __name__ == "__main__":
    sys.exit(main())
