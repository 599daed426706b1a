"""Games with labels as rows to learn from: from a teacher's scores to a policy, and win, draw and loss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core import Rules, rule_kernels
from wuzi.core.layout import STATE
from wuzi.core.notation import Move
from wuzi.core.position import Position
from wuzi.core.symmetry import cell_maps, transform_planes
from wuzi.errors import ConfigError
from wuzi.nets.evaluator import Floats
from wuzi.nets.planes import PlaneEncoder, Records, run_counts
from wuzi.training.data.replay_kernels import set_up_positions
from wuzi.training.methods.distill.game_file import (
    LabelledGame,
    LabelledMove,
    read_games,
    read_settings,
    rules_of_settings,
)

Doubles = npt.NDArray[np.float64]
_FAR = 4000.0
"""Scores are cut here: beyond it a move is as good as won or lost."""


def label_policy(candidates: Sequence[LabelledMove], num_cells: int, tau: float) -> Floats:
    """The teacher's policy float32 [cells]: visits where it counted any, else softmax(score / tau)."""
    policy = np.zeros(num_cells, np.float32)
    cells = [candidate.cell for candidate in candidates]
    visits = np.array([candidate.visits for candidate in candidates], np.float64)
    policy[cells] = visits / visits.sum() if visits.any() else _softmax(_scores(candidates), tau)
    return policy


def _scores(candidates: Sequence[LabelledMove]) -> Doubles:
    return np.clip([candidate.score or 0.0 for candidate in candidates], -_FAR, _FAR)


def _softmax(scores: Doubles, tau: float) -> Doubles:
    weights = np.exp((scores - scores.max()) / tau)
    return np.asarray(weights / weights.sum())


def fit_tau(labels: Sequence[Sequence[LabelledMove]], share: float) -> float:
    """The temperature in points at which the best candidate gets ``share`` of the policy on average.

    A share that no temperature gives (proven moves keep all of theirs) gives the nearest bound, 1 or 10,000.
    """
    scores = [_scores(candidates) for candidates in labels if len(candidates) > 1]
    if not scores:
        return 1.0
    low, high = 1.0, 10_000.0
    for _ in range(40):
        tau = float(np.sqrt(low * high))
        mean = float(np.mean([_softmax(row, tau).max() for row in scores]))
        low, high = (tau, high) if mean > share else (low, tau)
    return low


@dataclass(frozen=True, slots=True)
class ResultModel:
    """Win, draw and loss from a score: an ordered logistic model.

    ``P(win) = sigmoid((s - draw) / scale)``, ``P(loss) = sigmoid((-s - draw) / scale)``, a draw what is left.
    """

    scale: float  # points of one unit of log-odds (Texel's k)
    draw: float  # the score at which winning is as likely as not

    def wdl(self, scores: npt.ArrayLike) -> Doubles:
        """Probabilities float64 [R, 3] of win, draw and loss."""
        s = np.clip(np.asarray(scores, np.float64), -_FAR, _FAR)
        win, loss = _sigmoid((s - self.draw) / self.scale), _sigmoid((-s - self.draw) / self.scale)
        return np.stack([win, np.maximum(0.0, 1.0 - win - loss), loss], axis=-1)


def fit_results(scores: npt.ArrayLike, results: npt.ArrayLike) -> ResultModel:
    """The likeliest model of game results (1 won, 0 drawn, -1 lost by the side that the score is for).

    Found on a grid that is refined three times; the same data give the same model. A ConfigError without
    scores, or where there are not as many results.
    """
    s, z = np.asarray(scores, np.float64), np.asarray(results, np.int64)
    if len(s) == 0 or len(s) != len(z):
        raise ConfigError(f"{len(s)} scores and {len(z)} results: expected equally many, at least one")

    def surprise(model: ResultModel) -> float:
        chances = model.wdl(s)[np.arange(len(z)), 1 - z]
        return float(-np.log(np.maximum(chances, 1e-6)).mean())

    best, spread = ResultModel(200.0, 0.0), 10.0
    for _ in range(4):
        models = []
        for k in (best.scale * np.geomspace(1 / spread, spread, 13)).tolist():
            draws = np.maximum(0.0, best.draw + k * np.log(spread) * np.linspace(-1.5, 1.5, 13))
            models += [ResultModel(k, draw) for draw in np.unique(draws).tolist()]
        best = min(models, key=surprise)
        spread **= 0.4
    return best


def _sigmoid(x: Doubles) -> Doubles:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))


def document_soft_label(features: Floats) -> Floats:
    """Document 000's soft label float32 [R]: ``tanh(0.1 * sum of the six counts)``; flawed, see the docs."""
    found: Floats = np.tanh(0.1 * features.sum(axis=1)).astype(np.float32)
    return found


@dataclass(frozen=True)
class PositionPlanes:
    """The feature planes of positions [R] of games, encoded when NumPy makes an array of them.

    It takes 16 bytes a position and two a move; the planes ``tactical18-v1`` of 15x15 take 4,050.
    """

    encoder: PlaneEncoder
    moves: npt.NDArray[np.int16]  # of all games, one after the other
    starts: npt.NDArray[np.int64]  # [R], where the position's game begins
    plies: npt.NDArray[np.int64]  # [R], how many of its moves are on the board

    @classmethod
    def of_games(cls, encoder: PlaneEncoder, games: Sequence[Sequence[int]]) -> PositionPlanes:
        """The position before each move of some games."""
        lengths = np.array([len(game) for game in games], np.int64)
        starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
        moves = np.concatenate([np.array(game, np.int16) for game in games])
        return cls(encoder, moves, starts, np.arange(len(moves)) - starts)

    def __len__(self) -> int:
        return len(self.plies)

    def __getitem__(self, rows: Any) -> PositionPlanes:
        return replace(self, starts=self.starts[rows], plies=self.plies[rows])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        rules, which = self.encoder.rules, (self.starts, self.plies)
        starts, plies = (np.ascontiguousarray(np.atleast_1d(array)) for array in which)
        states = np.zeros(len(plies), STATE)
        set_up_positions(self.moves, starts, plies, rules.size, rules.win_length, int(rules.rule), states)
        found = self.encoder.encode(states).astype(dtype or np.uint8)
        return found.reshape(*self.plies.shape, *found.shape[1:])


@dataclass
class DistillRows:
    """Positions [R], each from the view of its side to move."""

    planes: npt.NDArray[np.uint8] | PositionPlanes  # [R, C, N, N]
    features: Floats  # [R, 6], the six counts of patterns
    policy: Floats  # [R, cells], the teacher's; all zeros where it said nothing
    wdl: Floats  # [R, 3], the teacher's win, draw and loss; NaN where it said nothing
    played: npt.NDArray[np.int64]  # [R], the player's move; -1 where it was drawn at random
    results: Floats  # [R]: 1 won, 0 drawn, -1 lost
    games: npt.NDArray[np.int64]  # [R], the game's number

    def __len__(self) -> int:
        return len(self.played)

    def take(self, rows: Any) -> DistillRows:
        """Some rows."""
        return DistillRows(**{name: value[rows] for name, value in vars(self).items()})

    def split(self, share: float) -> tuple[DistillRows, DistillRows]:
        """Rows to learn from and rows held out, whole games apart: every 1 / ``share``-th game."""
        held = self.games % max(2, round(1 / share)) == 0 if share > 0 else np.zeros(len(self), bool)
        return self.take(~held), self.take(held)

    def turned(self, symmetry: int) -> DistillRows:
        """The rows as a symmetry of the board takes them."""
        planes = np.asarray(self.planes)
        size = planes.shape[-1]
        where, squares = cell_maps(size)[symmetry], self.policy.reshape(-1, size, size)
        return replace(
            self,
            planes=np.ascontiguousarray(transform_planes(planes, symmetry)),
            policy=np.ascontiguousarray(transform_planes(squares, symmetry)).reshape(self.policy.shape),
            played=np.where(self.played >= 0, where[np.maximum(self.played, 0)], -1),
        )


def game_records(rules: Rules, moves: Sequence[int]) -> Records:
    """Kernel records [len(moves)]: the position before each move, with its history."""
    records = np.zeros(len(moves), STATE)
    state = Position(rules).state()
    for ply, move in enumerate(moves):
        records[ply] = state
        rule_kernels.push(state, rule_kernels.to_point(int(move), rules.size))
    return records


def searched_game(
    rules: Rules, number: int, moves: Sequence[int], visits: Sequence[Mapping[int, int]], winner: int
) -> LabelledGame:
    """A self-play game of a search as a game with labels.

    The root's visits by cell before each move (none where that position is no target) become the policy.
    """
    counts = run_counts(game_records(rules, moves)).astype(int)
    return LabelledGame(
        number=number,
        moves=tuple(Move(move, rules.size) for move in moves),
        random=tuple(ply for ply, found in enumerate(visits) if not found),
        winner=winner,
        features=tuple(map(tuple, counts.tolist())),
        labels=tuple(tuple(LabelledMove(cell, None, n) for cell, n in found.items()) for found in visits),
    )


def rows_of_games(
    games: Iterable[LabelledGame], rules: Rules, planes: str, *, top_share: float = 0.6
) -> tuple[DistillRows, ResultModel | None]:
    """All positions of some games, with the feature planes of a name; a ConfigError without games.

    The teacher's best move gets ``top_share`` of its policy on average, where it gives scores. The model is
    that which turned scores into win, draw and loss; None without labels.
    """
    found = list(games)
    if not found:
        raise ConfigError("no games to learn from")
    results = np.concatenate([_results(game) for game in found])
    labels = [candidates for game in found for candidates in game.labels or ((),) * len(game.moves)]
    policy, wdl, model = _taught(labels, results, rules.num_cells, top_share)
    rows = DistillRows(
        PositionPlanes.of_games(PlaneEncoder(planes, rules), [game.moves for game in found]),
        np.concatenate([np.array(game.features, np.float32) for game in found]),
        policy,
        wdl,
        np.concatenate([_played(game) for game in found]),
        results.astype(np.float32),
        np.concatenate([np.full(len(game.moves), game.number) for game in found]),
    )
    return rows, model


def _taught(
    labels: Sequence[Sequence[LabelledMove]], results: npt.NDArray[np.int64], num_cells: int, top_share: float
) -> tuple[Floats, Floats, ResultModel | None]:
    """The teacher's policy [R, cells] and win, draw and loss [R, 3], and the model of the latter."""
    policy = np.zeros((len(labels), num_cells), np.float32)
    wdl = np.full((len(labels), 3), np.nan, np.float32)
    tau = fit_tau([found for found in labels if found and not found[0].visits], top_share)
    for row, candidates in enumerate(labels):
        if candidates:
            policy[row] = label_policy(candidates, num_cells, tau)
    scores = np.array([found[0].score if found else None for found in labels], np.float64)
    proven = np.array([(found[0].win_in or 0) if found else 0 for found in labels])
    open_ = ~np.isnan(scores) & (proven == 0)
    model = fit_results(scores[open_], results[open_]) if open_.any() else None
    if model is not None:
        wdl[open_] = model.wdl(scores[open_])
    wdl[proven > 0], wdl[proven < 0] = (1, 0, 0), (0, 0, 1)
    return policy, wdl, model


def load_rows(
    folders: Sequence[Path], planes: str, *, top_share: float = 0.6
) -> tuple[DistillRows, Rules, ResultModel | None]:
    """The rows of one or several folders of ``wuzi gen-data``; a ConfigError for folders of different boards,
    or with and without labels, a RecordError for a damaged one.
    """
    rules = [rules_of_settings(read_settings(folder)) for folder in folders]
    if len(set(rules)) != 1:
        raise ConfigError(f"data of {' and '.join(sorted({r.label for r in rules}))}: expected one board")
    games: list[LabelledGame] = []
    for folder in folders:
        for game in read_games(folder, rules[0].size):
            # Numbers tell games apart when some are held out.
            games.append(replace(game, number=len(games)))
    if len({bool(game.labels) for game in games}) > 1:
        raise ConfigError("some data have labels and some have none: expected one or the other")
    rows, model = rows_of_games(games, rules[0], planes, top_share=top_share)
    return rows, rules[0], model


def _results(game: LabelledGame) -> npt.NDArray[np.int64]:
    movers = np.arange(len(game.moves)) % 2 + 1
    return np.where(game.winner == 0, 0, np.where(movers == game.winner, 1, -1))


def _played(game: LabelledGame) -> npt.NDArray[np.int64]:
    played = np.array(game.moves, np.int64)
    played[list(game.random)] = -1
    return played
