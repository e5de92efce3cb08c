#!/usr/bin/env python3
"""Positions a second of training, Mendel's `mendel train` against PyTorch itself.

Both train the λ paper's network (200 filters, four blocks, SELU, normalisation, from and
to) with the same batch, Adam, weights in single and arithmetic in half precision
(bfloat16), channels last, on the same GPU, in turns within one run. Mendel reads games
from shards and makes positions of them while it trains; PyTorch gets one batch that lies
on the GPU already, so it is measured without any data at all, once as written and once
through `torch.compile`.

Needs Python with torch, a GPU, a program with the feature `train`, and a shard of games.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import torch
from torch import nn

FILTERS, BLOCKS, PLANES = 200, 4, 6
LIMIT = 300


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True, help="mendel, built with the feature `train`")
    parser.add_argument("--data", required=True, nargs="+", help="shards of `mendel data games`")
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=16)
    arguments = parser.parse_args()

    ours, waiting, plain, compiled = [], [], [], []
    learners = {"as written": (Learner(arguments.batch), plain)}
    try:
        learners["compiled"] = (Learner(arguments.batch, torch.compile), compiled)
    except Exception as error:  # a machine without a compiler
        print(f"torch.compile: {error}")
    for turn in range(arguments.rounds):
        speed, waited = train(arguments)
        ours.append(speed)
        waiting.append(waited)
        print(f"{turn + 1}: mendel {speed:,.0f} positions/s, waiting for data {waited:.1%}", flush=True)
        for name, (learner, speeds) in list(learners.items()):
            try:
                speeds.append(learner.speed(arguments.steps))
            except Exception as error:  # the compiler comes in with the first step
                print(f"   PyTorch {name}: {str(error).splitlines()[0]}")
                del learners[name]
                continue
            print(f"   PyTorch {name} {speeds[-1]:,.0f}, ratio {speed / speeds[-1]:.2f}", flush=True)
    print(json.dumps({
        "mendel": statistics.median(ours),
        "waiting": statistics.median(waiting),
        "pytorch": statistics.median(plain),
        "ratio": statistics.median(a / b for a, b in zip(ours, plain)),
        "compiled": statistics.median(compiled) if compiled else None,
        "ratio-compiled": statistics.median(a / b for a, b in zip(ours, compiled)) if compiled else None,
        "gpu": torch.cuda.get_device_name(),
        "batch": arguments.batch,
    }))


def train(arguments):
    """The second half of a short training, without its evaluations."""
    with tempfile.TemporaryDirectory() as folder:
        half = arguments.steps * arguments.batch
        sets = [
            "data.pick=all",
            f"training.batch={arguments.batch}",
            f"training.steps={2 * arguments.steps}",
            f"training.evaluate-every={half}",
            "training.validation-positions=4096",
            "training.test-positions=4096",
        ]
        command = [arguments.program, "train", "chessnet", "--device", "cuda", "--quiet"]
        command += ["--threads", str(arguments.threads), "--out", f"{folder}/run"]
        command += ["--data", *arguments.data]
        for entry in sets:
            command += ["--set", entry]
        subprocess.run(command, check=True, timeout=LIMIT, stdout=subprocess.DEVNULL)
        lines = pathlib.Path(folder, "run", "timings.jsonl").read_text().splitlines()
        # The last seconds of each phase, which are those of the second half.
        seconds = {line["phase"]: line["seconds"] for line in map(json.loads, lines)}
        return half / seconds["learning"], seconds["waiting"] / seconds["learning"]


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(FILTERS, FILTERS, 3, padding=1, bias=False)
        self.second = nn.Conv2d(FILTERS, FILTERS, 3, padding=1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(FILTERS), nn.BatchNorm2d(FILTERS)])
        self.act = nn.SELU()

    def forward(self, x):
        y = self.act(self.norms[0](self.first(x)))
        return self.act(self.norms[1](self.second(y)) + x)


class Learner:
    """The network, its optimiser and one batch."""

    def __init__(self, batch, wrap=lambda network: network):
        torch.backends.cudnn.benchmark = True
        layers = [nn.Conv2d(PLANES, FILTERS, 3, padding=1), nn.ReLU()]
        layers += [Block() for _ in range(BLOCKS)]
        layers += [nn.Conv2d(FILTERS, 2, 3, padding=1)]
        network = nn.Sequential(*layers).cuda().to(memory_format=torch.channels_last)
        self.network = wrap(network)
        self.optimiser = torch.optim.Adam(network.parameters(), 1e-3, fused=True)
        boards = torch.randint(-1, 2, (batch, PLANES, 8, 8), device="cuda").float()
        self.boards = boards.to(memory_format=torch.channels_last)
        self.squares = torch.randint(0, 64, (2, batch), device="cuda")

    def step(self):
        self.optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16):
            planes = self.network(self.boards)
        planes = planes.float().flatten(2)
        loss = sum(nn.functional.cross_entropy(planes[:, i], self.squares[i]) for i in range(2))
        loss.backward()
        self.optimiser.step()

    def speed(self, steps):
        for _ in range(20):
            self.step()
        torch.cuda.synchronize()
        begun = time.perf_counter()
        for _ in range(steps):
            self.step()
        torch.cuda.synchronize()
        return steps * len(self.boards) / (time.perf_counter() - begun)


if __name__ == "__main__":
    main()
