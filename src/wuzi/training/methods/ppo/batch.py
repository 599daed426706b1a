"""The learner's moves of a rollout as rows of a batch, with what each is credited with."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.nets.evaluator import Floats
from wuzi.training.methods.ppo.config import PpoConfig, Rewards
from wuzi.training.methods.ppo.returns import diffused_returns, negamax_returns, next_targets, strategy_rates
from wuzi.training.methods.ppo.rollout import Rollout


@dataclass
class Rows:
    """Moves [R] to learn from.

    Attributes:
        planes: uint8 [R, C, N, N]. masks: uint8 [R, cells]. actions: int64 [R].
        log_probs: float32 [R], of the actions when they were drawn.
        values: float32 [R], what the net thought then.
        returns: float32 [R], what the value shall become.
        advantages: float32 [R], not normalised.
        next_values: float32 [R], the value after the move for its mover; NaN where it is not known.
    """

    planes: npt.NDArray[np.uint8]
    masks: npt.NDArray[np.uint8]
    actions: npt.NDArray[np.int64]
    log_probs: Floats
    values: Floats
    returns: Floats
    advantages: Floats
    next_values: Floats

    def __len__(self) -> int:
        return len(self.actions)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All of it by name."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def take(self, rows: Any) -> Rows:
        """Some rows."""
        return Rows(**{name: value[rows] for name, value in self.arrays().items()})


def rows_of(rollout: Rollout, config: PpoConfig) -> Rows:
    """The rows of a rollout that are the learner's and whose credit is known."""
    if config.rewards is Rewards.GAE:
        returns = negamax_returns(
            rollout.rewards,
            rollout.values,
            rollout.dones,
            rollout.ours,
            rollout.last_values,
            config.gamma,
            config.gae_lambda,
        )
        known = np.ones(returns.shape, bool)
    else:
        rates, horizons = _rates(rollout, config)
        returns, known = diffused_returns(
            rollout.rewards, rollout.dones, rates, horizons, two_player=config.two_player
        )
    targets = next_targets(rollout.rewards, rollout.values, rollout.dones, rollout.last_values, config.gamma)
    # After the learner's move an opponent is to move, whose position the learner did not value.
    valued = np.concatenate([rollout.ours[1:], np.ones_like(rollout.ours[:1])])
    targets[(rollout.dones == 0) & (valued == 0)] = np.nan
    keep = (rollout.ours != 0) & known
    return Rows(
        planes=rollout.planes[keep],
        masks=rollout.masks[keep],
        actions=rollout.actions[keep],
        log_probs=rollout.log_probs[keep],
        values=rollout.values[keep],
        returns=returns[keep],
        advantages=(returns - rollout.values)[keep],
        next_values=targets[keep],
    )


def _rates(rollout: Rollout, config: PpoConfig) -> tuple[Floats, npt.NDArray[np.int64]]:
    if config.rewards is Rewards.STRATEGY_DIFFUSION:
        return strategy_rates(rollout.alpha, rollout.beta, config.diffusion_horizon)
    shape = rollout.rewards.shape
    rates = np.full(shape, config.diffusion_rate, np.float32)
    return rates, np.full(shape, config.diffusion_horizon, np.int64)


def append(old: Rows | None, new: Rows, capacity: int) -> Rows:
    """Both together, the oldest left out beyond ``capacity``."""
    if old is None:
        return new.take(slice(-capacity, None))
    kept = old.arrays()
    joined = {name: np.concatenate([kept[name], value]) for name, value in new.arrays().items()}
    return Rows(**{name: value[-capacity:] for name, value in joined.items()})
