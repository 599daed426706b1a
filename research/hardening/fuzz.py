"""Every parser and protocol, fed damaged input that follows the coverage, until each had so much time."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from research.hardening.ledger import Ledger, RunOptions

ROOT = Path(__file__).resolve().parents[2]
SLICE_S = 120
"""Wall seconds of a target at a time; the one with the least processor time so far comes next."""

GUIDE = "atheris, all modules"
"""What guides new slices. For those guided by "atheris" the coverage left out what the kernels import."""

SEEDS = 10_000
"""Seeds of slices that belong to one seed of the command."""

sys.path.insert(0, str(ROOT))  # the tests say what is fuzzed


def fuzz_all(options: RunOptions, corpora: Path) -> bool:
    """Fuzz until every target had ``options.count`` seconds of processor time; whether nothing was found.

    The inputs that reached new code are kept in ``corpora``, so that a later run begins with them.
    """
    from tests.fuzzing.run import measure

    ledger = Ledger(options.folder, "fuzz")
    spent = {name: own["guided_s"] for name, own in totals(ledger.rows()).items()}
    guide = GUIDE if importlib.util.find_spec("atheris") else "mutations without coverage"
    print(f"guided by: {guide}", flush=True)
    number = len(ledger.rows())
    while not options.is_over:
        target = min(spent, key=lambda name: spent[name])
        if spent[target] >= options.count:
            break
        seed = options.seed * SEEDS + number
        command = [sys.executable, "-m", "tests.fuzzing.run", "--target", target, "--seconds", str(SLICE_S)]
        command += ["--seed", str(seed), "--timeout", "60", "--corpora", str(corpora)]
        outcome = measure(target, command)
        number += 1
        spent[target] += max(1.0, outcome.cpu_s or 0.0)
        found = {"runs": outcome.runs, "edges": outcome.edges, "peak_mb": outcome.peak_mb}
        rounded = {"cpu_s": round(outcome.cpu_s or 0.0, 1), "seconds": round(outcome.wall_s, 1)}
        ledger.add(target=target, seed=seed, guide=guide, code=outcome.code, **found, **rounded)
        print(outcome.line(), flush=True)
        if outcome.code:
            print(outcome.output[-4000:], flush=True)
            spent[target] = float("inf")  # the same find would end it again
    return report(ledger.rows())


def totals(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Of each target: processor time, its part with :data:`GUIDE`, inputs, places reached, finds."""
    from tests.fuzzing.targets import TARGETS

    found = {name: {"cpu_s": 0.0, "guided_s": 0.0, "runs": 0, "edges": 0, "finds": 0} for name in TARGETS}
    for row in rows:
        if (own := found.get(row["target"])) is None:
            continue  # a target that is no more
        own["cpu_s"] += row["cpu_s"]
        own["guided_s"] += row["cpu_s"] * (row["guide"] == GUIDE)
        own["runs"] += row["runs"] or 0
        own["edges"] = max(own["edges"], row["edges"] or 0)
        own["finds"] += row["code"] != 0
    return found


def report(rows: list[dict[str, Any]]) -> bool:
    """Print all that is in the folder; whether nothing was found."""
    for target, own in totals(rows).items():
        print(f"{target:10} {own['cpu_s']:6.0f} s of processor time, "
              f"{own['guided_s']:6.0f} s with all modules, {own['runs']:10,.0f} inputs, "
              f"{own['edges']:4.0f} edges, {own['finds']:.0f} finds")  # fmt: skip
    return not any(row["code"] for row in rows)
