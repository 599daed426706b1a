"""Make the tactical suite from quick games of the engine, every position proved by the slow checker.

    python scripts/make_tactics.py play --games 700 games.jsonl
    python scripts/make_tactics.py play --source scatter --games 24000 scatter.jsonl
    python scripts/make_tactics.py select games.jsonl scatter.jsonl

``play`` lets the engine play itself at a few hundred positions a move from random openings and looks at
every position of every game: wins by fours, positions with fours but no win, and positions with one
defence only. With ``--source scatter`` it looks at random stones, most of them crowded, for wins by fours,
and some sparse, for wins by threats and threats that do not win, which takes longer. What it finds
is appended game by game; a second run goes on where the first one stopped. The same seed gives the same
games. ``select`` thins out the short ones and writes the files that are shipped. Nothing is kept that
:mod:`wuzi.tactics.checker` or :mod:`wuzi.tactics.slow`, which know only the rules, did not confirm.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tactics_making.games import SPARSE_EVERY, play_game, scattered_game
from tactics_making.search import Finder
from tactics_making.select import write_suite

from wuzi.errors import WuziError

OUT = Path(__file__).resolve().parents[1] / "src" / "wuzi" / "data" / "tactics"


def play(path: Path, source: str, seed: int, games: int) -> None:
    """Append the finds of that many games to the file, skipping those already in it."""
    path.touch()
    *whole, rest = path.read_text(encoding="utf-8").split("\n")
    if rest:
        path.write_text("".join(line + "\n" for line in whole), encoding="utf-8")
    done = max((json.loads(line)["game"] for line in whole if line), default=-1)
    finder = Finder()
    with path.open("a", encoding="utf-8") as file:
        for number in range(done + 1, games):
            if source == "engine":
                finds = finder.finds(play_game(seed, number))
            else:
                finds = finder.find_last(scattered_game(seed, number), threats=number % SPARSE_EVERY == 0)
            if finds or number % 100 == 99 or source == "engine":
                entry = {"source": source, "game": number, "finds": finds}
                file.write(json.dumps(entry, separators=(",", ":")) + "\n")
                file.flush()
            if number % 1000 == 999:
                print(f"{number + 1} games", flush=True)


def main() -> int:
    """Run the script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("play", help="play games and look for positions")
    one.add_argument("out", type=Path)
    one.add_argument("--seed", type=int, default=2026)
    one.add_argument("--source", choices=("engine", "scatter"), default="engine")
    one.add_argument("--games", type=int, default=700)
    two = commands.add_parser("select", help="choose positions and write the shipped files")
    two.add_argument("found", type=Path, nargs="+")
    two.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    try:
        if options.command == "play":
            play(options.out, options.source, options.seed, options.games)
        else:
            for name, count in write_suite(options.found, options.out).items():
                print(f"{name:8} {count:6,d}")
    except (WuziError, OSError) as error:
        print(f"make_tactics: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
