#!/usr/bin/env python3
"""What python-chess's engine module costs per move of a UCI program.

usage: runner_cost.py ENGINE MOVES PLIES

The other side of crates/arena/benches/runner_cost.rs, which calls it: the same
games with the same program. Prints microseconds of CPU time of this process
alone and of wall-clock time, a move each.
"""

import asyncio
import resource
import sys
import time

import chess
import chess.engine


async def play(engine, moves, plies):
    game, board = object(), chess.Board()
    for _ in range(moves):
        if len(board.move_stack) >= plies or not any(board.legal_moves):
            game, board = object(), chess.Board()
        limit = chess.engine.Limit(nodes=1)
        result = await engine.play(board, limit, game=game, info=chess.engine.INFO_SCORE)
        board.push(result.move)


def cpu_time():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def main():
    program, moves, plies = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    _, engine = await chess.engine.popen_uci([program, "fine"])
    await play(engine, 200, plies)
    cpu, begun = cpu_time(), time.perf_counter()
    await play(engine, moves, plies)
    cpu, wall = cpu_time() - cpu, time.perf_counter() - begun
    print(f"{cpu / moves * 1e6:.1f} {wall / moves * 1e6:.1f}")
    await engine.quit()


asyncio.run(main())
