"""What codebook nets are fitted to: positions of the engine's games, or of self-play with soft policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from research.fitting.gradient_kernels import quiet
from research.fitting.packed import unpack
from research.fitting.sources import Floats, Games, Ints, games_of_engine, games_of_shards
from wuzi.core import Position, Rules
from wuzi.core.rule_kernels import to_point
from wuzi.tactics import tables
from wuzi.tactics.layout import PATTERNS


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


def board(rules: Rules) -> tuple[Any, Any, Any]:
    """Empty state, patterns and tables for :func:`fitting.gradient_kernels.set_up`."""
    return Position(rules).state(), np.zeros(1, PATTERNS)[0], tables(rules.rule, rules.win_length)


def _read(rules: Rules, path: Path) -> Games:
    if path.is_dir():
        return games_of_shards(rules, path)
    with np.load(path, allow_pickle=False) as data:
        is_packed = "format" in data.files
    return unpack(rules, path) if is_packed else games_of_engine(rules, path)


def load(rules: Rules, paths: Sequence[Path]) -> Positions:
    """All usable positions of files of the engine's games, and of folders of self-play, on one size."""
    parts: dict[str, list[Any]] = {name: [] for name in Positions.__dataclass_fields__}
    moves_before, games_before = 0, 0
    points = np.array([to_point(cell, rules.size) for cell in range(rules.num_cells)], np.int64)
    for path in paths:
        found = _read(rules, path)
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
