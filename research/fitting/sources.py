"""Games that codebook nets are fitted to, as their files hold them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from research.fitting.games import PROVED
from wuzi.core import Rules
from wuzi.evaluation.codebook import LOGIT
from wuzi.training import Shards
from wuzi.training.data.games import SCHEMA

SHRINK = 0.9
"""A search's score counts as slightly less sure than it says."""

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Games:
    """Games of one source: all moves (cells), and by game their number, the first searched, Black's result.

    By searched move: ``hope`` and how many ``cells`` have ``shares`` in its policy.
    """

    moves: npt.NDArray[Any]
    lengths: Ints
    starts: Ints
    results: Floats
    hope: Floats
    counts: Ints
    cells: npt.NDArray[Any]
    shares: Floats


def games_of_engine(rules: Rules, path: Path) -> Games:
    """The games of a file that ``fit_evaluation.py play`` wrote: the policy is the move played."""
    with np.load(path, allow_pickle=False) as data:
        if int(data["size"]) != rules.size:
            raise ValueError(f"{path}: games of size {data['size']}: expected {rules.size}")
        columns = {name: data[name] for name in data.files}
    lengths, starts = columns["lengths"].astype(np.int64), columns["starts"].astype(np.int64)
    searched = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    searched = searched >= np.repeat(starts, lengths)
    score, moves = columns["scores"][searched].astype(np.float32), columns["moves"][searched]
    hope = 1 / (1 + np.exp(-SHRINK * np.clip(score, -4000, 4000) / LOGIT))
    hope = np.where(np.abs(score) >= PROVED, np.nan, hope).astype(np.float32)
    ones = np.ones(len(moves), np.int64)
    results = columns["results"].astype(np.float32)
    return Games(columns["moves"], lengths, starts, results, hope, ones, moves, ones.astype(np.float32))


def games_of_shards(rules: Rules, path: Path) -> Games:
    """The games of a folder of self-play (``wuzi selfplay``): the policy is what each search found."""
    games = list(Shards(path).read(0))
    if not games:
        raise ValueError(f"{path}: no games of self-play in this folder")
    for game in games:
        if game.schema != SCHEMA:
            raise ValueError(f"{path}: game {game.number} of schema {game.schema}: expected {SCHEMA}")
        if game.moves.max() >= rules.num_cells:
            raise ValueError(
                f"{path}: game {game.number} is of a larger board than {rules.size}x{rules.size}"
            )
    rows = [row for game in games for row in game.rows]
    value = np.array([row.value for row in rows], np.float32)
    return Games(
        moves=np.concatenate([game.moves for game in games]),
        lengths=np.array([len(game.moves) for game in games], np.int64),
        starts=np.array([game.opening for game in games], np.int64),
        results=np.array([(game.result + 1) / 2 for game in games], np.float32),
        hope=np.where(np.abs(value) >= 1, np.float32(np.nan), (value + 1) / 2),
        counts=np.array([len(row.cells) for row in rows], np.int64),
        cells=np.concatenate([row.cells for row in rows]),
        shares=np.concatenate([row.shares for row in rows]).astype(np.float32),
    )
