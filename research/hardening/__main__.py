"""Long tests of what must not break. Each adds lines to a folder, so that later runs continue.

    python -m research.hardening games --count 10000      arena games of all players, rules and sizes
    python -m research.hardening kills --count 1000       kill -9 at random moments
    python -m research.hardening fuzz --count 1200        so many seconds of processor time for each parser
    python -m research.hardening clients --count 50 --seconds 600    real browsers at one server
    python -m research.hardening server --count 300       nginx and the server of deploy/ under attack

Everything runs on this machine's loopback interface, is bounded in count and time, and prints its seed and
its figures. The exit code is 1 if anything was lost, doubled, illegal or forfeited, or failed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from research.hardening.ledger import RunOptions

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))  # where the server and the browsers of measurements are
FOLDER = ROOT / "benchmarks" / "hardening"
COUNTS = {"games": 10_000, "kills": 1000, "fuzz": 1200, "clients": 50, "server": 300}
CORPORA = Path(tempfile.gettempdir(), "wuzi-corpora")
KINDS = ("tournament", "study", "training", "server", "solver")


def main() -> int:
    """Run one of the tests; 0 if all of its results, earlier ones included, are as they should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=tuple(COUNTS))
    parser.add_argument("--count", type=int, help="how many results the folder should hold in the end")
    parser.add_argument("--seconds", type=float, default=36_000, help="of wall time that this run may take")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--kind", action="append", choices=KINDS, help="of work to kill; all by default")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="inputs that fuzzing begins with")
    parser.add_argument("--nginx", help="the program, where it is not on the PATH")
    given = parser.parse_args()
    options = RunOptions(given.count or COUNTS.get(given.what, 0), given.seconds, given.seed, given.folder)
    print(f"{given.what}: seed {options.seed}", flush=True)
    if given.what == "games":
        from research.hardening.games import play_many

        return int(not play_many(options))
    if given.what == "kills":
        from research.hardening.kills import kill_often

        return int(not kill_often(options, tuple(given.kind or KINDS)))
    if given.what == "fuzz":
        from research.hardening.fuzz import fuzz_all

        return int(not fuzz_all(options, given.corpora))
    if given.what == "clients":
        from research.hardening.clients import visit

        return int(not visit(options))
    from research.hardening.attack import attack

    return int(not attack(options, given.nginx))


if __name__ == "__main__":
    sys.exit(main())
