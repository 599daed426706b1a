"""The learner of small nets without PyTorch: every step is a row of calls of compiled kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core import Rules
from wuzi.errors import ConfigError, TrainingError
from wuzi.nets.evaluator import Floats, scalar_value
from wuzi.nets.file import NetFile
from wuzi.nets.fresh import fresh_net
from wuzi.nets.graph import INPUT, Graph
from wuzi.training.data.replay import TrainingBatch
from wuzi.training.learner.base import BaseLearner, not_finite, smaller_rate
from wuzi.training.learner.kernels import loss_kernels as losses
from wuzi.training.learner.kernels.layer_kernels import take_planes
from wuzi.training.learner.kernels.pass_kernels import backward, forward
from wuzi.training.learner.kernels.program import Program
from wuzi.training.learner.kernels.step_kernels import adam, momentum, move_towards, squared_norm
from wuzi.training.run.checkpoint import Arrays
from wuzi.training.run.config import LearnSection, Optimizer, Precision

_COUNTER = "num_batches_tracked"
"""What PyTorch's norms count; written so that it can go on with these weights."""

_AUXILIARY = {
    "soft_policy": ("soft_policy_weight", "policy"),
    "reply_policy": ("reply_weight", "policy"),
    "moves_left": ("moves_weight", "value"),
    "final_line": ("line_weight", "value"),
}
"""Outputs beside policy and value: the option that weighs their loss, and whose weights count."""


class KernelLearner(BaseLearner):
    """A small net in training on one thread of the processor, in float32.

    Its checkpoints and files are those of PyTorch's learner.
    """

    planes, architecture, on = "", "", "cpu"

    def __init__(self, net: NetFile, options: LearnSection, size: int) -> None:
        """Learn on boards of a size; a ConfigError for a net or an option that needs PyTorch."""
        super().__init__(options)
        _check(options)
        card = net.card
        own = fresh_net(card.architecture, card.options, card.rules)
        if {name: value.shape for name, value in own.weights.items()} != {
            name: value.shape for name, value in net.weights.items()
        }:
            raise ConfigError(f"net {card.name}: its weights are not those of {card.label}")
        self.planes, self.architecture, self._card = card.planes, card.architecture, card
        self._names = list(own.weights)
        self._learned = learned_outputs(card.graph, options)
        graph = card.graph.pruned(self._learned)
        ordered = {name: net.weights[name] for name in self._names}
        self._program = Program(graph, ordered, card.channels, size, options.batch)
        self._program.put(ordered)
        work = self._program.work
        self._moments = [np.zeros_like(work.parameters) for _ in self._slots]
        self._average = (work.parameters.copy(), work.running.copy()) if options.ema else None
        self._batch: TrainingBatch | None = None

    def outputs(self, size: int) -> frozenset[str]:
        """See :class:`BaseLearner`."""
        del size
        return frozenset(self._card.graph.outputs)

    def net(self, rules: Rules, name: str, recipe: Mapping[str, Any]) -> NetFile:
        """See :class:`BaseLearner`."""
        card = replace(
            self._card, name=name, rules=rules, recipe=dict(recipe), checks=(), quantization=None, measured={}
        )
        return NetFile(replace(card, weights_sha256=""), self._weights(self._average)).with_checks()

    def gradients(self) -> dict[str, Floats]:
        """Those of the last step by the parameter's name, before they were cut."""
        program = self._program
        return {
            name: program.array(program.work.weight_gradients, program.work.running, place).copy()
            for name, place in program.places.items()
            if not place.is_running
        }

    def _weights(self, arrays: tuple[Floats, Floats] | None = None) -> dict[str, Floats]:
        work = self._program.work
        return self._program.weights_in(*(arrays or (work.parameters, work.running)))

    # ------------------------------------------------------------------ steps

    def _take(self, batch: TrainingBatch) -> None:
        program = self._program
        tensor = program.tensors[INPUT]
        planes = np.ascontiguousarray(batch.features, np.float32)
        if planes.shape != (wanted := (program.batch, tensor.channels, program.size, program.size)):
            raise TrainingError(f"a batch of planes {planes.shape}: expected {wanted}")
        take_planes(planes, program.work.values, tensor.place, tensor.row, program.boards)
        self._batch = batch

    def _step(self, rate: float) -> dict[str, float]:
        program, options = self._program, self._options
        work = program.work
        forward(work, program.operations, program.boards, 1)
        program.clear()
        found = self._losses()
        backward(work, program.operations, program.boards)
        norm = sum(squared_norm(work.weight_gradients[part]) for part in program.trained) ** 0.5
        if not np.isfinite(norm) or not np.isfinite(found["loss"]):
            change = smaller_rate("learn.lr", options.lr)
            raise TrainingError(not_finite(found["loss"], rate), change)
        self.steps += 1
        self._move(rate, min(1.0, options.clip / (norm + 1e-6)))
        if self._average is not None:
            for average, now in zip(self._average, (work.parameters, work.running), strict=True):
                move_towards(average, now, 1 - self._keep)
        return found | {"gradient": norm}

    def _move(self, rate: float, scale: float) -> None:
        """The optimiser's step, for the parameters that the losses depend on."""
        work, options = self._program.work, self._options
        for part in self._program.trained:
            moments = [moment[part] for moment in self._moments]
            if options.optimizer is Optimizer.SGD:
                sgd = scale, rate, options.weight_decay
                momentum(work.parameters[part], work.weight_gradients[part], *moments, *sgd)
                continue
            apart = int(options.optimizer is Optimizer.ADAMW)
            how = self.steps, scale, rate, options.weight_decay, apart
            adam(work.parameters[part], work.weight_gradients[part], *moments, *how)

    def _losses(self) -> dict[str, float]:
        """Each loss by name, unweighted, and their weighted sum as ``loss``; gradients of the outputs."""
        batch, options = self._batch, self._options
        assert batch is not None
        weight = {"policy": _floats(batch.policy_weight), "value": _floats(batch.value_weight)}
        found = {
            "policy_loss": self._entropy("policy", batch.policy, weight["policy"], options.policy_weight)
        }
        found["value_loss"] = self._value_loss(batch, weight["value"])
        whole = options.policy_weight * found["policy_loss"] + options.value_weight * found["value_loss"]
        for name, (option, kind) in _AUXILIARY.items():
            if name in self._learned and name in batch.extra:
                share = getattr(options, option)
                loss = self._auxiliary(name, batch.extra[name], weight[kind], share)
                found[f"{name}_loss"] = loss
                whole += share * loss
        return found | {"loss": whole}

    def _entropy(self, name: str, target: npt.NDArray[Any], weight: Floats, share: float) -> float:
        tensor = self._program.output(name)
        args = self._program.work, tensor.place, tensor.row, _floats(target), weight, share
        return float(losses.cross_entropy(*args))

    def _value_loss(self, batch: TrainingBatch, weight: Floats) -> float:
        """Squared error of a value, or cross-entropy of win, draw and loss."""
        work, options, part = self._program.work, self._options, self._options.value_target
        tensor = self._program.output(self._learned[1])
        if self._learned[1] == "value":
            wanted = _floats((1 - part) * batch.result + part * batch.value)
            return float(losses.squares(work, tensor.place, wanted, weight, options.value_weight))
        result, at = batch.result, (work, tensor.place, tensor.row)
        ended = _floats(np.stack([result > 0, result == 0, result < 0], axis=1))
        loss = (1 - part) * losses.cross_entropy(*at, ended, weight, options.value_weight * (1 - part))
        if part:
            loss += part * losses.wdl_loss(*at, _floats(batch.value), weight, options.value_weight * part)
        return float(loss)

    def _auxiliary(self, name: str, target: npt.NDArray[Any], weight: Floats, share: float) -> float:
        if name.endswith("policy"):
            known = target.sum(axis=1) > 0
            return self._entropy(name, target, _floats(weight * known), share)
        work, tensor = self._program.work, self._program.output(name)
        if name == "moves_left":
            return float(losses.squares(work, tensor.place, _floats(target), weight, share))
        labels = np.ascontiguousarray(target, np.int64)
        at = work, tensor.place, tensor.row, self._program.boards
        return float(losses.cell_classes(*at, labels, weight, share))

    def _answers(self) -> tuple[Floats, Floats]:
        program = self._program
        forward(program.work, program.operations, program.boards, 0)
        logits, value = program.numbers("policy"), program.numbers(self._learned[1])
        if self._learned[1] == "wdl_logits":
            shares = np.exp(_log_softmax(value))
            return _log_softmax(logits), scalar_value(shares)
        return _log_softmax(logits), value[:, 0]

    # ------------------------------------------------------------------ checkpoints

    @property
    def _slots(self) -> tuple[str, ...]:
        """What PyTorch calls the optimiser's moments."""
        by_speed = self._options.optimizer is Optimizer.SGD
        return ("momentum_buffer",) if by_speed else ("exp_avg", "exp_avg_sq")

    def arrays(self) -> Arrays:
        """See :class:`BaseLearner`."""
        program, found = self._program, dict[str, npt.NDArray[Any]]()
        count = np.array(self.steps, np.int64)
        kept = {"model": self._weights(), "average": self._weights(self._average) if self._average else {}}
        for prefix, weights in kept.items():
            for name, value in weights.items():
                found[f"{prefix}/{name}"] = value
                if name.endswith("running_var"):
                    found[f"{prefix}/{name.removesuffix('running_var')}{_COUNTER}"] = count
        for number, (_, place) in enumerate(self._parameters()):
            if not self.steps or not any(part.start <= place.start < part.stop for part in program.trained):
                continue
            for slot, moments in zip(self._slots, self._moments, strict=True):
                found[f"optimizer/{number}/{slot}"] = moments[place.part].reshape(place.shape).copy()
            if len(self._slots) > 1:
                found[f"optimizer/{number}/step"] = np.array(self.steps, np.float32)
        return found

    def _parameters(self) -> list[tuple[str, Any]]:
        return [(name, place) for name, place in self._program.places.items() if not place.is_running]

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]], state: Mapping[str, Any]) -> None:
        """See :class:`BaseLearner`."""
        program = self._program
        for name, place in program.places.items():
            found = arrays.get(f"model/{name}")
            if found is None or found.shape != place.shape:
                raise TrainingError(f"the checkpoint: weights of another net (at {name})")
        program.put(_part(arrays, "model/"))
        if self._average is not None:
            averages = _part(arrays, "average/")
            for name, place in program.places.items():
                program.array(*self._average, place)[...] = averages[name]
        for number, (_, place) in enumerate(self._parameters()):
            for slot, moments in zip(self._slots, self._moments, strict=True):
                value = arrays.get(f"optimizer/{number}/{slot}")
                moments[place.part] = 0 if value is None else value.reshape(-1)
        self.multiplier, self.steps = float(state["multiplier"]), int(state["steps"])
        self.waits_for = state.get("waits_for")


def learned_outputs(graph: Graph, options: LearnSection) -> list[str]:
    """The outputs that there are losses of: policy and value first."""
    more = [
        name for name, (option, _) in _AUXILIARY.items() if name in graph.outputs and getattr(options, option)
    ]
    return ["policy", "wdl_logits" if "wdl_logits" in graph.outputs else "value", *more]


def _part(arrays: Mapping[str, npt.NDArray[Any]], prefix: str) -> dict[str, npt.NDArray[Any]]:
    return {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}


def _check(options: LearnSection) -> None:
    """Raise a ConfigError for what only PyTorch's learner can do."""
    for given, name in (
        (options.losses, "losses"),
        (options.precision is Precision.BF16, "precision"),
        (options.device == "cuda", "device"),
    ):
        if given:
            value = getattr(options, name)
            raise ConfigError(f"learn.{name}={value}: only PyTorch can do that: expected learn.learner=torch")


def _floats(values: npt.NDArray[Any]) -> Floats:
    return np.ascontiguousarray(values, np.float32)


def _log_softmax(logits: Floats) -> Floats:
    shifted = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)), np.float32)
