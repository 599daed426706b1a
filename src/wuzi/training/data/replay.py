"""The window of positions that the net learns from, and the batches drawn from it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wuzi.core import Color, Position, Rules
from wuzi.core.layout import STATE
from wuzi.core.symmetry import NUM_SYMMETRIES, canonical_moves, cell_maps
from wuzi.errors import TrainingError
from wuzi.nets.evaluator import Floats
from wuzi.nets.planes import PlaneEncoder, Records, class_maps, run_counts
from wuzi.training.data import replay_kernels
from wuzi.training.data.games import SCHEMA, Flag, Row, SelfPlayGame
from wuzi.training.data.targets import OwnTargets, TargetRows
from wuzi.training.run.config import ReplaySection

Ints = npt.NDArray[np.int64]
SOFT_POWER = 0.25
"""The soft policy is the policy to this power (KataGo's soft target: temperature 4)."""


@dataclass(frozen=True, slots=True)
class TrainingBatch:
    """Positions and what is to be learned of them, in the same orientation; float32."""

    features: Floats  # [B, C, N, N]
    policy: Floats  # [B, N * N], the search's
    result: Floats  # [B], the game's for the side to move: 1, 0, -1
    value: Floats  # [B], the search's for the side to move, the result for games of an earlier schema
    policy_weight: Floats  # [B], how much a position counts for the policy
    value_weight: Floats  # [B], and for all else
    extra: dict[str, npt.NDArray[np.generic]]  # further targets by the name of the net's output


class Replay:
    """The last positions of the games of a run, for a net that reads these planes and has these outputs.

    Attributes:
        games: those in the window, the oldest first.
        rows: how many positions they have.
    """

    def __init__(self, rules: Rules, options: ReplaySection, planes: str, outputs: Iterable[str]) -> None:
        self.rules, self.options = rules, options
        self.games: deque[SelfPlayGame] = deque()
        self.rows = 0
        self._encoder = PlaneEncoder(planes, rules)
        self._outputs, self._own = frozenset(outputs), OwnTargets(options.targets)
        self._maps = np.array(cell_maps(rules.size))
        self._columns: deque[_Columns] = deque()
        self._stored: tuple[replay_kernels.StoredRows, _Columns] | None = None

    def add(self, game: SelfPlayGame) -> None:
        """Put a game at the end of the window."""
        self.games.append(game)
        self._columns.append(self._columns_of(game))
        self.rows += len(game.rows)
        self._stored = None

    def trim(self, size: int) -> None:
        """Drop the oldest games while at least ``size`` positions are left."""
        while self.games and self.rows - len(self.games[0].rows) >= size:
            self.rows -= len(self.games.popleft().rows)
            self._columns.popleft()
            self._stored = None

    def sample(self, count: int, rng: np.random.Generator) -> TrainingBatch:
        """Draw positions, each once unless there are too few; a TrainingError where the window is empty."""
        if not self.rows:
            raise TrainingError("no positions to learn from: no game of self-play has ended yet")
        chosen = rng.choice(self.rows, size=count, replace=count > self.rows)
        turns = rng.integers(NUM_SYMMETRIES, size=count) if self.options.symmetry else np.zeros(count, int)
        return self._batch(chosen.astype(np.int64), turns.astype(np.int64))

    def features(self, count: int, seed: int = 0) -> Floats:
        """Feature planes of positions of the window, to measure a net on."""
        return self.sample(count, np.random.default_rng(seed)).features

    def _batch(self, chosen: Ints, turns: Ints) -> TrainingBatch:
        """The positions of the window with these numbers, in these orientations."""
        if self._stored is None:
            self._stored = _stored(self.games, self._columns)
        stored, columns = self._stored
        count, cells, rules = len(chosen), self.rules.num_cells, self.rules
        games = np.searchsorted(stored.row_starts, chosen, side="right") - 1
        replies, lines = (count if name in self._outputs else 0 for name in ("reply_policy", "final_line"))
        targets = replay_kernels.RowTargets(
            plies=np.zeros(count, np.int64),
            results=np.zeros(count, np.int64),
            policy=np.zeros((count, cells), np.float32),
            replies=np.zeros((replies, cells), np.float32),
            lines=np.zeros((lines, cells), np.int64),
            left=np.zeros(count, np.float32),
        )
        boards = np.zeros(count, STATE)
        how = self._maps, rules.size, rules.win_length, int(rules.rule)
        replay_kernels.set_up_rows(stored, games, chosen, turns, *how, boards, targets)
        results = targets.results.astype(np.float32)
        values = np.where(columns.searched[chosen], columns.values[chosen], results).astype(np.float32)
        left = np.rint(targets.left * cells).astype(np.int64)
        rows = TargetRows(rules, boards, targets.plies, results, targets.policy, values, left)
        extra = self._extra(targets, boards) | self._own.of(rows)
        return TrainingBatch(
            features=self._encoder.encode(boards),
            policy=extra.pop("policy", targets.policy),
            result=extra.pop("result", results),
            value=extra.pop("value", values),
            policy_weight=columns.policy_weights[chosen],
            value_weight=columns.value_weights[chosen],
            extra=extra,
        )

    def _extra(
        self, targets: replay_kernels.RowTargets, boards: Records
    ) -> dict[str, npt.NDArray[np.generic]]:
        found: dict[str, npt.NDArray[np.generic]] = {}
        if "soft_policy" in self._outputs:
            soft = np.power(targets.policy, SOFT_POWER)
            found["soft_policy"] = (soft / soft.sum(axis=1, keepdims=True)).astype(np.float32)
        if "reply_policy" in self._outputs:
            found["reply_policy"] = targets.replies
        if "moves_left" in self._outputs:
            found["moves_left"] = targets.left
        if "final_line" in self._outputs:
            found["final_line"] = targets.lines.reshape(-1, self.rules.size, self.rules.size)
        if "patterns" in self._outputs:
            found["patterns"] = run_counts(boards)
        if "cell_classes" in self._outputs:
            found["cell_classes"] = class_maps(boards, self.rules)
        return found

    def _columns_of(self, game: SelfPlayGame) -> _Columns:
        rows, line = game.rows, tuple[int, ...]()
        if game.reason == "line" and "final_line" in self._outputs:
            line = winning_row(self.rules, tuple(game.moves.tolist()))
        return _Columns(
            counts=np.array([len(row.cells) for row in rows], np.int64),
            cells=np.concatenate([row.cells for row in rows]) if rows else np.zeros(0, np.int16),
            shares=np.concatenate([row.shares for row in rows]) if rows else np.zeros(0, np.float32),
            values=np.array([row.value for row in rows], np.float32),
            searched=np.full(len(rows), game.schema == SCHEMA),
            policy_weights=policy_weights(rows, self.options),
            value_weights=np.array([value_weight(row.flags, self.options) for row in rows], np.float32),
            line=np.array(line, np.int16),
        )


class _Columns(NamedTuple):
    """The searches of a game, or of several, column by column; and the cells of the row that won."""

    counts: Ints  # cells with a share in the policy
    cells: npt.NDArray[np.int16]
    shares: Floats
    values: Floats
    searched: npt.NDArray[np.bool_]  # whether the value is of today's schema
    policy_weights: Floats
    value_weights: Floats
    line: npt.NDArray[np.int16]


def _stored(
    games: Sequence[SelfPlayGame], columns: Sequence[_Columns]
) -> tuple[replay_kernels.StoredRows, _Columns]:
    """Games one after the other, as the kernels take them."""
    whole = _Columns(*(np.concatenate(parts) for parts in zip(*columns, strict=True)))
    stored = replay_kernels.StoredRows(
        row_starts=_starts([len(game.rows) for game in games]),
        move_starts=_starts([len(game.moves) for game in games]),
        line_starts=_starts([len(part.line) for part in columns]),
        openings=np.array([game.opening for game in games], np.int64),
        results=np.array([game.result for game in games], np.int64),
        moves=np.concatenate([game.moves for game in games]),
        lines=whole.line,
        cell_starts=_starts(whole.counts),
        cells=whole.cells,
        shares=whole.shares,
    )
    return stored, whole


def _starts(lengths: npt.ArrayLike) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def value_weight(flags: int, options: ReplaySection) -> float:
    """How much a search with these flags counts, but for its policy."""
    weight = _weight(flags, options)
    return weight * options.fast_value_weight if _is_short(flags) else weight


def _weight(flags: int, options: ReplaySection) -> float:
    weight = options.soft_weight if flags & Flag.SOFT else 1.0
    return weight * options.decided_weight if flags & Flag.DECIDED else weight


def _is_short(flags: int) -> bool:
    return flags & (Flag.FAST | Flag.SOFT) == Flag.FAST


def policy_weights(rows: Sequence[Row], options: ReplaySection) -> Floats:
    """How much the policy of each search of a game counts, float32 [R].

    A share of the game's sum goes to its searches by how far they moved the policy (KataGo's policy surprise
    weighting, Wu 2019).
    """
    weights = np.where([_is_short(row.flags) for row in rows], options.fast_weight, 1.0)
    weights *= [_weight(row.flags, options) for row in rows]
    found = weights * [row.surprise for row in rows]
    if options.surprise_share and (total := found.sum()) > 0:
        share = options.surprise_share
        weights = (1 - share) * weights + share * weights.sum() * found / total
    return weights.astype(np.float32)


def winning_row(rules: Rules, moves: tuple[int, ...]) -> tuple[int, ...]:
    """The cells of the row that the last of these moves completed.

    >>> winning_row(Rules(size=5, win_length=3), (0, 5, 1, 6, 2))
    (0, 1, 2)
    """
    cells = np.zeros(rules.num_cells, np.int8)
    cells[list(moves[::2])], cells[list(moves[1::2])] = Color.BLACK, Color.WHITE
    rows = Position.from_cells(rules, cells).winning_rows(moves[-1])
    return tuple(map(int, rows[0])) if rows else ()


def duplicate_share(games: Iterable[SelfPlayGame], size: int) -> float:
    """The share of games that repeat an earlier one, mirror images included."""
    found = [canonical_moves(game.moves.tolist(), size) for game in games]
    return 1 - len(set(found)) / len(found) if found else 0.0


def policy_entropy(games: Iterable[SelfPlayGame]) -> float:
    """Mean entropy of the searches' policies, in nats; 0 without any."""
    total, count = 0.0, 0
    for game in games:
        for row in game.rows:
            shares = row.shares / row.shares.sum()
            total -= float((shares * np.log(shares)).sum())
            count += 1
    return total / count if count else 0.0
