"""The parameters of PPO, and all those of a run of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from wuzi.base.schema import option
from wuzi.errors import ConfigError
from wuzi.training.run.changes import RUN
from wuzi.training.run.config import GameSection, Precision
from wuzi.training.run.section import RunSection

CHANGEABLE = frozenset(
    "workers random_plies opponent_share pool_size pool_every best_every best_games best_threshold "
    "num_epochs learning_rate clip value_coef next_value_coef entropy_coef entropy_final entropy_iterations "
    "kl_stop kl_adapts grad_norm norm_momentum precision device".split()
)
"""What may be changed when a run is resumed: nothing that the stored games and rows depend on."""


class Rewards(StrEnum):
    """What a move is credited with."""

    GAE = "gae"
    """Generalised advantages in the two-player form: the next value is the opponent's."""
    DIFFUSION = "diffusion"
    """Document 002's reward diffusion at a fixed rate and horizon."""
    STRATEGY_DIFFUSION = "strategy_diffusion"
    """The same, rate and horizon from the net's own alpha and beta."""
    FORMULA = "formula"
    """Document 002's formula 7.1 in place of its listing: rates and horizons forward and backward."""


class Opponent(StrEnum):
    """Whom the learner plays in ``opponent_share`` of its games; in the others, itself."""

    SELF = "self"
    BEST = "best"
    """The best net so far (document 002)."""
    POOL = "pool"
    """A net of a pool of earlier ones, drawn each iteration."""


class OldPolicy(StrEnum):
    """Whose probabilities the ratio is taken to."""

    COLLECTED = "collected"
    """Those the move was drawn with: PPO."""
    CURRENT = "current"
    """Those of the net at the beginning of the update, whatever drew the move (document 002's listing)."""


@dataclass(frozen=True)
class PpoConfig:
    """Proximal policy optimisation for two players who share one net.

    Attributes:
        net: the net's spec string; its factors are switched there (``three-factor:field=false``).
        envs: games side by side. steps: moves of each in one iteration.
        groups: in how many parts the games are played; a part is one worker's job.
        workers: processes that play, at most one a group; 1 plays in this one. The result does not
            depend on it.
        random_plies: games begin with 0 to so many random stones.
        gamma: discount a ply; below 1 a faster win is worth more.
        gae_lambda: 1 credits moves with the result alone, 0 with the next value alone.
        rewards: what a move is credited with.
        two_player: the sign of a reward changes from one player to the other (diffusion only; without it
            the loser's moves are rewarded for the winner's row, as in document 002).
        diffusion_rate, diffusion_horizon: of the fixed reward diffusion; the horizon also of the other.
        forward_rate, backward_rate, forward_horizon, backward_horizon: of ``rewards=formula``.
        gradient_horizon: moves after the next over which the target of the temporal gradient adds up changes
            of the value (formula 4.1); 0 as in document 002's listing. gradient_rate: their discount.
        urgency: what part of a win's reward shrinks with the length of the game, from 0 to 1.
        opponent: whom the learner plays. opponent_share: in what part of the games.
        pool_size: nets in the pool. pool_every: iterations after which one is added.
        best_every: iterations between matches with the best net so far.
        best_games: games of such a match. best_threshold: the score that makes the learner the best.
        batch_size: positions of an update; 0 takes all of the iteration's.
        num_updates: updates in an iteration, each of its own batch.
        mini_batch_size: positions of one gradient step; 0 takes the whole batch.
        num_epochs: how often an update goes through its batch.
        replay: positions kept from earlier iterations to draw batches from; 0 for none.
        old_policy: whose probabilities the ratio is taken to.
        learning_rate: Adam's.
        clip: how far the ratio counts. value_coef, next_value_coef: weights of the losses of the value and
            of the value after the move played (the temporal gradient's own target).
        entropy_coef: weight of the entropy, falling evenly to ``entropy_final`` over
            ``entropy_iterations`` iterations.
        kl_stop: an update ends at this divergence from the old policy; 0 for never.
        kl_adapts: the learning rate is divided by 1.5 after an iteration that ``kl_stop`` ended and
            multiplied by it after one that ended below half of it, between a hundredth and ten times
            ``learning_rate``.
        grad_norm: gradients are scaled down to this norm.
        norm_momentum: share of new statistics in batch norms before each iteration; they stand still within.
        forced: moves that overlook a five are not among the legal ones.
        precision: what the passes of games and of gradient steps are computed in. On one
            kind of processor both use the same, so that the ratio of the first step is 1 but for rounding
            (1e-6 in fp32, 1e-2 in bf16).
        device: where the net learns, and plays if ``workers`` is 1: auto, cpu or cuda.
        seed: of everything.
    """

    net: str = "three-factor"
    envs: int = option(256, minimum=1, maximum=65536)
    steps: int = option(64, minimum=1, maximum=4096)
    groups: int = option(4, minimum=1, maximum=1024)
    workers: int = option(1, minimum=1, maximum=1024)
    random_plies: int = option(8, minimum=0, maximum=600)
    gamma: float = option(0.99, minimum=0, maximum=1)
    gae_lambda: float = option(0.95, minimum=0, maximum=1)
    rewards: Rewards = Rewards.GAE
    two_player: bool = True
    diffusion_rate: float = option(0.75, minimum=0, maximum=1)
    diffusion_horizon: int = option(10, minimum=1, maximum=1000)
    forward_rate: float = option(0.75, minimum=0, maximum=1)
    backward_rate: float = option(0.75, minimum=0, maximum=1)
    forward_horizon: int = option(10, minimum=0, maximum=1000)
    backward_horizon: int = option(10, minimum=0, maximum=1000)
    gradient_horizon: int = option(0, minimum=0, maximum=1000)
    gradient_rate: float = option(0.9, minimum=0, maximum=1)
    urgency: float = option(0.0, minimum=0, maximum=1)
    opponent: Opponent = Opponent.SELF
    opponent_share: float = option(0.5, minimum=0, maximum=1)
    pool_size: int = option(12, minimum=1, maximum=1000)
    pool_every: int = option(20, minimum=1)
    best_every: int = option(20, minimum=1)
    best_games: int = option(64, minimum=2, maximum=10000)
    best_threshold: float = option(0.55, minimum=0, maximum=1)
    batch_size: int = option(0, minimum=0)
    num_updates: int = option(1, minimum=1)
    mini_batch_size: int = option(1024, minimum=0)
    num_epochs: int = option(3, minimum=1)
    replay: int = option(0, minimum=0)
    old_policy: OldPolicy = OldPolicy.COLLECTED
    learning_rate: float = option(3e-4, minimum=0)
    clip: float = option(0.2, minimum=0, maximum=1)
    value_coef: float = option(0.5, minimum=0)
    next_value_coef: float = option(0.25, minimum=0)
    entropy_coef: float = option(0.01, minimum=0)
    entropy_final: float = option(0.001, minimum=0)
    entropy_iterations: int = option(500, minimum=1)
    kl_stop: float = option(0.02, minimum=0)
    kl_adapts: bool = False
    grad_norm: float = option(0.5, minimum=0)
    norm_momentum: float = option(0.1, minimum=0, maximum=1)
    forced: bool = False
    precision: Precision = option(Precision.AUTO)
    device: str = "auto"
    seed: int = option(0, minimum=0)

    def __post_init__(self) -> None:
        if self.envs < self.groups:
            raise ConfigError(f"envs={self.envs} in groups={self.groups}: expected a game in each group")
        if self.workers > self.groups:
            raise ConfigError(f"workers={self.workers} for groups={self.groups}: expected a group for each")
        if self.kl_adapts and not self.kl_stop:
            raise ConfigError("kl_adapts=true with kl_stop=0: expected a divergence to follow")
        if self.replay and self.replay < self.batch_size:
            raise ConfigError(f"replay={self.replay}: expected at least batch_size={self.batch_size}")


@dataclass(frozen=True)
class PpoSettings:
    """All parameters of a run of PPO; the seed is that of the run."""

    changeable: ClassVar[Mapping[str, frozenset[str]]] = {"ppo": CHANGEABLE, "run": RUN}
    game: GameSection = field(default_factory=GameSection)
    ppo: PpoConfig = field(default_factory=PpoConfig)
    run: RunSection = field(default_factory=RunSection)
