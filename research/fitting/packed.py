"""Self-play packed for keeping: some 300 bytes a game instead of the 3,700 of its pieces."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from research.fitting.sources import Games, games_of_shards
from wuzi.base.atomic import write_atomic
from wuzi.core import Rules

FORMAT = 1
MOST_CELLS = 16
"""Moves that a policy keeps; the shares of the others are spread over them."""
_STEPS, _PROVED = 127, -128

Column = npt.NDArray[Any]


def pack(rules: Rules, folders: list[Path], file: Path) -> int:
    """Write the games of folders of self-play into one file; how many games.

    By game: its length, where the search begins, and Black's result in halves. By searched move: the search's
    value for its side in steps of 1/127 (-128 where an end was proved), and up to 16 cells with their shares
    of the policy in steps of 1/255.
    """
    columns: dict[str, list[Column]] = {}
    for folder in folders:
        for name, column in _columns(rules, games_of_shards(rules, folder)).items():
            columns.setdefault(name, []).append(column)
    joined = {name: np.concatenate(parts) for name, parts in columns.items()}
    buffer = io.BytesIO()
    facts: dict[str, Any] = {"format": FORMAT, "size": rules.size, "rule": rules.rule.label}
    np.savez_compressed(buffer, **(facts | joined))
    write_atomic(file, buffer.getvalue())
    return len(joined["lengths"])


def _columns(rules: Rules, games: Games) -> dict[str, Column]:
    cell = np.uint8 if rules.num_cells <= 256 else np.uint16
    row = np.repeat(np.arange(len(games.counts)), games.counts)
    # Rows stay in their order, the greatest shares first in each.
    order = np.lexsort((-games.shares, row))
    rank = np.arange(len(row)) - np.repeat(np.cumsum(games.counts) - games.counts, games.counts)
    kept = order[rank < MOST_CELLS]
    row_of, share = row[kept], games.shares[kept].astype(np.float64)
    share /= np.bincount(row_of, share, len(games.counts))[row_of]
    steps = np.rint(share * 255).astype(np.uint8)
    row_of, kept, steps = row_of[steps > 0], kept[steps > 0], steps[steps > 0]
    value = np.rint((2 * games.hope - 1) * _STEPS)
    return {
        "moves": games.moves.astype(cell),
        "lengths": games.lengths.astype(np.uint16),
        "starts": games.starts.astype(np.uint8),
        "results": np.rint(2 * games.results).astype(np.uint8),
        "values": np.where(np.isnan(value), _PROVED, value).astype(np.int8),
        "counts": np.bincount(row_of, minlength=len(games.counts)).astype(np.uint8),
        "cells": games.cells[kept].astype(cell),
        "shares": steps,
    }


def unpack(rules: Rules, file: Path) -> Games:
    """The games of a file of :func:`pack`; a ValueError where it is of another board or rule."""
    with np.load(file, allow_pickle=False) as data:
        found = (int(data["format"]), int(data["size"]), str(data["rule"]))
        if found != (FORMAT, rules.size, rules.rule.label):
            expected = (FORMAT, rules.size, rules.rule.label)
            raise ValueError(f"{file}: format, size and rule {found}: expected {expected}")
        columns = {name: data[name] for name in data.files}
    counts = columns["counts"].astype(np.int64)
    row = np.repeat(np.arange(len(counts)), counts)
    shares = columns["shares"].astype(np.float32)
    shares /= np.bincount(row, shares, len(counts))[row].astype(np.float32)
    values = columns["values"].astype(np.float32)
    return Games(
        moves=columns["moves"].astype(np.int64),
        lengths=columns["lengths"].astype(np.int64),
        starts=columns["starts"].astype(np.int64),
        results=columns["results"].astype(np.float32) / 2,
        hope=np.where(values == _PROVED, np.float32(np.nan), (values / _STEPS + 1) / 2),
        counts=counts,
        cells=columns["cells"].astype(np.int64),
        shares=shares,
    )
