"""Trainings that learn nothing: a run with ``run.rescue`` begins again with another seed.

A rate by divergence only rises where a policy stays even, and then nothing is learned any more; value heads
die as well. What was done until then stays as ``attempts/1`` and so on, with a line in ``attempts.jsonl``:
the number of the attempt, its seed, how many iterations and seconds it took, and what it did not learn.
"""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wuzi.base.store import JsonLines
from wuzi.errors import RecordError
from wuzi.training.run.directory import BEST, CURRENT, EVALUATIONS, METRICS, SELFPLAY
from wuzi.training.run.health import HealthFinding

ATTEMPTS, FOLDER, SCHEMA = "attempts.jsonl", "attempts", 1
MOST = 3
"""So many attempts are given up; the next one goes on whatever it learns."""

STRIDE = 1000
"""From one attempt's seed to the next one's: far from those of other runs of a comparison."""

_MADE = (
    METRICS,
    EVALUATIONS,
    SELFPLAY,
    "checkpoints",
    "nets",
    f"{CURRENT}.json",
    f"{BEST}.json",
    "curves.png",
)

Row = Mapping[str, Any]
"""A line of the file: ``attempt``, ``seed``, ``iterations``, ``seconds``, ``code``, ``text`` and ``at``."""


def read_attempts(folder: Path) -> list[Row]:
    """The attempts that were given up, in order; a RecordError for a broken line, unless it is the last."""
    found = list[Row]()
    for where, row in _file(folder).objects():
        whole = all(isinstance(row.get(key), int) for key in ("attempt", "seed", "iterations"))
        if not whole or row["attempt"] != len(found) + 1 or not isinstance(row.get("text"), str):
            raise RecordError(
                f"{where}: expected attempt {len(found) + 1} with its seed, iterations and text"
            )
        found.append(row)
    return found


def settings_now(folder: Path, settings: Any) -> Any:
    """The settings of the attempt that is under way: the run's, with a seed of its own after the first."""
    given_up = len(read_attempts(folder))
    seed = settings.run.seed + STRIDE * given_up
    return replace(settings, run=replace(settings.run, seed=seed)) if given_up else settings


def give_up(folder: Path, settings: Any, found: HealthFinding, iterations: int, seconds: float) -> str:
    """Note an attempt that learned nothing and put away what it has made; what to say of it."""
    number, seed = len(read_attempts(folder)) + 1, settings_now(folder, settings).run.seed
    at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    row = {"attempt": number, "seed": seed, "iterations": iterations, "seconds": round(seconds, 2)}
    _file(folder).add({**row, "code": found.code, "text": found.text, "at": at})
    put_away(folder)
    return (
        f"nothing learned: attempt {number} (seed {seed}) is given up after {iterations} iterations, as "
        f"{folder / FOLDER / str(number)}; beginning again with seed {seed + STRIDE}"
    )


def put_away(folder: Path) -> None:
    """Move what the last attempt has made into its own folder, or what is left of it after a crash."""
    number = len(read_attempts(folder))
    if not number or (folder / FOLDER / str(number)).is_dir():
        return
    part = folder / FOLDER / f"{number}.part"
    part.mkdir(parents=True, exist_ok=True)
    for name in _MADE:
        if (folder / name).exists():
            shutil.move(folder / name, part / name)
    part.rename(folder / FOLDER / str(number))


def attempt_lines(rows: Iterable[Row]) -> Iterator[str]:
    """The attempts that were given up, for people, one a line."""
    for row in rows:
        yield (
            f"attempt {row['attempt']} (seed {row['seed']}) learned nothing in {row['iterations']} "
            f"iterations: {row['text'].partition(': resume')[0]}"
        )


def _file(folder: Path) -> JsonLines:
    return JsonLines(folder / ATTEMPTS, version=SCHEMA, compact=True)
