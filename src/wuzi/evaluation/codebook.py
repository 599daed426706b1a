"""The engine's codebook net: what positions are worth and which moves are likely, from its own games.

Every empty cell has features in the view of each side: a sum over the four windows around it, looked up
in a codebook, and over the classes that a stone of either side would make there. Their positive parts
are summed over the board; a small head makes of these sums and of the threats on the board the value for
the side to move, in units of 1 / LOGIT of a log-odds: the logistic function of value / LOGIT is the
expected score. The policy of a move is linear in the features of its cell, with its classes and its place
relative to the last two moves, in units of 1 / POLICY_LOGIT: the softmax over all candidates is the
probability that the search chooses it. Nets of this kind are called efficiently updatable, for a stone
changes at most ten windows a line; the idea of a codebook of line windows is that of Rapfi
(arXiv 2503.13178). ``research/fitting`` makes the files; no number in them is set by hand.
"""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core.lines import line_table, radius
from wuzi.core.rules import Rule, Rules
from wuzi.errors import ConfigError, UnsupportedError
from wuzi.evaluation import codebook_kernels
from wuzi.evaluation.layout import CODEBOOK, COLUMNS, POLICY_BITS, WIDTH
from wuzi.tactics.classes import tables
from wuzi.tactics.layout import REACH

LOGIT = 200
"""Evaluation points of one unit of log-odds."""

POLICY_LOGIT = 100
"""Policy points of one unit of log-odds."""

UNIT = 512
"""Steps of a feature."""

POOL = 1 / 16
"""Sums of features are scaled by this before the head."""

NUM_CLASSES = 14
PLACES = (2 * REACH + 1) ** 2

_LIMIT = 8 * UNIT
_HEAD = ("first", "threats", "second", "second_bias", "last", "direct", "direct_threats")


@dataclass(frozen=True)
class CodebookNet:
    """The content of a file. A first axis of length 1 serves both sides, 2 is Black and White (as view).

    Attributes:
        windows: int16 [s, windows, WIDTH], by number of :func:`windows_of`, own stones as Black's; 1 / UNIT.
        lines: int16 [s, 225, WIDTH], by own line class * 15 + opponent's of the window.
        pairs: int16 [s, 196, WIDTH], by own cell class * 14 + opponent's.
        bias: int16 [s, WIDTH].
        first, threats, second, second_bias, last, direct, direct_threats: float32, the head, which sees
            the sums of the side to move first; its outputs are log-odds.
        policy: float32 [s, 2 * WIDTH], features in the mover's view and in the opponent's; log-odds.
        policy_pairs: float32 [s, 196]. places: float32 [2, PLACES], from the last move and the one before.
        recipe: how it was made: games, positions, held-out losses (JSON).
    """

    windows: npt.NDArray[np.int16]
    lines: npt.NDArray[np.int16]
    pairs: npt.NDArray[np.int16]
    bias: npt.NDArray[np.int16]
    first: npt.NDArray[np.float32]
    threats: npt.NDArray[np.float32]
    second: npt.NDArray[np.float32]
    second_bias: npt.NDArray[np.float32]
    last: npt.NDArray[np.float32]
    direct: npt.NDArray[np.float32]
    direct_threats: npt.NDArray[np.float32]
    policy: npt.NDArray[np.float32]
    policy_pairs: npt.NDArray[np.float32]
    places: npt.NDArray[np.float32]
    recipe: dict[str, Any]


@cache
def windows_of(rules: Rules) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """All windows around an empty cell, a mirrored pair as one.

    ``keys`` [windows] of one of each pair, ascending; ``numbers`` [4 ** (2 * radius)], the window of each key
    (0 for keys that no board has); ``swapped`` [windows], the window with colours exchanged.
    """
    reach = radius(rules)
    sides: list[tuple[int, ...]] = [()]
    for _ in range(reach):
        sides = [(*s, v) for s in sides for v in ((3,) if s and s[-1] == 3 else (0, 1, 2, 3))]
    codes = np.array(sides, np.int64)
    before = (codes << (2 * np.arange(reach - 1, -1, -1))).sum(axis=1)
    after = (codes << (2 * np.arange(reach, 2 * reach))).sum(axis=1)
    valid = (before[:, None] | after[None, :]).ravel()
    one_of_pair = np.minimum(valid, _mirrored(valid, 2 * reach))
    keys = np.unique(one_of_pair)
    numbers = np.zeros(4 ** (2 * reach), np.int64)
    numbers[valid] = np.searchsorted(keys, one_of_pair)
    exchanged = ((keys & 0x55555555) << 1) | ((keys >> 1) & 0x55555555)
    return keys, numbers, numbers[exchanged]


def _mirrored(keys: npt.NDArray[np.int64], cells: int) -> npt.NDArray[np.int64]:
    turned = np.zeros_like(keys)
    for i in range(cells):
        turned |= ((keys >> (2 * i)) & 3) << (2 * (cells - 1 - i))
    return turned


@cache
def line_pairs(rules: Rules) -> npt.NDArray[np.int64]:
    """int64 [2, windows]: own line class * 15 + opponent's of every window, seen by Black and by White."""
    keys, _, swapped = windows_of(rules)
    lines = line_table(rules.rule, rules.win_length)[keys].astype(np.int64)
    black, white = lines & 15, lines >> 4
    return np.stack([black * 15 + white, white[swapped] * 15 + black[swapped]])


def quantised(weights: Any, orbit: npt.NDArray[np.int64], recipe: dict[str, Any]) -> CodebookNet:
    """A net from trained weights (attributes named alike, in units of 1; places by ``orbit``)."""

    def steps(x: Any) -> Any:
        return np.round(x * UNIT).clip(-_LIMIT, _LIMIT).astype(np.int16)

    names = [f.name for f in fields(CodebookNet) if f.name not in ("recipe", "places")]
    arrays = {name: getattr(weights, name) for name in names}
    for name in ("windows", "lines", "pairs", "bias"):
        arrays[name] = steps(arrays[name])
    return CodebookNet(**arrays, places=weights.places[:, orbit].astype(np.float32), recipe=recipe)


def codebook_record(net: CodebookNet, rules: Rules) -> Any:
    """The record (:data:`wuzi.evaluation.layout.CODEBOOK`) that kernels read."""
    record = record_without_rows(net)
    parts = net.windows.copy(), net.lines.copy()  # kernels take no read-only arrays
    codebook_kernels.fill_rows(record, tables(rules.rule, rules.win_length), *parts)
    return record


def record_without_rows(net: CodebookNet) -> Any:
    """Of the record what no kernel makes: a page fills the rows of its own."""
    record = np.zeros(1, CODEBOOK)[0]
    halves = (slice(0, WIDTH), slice(WIDTH, COLUMNS))
    classes = np.arange(NUM_CLASSES)
    for view, half in enumerate(halves):
        side = view if len(net.bias) == 2 else 0
        pairs = net.pairs[side].reshape(NUM_CLASSES, NUM_CLASSES, WIDTH)
        seen = pairs if view == 0 else pairs.transpose(1, 0, 2)
        record["pairs"].reshape(16, 16, COLUMNS)[:NUM_CLASSES, :NUM_CLASSES, half] = seen
        record["bias"][half] = net.bias[side]
    points = POLICY_LOGIT * (1 << POLICY_BITS) / UNIT
    for mover in range(2):
        side = mover if len(net.bias) == 2 else 0
        order = np.roll(np.arange(COLUMNS), mover * WIDTH)
        record["first"][mover] = net.first[side][order] * (POOL / UNIT)
        record["direct"][mover] = net.direct[side][order] * (LOGIT * POOL / UNIT)
        for name in ("threats", "second", "second_bias"):
            record[name][mover] = getattr(net, name)[side]
        record["last"][mover] = net.last[side] * LOGIT
        record["direct_threats"][mover] = net.direct_threats[side] * LOGIT
        record["policy"][mover] = np.round(net.policy[side][order] * points)
        of_classes = np.round(net.policy_pairs[side] * POLICY_LOGIT).reshape(NUM_CLASSES, NUM_CLASSES)
        record["policy_pairs"][mover][np.ix_(classes, classes)] = of_classes
    record["places"] = np.round(net.places * POLICY_LOGIT)
    return record


def file_name(rule: Rule, win_length: int, size: int | None = None) -> str:
    """The data file of a rule and win length, for one board size or for all."""
    return f"{rule.label}-{win_length}{f'-{size}x{size}' if size else ''}.npz"


def shipped_path(rule: Rule, win_length: int, size: int | None = None) -> Path:
    """The file of the shipped net for a rule and win length; an UnsupportedError if there is none.

    With a ``size`` the net that was fitted to boards of that size, if there is one.
    """
    folder = Path(str(resources.files("wuzi") / "data" / "evaluation"))
    for name in (file_name(rule, win_length, size), file_name(rule, win_length)):
        if (folder / name).is_file():
            return folder / name
    raise UnsupportedError(f"no evaluation for {rule.label} with {win_length} in a row")


def is_fitted(rules: Rules) -> bool:
    """Whether a shipped net was fitted to this very board."""
    with suppress(UnsupportedError):
        fitted = shipped_path(rules.rule, rules.win_length, rules.size)
        return fitted != shipped_path(rules.rule, rules.win_length)
    return False


@cache
def shipped_net(rule: Rule, win_length: int) -> CodebookNet:
    """The shipped net for a rule and win length; see :func:`shipped_path`."""
    path = shipped_path(rule, win_length)
    return parse_net(path.read_bytes(), path.name, rule, win_length)


@cache
def shipped_record(rule: Rule, win_length: int) -> Any:
    """The record of the shipped net, made once; see :func:`shipped_net`."""
    return codebook_record(shipped_net(rule, win_length), Rules(15, win_length, rule))


def supported_rules() -> frozenset[tuple[Rule, int]]:
    """Rules and win lengths with a shipped net."""
    folder = resources.files("wuzi") / "data" / "evaluation"
    names = {item.name for item in folder.iterdir()} if folder.is_dir() else set()
    return frozenset((rule, k) for rule in Rule for k in (4, 5) if file_name(rule, k) in names)


def _shapes(rules: Rules) -> dict[str, tuple[int, ...]]:
    of_record = {name: CODEBOOK[name].shape[1:] for name in _HEAD}
    windows, pairs = len(windows_of(rules)[0]), NUM_CLASSES**2
    return {
        **{"windows": (windows, WIDTH), "lines": (225, WIDTH), "pairs": (pairs, WIDTH), "bias": (WIDTH,)},
        **of_record,
        **{"policy": (COLUMNS,), "policy_pairs": (pairs,), "places": (PLACES,)},
    }


def parse_net(content: bytes, source: str, rule: Rule, win_length: int) -> CodebookNet:
    """Read a file; a ConfigError that names ``source`` if it is none, or is for other rules."""
    shapes = _shapes(Rules(15, win_length, rule))
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as data:
            recipe = json.loads(str(data["recipe"]))
            arrays = {name: data[name] for name in shapes}
    except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise ConfigError(f"{source}: no codebook net for {rule.label}-{win_length} ({error})") from None
    sides = (2,) if rule.forbids else (1,)
    for name, shape in shapes.items():
        array, expected = arrays[name], ((2,) if name == "places" else sides) + shape
        whole = name in ("windows", "lines", "pairs", "bias")
        if array.shape != expected or array.dtype != (np.int16 if whole else np.float32):
            found = f"{array.dtype} {array.shape}"
            raise ConfigError(f"{source}: {name} is {found}: expected shape {expected}, {rule.label}")
        if not whole and not np.isfinite(array).all():
            raise ConfigError(f"{source}: {name} holds a number that is not finite")
        array.flags.writeable = False
    return CodebookNet(recipe=recipe, **arrays)


def dump_net(net: CodebookNet) -> bytes:
    """The content of a file."""
    buffer = io.BytesIO()
    arrays = {f.name: getattr(net, f.name) for f in fields(CodebookNet) if f.name != "recipe"}
    np.savez_compressed(buffer, recipe=np.array(json.dumps(net.recipe, sort_keys=True)), **arrays)
    return buffer.getvalue()
