"""Training by self-play in Keras: ``wuzi train --set net.architecture=keras:basic``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import keras
import numpy as np
import numpy.typing as npt

from wuzi.core import Rules
from wuzi.errors import ConfigError, TrainingError
from wuzi.nets import NetFile, load_net, read_net
from wuzi.nets.fresh import expand_short, fresh_net
from wuzi.players.spec import parse_spec
from wuzi.training import TrainSettings
from wuzi.training.data.replay import TrainingBatch
from wuzi.training.learner.base import BaseLearner, fitting, not_finite, smaller_rate
from wuzi.training.run.config import LearnSection, Optimizer, Precision
from wuzi_keras.model import PLANES, from_net, to_net

Floats = npt.NDArray[np.float32]
Arrays = dict[str, npt.NDArray[Any]]


def make_learner(argument: str, settings: TrainSettings, begun: Path | None) -> KerasLearner:
    """The learner of a basic net (entry point): fresh weights, or those of the net that ``net.start`` names.

    ``argument`` is the net's architecture, such as ``basic:value_hidden=256``; ``begun`` is the latest net of
    a run that is resumed. A ConfigError for another architecture, or what Keras cannot do here.
    """
    start, rules = settings.net.start, settings.game.rules
    spec = parse_spec(expand_short(argument or "basic"))
    if spec.name != "basic":
        raise ConfigError(f"net.architecture=keras:{argument}: wuzi-keras trains basic nets only")
    if start is not None:
        net = fitting(read_net(start) if begun is None else load_net(begun), start, rules.size)
    else:
        net = fresh_net(spec.name, dict(spec.options), rules, settings.run.seed)
    return KerasLearner(net, settings.learn)


class KerasLearner(BaseLearner):
    """A basic net in training in Keras, on whatever computes there."""

    planes, architecture, on = PLANES, "basic", "cpu"

    def __init__(self, net: NetFile, options: LearnSection) -> None:
        """Learn from the weights of a net; a ConfigError for options that only PyTorch's learner has."""
        super().__init__(options)
        _check(options)
        self.remark = f"Keras {keras.__version__} learns, on {keras.backend.backend()}"
        self._model = from_net(net, 0.0 if options.optimizer is Optimizer.ADAMW else options.weight_decay)
        self._model.compile(
            optimizer=_optimizer(options),
            loss={"policy": keras.losses.CategoricalCrossentropy(from_logits=True), "value": "mse"},
        )
        self._model.optimizer.build(self._model.trainable_variables)
        self._average = self._model.get_weights() if options.ema else []
        self._batch: TrainingBatch | None = None

    def outputs(self, size: int) -> frozenset[str]:
        """See :class:`BaseLearner`."""
        return frozenset({"policy", "value"})

    def net(self, rules: Rules, name: str, recipe: Mapping[str, Any]) -> NetFile:
        """See :class:`BaseLearner`."""
        now = self._model.get_weights()
        self._model.set_weights(self._average or now)
        try:
            return to_net(self._model, rules, name, recipe)
        finally:
            self._model.set_weights(now)

    # ------------------------------------------------------------------ checkpoints

    def arrays(self) -> Arrays:
        """See :class:`BaseLearner`."""
        parts = {
            "model": self._model.get_weights(),
            "average": self._average,
            "optimizer": [keras.ops.convert_to_numpy(v) for v in self._model.optimizer.variables],
        }
        return {
            f"{part}/{i}": np.array(value) for part, all_ in parts.items() for i, value in enumerate(all_)
        }

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]], state: Mapping[str, Any]) -> None:
        """See :class:`BaseLearner`."""

        def part(name: str, like: list[Any]) -> list[Any]:
            found = [arrays.get(f"{name}/{i}") for i in range(len(like))]
            if any(a is None or a.shape != tuple(b.shape) for a, b in zip(found, like, strict=True)):
                raise TrainingError("the checkpoint: weights of another net, or of another learner")
            return found

        model = part("model", self._model.get_weights())
        moments = part("optimizer", self._model.optimizer.variables)
        self._average = part("average", self._average)
        self._model.set_weights(model)
        for variable, value in zip(self._model.optimizer.variables, moments, strict=True):
            variable.assign(value)
        self.multiplier, self.steps = float(state["multiplier"]), int(state["steps"])
        self.waits_for = state.get("waits_for")

    # ------------------------------------------------------------------ inside

    def _take(self, batch: TrainingBatch) -> None:
        self._batch = batch

    def _step(self, rate: float) -> dict[str, float]:
        assert self._batch is not None
        batch, options = self._batch, self._options
        share = options.value_target
        wanted = (1 - share) * batch.result + share * batch.value
        self._model.optimizer.learning_rate = rate
        self._model.reset_metrics()
        found = self._model.train_on_batch(
            np.asarray(batch.features, np.float32),
            {"policy": batch.policy, "value": wanted[:, None]},
            sample_weight={
                "policy": _weights(batch.policy_weight, options.policy_weight),
                "value": _weights(batch.value_weight, options.value_weight),
            },
            return_dict=True,
        )
        shares = {"policy_loss": options.policy_weight, "value_loss": options.value_weight}
        losses = {name: float(found[name]) / weight if weight else 0.0 for name, weight in shares.items()}
        loss = sum(weight * losses[name] for name, weight in shares.items())
        if not np.isfinite(loss):
            raise TrainingError(not_finite(loss, rate), smaller_rate("learn.lr", options.lr))
        self.steps += 1
        if self._average:
            keep, now = self._keep, self._model.get_weights()
            self._average = [
                keep * old + (1 - keep) * new for old, new in zip(self._average, now, strict=True)
            ]
        return {**losses, "loss": loss}

    def _answers(self) -> tuple[Floats, Floats]:
        assert self._batch is not None
        found = self._model.predict_on_batch(np.asarray(self._batch.features, np.float32))
        logits, value = (np.asarray(found[name], np.float32) for name in ("policy", "value"))
        logits = logits - logits.max(axis=1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), value[:, 0]


def _weights(weight: Floats, share: float) -> Floats:
    """Keras divides by all positions: weighed so, the loss is ``share`` times the weighted mean."""
    return (share * len(weight) / max(float(weight.sum()), 1e-6) * weight).astype(np.float32)


def _optimizer(options: LearnSection) -> Any:
    if options.optimizer is Optimizer.SGD:
        return keras.optimizers.SGD(options.lr, momentum=0.9, nesterov=True, global_clipnorm=options.clip)
    kind, own = keras.optimizers.Adam, dict[str, Any]()
    if options.optimizer is Optimizer.ADAMW:
        kind, own = keras.optimizers.AdamW, {"weight_decay": options.weight_decay}
    return kind(options.lr, epsilon=1e-8, global_clipnorm=options.clip, **own)


def _check(options: LearnSection) -> None:
    for wrong, text in (
        (options.precision is Precision.BF16, "precision=bf16: wuzi-keras computes in float32"),
        (options.device == "cuda", "device=cuda: Keras chooses the device itself: expected auto"),
        (bool(options.losses), f"losses={options.losses!r}: own losses are PyTorch's"),
    ):
        if wrong:
            raise ConfigError(f"learn.{text}")
