"""The window of positions that the net learns from, and the batches drawn from it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from wuzi.core import Color, Position, Rules
from wuzi.core.layout import STATE
from wuzi.core.symmetry import NUM_SYMMETRIES, canonical_moves, cell_maps
from wuzi.errors import TrainingError
from wuzi.nets.evaluator import Floats
from wuzi.nets.planes import PlaneEncoder, Records, class_maps, run_counts
from wuzi.training.data.games import SCHEMA, Flag, Row, SelfPlayGame
from wuzi.training.data.replay_kernels import set_up_boards
from wuzi.training.run.config import ReplaySection

Ints = npt.NDArray[np.int64]
Picks = list[tuple[SelfPlayGame, int]]
"""Games, and which of their searches."""

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
        self._outputs = frozenset(outputs)
        self._maps = np.array(cell_maps(rules.size))
        self._starts: Ints | None = None
        self._policy_weights: deque[Floats] = deque()

    def add(self, game: SelfPlayGame) -> None:
        """Put a game at the end of the window."""
        self.games.append(game)
        self._policy_weights.append(policy_weights(game.rows, self.options))
        self.rows += len(game.rows)
        self._starts = None

    def trim(self, size: int) -> None:
        """Drop the oldest games while at least ``size`` positions are left."""
        while self.games and self.rows - len(self.games[0].rows) >= size:
            self.rows -= len(self.games.popleft().rows)
            self._policy_weights.popleft()
            self._starts = None

    def sample(self, count: int, rng: np.random.Generator) -> TrainingBatch:
        """Draw positions, each once unless there are too few; a TrainingError where the window is empty."""
        if not self.rows:
            raise TrainingError("no positions to learn from: no game of self-play has ended yet")
        if self._starts is None:
            self._starts = np.cumsum([0, *(len(game.rows) for game in self.games)])
        chosen = rng.choice(self.rows, size=count, replace=count > self.rows)
        turns = rng.integers(NUM_SYMMETRIES, size=count) if self.options.symmetry else np.zeros(count, int)
        games = np.searchsorted(self._starts, chosen, side="right") - 1
        rows = chosen - self._starts[games]
        pairs = list(zip(games.tolist(), rows.tolist(), strict=True))
        weights = np.array([self._policy_weights[game][row] for game, row in pairs], np.float32)
        return self._batch([(self.games[game], row) for game, row in pairs], turns.astype(np.int64), weights)

    def features(self, count: int, seed: int = 0) -> Floats:
        """Feature planes of positions of the window, to measure a net on."""
        return self.sample(count, np.random.default_rng(seed)).features

    def _batch(self, picks: Picks, turns: Ints, policy_weight: Floats | None = None) -> TrainingBatch:
        count, cells = len(picks), self.rules.num_cells
        plies = np.array([game.opening + row for game, row in picks], np.int64)
        rules = self.rules
        moves = np.zeros((count, int(plies.max()) + 1), np.int16)
        for i, (game, _) in enumerate(picks):
            moves[i, : plies[i]] = game.moves[: plies[i]]
        boards = np.zeros(count, STATE)
        set_up_boards(boards, moves, plies, turns, self._maps, rules.size, rules.win_length, int(rules.rule))
        side = np.where(plies % 2 == 0, 1.0, -1.0)
        result = np.array([game.result for game, _ in picks]) * side
        rows = [game.rows[row] for game, row in picks]
        searched = [game.schema == SCHEMA for game, _ in picks]
        policy = np.zeros((count, cells), np.float32)
        for i, row in enumerate(rows):
            policy[i, self._maps[turns[i], row.cells]] = row.shares
        policy /= policy.sum(axis=1, keepdims=True)
        return TrainingBatch(
            features=self._encoder.encode(boards),
            policy=policy,
            result=result.astype(np.float32),
            value=np.where(searched, [row.value for row in rows], result).astype(np.float32),
            policy_weight=np.ones(count, np.float32) if policy_weight is None else policy_weight,
            value_weight=np.array([value_weight(row.flags, self.options) for row in rows], np.float32),
            extra=self._extra(picks, plies, turns, boards, policy),
        )

    def _extra(
        self, picks: Picks, plies: Ints, turns: Ints, boards: Records, policy: Floats
    ) -> dict[str, npt.NDArray[np.generic]]:
        found: dict[str, npt.NDArray[np.generic]] = {}
        if "soft_policy" in self._outputs:
            soft = np.power(policy, SOFT_POWER)
            found["soft_policy"] = (soft / soft.sum(axis=1, keepdims=True)).astype(np.float32)
        if "reply_policy" in self._outputs:
            found["reply_policy"] = self._replies(picks, turns)
        if "moves_left" in self._outputs:
            left = np.array([len(game.moves) for game, _ in picks]) - plies
            found["moves_left"] = (left / self.rules.num_cells).astype(np.float32)
        if "final_line" in self._outputs:
            found["final_line"] = self._final_lines(picks, plies, turns)
        if "patterns" in self._outputs:
            found["patterns"] = run_counts(boards)
        if "cell_classes" in self._outputs:
            found["cell_classes"] = class_maps(boards, self.rules)
        return found

    def _replies(self, picks: Picks, turns: Ints) -> Floats:
        """The policy of the next search, zeros at the end of a game."""
        replies = np.zeros((len(picks), self.rules.num_cells), np.float32)
        for i, (game, row) in enumerate(picks):
            if row + 1 < len(game.rows):
                after = game.rows[row + 1]
                replies[i, self._maps[turns[i], after.cells]] = after.shares / after.shares.sum()
        return replies

    def _final_lines(self, picks: Picks, plies: Ints, turns: Ints) -> Ints:
        """A cell's part in the winning row: 0 none, 1 own, 2 the enemy's; -1 where there is no such row."""
        size = self.rules.size
        lines = np.zeros((len(picks), size * size), np.int64)
        for i, (game, _) in enumerate(picks):
            row = winning_row(self.rules, tuple(game.moves.tolist())) if game.reason == "line" else ()
            own = game.result == (1 if plies[i] % 2 == 0 else -1)
            lines[i, self._maps[turns[i], list(row)]] = 1 if own else 2
            if not row:
                lines[i] = -1
        return lines.reshape(-1, size, size)


def value_weight(flags: int, options: ReplaySection) -> float:
    """How much a search with these flags counts, but for its policy."""
    weight = options.soft_weight if flags & Flag.SOFT else 1.0
    return weight * options.decided_weight if flags & Flag.DECIDED else weight


def policy_weights(rows: Sequence[Row], options: ReplaySection) -> Floats:
    """How much the policy of each search of a game counts, float32 [R].

    A share of the game's sum goes to its searches by how far they moved the policy (KataGo's policy surprise
    weighting, Wu 2019).
    """
    short = [row.flags & (Flag.FAST | Flag.SOFT) == Flag.FAST for row in rows]
    weights = np.where(short, options.fast_weight, 1.0)
    weights *= [value_weight(row.flags, options) for row in rows]
    found = weights * [row.surprise for row in rows]
    if options.surprise_share and (total := found.sum()) > 0:
        share = options.surprise_share
        weights = (1 - share) * weights + share * weights.sum() * found / total
    return weights.astype(np.float32)


@lru_cache(maxsize=20_000)
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
