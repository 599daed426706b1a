"""The engine's evaluation: what an empty cell is worth by the classes of both sides, fitted to results.

The value of a position for the side to move is the sum over its empty cells of
``table[side, own class, enemy class]`` plus ``tempo``, in units of 1 / LOGIT of a log-odds: the
logistic function of value / LOGIT is the fitted expected score. ``scripts/fit_evaluation.py`` makes
the files; no number in them is set by hand.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core.rules import Rule, Rules
from wuzi.errors import ConfigError, UnsupportedError

LOGIT = 200
"""Evaluation points of one unit of log-odds."""

SCHEMA = 1
NUM_CLASSES = 14


@dataclass(frozen=True)
class CellValues:
    """A fitted evaluation.

    Attributes:
        table: int32 [2, 14, 14], read-only: by side to move (Black, White), own and enemy class.
        tempo: added for the side to move.
        recipe: how it was made: games, positions, held-out loss.
    """

    table: npt.NDArray[np.int32]
    tempo: int
    recipe: dict[str, Any]


def file_name(rule: Rule, win_length: int) -> str:
    """The data file of a rule and win length."""
    return f"{rule.label}-{win_length}.json"


@cache
def _load(rule: Rule, win_length: int) -> CellValues:
    path = resources.files("wuzi") / "data" / "evaluation" / file_name(rule, win_length)
    if not path.is_file():
        raise UnsupportedError(f"no fitted evaluation for {rule.label} with {win_length} in a row")
    return parse_values(path.read_text("utf-8"), path.name)


def cell_values(rules: Rules) -> CellValues:
    """The shipped evaluation for these rules.

    Raises:
        UnsupportedError: there is none.
    """
    return _load(rules.rule, rules.win_length)


def supported_rules() -> frozenset[tuple[Rule, int]]:
    """Rules and win lengths with a shipped evaluation."""
    folder = resources.files("wuzi") / "data" / "evaluation"
    names = {item.name for item in folder.iterdir()} if folder.is_dir() else set()
    return frozenset((rule, k) for rule in Rule for k in (4, 5) if file_name(rule, k) in names)


def parse_values(text: str, source: str) -> CellValues:
    """Read an evaluation file.

    Raises:
        ConfigError: not such a file; the message names ``source``.
    """
    try:
        data = json.loads(text)
        table = np.array(data["table"], np.int32)
        tempo, schema = int(data["tempo"]), int(data["schema"])
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{source}: no evaluation file ({error})") from None
    if schema != SCHEMA or table.shape != (2, NUM_CLASSES, NUM_CLASSES):
        raise ConfigError(f"{source}: schema {schema}, table {table.shape}: expected {SCHEMA}, (2, 14, 14)")
    table.flags.writeable = False
    return CellValues(table, tempo, dict(data.get("recipe", {})))


def dump_values(values: CellValues) -> str:
    """The text of an evaluation file."""
    rows = [[row.tolist() for row in side] for side in values.table]
    body = ",\n".join(
        "  [\n" + ",\n".join(f"   {json.dumps(row)}" for row in side) + "\n  ]" for side in rows
    )
    recipe = json.dumps(values.recipe, sort_keys=True)
    head = f'{{\n "schema": {SCHEMA},\n "tempo": {values.tempo},\n "recipe": {recipe},\n "table": [\n'
    return f"{head}{body}\n ]\n}}\n"
