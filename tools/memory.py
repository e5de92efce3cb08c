#!/usr/bin/env python3
"""Peak memory of the engine for several sizes of `Hash`, against what was promised.

Promised is: within 10 % of `Hash` plus 32 MiB. The engine searches for a while,
so that the whole table has been touched; Linux tells the peak.
"""

import argparse
import sys
import time

from engines import open_engine

PROMISED_REST = 32
TOLERANCE = 1.10
POSITIONS = [
    "startpos",
    "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--engine", default="uci:target/release/mendel uci")
    parser.add_argument("--hash", type=int, nargs="+", default=[1, 16, 64, 256])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3, help="per position")
    arguments = parser.parse_args()

    print("Hash MiB  peak MiB  allowed MiB")
    broken = False
    for size in arguments.hash:
        engine = open_engine(arguments.engine)
        try:
            engine.line.send(
                f"setoption name Threads value {arguments.threads}",
                f"setoption name Hash value {size}",
            )
            engine.ready()
            for position in POSITIONS:
                engine.line.send(f"position {position}", f"go movetime {int(1000 * arguments.seconds)}")
                engine.wait_for("bestmove", arguments.seconds + 10)
                time.sleep(0.05)
            peak = peak_mib(engine.line.process.pid)
        finally:
            engine.close()
        allowed = TOLERANCE * (size + PROMISED_REST)
        verdict = "ok" if peak <= allowed else "TOO MUCH"
        broken |= peak > allowed
        print(f"{size:8}  {peak:8.1f}  {allowed:11.1f}  {verdict}")
    return 1 if broken else 0


def peak_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    raise RuntimeError("Linux does not tell the peak memory")


if __name__ == "__main__":
    sys.exit(main())
