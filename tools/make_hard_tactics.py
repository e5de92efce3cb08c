#!/usr/bin/env python3
"""Makes the suite that search parameters are judged by: tactics that take a search.

From the games of a PGN a position is taken where a long search of Stockfish sees
one move that is worth a pawn more than every other, and the game is not decided
whatever is played; where short searches of its classical evaluation do not choose
it and a longer one does: neither on the
surface nor out of reach. At most one position is taken from a game, so that no two
tell of the same thing. The same games and the same Stockfish give the same file,
whatever the number of jobs.
"""

import argparse
import itertools
import multiprocessing

import chess
import chess.engine
import chess.pgn

from make_suites import Judge, two_best, write

# Plies of the book, in which nobody errs.
BOOK = 8
# The best move is worth so much more than the second best …
PAWN = 100
# … and the game is open: one that is won or lost with either is not looked at.
DECIDED = 400
# Every position of a game is looked at with so many nodes, …
GLANCE = 2_000
# … and those where one move stands out with more, until the verdict.
LOOKS = (20_000,)
# The classical evaluation must choose the move with none of these nodes …
SHALLOW = (300, 1_000)
# … nor, of the first such position of a game, with these, …
DEEPER = 2_000
# … and must choose it with these, so that the suite stays within reach.
REACH = 200_000


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("games", help="a PGN file")
    parser.add_argument("--count", type=int, default=220)
    parser.add_argument("--nodes", type=int, default=200_000, help="for the verdict")
    parser.add_argument("--skip", type=int, default=0, help="games at the beginning, to go on where it was left")
    parser.add_argument("--jobs", type=int, default=1, help="games at a time")
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()

    lines = []
    seen = set()
    with multiprocessing.Pool(arguments.jobs, sit_down, (arguments.stockfish, arguments.nodes)) as pool:
        found = pool.imap(find_tactic, itertools.islice(games_of(arguments.games), arguments.skip, None))
        for number, tactic in enumerate(found, 1):
            if tactic is None or tactic[0] in seen:
                continue
            fen, move, best, second = tactic
            seen.add(fen)
            remarks = {"bm": chess.Move.from_uci(move), "ce": best, "c0": f"second best {second}"}
            lines.append((chess.Board(fen), remarks))
            write(arguments.out, lines, "tactics")
            print(f"{len(lines)} in {number} games", flush=True)
            if len(lines) == arguments.count:
                break
        pool.terminate()
    if len(lines) < arguments.count:
        print(f"there are only {len(lines)} in all games; play more")


def games_of(path):
    """The moves of every game, as (FEN of the start, moves as UCI writes them)."""
    with open(path, encoding="utf-8") as file:
        while game := chess.pgn.read_game(file):
            yield game.board().fen(), [move.uci() for move in game.mainline_moves()]


def sit_down(stockfish, nodes):
    """Gives each job its own Stockfish."""
    global judge
    judge = Judge(stockfish, nodes)


def find_tactic(game):
    """The first position of the game that turns on one move and takes a search, or None."""
    start, moves = game
    board = chess.Board(start)
    for ply, played in enumerate(moves):
        if ply >= BOOK and board.legal_moves.count() >= 5:
            move, best, second = two_best(judge, board, judge.quick, GLANCE)
            if min(abs(best), abs(second)) >= 2 * DECIDED and best * second > 0:
                return None
            if turns(best, second) and (found := judge_position(board, move)):
                if chosen(board, DEEPER) == move:
                    return None
                return board.fen(), move.uci(), *found
        board.push_uci(played)
    return None


def turns(best, second):
    """Whether the game turns on the best move."""
    return best - second >= PAWN and best >= -DECIDED and second <= DECIDED


def judge_position(board, move):
    """What the best move and the second best are worth, if `move` is a tactic."""
    # 1. Not to be seen at first sight …
    if any(chosen(board, nodes) == move for nodes in SHALLOW):
        return None
    # 2. … but all turns on it, for a short look, a longer one, and the verdict, …
    looks = [(judge.quick, nodes) for nodes in LOOKS]
    for engine, nodes in [*looks, (judge.thorough, judge.nodes)]:
        verdict, best, second = two_best(judge, board, engine, nodes)
        if verdict != move or not turns(best, second):
            return None
    # 3. … and within reach of an engine without a network.
    return (best, second) if chosen(board, REACH) == move else None


def chosen(board, nodes):
    """The move of the classical evaluation."""
    return judge.look(board, judge.classical, nodes=nodes)[0][0]


if __name__ == "__main__":
    main()
