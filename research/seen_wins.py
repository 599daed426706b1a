"""How many of the wins that another engine saw does wuzi's engine see, with so many positions.

    python -m research.seen_wins [--nodes 20000 60000] [--count 60] [--set five_extension=130 ...]
    python -m research.seen_wins --file benchmarks/deep-wins.txt --nodes 600000

The positions of ``benchmarks/seen-wins.txt`` (15x15 freestyle, the winner to move) come from games against
Rapfi 0.43.02 with its classical model 220723, 60,000 positions a move, from balanced openings of self-play.
Each is the first one at which Rapfi announced a win that wuzi did not see coming. The count is no measure of
strength, but it needs no clock, no opponent and no luck: it shows at once whether a change of the search
finds attacks earlier. Those of ``benchmarks/deep-wins.txt`` were even before wuzi's last move, in games
of one second a move that it lost; with a million positions Rapfi announces the win after it, 25 to 43
plies away. ``--set`` changes a number of :mod:`wuzi.search.alphabeta.parameters`.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from wuzi.arena.provenance import commit
from wuzi.contract import Limit
from wuzi.core import Game, Rules, parse_moves
from wuzi.errors import WuziError
from wuzi.search.alphabeta.searcher import AlphaBetaSearch, EngineOptions

FILE = Path(__file__).resolve().parents[1] / "benchmarks" / "seen-wins.txt"


def main() -> None:
    """Search and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[20_000, 60_000])
    parser.add_argument("--file", type=Path, default=FILE)
    parser.add_argument("--count", type=int, help="only the first so many positions")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=NUMBER")
    parser.add_argument("--guard", type=int, default=EngineOptions().guard_percent)
    given = parser.parse_args()
    numbers = {name: int(number) for name, _, number in (one.partition("=") for one in given.set)}
    search = AlphaBetaSearch(Rules(15), EngineOptions(guard_percent=given.guard, parameters=numbers))
    codes = given.file.read_text("ascii").split()[: given.count]
    print(f"wuzi {commit()}, {len(codes)} positions")
    for nodes in given.nodes:
        seen, begun = 0, time.process_time()
        for code in codes:
            search.clear()
            position = Game.from_moves(Rules(15), parse_moves(code, 15)).position
            seen += (search.run(position, Limit(nodes=nodes)).lines[0].win_in or 0) > 0
        seconds = (time.process_time() - begun) / len(codes)
        print(f"{nodes:,} positions: {seen} seen, {seconds:.3f} s a search", flush=True)


if __name__ == "__main__":
    try:
        main()
    except WuziError as error:
        sys.exit(f"seen_wins: {error}")
