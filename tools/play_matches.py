#!/usr/bin/env python3
"""Plays a match between two chess programs and says how it ended, with its error.

    tools/play_matches.py target/release/mendel toga2 --games 200 --tc 2+0.02

A program is one of the known opponents (`--list`), or a command with `uci:` or
`xboard:` before it and options after the last `?`:
`uci:./mendel uci?Hash=16&Threads=1`. Games come in pairs: both colours of one
opening. Games end by the rules alone, or drawn after 400 plies. A program that
crashes, hangs, plays an illegal move or oversteps its time loses that game; it
is started again and the match goes on. A match that was broken off goes on
where it stood with `--resume`.
"""

import argparse
import json
import math
import multiprocessing
import os
import queue
import signal
import sys
import time

import chess
import chess.pgn

from engines import OPPONENTS, Clock, Fault, open_engine

START_ATTEMPTS = 3
NAMES = ("first", "second")


def main():
    settings = read_arguments()
    if settings.list:
        for name, command in OPPONENTS.items():
            print(f"{name:15} {command}")
        return 0
    openings = read_openings(settings.openings)
    names = check_engines(settings)
    os.makedirs(settings.out, exist_ok=True)
    log_path = os.path.join(settings.out, "games.jsonl")
    records = read_log(log_path) if settings.resume else []
    done = {record["game"] for record in records}
    mode = "a" if settings.resume else "w"
    with (
        open(log_path, mode, encoding="utf-8") as log,
        open(os.path.join(settings.out, "games.pgn"), mode, encoding="utf-8") as pgn,
    ):
        try:
            for record in play_all(settings, openings, done):
                moves = record.pop("pgn")
                records.append(record)
                log.write(json.dumps(record) + "\n")
                log.flush()
                pgn.write(moves + "\n\n")
                pgn.flush()
                if not settings.quiet:
                    print(progress(record, records, settings), file=sys.stderr)
        except KeyboardInterrupt:
            print("broken off; go on with `--resume`", file=sys.stderr)
    print(summary(records, names, settings))
    return 0 if len(records) >= settings.games else 1


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("first", nargs="?")
    parser.add_argument("second", nargs="?")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--tc", default="2+0.02", help="seconds + increment")
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--openings", default=default_openings())
    parser.add_argument("--skip", type=int, default=0, help="openings to leave out at the start")
    parser.add_argument("--margin", type=float, default=20, help="ms over the clock that are forgiven")
    parser.add_argument("--margin-second", type=float, help="the same for the second program")
    parser.add_argument("--max-plies", type=int, default=400)
    parser.add_argument("--out", default="runs/match")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--list", action="store_true", help="the known opponents")
    settings = parser.parse_args()
    if not settings.list and settings.second is None:
        parser.error("a match needs two programs")
    try:
        base, _, increment = settings.tc.partition("+")
        settings.base, settings.increment = float(base), float(increment or 0)
    except ValueError:
        parser.error(f"a time control looks like 2+0.02: {settings.tc}")
    margins = (settings.margin, settings.margin if settings.margin_second is None else settings.margin_second)
    settings.margins = [margin / 1000 for margin in margins]
    return settings


def default_openings():
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "openings.epd")


def read_openings(path):
    """The move lists of an EPD file (its `c0` or the initial position if it has none)."""
    openings = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if not line.strip():
                continue
            _, operations = chess.Board.from_epd(line)
            board = chess.Board()
            for word in operations.get("c0", "").split():
                if not word.endswith("."):
                    board.push_san(word)
            openings.append((board.move_stack, operations.get("id", "")))
    if not openings:
        sys.exit(f"no openings in the file: {path}")
    return openings


def check_engines(settings):
    """Starts both programs once, so that a mistyped path is known before the match."""
    names = []
    for text in (settings.first, settings.second):
        try:
            engine = open_engine(text)
        except (Fault, ValueError) as error:
            print(f"error: this program cannot play: {text}: {error}", file=sys.stderr)
            sys.exit(2)
        names.append(engine.name)
        engine.close()
    return names


def read_log(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.endswith("\n")]


# Workers -------------------------------------------------------------------


def play_all(settings, openings, done):
    """Plays the games that are not done yet; yields a record of each."""
    tasks, results = multiprocessing.Queue(), multiprocessing.Queue()
    missing = 0
    for pair in range((settings.games + 1) // 2):
        games = [g for g in (2 * pair, 2 * pair + 1) if g < settings.games and g not in done]
        if games:
            missing += len(games)
            tasks.put(games)
    workers = [
        multiprocessing.Process(target=work, args=(settings, openings, tasks, results), daemon=True)
        for _ in range(max(1, settings.concurrency))
    ]
    for worker in workers:
        tasks.put(None)
        worker.start()
    try:
        while missing:
            try:
                yield results.get(timeout=5)
                missing -= 1
            except queue.Empty:
                if not any(worker.is_alive() for worker in workers):
                    print("error: the workers died; go on with `--resume`", file=sys.stderr)
                    return
        for worker in workers:
            worker.join(10)
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join(10)


def work(settings, openings, tasks, results):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    seats = [Seat(settings.first), Seat(settings.second)]
    try:
        while (games := tasks.get()) is not None:
            for number in games:
                opening = openings[(settings.skip + number // 2) % len(openings)]
                results.put(play_game(settings, seats, number, opening))
        # Let the last records leave before the parent ends this process.
        results.close()
        results.join_thread()
    finally:
        # Nothing may break off the farewell, or programs would be left behind.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for seat in seats:
            seat.leave()


class Seat:
    """Keeps a program running, and starts it again when it fell over."""

    def __init__(self, text):
        self.text = text
        self.engine = None

    def sit(self, clock, board):
        """Readies the program for a new game; a few attempts, then the fault stands."""
        for attempt in range(START_ATTEMPTS):
            try:
                if self.engine is None:
                    self.engine = open_engine(self.text)
                self.engine.new_game(clock, board)
                return
            except Fault as fault:
                self.leave()
                if attempt + 1 == START_ATTEMPTS:
                    raise Fault(f"cannot start a game: {fault.reason}") from fault

    def leave(self):
        if self.engine is not None:
            self.engine.close()
            self.engine = None


# A game --------------------------------------------------------------------


def play_game(settings, seats, number, opening):
    moves, opening_name = opening
    board = chess.Board()
    for move in moves:
        board.push(move)
    clock = Clock(settings.base, settings.increment)
    # The first program has White in the first game of a pair.
    white = number % 2
    seat_of = {chess.WHITE: white, chess.BLACK: 1 - white}
    record = {"game": number, "opening": opening_name, "white": NAMES[white]}
    overrun = [0.0, 0.0]
    result, reason, culprit = play_moves(settings, seats, seat_of, board, clock, overrun)
    record.update(
        result=result,
        reason=reason,
        plies=len(board.move_stack),
        worst_overrun_ms=[round(1000 * seconds, 1) for seconds in overrun],
    )
    if culprit is not None:
        record["culprit"] = NAMES[culprit]
    # The score of the first program in half points, and the game for people.
    record["points"] = {"1-0": 2, "0-1": 0}.get(result, 1)
    if white == 1:
        record["points"] = 2 - record["points"]
    record["pgn"] = as_pgn(settings, board, record, len(moves))
    return record


def play_moves(settings, seats, seat_of, board, clock, overrun):
    """Plays to the end. Returns the result, the reason and who did wrong, if anybody."""

    def lost(side, reason):
        return ("0-1" if side == chess.WHITE else "1-0"), reason

    for side in (chess.WHITE, chess.BLACK):
        try:
            seats[seat_of[side]].sit(clock, board)
        except Fault as fault:
            return *lost(side, fault.reason), seat_of[side]

    # The other program must hear of the end too; if that fails it is restarted.
    def finish(result):
        for seat in seats:
            try:
                if seat.engine is not None:
                    seat.engine.finish(result)
            except Fault:
                seat.leave()

    while True:
        if outcome := board.outcome(claim_draw=False):
            finish(outcome.result())
            return outcome.result(), outcome.termination.name.lower().replace("_", " "), None
        if board.is_repetition(3) or board.halfmove_clock >= 100:
            finish("1/2-1/2")
            return "1/2-1/2", "repetition" if board.halfmove_clock < 100 else "fifty moves", None
        if len(board.move_stack) >= settings.max_plies:
            finish("1/2-1/2")
            return "1/2-1/2", "long game", None

        side = board.turn
        seat = seat_of[side]
        try:
            answer = seats[seat].engine.play(board, clock)
        except Fault as fault:
            seats[seat].leave()
            result, reason = lost(side, fault.reason)
            finish(result)
            return result, reason, seat
        clock.left[side] -= answer.seconds
        overrun[seat] = max(overrun[seat], -clock.left[side])
        if clock.left[side] < -settings.margins[seat]:
            result, reason = lost(side, "time")
            finish(result)
            return result, reason, seat
        if answer.kind == "resign":
            result, reason = lost(side, "resigns")
            finish(result)
            return result, reason, None
        if answer.kind == "draw":
            finish("1/2-1/2")
            return "1/2-1/2", "draw claimed", None
        clock.left[side] += clock.increment
        board.push(answer.move)


def as_pgn(settings, board, record, opening_plies):
    game = chess.pgn.Game.from_board(board)
    players = {"first": settings.first, "second": settings.second}
    other = "second" if record["white"] == "first" else "first"
    game.headers.update(
        Event="Mendel match",
        Site="?",
        Date=time.strftime("%Y.%m.%d"),
        Round=str(record["game"] + 1),
        White=players[record["white"]],
        Black=players[other],
        Result=record["result"],
        TimeControl=settings.tc,
        Termination=record["reason"],
        OpeningPlies=str(opening_plies),
    )
    return str(game)


# The account ---------------------------------------------------------------


def elo(score):
    """Elo difference that a score in (0, 1) stands for."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return -400 * math.log10(1 / score - 1)


def interval(records):
    """Score of the first program and half the width of its 95 % interval.

    The unit is the pair, as the two games of an opening are not independent;
    without a whole pair, the game.
    """
    pairs = {}
    for record in records:
        pairs.setdefault(record["game"] // 2, []).append(record["points"] / 2)
    units = [sum(points) / 2 for points in pairs.values() if len(points) == 2]
    if len(units) < 2:
        units = [record["points"] / 2 for record in records]
    score = sum(record["points"] / 2 for record in records) / len(records)
    if len(set(units)) == 1:
        # All alike says nothing of the spread: add a win and a loss nobody saw.
        units += [0.0, 1.0]
    mean = sum(units) / len(units)
    spread = sum((unit - mean) ** 2 for unit in units) / max(1, len(units) - 1)
    return score, 1.96 * math.sqrt(spread / len(units))


def progress(record, records, settings):
    won = sum(r["points"] == 2 for r in records)
    drawn = sum(r["points"] == 1 for r in records)
    return (
        f"{len(records):4}/{settings.games}  {record['white']} white  {record['result']:7}"
        f" {record['reason']} ({record['plies']} plies)  +{won} ={drawn} -{len(records) - won - drawn}"
    )


def summary(records, names, settings):
    if not records:
        return "no games"
    won = sum(r["points"] == 2 for r in records)
    drawn = sum(r["points"] == 1 for r in records)
    score, half = interval(records)
    low, high = elo(score - half), elo(score + half)
    five = [0] * 5
    by_pair = {}
    for record in records:
        by_pair.setdefault(record["game"] // 2, []).append(record["points"])
    for points in by_pair.values():
        if len(points) == 2:
            five[sum(points)] += 1
    lines = [f"{names[0]} against {names[1]} at {settings.tc}, {len(records)} games"]
    for seat, name in enumerate(names):
        faults = [r for r in records if r.get("culprit") == NAMES[seat]]
        late = sum(r["reason"] == "time" for r in faults)
        worst = max(r["worst_overrun_ms"][seat] for r in records)
        lines.append(
            f"{name}: time losses {late} (worst overrun {worst:g} ms), other faults {len(faults) - late}"
        )
        for reason in sorted({r["reason"] for r in faults if r["reason"] != "time"}):
            lines.append(f"  {sum(r['reason'] == reason for r in faults)} x {reason}")
    lines.append(f"pairs by points 0, ½, 1, 1½, 2: {five}")
    lines.append(
        f"W {won} D {drawn} L {len(records) - won - drawn}, score {100 * score:.1f} % ± {100 * half:.1f},"
        f" Elo {elo(score):+.0f} [{low:+.0f}, {high:+.0f}]"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
