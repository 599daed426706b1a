"""What codebook nets are fitted to: positions of the engine's games, or of self-play with soft policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from research.fitting.games import PROVED
from research.fitting.gradient_kernels import quiet
from wuzi.core import Position, Rules
from wuzi.core.rule_kernels import to_point
from wuzi.evaluation.codebook import LOGIT
from wuzi.tactics import tables
from wuzi.tactics.layout import PATTERNS
from wuzi.training import Shards
from wuzi.training.data.games import SCHEMA

SHRINK = 0.9
"""A search's score counts as slightly less sure than it says."""

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Positions:
    """Positions at which the search would ask for a static value, seen by the side to move.

    Attributes:
        points: int64, the moves of all games one after the other, as points of the padded board.
        first: int64 [n], where a position's game begins in ``points``; ply: stones on the board.
        hope: float32 [n], the result that the search expects, 0 to 1; NaN where it has proved one.
        result: float32 [n], 1 won, 0.5 drawn, 0 lost.
        game: int64 [n], the number of the game.
        begin: int64 [n + 1], where the policy of each begins in ``wanted`` (int64, points) and ``shares``
            (float32): those of a search's moves, or the whole on the one that was played.
    """

    points: Ints
    first: Ints
    ply: Ints
    hope: Floats
    result: Floats
    game: Ints
    begin: Ints
    wanted: Ints
    shares: Floats


@dataclass(frozen=True)
class _Games:
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


def board(rules: Rules) -> tuple[Any, Any, Any]:
    """Empty state, patterns and tables for :func:`fitting.gradient_kernels.set_up`."""
    return Position(rules).state(), np.zeros(1, PATTERNS)[0], tables(rules.rule, rules.win_length)


def load(rules: Rules, paths: Sequence[Path]) -> Positions:
    """All usable positions of files of the engine's games, and of folders of self-play, on one size."""
    parts: dict[str, list[Any]] = {name: [] for name in Positions.__dataclass_fields__}
    moves_before, games_before = 0, 0
    points = np.array([to_point(cell, rules.size) for cell in range(rules.num_cells)], np.int64)
    for path in paths:
        found = _of_shards(rules, path) if path.is_dir() else _of_engine(rules, path)
        begin = np.cumsum(found.lengths) - found.lengths
        game = np.repeat(np.arange(len(found.lengths)), found.lengths)
        ply = np.arange(len(game)) - begin[game]
        keep = ply >= found.starts[game]
        black = found.results[game]
        parts["points"].append(points[found.moves])
        parts["first"].append(begin[game][keep] + moves_before)
        parts["ply"].append(ply[keep])
        parts["hope"].append(found.hope)
        parts["result"].append(np.where(ply % 2 == 0, black, 1 - black)[keep].astype(np.float32))
        parts["game"].append(game[keep] + games_before)
        parts["begin"].append(found.counts)
        parts["wanted"].append(points[found.cells])
        parts["shares"].append(found.shares)
        moves_before += len(game)
        games_before += len(found.lengths)
    joined = {name: np.concatenate(columns) for name, columns in parts.items()}
    keep = quiet(*board(rules), joined["points"], joined["first"], joined["ply"])
    of_kept = np.repeat(keep, joined["begin"])
    policy = {name: joined.pop(name)[of_kept] for name in ("wanted", "shares")}
    begin = np.concatenate([[0], np.cumsum(joined.pop("begin")[keep])]).astype(np.int64)
    points = joined.pop("points")
    return Positions(points, begin=begin, **policy, **{name: column[keep] for name, column in joined.items()})


def _of_engine(rules: Rules, path: Path) -> _Games:
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
    return _Games(columns["moves"], lengths, starts, results, hope, ones, moves, ones.astype(np.float32))


def _of_shards(rules: Rules, path: Path) -> _Games:
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
    return _Games(
        moves=np.concatenate([game.moves for game in games]),
        lengths=np.array([len(game.moves) for game in games], np.int64),
        starts=np.array([game.opening for game in games], np.int64),
        results=np.array([(game.result + 1) / 2 for game in games], np.float32),
        hope=np.where(np.abs(value) >= 1, np.float32(np.nan), (value + 1) / 2),
        counts=np.array([len(row.cells) for row in rows], np.int64),
        cells=np.concatenate([row.cells for row in rows]),
        shares=np.concatenate([row.shares for row in rows]).astype(np.float32),
    )
