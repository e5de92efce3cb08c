#!/usr/bin/env python3
"""Make a champion a built-in player: the file of a run with another name.

The weights, the network, the search numbers and the pedigree stay as they were
written; only `name` and `about` change.

    tools/ship_player.py RUN/champion.toml mendel "What it is" > players/mendel.toml
"""

import sys


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    path, name, about = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    head = {"name": name, "about": about}
    for at, line in enumerate(lines):
        if line.startswith("["):
            break
        key = line.split(" = ")[0]
        if key in head:
            lines[at] = f'{key} = "{head[key]}"'
    print(f"# Bred, not written: `mendel pedigree {name}` tells by what.")
    print("\n".join(lines))


main()
