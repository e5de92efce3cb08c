"""Field by field comparison of two folders of the same experiment.

`ALLOWED` is the only list of differences that are not differences of a result. A change
that renames a file or a key, or adds one, adds a line to it.

The old folder and the new one are read in the same way: files and keys that were renamed
get their new names on both sides, then what `ALLOWED` leaves out is removed, and the rest
must be equal.
"""

import fnmatch
import json
import os
import pathlib
import re
import struct
import tomllib
from typing import NamedTuple

import same_runs_data


class LeftOut(NamedTuple):
    """A file, or a field of a file, that is not compared."""

    file: str
    field: str | None
    reason: str


class Renamed(NamedTuple):
    """A file (`field` is None) or a key that has a new name.

    `new` is the last part of the path, or, with a dot in it, the whole path of a key that
    is in another table now. `beside`: only where this file lies in the same folder.
    """

    file: str
    field: str | None
    new: str
    beside: str | None = None


class Added(NamedTuple):
    """A file, or a field of a file, that only the new program writes.

    If both programs write it, it is compared.
    """

    file: str
    field: str | None
    reason: str


class Dropped(NamedTuple):
    """A file that only the old program writes.

    If both programs write it, it is compared.
    """

    file: str
    reason: str


class Cut(NamedTuple):
    """Parts of a text that are not compared: whatever the pattern matches."""

    file: str
    pattern: str
    reason: str


class Unordered(NamedTuple):
    """A journal whose lines are in the order of finishing, which threads change."""

    file: str
    reason: str


# `file` is a name or a pattern, of the last part of the path only unless it has a `/`;
# always the new name. `field` is the path of keys; `[]` stands for each element of a list,
# and in `Renamed` `**.` for any tables before the key.
ALLOWED = [
    # Wall-clock data, and what tells where and how a command was run.
    LeftOut("timings.jsonl", None, "times"),
    LeftOut("events.jsonl", None, "a log with times; resume does not read it"),
    LeftOut("report.html", None, "a page that shows times"),
    LeftOut(".lock", None, "empty"),
    LeftOut(".*.new", None, "a file that was being replaced when its process was killed"),
    LeftOut("crew.json", None, "names of jobs at a server"),
    LeftOut("external-test.jsonl", None, "games by the clock"),
    LeftOut("games.jsonl", "date", "day of the game"),
    LeftOut("games.jsonl", "moves[].time", "seconds of a move"),
    Cut("games.pgn", r"\[Date [^\]]*\]", "day of the game"),
    Cut("games.pgn", r"(?<=[\s{])[0-9.]+s(?=[\s},])", "seconds of a move"),
    Cut("games.pgn", r"\s+", "lines break elsewhere where times differ"),
    LeftOut("manifest.toml", "command", "names the variant's number of threads"),
    LeftOut("tune.toml", "command", "names the variant's number of threads"),
    LeftOut("strength.toml", "calibration.command", "names the variant's number of threads"),
    LeftOut("levels.toml", "calibration.command", "names the variant's number of threads"),
    LeftOut("*.mds", "header.made_by", "names the variant's number of threads"),
    # A learning folder has a random name, which has no influence on play.
    LeftOut("node-id", None, "random name of a learning folder"),
    LeftOut("games.jsonl", "id.installation", "random name of a learning folder"),
    LeftOut("games.jsonl", "id.node", "random name of a learning folder"),
    LeftOut("result.json", "now", "learning: games of the last call, fewer after a kill"),
    # Other orders.
    Unordered("accuracy.jsonl", "games of a step in the order of finishing"),
    Unordered("moves.jsonl", "answers of players in the order of finishing"),
    # Checksums.
    LeftOut("*.jsonl", "crc", "checksum of the line"),
    # (What follows the state in a checkpoint is not read; see `read_checkpoint`.)
    LeftOut("checkpoint", "header.place.seconds", "seconds of a training"),
    LeftOut("result.json", "crc", "checksum of the file"),
    # A match is resumed from any folder: its paths are absolute, and it has no folder of its start.
    LeftOut("match.toml", "directory", "removed"),
    # The plan of a calibration is one file, which is also the table of its levels.
    LeftOut("settings.toml", None, "part of levels.toml"),
    LeftOut("levels.toml", "calibration", "was settings.toml"),
    # New keys of the manifest.
    Added("manifest.toml", None, "all kinds have one"),
    Added("manifest.toml", "kind", "kind of the experiment"),
    Added("manifest.toml", "schema", "version of the files"),
    Added("manifest.toml", "name", "name of the experiment"),
    # The manifest of all kinds: what not every kind has is among the facts.
    Renamed("manifest.toml", "recipe", "name"),
    *(
        Renamed("manifest.toml", key, f"facts.{key}")
        for key in (
            "parent baseline stand_in unit smaller_is_better warnings data_override genes bounds parent_genes data".split()
        )
    ),
    LeftOut("inputs.toml", "mendel", "the build"),
    Cut("inputs.toml", r'"[^"]*levels\.toml" = "[0-9a-f]*"', "the settings of a calibration are in it now"),
    Added("folder/strength.toml", None, "the table of a calibration is in its folder, too"),
    Added("steps/*/inputs.toml", None, "a data set of a pipeline is an experiment"),
    Added("steps/*/plan.toml", None, "a data set of a pipeline is an experiment"),
    # Paths of a match are absolute now.
    Renamed("match.toml", "most_faults", "max_faults"),
    LeftOut("manifest.toml", "facts.command", "names the variant's number of threads"),
    # Results that version 0.1.0 had wrong. Compare with a build of it that has the last
    # report of a search right (commit "Engine: end each search with a report on the move
    # played"), or all games and their adjudication differ.
    Added("inputs.toml", None, "hashes of programs and files"),
    LeftOut("match.toml", "fingerprints", "are in inputs.toml"),
    Cut("recipe.toml", r'ours = "(domination|takeovers)"', "was missing, so the report showed nothing"),
    Cut("*.toml", "b2aa34d651ed2d33|78bb45fa8617cdd5", "id of cwu-selfplay before and after that"),
    Cut("*.toml", "6ba43b788cadc92b|4f512bca639b4559", "id of gerald-search before and after that"),
    Dropped("champion.txt", "was written after a failed proof, too"),
    Cut("result.json", r'"(engine_tuned|options)": "[^"]*",(?=[\s\S]*"verdict": "not proved)', "named failed values"),
    Added("result.json", "keeps_start", "whether the start values stay"),
    # Results and checkpoints.
    Renamed("proof.json", None, "result.json"),
    Renamed("pipeline.json", None, "result.json"),
    LeftOut("result.json", "command", "names the variant's number of threads"),
    LeftOut("result.json", "id", "hash of a plan without the key `directory`"),
    LeftOut("checkpoint", "id", "is in the manifest"),
    LeftOut("tune.toml", "directory", "paths are absolute"),
    LeftOut("sweep.toml", None, "manifest and recipe have it"),
    Renamed("sweep.json", None, "result.json"),
    Added("result.json", None, "learning has one, too"),
    Added("result.json", "matches_played", "whether the proof is complete"),
    Added("checkpoint", None, "all kinds with steps have one"),
    Added("checkpoint.previous", None, "the checkpoint before, to return to"),
    LeftOut("checkpoint.previous", "state.chance", "no random baseline where it is not judged"),
    # Files with new names.
    Renamed("pairs-now.jsonl", None, "pairs-pending.jsonl"),
    Renamed("judged-now.jsonl", None, "searched-pending.jsonl"),
    Renamed("exam.jsonl", None, "external-test.jsonl"),
    Renamed("exam-games.jsonl", None, "external-test-pairs.jsonl"),
    Renamed("surplus.jsonl", None, "uncounted.jsonl"),
    Renamed("asked.json", None, "inputs.json"),
    Renamed("answers.jsonl", None, "moves.jsonl"),
    Renamed("events.jsonl", None, "games.jsonl", beside="learning.toml"),
    Renamed("learning.toml", None, "plan.toml"),
    Renamed("installation", None, "node-id", beside="learning.toml"),
    # Keys with new names.
    Renamed("games.jsonl", "ending.words", "text"),
    Renamed("games.jsonl", "last_words", "engine_output"),
    Renamed("champion.toml", "like", "extends"),
    Renamed("champion.toml", "evaluator.numbers", "weights"),
    Renamed("recipe.toml", "exam", "external-test"),
    Renamed("recipe.toml", "**.proof.outside", "external"),
    Renamed("recipe.toml", "**.proof.outside-games", "external-games"),
    Renamed("recipe.toml", "**.stop.no-new-king", "no-takeover"),
    Renamed("recipe.toml", "**.trial.draw", "resample"),
    Renamed("recipe.toml", "**.trial.hall", "hall-of-fame"),
    Renamed("recipe.toml", "**.trial.remember", "reuse-results"),
    Renamed("recipe.toml", "step[].chance", "random-players"),
    Renamed("recipe.toml", "step[].judgement", "compare-evaluators"),
]


class Difference(NamedTuple):
    """The first field of a file that differs."""

    file: str
    line: int | None
    field: str
    old: object
    new: object

    def __str__(self):
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        field = f", field {self.field}" if self.field else ""
        return f"{place}{field}\n  old: {shown(self.old)}\n  new: {shown(self.new)}"


class Absent:
    """What a side has that lacks a file, a line or a field."""

    def __repr__(self):
        return "(absent)"


ABSENT = Absent()


class Comparison:
    """What was compared, and the first difference of each file."""

    def __init__(self):
        self.fields = 0
        # The records that were compared, by file.
        self.lines = {}
        self.differences = []

    @property
    def equal(self):
        """True if something was compared and nothing differs."""
        return self.fields > 0 and not self.differences

    def require(self, expected):
        """Adds a difference for each file of which too few records were compared.

        `expected`: patterns of paths and the least number of records.
        """
        for pattern, least in expected.items():
            lines = sum(count for name, count in self.lines.items() if fnmatch.fnmatchcase(name, pattern))
            if lines < least:
                self.differences.append(
                    Difference(pattern, None, "", f"at least {least} records to compare", f"{lines} compared")
                )

    def differs_in(self, file):
        """The difference of a file whose path matches, or None."""
        return next((it for it in self.differences if fnmatch.fnmatch(it.file, file)), None)


def shown(value, longest=200):
    """A value in one line."""
    text = repr(value) if isinstance(value, (Absent, bytes)) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= longest else f"{text[:longest]} … ({len(text)} characters)"


def compare(old, new):
    """Compares two folders.

    `old` and `new`: their paths. Both must exist.
    """
    result = Comparison()
    old_files, new_files = files_of(pathlib.Path(old)), files_of(pathlib.Path(new))
    for name in sorted(old_files.keys() | new_files.keys()):
        if name not in new_files:
            if any(is_for(rule, name) for rule in rules(Dropped)):
                continue
            result.differences.append(Difference(name, None, "", "a file", ABSENT))
        elif name not in old_files:
            if not is_added(name, None):
                result.differences.append(Difference(name, None, "", ABSENT, "a file"))
        else:
            compare_file(name, old_files[name], new_files[name], result)
    return result


def files_of(folder):
    """The files that are compared, by their paths with new names."""
    found = {}
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = pathlib.Path(root) / name
            inside = path.relative_to(folder).with_name(new_name(path)).as_posix()
            if not any(is_for(rule, inside) and rule.field is None for rule in rules(LeftOut)):
                found[inside] = path
    return found


def new_name(path):
    """The name that a file has now."""
    for rule in rules(Renamed):
        if rule.field is None and rule.file == path.name:
            if rule.beside is None or (path.parent / rule.beside).is_file():
                return rule.new
    return path.name


def names_of(name):
    """All names that a file had, the present one first."""
    old = [rule.file for rule in rules(Renamed) if rule.field is None and rule.new == name]
    return [name, *old]


def rules(kind):
    """The rules of a kind."""
    return [rule for rule in ALLOWED if isinstance(rule, kind)]


def is_for(rule, name):
    """True if a rule is about the file of this name."""
    subject = name if "/" in rule.file else name.rpartition("/")[2]
    return fnmatch.fnmatchcase(subject, rule.file)


def is_added(name, field):
    """True if only the new program has to have this file or field."""
    return any(is_for(rule, name) and rule.field == field for rule in rules(Added))


# What each file is, as (line or None, value) pairs


def read(name, path):
    """The records of a file, with their line numbers."""
    data = path.read_bytes()
    suffix = pathlib.PurePosixPath(name).suffix
    if pathlib.PurePosixPath(name).name in ("checkpoint", "checkpoint.previous"):
        return read_checkpoint(data)
    if suffix == ".mds":
        return read_data_set(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return [(None, {"bytes": data})]
    for rule in rules(Cut):
        if is_for(rule, name):
            # A blank keeps the words apart.
            text = re.sub(rule.pattern, " ", text)
    if suffix == ".jsonl":
        return [(at, json.loads(line)) for at, line in enumerate(text.splitlines(), 1)]
    if suffix == ".json":
        return [(None, json.loads(text))]
    if suffix == ".toml":
        return [(None, tomllib.loads(text))]
    if suffix == ".pgn":
        return list(enumerate(text.split("[Event ")[1:], 1))
    return list(enumerate(text.splitlines(), 1))


def read_checkpoint(data):
    """A checkpoint up to its end by its own lengths: what follows is a checksum."""
    if not data.startswith(b"MENDELCP"):
        return [(None, json.JSONDecoder().raw_decode(data.decode("utf-8").lstrip())[0])]
    # That of a training: the length of a header in JSON, the header, and four bytes for
    # each number.
    start = len(b"MENDELCP") + 4
    end = start + struct.unpack("<I", data[start - 4 : start])[0]
    header = json.loads(data[start:end])
    numbers = sum(sum(lengths) for lengths in header["lists"])
    return [(None, {"header": header, "numbers": data[end : end + 4 * numbers]})]


def read_data_set(data):
    """A data set: its header, then its records."""
    start = len(b"mendel\r\n") + 6
    version, length = struct.unpack("<HI", data[start - 6 : start])
    header = json.loads(data[start : start + length])
    frame = data[start + length :]
    contents = same_runs_data.decompress(frame)
    if contents is None:
        return [(None, {"version": version, "header": header, "records": frame})]
    positions = same_runs_data.records(contents)
    return [(None, {"version": version, "header": header}), *enumerate(positions, 1)]


# The comparison of a file


def compare_file(name, old, new, result):
    """Compares one file and adds what was found to `result`."""
    try:
        old_records, new_records = records(name, old), records(name, new)
    except (ValueError, KeyError, TypeError, struct.error) as error:
        result.differences.append(Difference(name, None, "", "a readable file", f"cannot be read: {error}"))
        return
    result.lines[name] = 0
    for at in range(max(len(old_records), len(new_records))):
        if at >= len(new_records):
            difference = ("", old_records[at][1], ABSENT)
        elif at >= len(old_records):
            difference = ("", ABSENT, new_records[at][1])
        else:
            result.lines[name] += 1
            result.fields += count(old_records[at][1])
            difference = first_difference(name, "", old_records[at][1], new_records[at][1])
        if difference:
            longer = old_records if at < len(old_records) else new_records
            line = longer[at][0]
            result.differences.append(Difference(name, line, *difference))
            return


def records(name, path):
    """The records of a file as they are compared, with their line numbers."""
    found = [(line, moved(name, cleaned(name, value))) for line, value in read(name, path)]
    if any(is_for(rule, name) for rule in rules(Unordered)):
        found.sort(key=lambda record: json.dumps(record[1], sort_keys=True))
    return found


def cleaned(name, value, path=()):
    """A value without the fields that are left out, and with new names of keys."""
    if isinstance(value, list):
        inside = (*path[:-1], path[-1] + "[]") if path else ("[]",)
        return [cleaned(name, element, inside) for element in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, element in value.items():
        field = ".".join((*path, key))
        if field in field_rules(name).left_out:
            continue
        result[renamed(name, field, key)] = cleaned(name, element, (*path, key))
    return result


def moved(name, value):
    """A record with the keys that are in another table now in their new place."""
    for old, new in field_rules(name).moved.items():
        *tables, key = old.split(".")
        table = value
        for part in tables:
            table = table.get(part, {}) if isinstance(table, dict) else {}
        if isinstance(table, dict) and key in table:
            element = table.pop(key)
            *tables, key = new.split(".")
            table = value
            for part in tables:
                table = table.setdefault(part, {})
            table[key] = element
    return value


class FieldRules(NamedTuple):
    """The rules about fields of one file."""

    left_out: frozenset
    renamed: dict
    renamed_anywhere: dict
    moved: dict


FIELD_RULES = {}


def field_rules(name):
    """The rules about fields of a file. They are looked up for each field, so they are kept."""
    base = name.rpartition("/")[2]
    if base not in FIELD_RULES:
        mine = [rule for rule in rules(Renamed) if rule.field and is_for(rule, name)]
        last = [rule for rule in mine if "." not in rule.new]
        FIELD_RULES[base] = FieldRules(
            frozenset(rule.field for rule in rules(LeftOut) if rule.field and is_for(rule, name)),
            {rule.field: rule.new for rule in last if not rule.field.startswith("**.")},
            {rule.field[3:]: rule.new for rule in last if rule.field.startswith("**.")},
            {rule.field: rule.new for rule in mine if "." in rule.new},
        )
    return FIELD_RULES[base]


def renamed(name, field, key):
    """The name that a key has now."""
    names = field_rules(name)
    if field in names.renamed:
        return names.renamed[field]
    for end, new in names.renamed_anywhere.items():
        if field == end or field.endswith("." + end):
            return new
    return key


def count(value):
    """How many single values there are in a value."""
    if isinstance(value, dict):
        return sum(map(count, value.values()))
    if isinstance(value, list):
        return sum(map(count, value))
    return 1


def first_difference(name, path, old, new):
    """The first field in which two values differ, as (path, old, new), or None."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            field = f"{path}.{key}" if path else key
            if key not in old and is_added(name, field):
                continue
            found = first_difference(name, field, old.get(key, ABSENT), new.get(key, ABSENT))
            if found:
                return found
        return None
    if isinstance(old, list) and isinstance(new, list):
        for at in range(max(len(old), len(new))):
            parts = [side[at] if at < len(side) else ABSENT for side in (old, new)]
            found = first_difference(name, f"{path}[{at}]", *parts)
            if found:
                return found
        return None
    if isinstance(old, bytes) and isinstance(new, bytes):
        return None if old == new else (path, *around(old, new))
    # In Python 1 and True are equal; in a record they are not.
    same = old == new and isinstance(old, bool) == isinstance(new, bool)
    if not same and isinstance(old, str) and isinstance(new, str):
        return (path, *around(old, new))
    return None if same else (path, old, new)


def around(old, new):
    """The parts of two texts or byte strings at their first difference."""
    shorter = min(len(old), len(new))
    at = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    if isinstance(old, bytes):
        return tuple(f"{len(side)} bytes, at byte {at}: {side[at : at + 8].hex()}" for side in (old, new))
    if shorter < 100:
        return old, new
    return tuple(f"… {side[max(0, at - 60) : at + 60]} …" for side in (old, new))
