"""The engine's fitted values: what positions are worth and which moves are likely, from its own games.

The value of a position for the side to move is a sum over its empty cells, by the cell classes of both
sides and by the four windows around the cell, plus a term for the threats on the board and a tempo, in
units of 1 / LOGIT of a log-odds: the logistic function of value / LOGIT is the expected score. The
policy of a move is such a sum too, in units of 1 / POLICY_LOGIT: the softmax over all candidates is the
probability that the search chooses it. ``scripts/fit_evaluation.py`` makes the files; no number in them
is set by hand.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core.lines import radius
from wuzi.core.rules import Rule, Rules
from wuzi.errors import ConfigError, UnsupportedError
from wuzi.tactics.layout import NUM_THREATS, REACH

LOGIT = 200
"""Evaluation points of one unit of log-odds."""

FINE = 16
"""Steps of an evaluation point in which cells and windows are stored: there are hundreds to add up."""

POLICY_LOGIT = 100
"""Policy points of one unit of log-odds."""

NUM_CLASSES = 14
PLACES = (2 * REACH + 1) ** 2
DENSE = ("pairs", "threats", "tempo", "policy", "places")

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class FittedValues:
    """A fitted evaluation and policy. Where a first axis has length two it is the side to move.

    Attributes:
        pairs: int32 [2, 14, 14], by own and enemy class of an empty cell; in 1 / FINE points.
        windows: int16 [4 ** (2 * radius), 4], by window key: value for Black and for White to move
            (in 1 / FINE points), policy for Black and for White to move.
        threats: int32 [2, 512], by :func:`wuzi.tactics.kernels.threat_index`.
        tempo: int32 [2].
        policy: int32 [2, 14, 14], by own and enemy class of the cell.
        places: int32 [2, 121], by the place relative to the last move and to the one before it.
        recipe: how it was made: games, positions, held-out losses.
    """

    pairs: Ints
    windows: npt.NDArray[np.int16]
    threats: Ints
    tempo: Ints
    policy: Ints
    places: Ints
    recipe: dict[str, Any] = field(default_factory=dict)


def zero_values(rule: Rule, win_length: int) -> FittedValues:
    """Values that know nothing: the start of the first generation."""
    reach = radius(Rules(size=15, win_length=win_length, rule=rule))
    pairs = np.zeros((2, NUM_CLASSES, NUM_CLASSES), np.int32)
    return FittedValues(
        pairs=pairs,
        windows=np.zeros((4 ** (2 * reach), 4), np.int16),
        threats=np.zeros((2, NUM_THREATS), np.int32),
        tempo=np.zeros(2, np.int32),
        policy=pairs.copy(),
        places=np.zeros((2, PLACES), np.int32),
    )


def file_name(rule: Rule, win_length: int) -> str:
    """The data file of a rule and win length."""
    return f"{rule.label}-{win_length}.npz"


@cache
def _load(rule: Rule, win_length: int) -> FittedValues:
    path = resources.files("wuzi") / "data" / "evaluation" / file_name(rule, win_length)
    if not path.is_file():
        raise UnsupportedError(f"no fitted evaluation for {rule.label} with {win_length} in a row")
    return parse_values(path.read_bytes(), path.name, rule, win_length)


def fitted_values(rules: Rules) -> FittedValues:
    """The shipped values for these rules.

    Raises:
        UnsupportedError: there are none.
    """
    return _load(rules.rule, rules.win_length)


def supported_rules() -> frozenset[tuple[Rule, int]]:
    """Rules and win lengths with shipped values."""
    folder = resources.files("wuzi") / "data" / "evaluation"
    names = {item.name for item in folder.iterdir()} if folder.is_dir() else set()
    return frozenset((rule, k) for rule in Rule for k in (4, 5) if file_name(rule, k) in names)


def parse_values(content: bytes, source: str, rule: Rule, win_length: int) -> FittedValues:
    """Read a file of values; windows are stored sparsely, a mirrored pair once.

    Raises:
        ConfigError: not such a file, or for other rules; the message names ``source``.
    """
    empty = zero_values(rule, win_length)
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as data:
            recipe = json.loads(str(data["recipe"]))
            keys, rows = data["keys"].astype(np.int64), data["rows"].astype(np.int16)
            dense = {name: data[name].astype(np.int32) for name in DENSE}
        windows = empty.windows.copy()
        windows[keys] = rows
        windows[mirrored(keys, windows.shape[0])] = rows
    except (ValueError, KeyError, IndexError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise ConfigError(f"{source}: no fitted values for {rule.label}-{win_length} ({error})") from None
    for name, array in dense.items():
        expected = getattr(empty, name).shape
        if array.shape != expected:
            raise ConfigError(f"{source}: {name} has shape {array.shape}: expected {expected}")
        array.flags.writeable = False
    windows.flags.writeable = False
    return FittedValues(windows=windows, recipe=recipe, **dense)


def dump_values(values: FittedValues) -> bytes:
    """The content of a file of values."""
    keys = np.flatnonzero(values.windows.any(axis=1))
    keys = keys[keys <= mirrored(keys, values.windows.shape[0])]
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        keys=keys.astype(np.uint32),
        rows=values.windows[keys],
        pairs=values.pairs,
        threats=values.threats,
        tempo=values.tempo,
        policy=values.policy,
        places=values.places,
        recipe=np.array(json.dumps(values.recipe, sort_keys=True)),
    )
    return buffer.getvalue()


def mirrored(keys: npt.NDArray[np.int64], num_keys: int) -> npt.NDArray[np.int64]:
    """The keys of the same windows read from the other end."""
    cells = (num_keys.bit_length() - 1) // 2
    turned = np.zeros_like(keys)
    for i in range(cells):
        turned |= ((keys >> (2 * i)) & 3) << (2 * (cells - 1 - i))
    return turned
