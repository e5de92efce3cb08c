#!/usr/bin/env python3
"""Makes the suites that catch a broken search: forced mates and tactics.

Stockfish plays games against itself, looking a ply or a few ahead and now and
then moving at random, so that there is something to punish. A position becomes a *mate* where a
long search sees a mate in 1 to 5 (`dm`), and a *tactic* where a long search
sees exactly one winning move (`bm`). A free piece is no tactic: captures and
promotions count only if a search of one ply, with the exchanges behind it, does
not choose them. The same seed and the same Stockfish give the same files.
"""

import argparse
import random

import chess
import chess.engine

from make_openings import random_opening

MATE_CP = 10_000
LONGEST_MATE = 5
CARELESSNESS = 0.01
# Ahead by this much, no tactic turns a game.
DECIDED = 900
# A tactic wins by at least this much over the second best move …
GAP = 250
# … which must not win as well.
SECOND_BEST = 150
# Stockfish's own classical evaluation must find it with this many nodes, so
# that the suite stays within reach of a sound search.
REACH = 300_000


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kind", choices=["mates", "tactics"])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--nodes", type=int, default=2_000_000, help="for the verification")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()

    judge = Judge(arguments.stockfish, arguments.nodes)
    try:
        collect = collect_mates if arguments.kind == "mates" else collect_tactics
        for lines in collect(judge, random.Random(arguments.seed), arguments.count):
            write(arguments.out, lines, arguments.kind)
    finally:
        judge.close()


def collect_mates(judge, chance, count):
    """Yields the mates so far, in the end equally many of each length."""
    each = -(-count // LONGEST_MATE)
    mates = {length: [] for length in range(1, LONGEST_MATE + 1)}
    seen = set()
    while any(len(found) < each for found in mates.values()):
        game = self_play(judge, chance, MATE_CP - 1)
        if found := find_mate(judge, game, mates, each, seen):
            length, line = found
            mates[length].append(line)
            yield [line for found in mates.values() for line in found]


def collect_tactics(judge, chance, count):
    """Yields the tactics so far."""
    tactics = []
    seen = set()
    while len(tactics) < count:
        for line in find_tactics(judge, self_play(judge, chance, DECIDED), seen):
            tactics.append(line)
            yield tactics[:count]


def write(path, lines, kind):
    with open(path, "w", encoding="utf-8") as out:
        for number, (board, operations) in enumerate(lines, 1):
            out.write(board.epd(**operations, id=f"{kind} {number}") + "\n")


class Judge:
    """Stockfish three times: a quick look, the verdict, and without its network for the reach."""

    def __init__(self, path, nodes):
        self.nodes = nodes

        def start(**options):
            engine = chess.engine.SimpleEngine.popen_uci(path, timeout=120)
            engine.configure({"Threads": 1, **options})
            return engine

        # The table is emptied before every look, so the quick ones keep it small.
        self.quick = start(Hash=1)
        self.thorough = start(Hash=64)
        self.classical = start(Hash=4, **{"Use NNUE": False})

    def close(self):
        for engine in (self.quick, self.thorough, self.classical):
            engine.close()

    def look(self, board, engine=None, lines=1, **limit):
        """The best lines as (move, centipawns, mate or None); always from an empty table."""
        infos = (engine or self.quick).analyse(
            board, chess.engine.Limit(**limit), multipv=lines, game=object()
        )
        return [
            (info["pv"][0], info["score"].relative.score(mate_score=MATE_CP), info["score"].relative.mate())
            for info in infos
            if info.get("pv")
        ]


def self_play(judge, chance, decided):
    """A game, until a side is ahead by `decided`, as a list of (position, centipawns for the side to move, mate or None)."""
    board = None
    while board is None:
        board = random_opening(chance, 10)
    game = []
    # Whoever looks a few plies ahead makes mistakes that only a longer look
    # sees: better tactics than random moves leave behind.
    foresight = {side: chance.choice([2, 3, 4, 5]) for side in chess.COLORS}
    while not board.is_game_over(claim_draw=True) and len(game) < 160:
        _, centipawns, mate = judge.look(board, nodes=1_000)[0]
        game.append((board.copy(stack=False), centipawns, mate))
        if abs(centipawns) >= decided:
            break
        if chance.random() < CARELESSNESS:
            move = chance.choice(sorted(board.legal_moves, key=chess.Move.uci))
        else:
            move = judge.look(board, judge.classical, depth=foresight[board.turn])[0][0]
        board.push(move)
    return game


def find_mate(judge, game, mates, each, seen):
    """A mate of a length that is still wanted, the longest first."""
    candidates = [
        (mate, board)
        for board, _, mate in game
        if mate is not None and 1 <= mate <= LONGEST_MATE and len(mates[mate]) < each
    ]
    for _, board in sorted(candidates, key=lambda pair: -pair[0]):
        if board.epd() in seen:
            continue
        _, _, mate = judge.look(board, judge.thorough, nodes=judge.nodes // 4)[0]
        if mate is not None and 1 <= mate <= LONGEST_MATE and len(mates[mate]) < each:
            seen.add(board.epd())
            return mate, (board, {"dm": mate})
    return None


def find_tactics(judge, game, seen):
    """The positions of the game with one winning move that is not on the surface."""
    before = 0
    for board, centipawns, _ in game:
        # The winner's chance came with the move just played.
        turned = -before < SECOND_BEST and centipawns >= GAP
        before = centipawns
        if not turned or board.epd() in seen or board.legal_moves.count() < 5:
            continue
        # 1. Cheap checks first: one move stands out, and not at first sight.
        for nodes in (10_000, 100_000):
            move, best, second = two_best(judge, board, judge.quick, nodes)
            if not stands_out(best, second):
                break
        if not stands_out(best, second) or is_plain(judge, board, move):
            continue
        # 2. The verdict.
        verdict, best, second = two_best(judge, board, judge.thorough, judge.nodes)
        if verdict != move or not stands_out(best, second):
            continue
        # 3. Within reach of an engine without a network.
        if judge.look(board, judge.classical, nodes=REACH)[0][0] != move:
            continue
        seen.add(board.epd())
        yield board, {"bm": move, "ce": best, "c0": f"second best {second}"}


def is_plain(judge, board, move):
    """Whether the move just takes what stands there to be taken, or promotes."""
    worth = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 10}
    if not board.is_capture(move) and move.promotion is None:
        return False
    if judge.look(board, depth=1)[0][0] == move:
        return True
    victim = board.piece_type_at(move.to_square) or chess.PAWN
    defended = board.is_attacked_by(not board.turn, move.to_square)
    return not defended or worth[victim] > worth[board.piece_type_at(move.from_square)]


def two_best(judge, board, engine, nodes):
    first, second = judge.look(board, engine, lines=2, nodes=nodes)
    return first[0], first[1], second[1]


def stands_out(best, second):
    return best >= GAP and best - second >= GAP and second <= SECOND_BEST


if __name__ == "__main__":
    main()
