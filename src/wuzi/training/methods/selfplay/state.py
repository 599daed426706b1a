"""Where a run of self-play stands, and what a row of metrics.jsonl says about an iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from wuzi.base.json_fields import MALFORMED
from wuzi.errors import RecordError
from wuzi.training.data.games import SelfPlayGame
from wuzi.training.data.replay import duplicate_share, policy_entropy
from wuzi.training.evaluation.promotion import GateState


class IterationPhase(StrEnum):
    """What an iteration is doing."""

    SELFPLAY = "selfplay"
    LEARN = "learn"
    JUDGE = "judge"


@dataclass
class SelfPlayState:
    """Counters of a run."""

    standing: GateState
    iteration: int = 0  # how many are complete; what follows up to batches is of the next one
    phase: IterationPhase = IterationPhase.SELFPLAY
    batch: int = 0
    batches: int = 0
    games: int = 0  # in the window's history: the first so many of the shards
    rows: int = 0  # positions of these games
    new_rows: int = 0  # of the iteration's own games
    new_games: int = 0  # how many these are, where they may be more than the parameters say
    seconds: float = 0.0  # of work so far; the next three in this iteration
    selfplay_s: float = 0.0
    learn_s: float = 0.0
    judge_s: float = 0.0
    evaluations: int = 0  # positions evaluated in this iteration's self-play
    sums: dict[str, float] = field(default_factory=dict)  # of the figures of this iteration's batches
    counts: dict[str, int] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SelfPlayState:
        """The state that ``asdict`` made plain data of; a RecordError if that is not one."""
        try:
            standing, phase = GateState(**data["standing"]), IterationPhase(data["phase"])
            return cls(**{**data, "standing": standing, "phase": phase})
        except MALFORMED as error:
            raise RecordError(f"checkpoint: not the state of a run ({error})") from None

    def begin_iteration(self) -> None:
        """Forget what belonged to the last iteration."""
        self.phase, self.batch, self.batches = IterationPhase.SELFPLAY, 0, 0
        self.new_rows = self.new_games = self.evaluations = 0
        self.selfplay_s = self.learn_s = self.judge_s = 0.0
        self.sums, self.counts = {}, {}

    def add(self, figures: Mapping[str, float]) -> None:
        """Count a batch with its figures."""
        self.batch += 1
        for name, value in figures.items():
            self.sums[name] = self.sums.get(name, 0.0) + value
            self.counts[name] = self.counts.get(name, 0) + 1

    def means(self) -> dict[str, float]:
        """The figures' means over the iteration's batches that have them."""
        return {name: value / self.counts[name] for name, value in self.sums.items()}


def figures_of_games(
    games: Sequence[SelfPlayGame], seen: Sequence[SelfPlayGame], size: int
) -> dict[str, Any]:
    """Results, lengths and variety of an iteration's own games, and of the latest ones seen in the window."""
    return {
        "games": len(games),
        "games_seen": len(seen),
        "plies": sum(len(game.moves) for game in games) / max(1, len(games)),
        "black_wins": sum(game.result > 0 for game in games),
        "white_wins": sum(game.result < 0 for game in games),
        "draws": sum(game.result == 0 for game in games),
        "duplicates": duplicate_share(seen, size),
        "policy_entropy": policy_entropy(games),
    }


def figures_of_state(state: SelfPlayState) -> dict[str, Any]:
    """Speed, times, and the means of the learner's figures."""
    return {
        "new_rows": state.new_rows,
        "evaluations": state.evaluations,
        "evaluations_per_s": state.evaluations / max(1e-9, state.selfplay_s),
        "batches": state.batch,
        "selfplay_s": round(state.selfplay_s, 2),
        "learn_s": round(state.learn_s, 2),
        "judge_s": round(state.judge_s, 2),
        "best_iteration": state.standing.best_iteration,
        **state.means(),
    }
