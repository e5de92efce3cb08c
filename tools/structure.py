#!/usr/bin/env python3
"""Structure of the workspace: lines, module cycles, error types, duplicate type names.

For each crate: source files and lines; top-level modules, and how many of them are in an
import cycle; enums and all types that derive `thiserror::Error`. Then the type names that
are declared in more than one place. Only `crates/*/src` counts, not tests or benchmarks.

Cycles are counted twice. `direct`: only paths that name the module, `crate::module::Type`.
`all`: also paths through the root of the crate, `crate::Type`, where the root re-exports
the type from a module. Modules of unit tests do not count.

    tools/structure.py                  the table
    tools/structure.py --names          also the modules of each cycle and the duplicate names
    tools/structure.py --json ../old    another checkout, as JSON
"""

import argparse
import collections
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Comments, string and character literals: none of them can name a module. A lifetime
# such as 'a has no closing quote, so it does not match.
NO_CODE = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | (?<!\w)[bc]?r(?P<hashes>\#*)".*?"(?P=hashes)
      | "(?:\\.|[^"\\])*"
      | '(?:\\(?:u\{[0-9a-fA-F_]+\}|x..|.)|[^'\\\n])'
    """,
    re.DOTALL | re.VERBOSE,
)
MODULE = re.compile(r"(?m)^(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;")
TEST_MODULE = re.compile(r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*mod\s+\w+\s*\{")
USE = re.compile(r"\buse\s+([^;]+);")
# A path from the root of the crate or from a parent, in an expression, a type or a macro.
PATH = re.compile(r"\$?\b(crate|super)\s*((?:::\s*\w+\s*)+)")
TYPE = re.compile(r"(?m)^\s*pub(\([^)]*\))?\s+(?:unsafe\s+)?(?:struct|enum|trait|type|union)\s+(\w+)")
ERROR = re.compile(
    r"#\[derive\([^)]*\b(?:thiserror::)?Error\b[^)]*\)\]\s*(?:#\[[^\]]*\]\s*)*"
    r"(?:pub(?:\([^)]*\))?\s+)?(enum|struct)\s+\w+"
)


def without_literals(text):
    """The code alone. What is removed leaves its line ends and a blank."""
    return NO_CODE.sub(lambda found: " " + "\n" * found.group().count("\n"), text)


def without_tests(code):
    """The code without modules of unit tests."""
    while found := TEST_MODULE.search(code):
        depth, end = 1, found.end()
        while depth and end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        code = code[: found.start()] + code[end:]
    return code


def use_paths(tree, prefix=()):
    """The paths of a `use` tree, as tuples: `a::{b, c::d}` has (a, b) and (a, c, d)."""
    tree = tree.strip()
    head, brace, rest = tree.partition("{")
    names = tuple(part.strip() for part in head.split("::") if part.strip())
    if not brace:
        # `a::b as c` is known by its last name, too.
        first, _, alias = " ".join(names[-1:]).partition(" as ")
        yield prefix + names[:-1] + (first.strip(),), (alias or first).strip()
        return
    depth, part = 0, ""
    for letter in rest.rpartition("}")[0] + ",":
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            if part.strip():
                yield from use_paths(part, prefix + names)
            part = ""
        else:
            part += letter


class Crate:
    """One crate: its code without literals and tests, by module path."""

    def __init__(self, folder):
        self.name = folder.name
        self.files = sorted((folder / "src").rglob("*.rs"))
        self.texts = {path: path.read_text(encoding="utf-8") for path in self.files}
        self.lines = sum(text.count("\n") for text in self.texts.values())
        code = {path: without_literals(text) for path, text in self.texts.items()}
        self.types = [
            (found.group(2), found.group(1) is None)
            for text in code.values()
            for found in TYPE.finditer(text)
        ]
        errors = [found.group(1) for text in code.values() for found in ERROR.finditer(text)]
        self.error_enums = errors.count("enum")
        self.error_types = len(errors)
        code = {path: without_tests(text) for path, text in code.items()}
        roots = [folder / "src" / name for name in ("lib.rs", "main.rs")]
        root = next(path for path in roots if path in code)
        self.modules = sorted(set(MODULE.findall(code[root])))
        self.reexports = self.root_names(code[root])
        # The modules that each module imports by their names, and in any way.
        self.direct = {module: set() for module in self.modules}
        self.imports = {module: set() for module in self.modules}
        for path, text in code.items():
            place = module_path(path.relative_to(folder / "src"))
            if place and place[0] in self.modules:
                self.direct[place[0]] |= self.targets(text, place, {}) - {place[0]}
                self.imports[place[0]] |= self.targets(text, place, self.reexports) - {place[0]}

    def root_names(self, code):
        """Names in the root of the crate, and the module each comes from."""
        names = {}
        for tree in USE.findall(code):
            for path, name in use_paths(tree):
                path = path[1:] if path[0] in ("crate", "self") else path
                if path and path[0] in self.modules:
                    names[name] = path[0]
        return names

    def targets(self, code, place, reexports):
        """The top-level modules that the code of the module `place` names."""
        found = set()
        for tree in USE.findall(code):
            for path, _ in use_paths(tree):
                found |= self.resolve(path, place, reexports)
        for start, rest in PATH.findall(code):
            names = tuple(part.strip() for part in rest.split("::") if part.strip())
            found |= self.resolve((start, *names), place, reexports)
        return found

    def resolve(self, path, place, reexports):
        """The top-level module of a path that was written in the module `place`."""
        if path[0] not in ("crate", "$crate", "super"):
            return set()
        base = () if path[0] != "super" else place
        while path and path[0] in ("crate", "$crate", "super"):
            base = base[:-1] if path[0] == "super" else base
            path = path[1:]
        absolute = base + path
        if not absolute:
            return set()
        if absolute[0] in self.modules:
            return {absolute[0]}
        return {reexports[absolute[0]]} if absolute[0] in reexports else set()


def cycles(imports):
    """The modules that import each other, directly or not: a list of sorted lists."""
    reached = {module: reach(imports, module) for module in imports}
    groups = {
        tuple(other for other in imports if other in reached[it] and it in reached[other])
        for it in imports
    }
    return sorted(list(group) for group in groups if group)


def reach(imports, module):
    """All modules that are reached from the imports of a module."""
    seen, unread = set(), list(imports[module])
    while unread:
        one = unread.pop()
        if one not in seen:
            seen.add(one)
            unread.extend(imports[one])
    return seen


def module_path(path):
    """The module of a file: `a/b.rs` and `a/b/mod.rs` are (a, b), the root is ()."""
    parts = list(path.with_suffix("").parts)
    if parts[-1] in ("mod", "lib", "main"):
        parts.pop()
    return tuple(parts)


# Keys of the measurements, and their titles in the table.
COLUMNS = (
    ("files", "files"),
    ("lines", "lines"),
    ("modules", "modules"),
    ("in_direct_cycles", "direct"),
    ("in_cycles", "all"),
    ("error_enums", "enums"),
    ("error_types", "types"),
)


def duplicates(crates, restricted):
    """Type names with more than one declaration, and the crates they are declared in."""
    places = collections.defaultdict(list)
    for crate in crates:
        for name, public in crate.types:
            if public or restricted:
                places[name].append(crate.name)
    return {name: where for name, where in sorted(places.items()) if len(where) > 1}


def measure(root):
    """Everything that is measured, as plain data."""
    folders = sorted(path.parent for path in (root / "crates").glob("*/Cargo.toml"))
    if not folders:
        sys.exit(f"error: no crates found in `{root}`\n\nhint: give the root of a checkout")
    crates = [Crate(folder) for folder in folders]
    rows = [
        {
            "crate": crate.name,
            "files": len(crate.files),
            "lines": crate.lines,
            "modules": len(crate.modules),
            "in_direct_cycles": sum(map(len, cycles(crate.direct))),
            "in_cycles": sum(map(len, cycles(crate.imports))),
            "error_enums": crate.error_enums,
            "error_types": crate.error_types,
            "direct_cycles": cycles(crate.direct),
            "cycles": cycles(crate.imports),
            "imports": {module: sorted(crate.imports[module]) for module in crate.modules},
        }
        for crate in crates
    ]
    return {
        "crates": rows,
        "all": {key: sum(row[key] for row in rows) for key, _ in COLUMNS},
        "duplicate_public_types": duplicates(crates, restricted=False),
        "duplicate_visible_types": duplicates(crates, restricted=True),
    }


def show(found, names):
    """The table, 80 columns wide at most."""
    form = "{:<10}{:>7}{:>9}{:>9}{:>16}{:>13}{:>8}{:>8}"
    print(form.format("", "", "", "", "modules in cycles", "", "errors", ""))
    print(form.format("crate", *(title for _, title in COLUMNS)))
    print("-" * 80)
    for row in [*found["crates"], {"crate": "all", **found["all"]}]:
        print(form.format(row["crate"], *(f"{row[key]:,}" for key, _ in COLUMNS)))
    print()
    for title, key in (
        ("declared `pub` more than once", "duplicate_public_types"),
        ("declared `pub` or `pub(…)` more than once", "duplicate_visible_types"),
    ):
        places = found[key]
        print(f"type names {title}: {len(places)} ({sum(map(len, places.values()))} declarations)")
    if not names:
        return
    print()
    for row in found["crates"]:
        for kind in ("direct_cycles", "cycles"):
            for cycle in row[kind]:
                print_wrapped(f"{row['crate']}, {'direct' if kind == 'direct_cycles' else 'all'}:", cycle)
    places = found["duplicate_public_types"]
    print_wrapped("duplicate names:", [f"{name} ({', '.join(where)})" for name, where in places.items()])


def print_wrapped(title, words):
    """A title and words behind it, in lines of at most 80 letters."""
    line = title
    for word in words:
        if len(line) + 1 + len(word) > 80:
            print(line)
            line = " "
        line += " " + word
    print(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=ROOT, help="a checkout [default: this one]")
    parser.add_argument("--json", action="store_true", help="print JSON, with the imports of each module")
    parser.add_argument("--names", action="store_true", help="also list cycles and duplicate names")
    arguments = parser.parse_args()
    found = measure(arguments.root)
    if arguments.json:
        print(json.dumps(found, indent=1))
    else:
        show(found, arguments.names)


if __name__ == "__main__":
    main()
