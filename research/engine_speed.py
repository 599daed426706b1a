"""Measure how many positions a second wuzi's engine searches, and engines of others in the same minute.

    python -m research.engine_speed SPEC [SPEC...] [--time 1] [--positions 20] [--size 15] [--rule freestyle]

The script asks wuzi's ``engine`` (one thread, as each engine has) and each ``SPEC`` for a move in the same
positions of the shipped book, one after the other, so that all meet the same noise. ``SPEC`` is a player as
in ``wuzi match``: ``external:name=rapfi`` from engines.toml, or ``external:cmd=PATH``. Only engines that
report their nodes can be measured; the seconds are those from the question to the answer. Rapfi, for one,
counts the nodes of its searches for wins by fours and wuzi does not: both figures of wuzi are given. Answers
that need less than half of the time (a win seen, one move possible) are left out.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from contextlib import ExitStack

from wuzi.arena import default_openings, load_shipped
from wuzi.arena.provenance import commit, machine
from wuzi.contract import Limit
from wuzi.core import Rules, parse_rule
from wuzi.errors import WuziError
from wuzi.players import create_player

OWN, ALL = "engine", "engine, searches for fours counted in"


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("specs", metavar="SPEC", nargs="+")
    parser.add_argument("--time", type=float, default=1.0, help="seconds a move")
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--size", type=int, default=15)
    parser.add_argument("--rule", default="freestyle")
    options = parser.parse_args()
    rules = Rules(options.size, 5, parse_rule(options.rule))
    book = load_shipped(default_openings(rules), rules)
    chosen = book[:: max(1, len(book) // options.positions)][: options.positions]
    players = {spec: create_player(spec, allow_command=True) for spec in (OWN, *options.specs)}
    rates: dict[str, list[float]] = {spec: [] for spec in (OWN, ALL, *options.specs)}
    with ExitStack() as stack:
        for player in players.values():
            stack.callback(player.close)
        for opening in chosen:
            game = opening.game(rules)
            for spec, player in players.items():
                info = player.think(game, Limit(time_s=options.time)).info
                if info.nodes and info.time_s > options.time / 2:
                    rates[spec].append(info.nodes / info.time_s)
                    if spec == OWN:
                        rates[ALL].append((info.nodes + info.extra["vcf_nodes"]) / info.time_s)
    print(f"wuzi {commit()}, {machine()}; {options.time:g} s a move, {len(chosen)} positions")
    own, whole = (statistics.median(rates[name] or [0.0]) for name in (OWN, ALL))
    for spec, found in rates.items():
        if found:
            typical = statistics.median(found)
            line = f"{spec}: {typical:,.0f} nodes/s ({min(found):,.0f} to {max(found):,.0f}, n={len(found)})"
            if spec in options.specs:
                line += f"; wuzi: {own / typical:.2f} and {whole / typical:.2f} of it"
            print(line)
        else:
            print(f"{spec}: no answer that says its nodes and uses its time")


if __name__ == "__main__":
    try:
        main()
    except WuziError as error:
        sys.exit(f"engine_speed: {error}")
