"""Playing some moves in many games with a net, and those moves as rows with what each is credited with."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from wuzi.core import Rules
from wuzi.core.batch import GameBatch
from wuzi.core.layout import BLACK, DRAW
from wuzi.nets.evaluator import Floats
from wuzi.nets.planes import PlaneEncoder
from wuzi.torch_nets.blocks import Net
from wuzi.torch_nets.files import device_of
from wuzi.training.learner.nets import answers_of, scalar_value
from wuzi.training.learner.torch_learner import in_bf16
from wuzi.training.methods.ppo.config import PpoConfig, Rewards
from wuzi.training.methods.ppo.returns import (
    diffuse,
    gradient_targets,
    negamax_returns,
    next_targets,
    spread_by_formula,
    spread_over_games,
    strategy_rates,
    win_pay,
)


@dataclass
class GameGroup:
    """Games in progress, complete: what follows depends on this and the nets alone.

    ``sides`` int64 [B] is the learner's colour where it plays an opponent, 0 where it plays both sides.
    """

    games: GameBatch
    sides: npt.NDArray[np.int64]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as plain arrays, for checkpoints and workers."""
        states = self.games.states.view(np.uint8).reshape(len(self.games), -1)
        return {"states": states.copy(), "rngs": self.games.rngs.copy(), "sides": self.sides.copy()}

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Take over what :meth:`arrays` gave."""
        states = np.ascontiguousarray(arrays["states"]).reshape(-1)
        self.games.states[:] = states.view(self.games.states.dtype)
        self.games.rngs[:] = arrays["rngs"]
        self.sides[:] = arrays["sides"]


def new_group(config: PpoConfig, rules: Rules, number: int) -> GameGroup:
    """Fresh games of one group; ``number`` tells groups apart."""
    count = len(range(number, config.envs, config.groups))
    seed = int(np.random.SeedSequence([config.seed, number]).generate_state(1)[0])
    plies = min(config.random_plies, rules.num_cells - 1)
    games = GameBatch(rules, count, seed=seed, random_plies=plies, forced=config.forced)
    group = GameGroup(games, np.zeros(count, np.int64))
    for game in range(count):
        _seat(group, game, config)
    return group


def _seat(group: GameGroup, game: int, config: PpoConfig) -> None:
    """Who plays whom in a game that begins."""
    rivals = round(config.opponent_share * len(group.games)) if config.opponent != "self" else 0
    group.sides[game] = group.games.draw(game, 2) + 1 if game < rivals else 0


@dataclass
class Rollout:
    """T steps of B games; see :mod:`wuzi.training.methods.ppo.returns` for the point of view."""

    planes: npt.NDArray[np.uint8]  # [T, B, C, N, N]
    masks: npt.NDArray[np.uint8]  # [T, B, cells], legal moves
    actions: npt.NDArray[np.int64]  # [T, B], as all that follow but the last two
    log_probs: Floats  # of the actions when they were drawn
    values: Floats  # 0 where the move is not the learner's
    rewards: Floats  # the mover's
    dones: npt.NDArray[np.uint8]
    ours: npt.NDArray[np.uint8]  # whether the learner moved
    alpha: Floats  # the net's strategy, as beta; 0.5 where it has none
    beta: Floats
    last_values: Floats  # [B], of the positions after the last step
    # [7]: finished games, their plies, black wins, draws; games against an opponent, won and drawn ones.
    counts: npt.NDArray[np.int64]


def join(parts: list[Rollout], axis: int) -> Rollout:
    """The rollouts of all groups side by side (axis 1), or of the same games one after the other (axis 0)."""
    last = [part.last_values for part in parts]
    names = vars(parts[0]).keys() - {"counts", "last_values"}
    return Rollout(
        **{name: np.concatenate([getattr(part, name) for part in parts], axis=axis) for name in names},
        counts=np.sum([part.counts for part in parts], axis=0),
        last_values=np.concatenate(last) if axis else last[-1],
    )


def empty_rollout(steps: int, count: int, encoder: PlaneEncoder) -> Rollout:
    """Room for a rollout."""
    shape = (steps, count)
    kinds: dict[str, Any] = dict.fromkeys(("log_probs", "values", "rewards"), np.float32)
    kinds |= {"actions": np.int64, "dones": np.uint8, "ours": np.uint8}
    return Rollout(
        planes=np.zeros((steps, *encoder.shape(count)), np.uint8),
        masks=np.zeros((*shape, encoder.rules.num_cells), np.uint8),
        **{name: np.zeros(shape, kind) for name, kind in kinds.items()},
        alpha=np.full(shape, 0.5, np.float32),
        beta=np.full(shape, 0.5, np.float32),
        last_values=np.zeros(count, np.float32),
        counts=np.zeros(7, np.int64),
    )


@torch.no_grad()
def collect(
    config: PpoConfig, group: GameGroup, net: Net, rival: Net | None, steps: int, *, values_after: bool
) -> Rollout:
    """Play ``steps`` moves in every game of a group; the group's games have moved on afterwards.

    ``net`` is the learner, in evaluation mode, ``rival`` its opponent in the games that have one, None for
    itself. Without ``values_after`` the ``last_values`` stay 0.
    """
    games = group.games
    encoder = PlaneEncoder(net.planes, games.rules)
    half = in_bf16(config.precision, device_of(net))
    found = empty_rollout(steps, len(games), encoder)
    for t in range(steps):
        planes, masks = encoder.encode(games.states), games.masks()
        found.planes[t], found.masks[t] = planes, masks
        ours = (group.sides == 0) | (group.sides == games.states["side"])
        found.ours[t] = ours
        _move(found, t, np.flatnonzero(ours), planes, net, games, half=half)
        if not ours.all():
            _move(found, t, np.flatnonzero(~ours), planes, rival or net, games, half=half)
        found.values[t] *= ours
        found.rewards[t], found.dones[t], *_ = games.play(found.actions[t])
        found.rewards[t] *= win_pay(games.states["ply"], games.rules.num_cells, config.urgency)
        for game in np.flatnonzero(found.dones[t]):
            _count(found.counts, group, int(game))
            games.begin(int(game))
            _seat(group, int(game), config)
    if values_after:
        after = answers_of(net, encoder.encode(games.states), half=half)
        found.last_values[:] = scalar_value(after).numpy()
    return found


def _move(
    found: Rollout,
    t: int,
    rows: npt.NDArray[np.int64],
    planes: Floats,
    net: Net,
    games: GameBatch,
    *,
    half: bool,
) -> None:
    """Let a net choose the moves of some games at step ``t``."""
    if not len(rows):
        return
    outputs = answers_of(net, planes[rows], half=half)
    actions, log_probs = games.choose(outputs["policy"].numpy(), found.masks[t][rows], rows)
    found.actions[t, rows], found.log_probs[t, rows] = actions, log_probs
    found.values[t, rows] = scalar_value(outputs).numpy()
    for name in ("alpha", "beta"):
        if name in outputs:
            getattr(found, name)[t, rows] = outputs[name][:, 0].numpy()


def _count(counts: npt.NDArray[np.int64], group: GameGroup, game: int) -> None:
    """Enter a finished game."""
    state, side = group.games.states[game], group.sides[game]
    won, drawn = state["result"] == side, state["result"] == DRAW
    counts[:4] += (1, int(state["ply"]), state["result"] == BLACK, drawn)
    if side:
        counts[4:] += (1, won, drawn)


@dataclass
class MoveRows:
    """Moves [R] to learn from."""

    planes: npt.NDArray[np.uint8]  # [R, C, N, N]
    masks: npt.NDArray[np.uint8]  # [R, cells]
    actions: npt.NDArray[np.int64]
    log_probs: Floats  # of the actions when they were drawn
    values: Floats  # what the net thought then
    returns: Floats  # the target of the value
    advantages: Floats  # not normalised
    next_values: Floats  # the value after the move for its mover; NaN where it is not known

    def __len__(self) -> int:
        return len(self.actions)

    def take(self, rows: Any) -> MoveRows:
        """Some rows."""
        return MoveRows(**{name: value[rows] for name, value in vars(self).items()})


def rows_of(rollout: Rollout, config: PpoConfig) -> MoveRows:
    """The rows of a rollout that are the learner's and whose credit is known."""
    returns, known = _credit(rollout, config)
    # After the learner's move an opponent is to move, whose position the learner did not value.
    values = np.where(rollout.ours != 0, rollout.values, np.float32(np.nan))
    seen = rollout.rewards, values, rollout.dones, rollout.last_values
    if config.gradient_horizon:
        targets = gradient_targets(*seen, config.gradient_rate, config.gradient_horizon)
    else:
        targets = next_targets(*seen, config.gamma)
    keep = (rollout.ours != 0) & known
    credit = {"returns": returns, "advantages": returns - rollout.values, "next_values": targets}
    columns = {**vars(rollout), **credit}
    return MoveRows(**{item.name: columns[item.name][keep] for item in fields(MoveRows)})


def _credit(rollout: Rollout, config: PpoConfig) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """What moves are credited with [T, B], and where that is known."""
    rewards, dones = rollout.rewards, rollout.dones
    if config.rewards is Rewards.GAE:
        seen = rewards, rollout.values, dones, rollout.ours, rollout.last_values
        returns = negamax_returns(*seen, config.gamma, config.gae_lambda)
        return returns, np.ones(returns.shape, bool)
    if config.rewards is Rewards.FORMULA:
        both = (config.forward_rate, config.backward_rate), (config.forward_horizon, config.backward_horizon)
        by_formula = partial(spread_by_formula, rates=both[0], horizons=both[1], two_player=config.two_player)
        return spread_over_games(by_formula, dones, rewards)
    if config.rewards is Rewards.STRATEGY_DIFFUSION:
        rates, horizons = strategy_rates(rollout.alpha, rollout.beta, config.diffusion_horizon)
    else:
        rates = np.full_like(rewards, config.diffusion_rate)
        horizons = np.full(rates.shape, config.diffusion_horizon, np.int64)
    return spread_over_games(partial(diffuse, two_player=config.two_player), dones, rewards, rates, horizons)


def append(old: MoveRows | None, new: MoveRows, capacity: int) -> MoveRows:
    """Both together, the oldest left out beyond ``capacity``."""
    both = [vars(part) for part in (old, new) if part is not None]
    return MoveRows(**{name: np.concatenate([part[name] for part in both])[-capacity:] for name in both[0]})


def game_figures(rollout: Rollout) -> dict[str, float]:
    """What the finished games of a rollout were like."""
    finished, plies, black, draws, against, won, drawn = rollout.counts.tolist()
    games = max(1, finished)
    found = {"finished": finished, "plies_mean": plies / games}
    found |= {"black_wins": black / games, "draws": draws / games}
    if against:
        found |= {"opponent_games": against, "opponent_score": (won + drawn / 2) / against}
    return found


def value_figures(rows: MoveRows) -> dict[str, float]:
    """How much of the returns the old values explained: 1 all, 0 no more than their mean does."""
    spread = float(np.var(rows.returns)) if len(rows) else 0.0
    left = float(np.var(rows.returns - rows.values)) if len(rows) else 0.0
    return {"value_explained": 1.0 - left / spread if spread > 0 else 0.0}
