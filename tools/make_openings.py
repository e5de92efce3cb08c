#!/usr/bin/env python3
"""Makes varied, balanced openings: random plies, kept where Stockfish sees a level game.

Each line is an EPD: the position, `c0` with the moves that lead to it (for
programs that cannot be given a position) and `ce`, Stockfish's centipawns.
The same seed and the same Stockfish give the same file.
"""

import argparse
import random

import chess
import chess.engine


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--count", type=int, default=250)
    arguments.add_argument("--plies", type=int, default=8)
    arguments.add_argument("--margin", type=int, default=50, help="centipawns")
    arguments.add_argument("--nodes", type=int, default=50_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--stockfish", default="/usr/games/stockfish")
    arguments.add_argument("--out", default="data/openings.epd")
    arguments = arguments.parse_args()

    chance = random.Random(arguments.seed)
    seen = set()
    with (
        chess.engine.SimpleEngine.popen_uci(arguments.stockfish, timeout=60) as judge,
        open(arguments.out, "w", encoding="utf-8") as out,
    ):
        judge.configure({"Threads": 1, "Hash": 16})
        while len(seen) < arguments.count:
            opening = random_opening(chance, arguments.plies)
            if opening is None or opening.epd() in seen:
                continue
            # A new game object empties the table, so the order does not matter.
            limit = chess.engine.Limit(nodes=arguments.nodes)
            score = judge.analyse(opening, limit, game=object())["score"].relative
            if score.is_mate() or abs(score.score()) > arguments.margin:
                continue
            seen.add(opening.epd())
            moves = chess.Board().variation_san(opening.move_stack)
            out.write(opening.epd(c0=moves, ce=score.score(), id=f"opening {len(seen)}") + "\n")
            out.flush()


def random_opening(chance, plies):
    """A position after random plies, or `None` where the game ended on the way."""
    board = chess.Board()
    for _ in range(plies):
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        if not moves:
            return None
        board.push(chance.choice(moves))
    return None if board.is_game_over() else board


if __name__ == "__main__":
    main()
