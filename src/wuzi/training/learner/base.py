"""What every learner does, whatever computes its gradients: steps on batches, the rate, figures."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core import Rules
from wuzi.errors import ConfigError
from wuzi.nets.evaluator import Floats
from wuzi.nets.file import NetFile
from wuzi.training.data.replay import TrainingBatch
from wuzi.training.run.checkpoint import Arrays
from wuzi.training.run.config import LearnSection, Schedule

_LOOK_EVERY = 10
"""Steps from one look at the divergence to the next, where nothing depends on it."""

_FACTOR, _LOW, _HIGH = 1.5, 0.1, 10.0
"""The family's rule: the multiplier of the learning rate moves by this factor between these bounds."""

_ABANDON = 4.0
"""Steps on a batch end when the policy has moved this many times the target."""


class BaseLearner(ABC):
    """A net and its optimiser: steps on batches, and everything that a checkpoint holds.

    Attributes:
        multiplier: of the learning rate (schedule ``kl``).
        steps: steps so far.
        waits_for: a policy loss below which the rate begins to follow the divergence; None: it does.
    """

    waits_for: float | None = None

    def __init__(self, options: LearnSection) -> None:
        self.multiplier, self.steps = 1.0, 0
        self._options = options

    def learn(self, batch: TrainingBatch, progress: float) -> dict[str, float]:
        """Take the steps on one batch, when ``progress`` (0 to 1) of the run is done.

        Returns:
            Losses and figures by name: ``kl`` and ``entropy`` of the policy, ``explained_before`` and
            ``explained_after`` of the value's variance, ``lr``, ``gradient``. Those that need the net's
            answers are left out of most batches unless the learning rate follows them. A TrainingError
            where a loss is not finite; the weights must then be thrown away.
        """
        self._take(batch)
        adaptive = self._options.schedule is Schedule.KL
        rate, figures = self._rate(progress), dict[str, float]()
        if not adaptive and self.steps % _LOOK_EVERY:
            for _ in range(self._options.epochs):
                figures = self._step(rate)
            return figures | {"lr": rate}
        before, value_before = self._answers()
        for _ in range(self._options.epochs):
            figures = self._step(rate)
            after, value_after = self._answers()
            kl = float((np.exp(before) * (before - after)).sum(axis=1).mean())
            if adaptive and kl > self._options.kl_target * _ABANDON:
                break
        if adaptive and (self.waits_for is None or figures["policy_loss"] < self.waits_for):
            self.waits_for = None
            self._adapt(kl)
        return figures | {
            "lr": rate,
            "kl": kl,
            "lr_multiplier": self.multiplier,
            "entropy": float(-(np.exp(after) * after).sum(axis=1).mean()),
            "explained_before": explained(batch.result, value_before),
            "explained_after": explained(batch.result, value_after),
        }

    def state(self) -> dict[str, Any]:
        """The plain numbers beside :meth:`arrays`."""
        return {"multiplier": self.multiplier, "steps": self.steps, "waits_for": self.waits_for}

    def _rate(self, progress: float) -> float:
        options = self._options
        if options.schedule is Schedule.KL:
            return options.lr * self.multiplier
        if options.schedule is Schedule.CONSTANT:
            return options.lr
        warm = min(1.0, (self.steps + 1) / (options.warmup + 1))
        return warm * cosine_rate(options.lr, options.lr_last, progress)

    def _adapt(self, kl: float) -> None:
        """Document 001's rule: smaller steps above twice the divergence wanted, larger ones below half."""
        target = self._options.kl_target
        if kl > 2 * target and self.multiplier > _LOW:
            self.multiplier /= _FACTOR
        elif kl < target / 2 and self.multiplier < _HIGH:
            self.multiplier *= _FACTOR

    @property
    def _keep(self) -> float:
        """How much of the averaged weights stays; little at first, so that the random start is forgotten."""
        return min(self._options.ema, (1 + self.steps) / (10 + self.steps))

    # ------------------------------------------------------------------ what another framework does otherwise

    remark = ""
    """What a run tells of its learner when it begins."""

    is_known_here_only = False
    """Whether other processes cannot compute the net, as its architecture was registered in this one."""

    @property
    @abstractmethod
    def planes(self) -> str:
        """The feature planes that the net reads."""

    @property
    @abstractmethod
    def architecture(self) -> str:
        """The name of the net's architecture."""

    @property
    @abstractmethod
    def on(self) -> str:
        """What computes: ``cpu`` or ``cuda``."""

    @abstractmethod
    def outputs(self, size: int) -> frozenset[str]:
        """The names of what the net answers on a board."""

    @abstractmethod
    def net(self, rules: Rules, name: str, recipe: Mapping[str, Any]) -> NetFile:
        """The net that plays, of averaged weights if there are such; a RecordError if it answers nonsense."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Weights, averages and the optimiser's moments as arrays by name."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, npt.NDArray[Any]], state: Mapping[str, Any]) -> None:
        """Go back to what :meth:`arrays` and :meth:`state` were; a TrainingError for those of another net."""

    @abstractmethod
    def _take(self, batch: TrainingBatch) -> None:
        """What follows is about this batch."""

    @abstractmethod
    def _step(self, rate: float) -> dict[str, float]:
        """One step at a learning rate; the losses before it and the norm of the ``gradient``."""

    @abstractmethod
    def _answers(self) -> tuple[Floats, Floats]:
        """Log-probabilities [B, A] and values [B], as they are played with."""


def smaller_rate(option: str, rate: float) -> str:
    """What to change where the loss is not finite.

    >>> smaller_rate("learn.lr", 2e-3)
    'learn.lr=0.0002'
    """
    return f"{option}={rate / 10:g}"


def not_finite(loss: float, rate: float) -> str:
    """What is said then."""
    return f"the loss is {loss:g} at a learning rate of {rate:.3g}, or its gradient is not finite"


def cosine_rate(first: float, last: float, progress: float) -> float:
    """From ``first`` down to ``last`` along half a cosine; ``progress`` is 0 to 1."""
    share = (1 + math.cos(math.pi * min(1.0, max(0.0, progress)))) / 2
    return last + (first - last) * share


def explained(result: Floats, value: Floats) -> float:
    """The share of the results' variance that the values explain; 0 where there is none."""
    spread = float(result.var())
    return 1 - float((result - value).var()) / spread if spread else 0.0


def fitting(net: NetFile, start: str, size: int) -> NetFile:
    """The net that ``net.start`` names; a ConfigError if it is for another board."""
    if (own := net.card.size) not in (None, size):
        raise ConfigError(f"net.start={start}: its weights fit {own}x{own}, the board is {size}x{size}")
    return net
