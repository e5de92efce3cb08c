#!/usr/bin/env python3
"""How much of what was spoiled on purpose does `mendel tune` find again?

    tools/recover.py --engine 'uci:toga2?OwnBook=false&Hash=16' \\
        --spoil 'Piece Activity=10&King Safety=0' --options 'Piece*,King Safety' \\
        --games 3000 --depth 5 --out recover-toga

The engine plays against itself with values spoiled (what is lost), is tuned from
there, and what was found meets the spoiled one and the engine as it came. Needs
nothing but the program; whatever was played stays in the folder, and the same
command goes on there.
"""

import argparse
import json
import pathlib
import subprocess
import sys


def main():
    settings = read_arguments()
    out = pathlib.Path(settings.out)
    out.mkdir(parents=True, exist_ok=True)
    whole = settings.engine
    spoiled = joined(whole, settings.spoil)

    lost = play(settings, out / "lost", named(whole, "default"), named(spoiled, "spoiled"))
    print(f"lost: {told(lost)}", flush=True)

    tuned = tune(settings, out / "tuning", spoiled)
    print(f"tuned: {tuned['engine_tuned']}\nverdict: {tuned['verdict']}", flush=True)
    found = tuned["engine_tuned"]

    won = play(settings, out / "won", named(found, "tuned"), named(spoiled, "spoiled"))
    print(f"won back: {told(won)}", flush=True)
    left = play(settings, out / "left", named(whole, "default"), named(found, "tuned"))
    print(f"still missing: {told(left)}", flush=True)

    result = {
        "engine": whole,
        "spoil": settings.spoil,
        "games": settings.games,
        "lost": lost,
        "won": won,
        "left": left,
        "verdict": tuned["verdict"],
        "found": tuned["options"],
    }
    if lost["elo"] and won["elo"] is not None:
        result["share"] = won["elo"] / lost["elo"]
        print(f"recovered: {100 * result['share']:.0f} % of the Elo lost")
    (out / "recover.json").write_text(json.dumps(result, indent=2) + "\n")
    return 0


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mendel", default="target/release/mendel")
    parser.add_argument("--engine", required=True, help="as `mendel tune` takes it")
    parser.add_argument("--spoil", required=True, help="Name=Value&Name=Value")
    parser.add_argument("--options", default="*", help="what is tuned: names with wildcards")
    parser.add_argument("--games", default="3000", help="games of the tuning")
    parser.add_argument("--match-games", default="400", help="games of each match")
    parser.add_argument("--tuner", help="another than the usual one")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--out", required=True)
    pace = parser.add_mutually_exclusive_group(required=True)
    for name in ("depth", "nodes", "movetime", "tc"):
        pace.add_argument(f"--{name}")
    return parser.parse_args()


def joined(engine, options):
    return f"{engine}{'&' if '?' in engine else '?'}{options}"


def named(engine, name):
    return joined(engine, f".name={name}")


def pace(settings):
    for name in ("depth", "nodes", "movetime", "tc"):
        if getattr(settings, name):
            return [f"--{name}", getattr(settings, name)]
    return []


def last_line(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed")
    return json.loads(done.stdout.strip().splitlines()[-1])


def play(settings, folder, first, second):
    """A match; the strength of the first above the second."""
    command = [settings.mendel, "match", "--json", "--quiet", "--concurrency", settings.threads]
    if (folder / "match.toml").exists():
        command += ["--resume", str(folder)]
    else:
        command += [first, second, "--games", settings.match_games, "--seed", "77"]
        command += ["--out", str(folder), *pace(settings)]
    pairing = last_line(command)["pairings"][0]
    elo = pairing["elo"]
    return {"elo": elo["elo"], "low": elo["low"], "high": elo["high"], "tally": pairing["tally"]}


def tune(settings, folder, engine):
    voice = ["--json", "--threads", settings.threads]
    if (folder / "tune.toml").exists():
        command = [settings.mendel, "resume", str(folder), *voice]
    else:
        command = [settings.mendel, "tune", engine, "--options", settings.options, *voice]
        command += ["--games", settings.games, "--seed", settings.seed, "--out", str(folder)]
        command += pace(settings)
        command += ["--tuner", settings.tuner] if settings.tuner else []
    return last_line(command)


def told(match):
    def number(value):
        return "∞" if value is None else f"{value:+.0f}"

    low, high = number(match["low"]), number(match["high"])
    return f"{number(match['elo'])} [{low}, {high}] Elo"


if __name__ == "__main__":
    sys.exit(main())
