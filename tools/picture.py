#!/usr/bin/env python3
"""Draws the picture of the README: a position, and what the evaluation sees in it.

    tools/picture.py --out docs/picture.svg
"""

import argparse
import json
import subprocess

SQUARE = 44
LEFT, TOP = 30, 24
ROW = 21
# Some systems show a pawn as a coloured picture unless asked for text.
AS_TEXT = "\ufe0e"
SIGNS = {"p": "♟", "n": "♞", "b": "♝", "r": "♜", "q": "♛", "k": "♚"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mendel", default="target/release/mendel")
    parser.add_argument("--fen", default="2rq1rk1/pb1nbppp/1p2pn2/8/3P4/P1NB1N2/1P3PPP/R1BQR1K1 w - - 0 14")
    parser.add_argument("--terms", type=int, default=14, help="how many groups are shown")
    parser.add_argument("--out", default="docs/picture.svg")
    arguments = parser.parse_args()
    told = subprocess.run(
        [arguments.mendel, "eval", arguments.fen, "--json"],
        capture_output=True, text=True, check=True, timeout=60,
    )
    report = json.loads(told.stdout)
    with open(arguments.out, "w", encoding="utf-8") as out:
        out.write(picture(report, arguments.terms))


def picture(report, shown):
    width, height = 860, TOP + 8 * SQUARE + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="monospace">',
        f'<rect width="{width}" height="{height}" rx="8" fill="#faf8f4"/>',
        *board(report["fen"]),
        *bars(report, shown, LEFT + 8 * SQUARE + 40, width),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def text(x, y, words, size=14, anchor="start", fill="#333"):
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{fill}">{words}</text>'


def board(fen):
    for row, rank in enumerate(fen.split()[0].split("/")):
        yield text(LEFT - 10, TOP + row * SQUARE + 28, 8 - row, anchor="end", fill="#888")
        column = 0
        for sign in rank:
            for _ in range(int(sign) if sign.isdigit() else 1):
                x, y = LEFT + column * SQUARE, TOP + row * SQUARE
                paper = "#b6ab90" if (row + column) % 2 else "#e8e2d2"
                yield f'<rect x="{x}" y="{y}" width="{SQUARE}" height="{SQUARE}" fill="{paper}"/>'
                if not sign.isdigit():
                    ink, edge = ("#fff", "#333") if sign.isupper() else ("#222", "#222")
                    yield (
                        f'<text x="{x + SQUARE / 2}" y="{y + 35}" font-size="36" text-anchor="middle"'
                        f' fill="{ink}" stroke="{edge}" stroke-width="2" paint-order="stroke">{SIGNS[sign.lower()]}{AS_TEXT}</text>'
                    )
                column += 1
    for column, file in enumerate("abcdefgh"):
        yield text(LEFT + column * SQUARE + SQUARE / 2, TOP + 8 * SQUARE + 18, file, anchor="middle", fill="#888")


def bars(report, shown, x, width):
    """What each group is worth to White, the weightiest first; the rest in one row."""
    groups = {}
    for row in report["rows"]:
        worth = row["contribution"]["parts"] / row["contribution"]["of"]
        groups[row["group"]] = groups.get(row["group"], 0) + worth
    ordered = sorted(groups.items(), key=lambda item: -abs(item[1]))
    rest = sum(worth for _, worth in ordered[shown:])
    rest += report["rounding"]["parts"] / report["rounding"]["of"]
    lines = ordered[:shown] + [("all others", rest)]
    middle = x + 290
    scale = min(1.6, 76 / max(abs(worth) for _, worth in lines))
    yield text(x, TOP + 12, f"mendel eval: {report['white_score']:+d} for White", size=16)
    for index, (name, worth) in enumerate(lines):
        y = TOP + 44 + index * ROW
        length = abs(worth) * scale
        start = middle if worth >= 0 else middle - length
        yield text(x, y, name)
        yield f'<rect x="{start:.1f}" y="{y - 11}" width="{length:.1f}" height="13" fill="{"#6a994e" if worth >= 0 else "#bc4749"}"/>'
        yield text(width - 16, y, f"{worth:+.1f}", anchor="end")
    yield f'<line x1="{middle}" y1="{TOP + 28}" x2="{middle}" y2="{TOP + 44 + len(lines) * ROW - 12}" stroke="#999"/>'


if __name__ == "__main__":
    main()
