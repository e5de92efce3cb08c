#!/usr/bin/env python3
"""Makes the opening book of the arena: lines that people could have played, all of them level.

From the initial position each line walks on by one of Stockfish's best moves: those
within a margin of the best, the better the likelier. A line is kept if its last
position is level and new, and its first move is one that people play. Each line of the file holds its moves as UCI writes them.
The same seed and the same Stockfish give the same file.
"""

import argparse
import math
import random

import chess
import chess.engine

FIRST_MOVES = {"e2e4", "d2d4", "c2c4", "g1f3", "g2g3"}

def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--count", type=int, default=660)
    arguments.add_argument("--plies", type=int, default=8)
    arguments.add_argument("--margin", type=int, default=35, help="centipawns below the best move")
    arguments.add_argument("--level", type=int, default=60, help="centipawns either side may be ahead")
    arguments.add_argument("--nodes", type=int, default=20_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--stockfish", default="/usr/games/stockfish")
    arguments.add_argument("--out", default="data/book.txt")
    arguments = arguments.parse_args()

    chance = random.Random(arguments.seed)
    lines, seen = [], set()
    with Judge(arguments) as judge:
        while len(lines) < arguments.count:
            board = chess.Board()
            while len(board.move_stack) < arguments.plies:
                board.push(choose(chance, judge.best(board)))
            if board.epd() in seen:
                continue
            seen.add(board.epd())
            usual = board.move_stack[0].uci() in FIRST_MOVES
            if usual and abs(judge.score(board)) <= arguments.level:
                lines.append(" ".join(move.uci() for move in board.move_stack))
                if len(lines) % 100 == 0:
                    print(f"{len(lines)} lines, {judge.asked} questions", flush=True)
    with open(arguments.out, "w", encoding="utf-8") as out:
        out.write(f"# {len(lines)} level openings of {arguments.plies} plies; see README.md\n")
        out.writelines(line + "\n" for line in lines)


def choose(chance, moves):
    """A move, the likelier the fewer centipawns it loses."""
    best = max(score for _, score in moves)
    weights = [math.exp((score - best) / 15) for _, score in moves]
    return chance.choices([move for move, _ in moves], weights)[0]


class Judge:
    """Stockfish, asked about each position once."""

    def __init__(self, arguments):
        self.engine = chess.engine.SimpleEngine.popen_uci(arguments.stockfish, timeout=60)
        self.engine.configure({"Threads": 1, "Hash": 16})
        self.nodes = arguments.nodes
        self.margin = arguments.margin
        self.asked = 0
        self.known = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.engine.quit()

    def best(self, board):
        """The best moves with their centipawns for the side to move."""
        if board.epd() not in self.known:
            # Many lines pass through the first positions, so these are searched longer.
            ply = len(board.move_stack)
            judged = self.ask(board, self.nodes * max(1, 64 >> 2 * ply), 8 if ply < 2 else 5)
            best = max(score for _, score in judged)
            near = [(move, score) for move, score in judged if best - score <= self.margin]
            self.known[board.epd()] = near
        return self.known[board.epd()]

    def score(self, board):
        """The centipawns of the side to move."""
        return self.ask(board, self.nodes, 1)[0][1]

    def ask(self, board, nodes, count):
        self.asked += 1
        # A new game object empties the table, so the order does not matter.
        limit = chess.engine.Limit(nodes=nodes)
        lines = self.engine.analyse(board, limit, multipv=count, game=object())
        return [(line["pv"][0], line["score"].relative.score(mate_score=10_000)) for line in lines]


if __name__ == "__main__":
    main()
