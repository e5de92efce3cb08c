#!/usr/bin/env python3
"""Takes the curve of a run out of its report, as a picture of its own.

    python3 tools/curve.py RUN/report.html > docs/curve.svg

The page's own style goes into the picture, so that it looks the same alone.
"""

import re
import sys


def whole(text: str) -> str:
    """The element that `text` begins with; a drawing may hold smaller ones."""
    depth = 0
    for tag in re.finditer(r"<svg\b|</svg>", text):
        depth += 1 if tag.group().startswith("<svg") else -1
        if depth == 0:
            return text[: tag.end()]
    return text


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    page = open(sys.argv[1], encoding="utf-8").read()
    style = re.search(r"<style>(.*?)</style>", page, re.S)
    begin = page.find('<svg xmlns="http://www.w3.org/2000/svg" class="plot" role="img" aria-label="Fitness of each')
    curve = whole(page[begin:]) if begin >= 0 else None
    if style is None or curve is None:
        sys.exit(f"{sys.argv[1]} is no report of a run: it has no curve of the fitness")
    rules = [rule for rule in style.group(1).split("\n") if ".plot" in rule or "root" in rule or "--p" in rule]
    head, rest = curve.split(">", 1)
    print(f"{head}><style>{''.join(rules)}</style>{rest}")


if __name__ == "__main__":
    main()
