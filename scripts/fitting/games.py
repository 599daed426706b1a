"""Self-play games for the fit, and the positions in them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.contract import Limit
from wuzi.core import Color, Game, Rules
from wuzi.core.kernels import to_point
from wuzi.core.position import Position
from wuzi.evaluators.fitted import FittedValues, mirrored
from wuzi.records.atomic import write_atomic
from wuzi.search.alphabeta import AlphaBetaSearch, EngineOptions
from wuzi.tactics.classes import CellClass, tables
from wuzi.tactics.kernels import pattern_push, patterns_from_state, threat_index
from wuzi.tactics.layout import PATTERNS

PROVED = 30_000
"""Scores are stored clipped to this; one so large is a proved result."""

OPENING_NODES = 1000
EVEN = 260


def opening(rules: Rules, search: AlphaBetaSearch, rng: np.random.Generator) -> Game:
    """Two to ten random stones near the centre that a short search thinks roughly even."""
    middle, shift = rules.size // 2, 2 if rules.size > 11 else 0
    while True:
        half = min(int(rng.integers(2, 5)), middle - 1)
        row, col = (middle + int(rng.integers(-shift, shift + 1)) for _ in range(2))
        rows, cols = (range(max(0, x - half), min(rules.size, x + half + 1)) for x in (row, col))
        cells = [r * rules.size + c for r in rows for c in cols]
        game = Game(rules)
        for cell in rng.choice(cells, min(int(rng.integers(2, 11)), len(cells)), replace=False):
            if game.outcome is None:
                game = game.play(int(cell))
        if game.outcome is not None:
            continue
        line = search.run(game.position, Limit(nodes=OPENING_NODES)).lines[0]
        if line.win_in is None and abs(line.score or 0.0) < EVEN:
            return game


def play_games(rules: Rules, values: FittedValues, path: Path, games: int, nodes: int, seed: int) -> None:
    """Play ``games`` games at half to one and a half times ``nodes`` a move and write them to ``path``."""
    rng = np.random.default_rng(seed)
    search = AlphaBetaSearch(rules, EngineOptions(table_mb=4, vcf_nodes=100, root_vcf_nodes=3000), values)
    columns: dict[str, list[Any]] = {name: [] for name in ("moves", "scores", "starts", "lengths", "results")}
    start = time.perf_counter()
    for number in range(games):
        search.clear()
        game = opening(rules, search, rng)
        columns["starts"].append(game.ply)
        scores, winner = [0] * game.ply, None
        while game.outcome is None:
            line = search.run(game.position, Limit(nodes=int(nodes * rng.uniform(0.5, 1.5)))).lines[0]
            scores.append(int(np.clip(line.score or 0.0, -PROVED, PROVED)))
            if line.win_in:
                winner = game.to_move if line.win_in > 0 else game.to_move.opponent
                game = game.play(line.move)
                break
            game = game.play(line.move)
        if game.outcome is not None:
            winner = game.outcome.winner
        columns["moves"].extend(int(move) for move in game.moves)
        columns["scores"].extend(scores)
        columns["lengths"].append(len(game.moves))
        columns["results"].append(0.5 if winner is None else float(winner is Color.BLACK))
        if number % 500 == 499 or number == games - 1:
            print(f"{number + 1} games, {time.perf_counter() - start:.0f} s", flush=True)
    _write(path, rules, columns)


def _write(path: Path, rules: Rules, columns: dict[str, list[Any]]) -> None:
    import io

    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        size=np.array(rules.size),
        moves=np.array(columns["moves"], np.int16),
        scores=np.array(columns["scores"], np.int16),
        starts=np.array(columns["starts"], np.int16),
        lengths=np.array(columns["lengths"], np.int16),
        results=np.array(columns["results"], np.float32),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, buffer.getvalue())


@dataclass(frozen=True, slots=True)
class Sample:
    """A position at which the search would ask for a static value, seen by the side to move.

    Attributes:
        cells: the empty cells. pairs: own class * 14 + enemy class of each. windows: [cells, 4], keys
            with the side to move as Black, a mirrored pair as one. near: which are candidates.
        threats: :func:`wuzi.tactics.kernels.threat_index`. score: the search's, for the side to move.
        result: 1 won, 0.5 drawn, 0 lost. move: what the search played. last: the two moves before,
            -1 for none. game: its number.
    """

    cells: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int64]
    windows: npt.NDArray[np.int64]
    near: npt.NDArray[np.bool_]
    threats: int
    side: int
    score: int
    result: float
    move: int
    last: tuple[int, int]
    game: int


def samples(rules: Rules, paths: list[Path]) -> Iterator[Sample]:
    """All usable positions of files of games."""
    table = tables(rules.rule, rules.win_length)
    num_keys = 4 ** (2 * int(table["radius"]))
    keys = np.arange(num_keys, dtype=np.int64)
    canonical = np.minimum(keys, mirrored(keys, num_keys))
    turned = ((keys & 0x55555555) << 1) | ((keys >> 1) & 0x55555555)
    as_seen_by = (canonical, canonical[turned])
    number = 0
    for path in paths:
        with np.load(path, allow_pickle=False) as data:
            size, columns = int(data["size"]), {name: data[name] for name in data.files}
        board = Rules(size, rules.win_length, rules.rule)
        end = 0
        for start, length, result in zip(
            columns["starts"], columns["lengths"], columns["results"], strict=True
        ):
            end += int(length)
            part = slice(end - int(length), end)
            moves, scores = columns["moves"][part].tolist(), columns["scores"][part].tolist()
            yield from _of_game(board, table, moves, scores, int(start), float(result), as_seen_by, number)
            number += 1


def _of_game(
    rules: Rules,
    table: Any,
    moves: list[int],
    scores: list[int],
    start: int,
    result: float,
    as_seen_by: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    number: int,
) -> Iterator[Sample]:
    size = rules.size
    points = np.array([to_point(cell, size) for cell in range(size * size)])
    state, patterns = Position(rules).state(), np.zeros(1, PATTERNS)[0]
    patterns_from_state(state, patterns, table)
    near = np.zeros((size + 4, size + 4), np.bool_)
    for ply, move in enumerate(moves):
        side = int(state["side"])
        own, foe = patterns["counts"][side - 1], patterns["counts"][2 - side]
        quiet = not (own[CellClass.FIVE] or foe[CellClass.FIVE] or own[CellClass.OPEN_FOUR])
        if ply >= start and quiet:
            cells = np.flatnonzero(state["cells"][points] == 0)
            at = points[cells]
            mine = patterns["classes"][side - 1][at].astype(np.int64)
            theirs = patterns["classes"][2 - side][at].astype(np.int64)
            yield Sample(
                cells=cells,
                pairs=mine * 14 + theirs,
                windows=as_seen_by[side - 1][patterns["keys"][:, at].astype(np.int64)].T,
                near=near[2:-2, 2:-2].ravel()[cells] | (mine > 1) | (theirs > 1),
                threats=int(threat_index(patterns, side)),
                side=side - 1,
                score=scores[ply],
                result=result if side == 1 else 1 - result,
                move=move,
                last=(moves[ply - 1] if ply > 0 else -1, moves[ply - 2] if ply > 1 else -1),
                game=number,
            )
        if ply < len(moves) - 1:
            pattern_push(state, patterns, table, int(points[move]))
            row, col = divmod(move, size)
            near[row : row + 5, col : col + 5] = True
