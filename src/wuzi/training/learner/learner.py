"""One net and its optimiser: steps on batches, the learning rate, and everything that a checkpoint holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional as F

from wuzi.base.machine import processors
from wuzi.errors import ConfigError, RecordError, TrainingError
from wuzi.torch_nets import Net
from wuzi.training.data.replay import TrainingBatch
from wuzi.training.learner.losses import Targets, explained_variance, losses_of, own_losses
from wuzi.training.learner.nets import (
    array_of,
    load_module_arrays,
    optimizer_arrays,
    passed,
    restore_optimizer,
    tensor_of,
)
from wuzi.training.run.checkpoint import Arrays
from wuzi.training.run.config import LearnSection, Optimizer, Precision, Schedule

_LOOK_EVERY = 10
"""Steps from one look at the divergence to the next, where nothing depends on it."""

CHANNELS_LAST = torch.channels_last
"""How batches lie in memory: steps of convolutions are a fifth faster on a processor than plane by plane."""

_FACTOR, _LOW, _HIGH = 1.5, 0.1, 10.0
"""The family's rule: the multiplier of the learning rate moves by this factor between these bounds."""

_ABANDON = 4.0
"""Steps on a batch end when the policy has moved this many times the target."""


class Learner:
    """A net in training, which is moved to the device; a ConfigError where that is not there.

    Attributes:
        multiplier: of the learning rate (schedule ``kl``).
        steps: steps so far.
        waits_for: a policy loss below which the rate begins to follow the divergence; None: it does.
    """

    waits_for: float | None = None

    def __init__(self, module: Net, options: LearnSection) -> None:
        self.device = torch.device(choose_device(options.device))
        self.module = module.to(self.device)
        self.multiplier, self.steps = 1.0, 0
        self._options, self._own = options, own_losses(options.losses)
        self._half = in_bf16(options.precision, self.device)
        self._optimizer = _optimizer(module, options)
        self._average = {n: v.detach().clone() for n, v in module.state_dict().items()} if options.ema else {}
        if self.device.type == "cpu":
            torch.set_num_threads(options.threads or processors())

    def learn(self, batch: TrainingBatch, progress: float) -> dict[str, float]:
        """Take the steps on one batch, when ``progress`` (0 to 1) of the run is done.

        Returns:
            Losses and figures by name: ``kl`` and ``entropy`` of the policy, ``explained_before`` and
            ``explained_after`` of the value's variance, ``lr``, ``gradient``. Those that need the net's
            answers are left out of most batches unless the learning rate follows them. A TrainingError
            where a loss is not finite; the module must then be thrown away.
        """
        features, targets = self._tensors(batch)
        adaptive = self._options.schedule is Schedule.KL
        rate, figures = self._rate(progress), dict[str, float]()
        if not adaptive and self.steps % _LOOK_EVERY:
            for _ in range(self._options.epochs):
                figures = self._step(features, targets, rate)
            return figures | {"lr": rate}
        before, value_before = self._answers(features)
        for _ in range(self._options.epochs):
            figures = self._step(features, targets, rate)
            after, value_after = self._answers(features)
            kl = _divergence(before, after)
            if adaptive and kl > self._options.kl_target * _ABANDON:
                break
        if adaptive and (self.waits_for is None or figures["policy_loss"] < self.waits_for):
            self.waits_for = None
            self._adapt(kl)
        return figures | {
            "lr": rate,
            "kl": kl,
            "lr_multiplier": self.multiplier,
            "entropy": float(-(after.exp() * after).sum(dim=1).mean()),
            "explained_before": explained_variance(targets["result"], value_before),
            "explained_after": explained_variance(targets["result"], value_after),
        }

    def playing_state(self) -> dict[str, Tensor]:
        """The weights that play: averaged ones, if there are."""
        return self._average or self.module.state_dict()

    # ------------------------------------------------------------------ checkpoints

    def arrays(self) -> Arrays:
        """Weights, averages and the optimiser's moments as arrays by name."""
        found: Arrays = {}
        for prefix, state in (("model", self.module.state_dict()), ("average", self._average)):
            found |= {f"{prefix}/{name}": array_of(value) for name, value in state.items()}
        moments = optimizer_arrays(self._optimizer, "/")
        found |= {f"optimizer/{name}": value for name, value in moments.items()}
        return found | {"torch_random": array_of(torch.get_rng_state())}

    def state(self) -> dict[str, Any]:
        """The plain numbers beside :meth:`arrays`."""
        return {"multiplier": self.multiplier, "steps": self.steps, "waits_for": self.waits_for}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]], state: Mapping[str, Any]) -> None:
        """Go back to what :meth:`arrays` and :meth:`state` were; a TrainingError for those of another net."""
        parts: dict[str, Arrays] = {"model": {}, "average": {}, "optimizer": {}, "torch_random": {}}
        for key, value in arrays.items():
            prefix, _, name = key.partition("/")
            parts[prefix][name] = value
        try:
            load_module_arrays(self.module, parts["model"], "the checkpoint")
        except RecordError as error:
            raise TrainingError(str(error)) from None
        if self._average:
            self._average = {n: tensor_of(value).to(self.device) for n, value in parts["average"].items()}
        restore_optimizer(self._optimizer, parts["optimizer"], "/")
        torch.set_rng_state(tensor_of(arrays["torch_random"]))
        self.multiplier, self.steps = float(state["multiplier"]), int(state["steps"])
        self.waits_for = state.get("waits_for")

    # ------------------------------------------------------------------ inside

    def _tensors(self, batch: TrainingBatch) -> tuple[Tensor, Targets]:
        names = ("policy", "result", "value", "policy_weight", "value_weight")
        plain = {name: getattr(batch, name) for name in names}
        targets = {
            name: torch.from_numpy(np.ascontiguousarray(value)).to(self.device)
            for name, value in (plain | batch.extra).items()
        }
        features = torch.from_numpy(batch.features).to(self.device, memory_format=CHANNELS_LAST)
        return features, targets

    def _answers(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Log-probabilities [B, A] and values [B], as they are played with."""
        self.module.eval()
        with torch.no_grad():
            found = passed(self.module, features, self._half)
            value = found["value"] if "value" in found else found["wdl"][:, 0] - found["wdl"][:, 2]
            return F.log_softmax(found["policy"], dim=1), value

    def _step(self, features: Tensor, targets: Targets, rate: float) -> dict[str, float]:
        self.module.train()
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        losses = losses_of(passed(self.module, features, self._half), targets, self._options, self._own)
        # All at once: a GPU is waited for once.
        figures = dict(zip(losses, torch.stack([*losses.values()]).detach().tolist(), strict=True))
        change = smaller_rate("learn.lr", self._options.lr)
        norm = gradient_step(self.module, self._optimizer, losses["loss"], self._options.clip, change)
        self.steps += 1
        self._follow()
        return figures | {"gradient": float(norm)}

    def _follow(self) -> None:
        """Move the averaged weights towards the net's; counters and running statistics too."""
        for name, value in self.module.state_dict().items() if self._average else ():
            if value.is_floating_point():
                # A short memory at first, so that the random start is forgotten.
                keep = min(self._options.ema, (1 + self.steps) / (10 + self.steps))
                self._average[name].lerp_(value.detach(), 1 - keep)
            else:
                self._average[name].copy_(value)

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


def gradient_step(
    net: Net, optimizer: torch.optim.Optimizer, loss: Tensor, limit: float, change: str
) -> Tensor:
    """One step of the optimiser; the norm of the gradient before it was scaled down to ``limit``.

    A TrainingError with that ``change`` where the loss or its gradient is not finite; the weights are then
    those before.
    """
    optimizer.zero_grad()
    torch.autograd.backward(loss)
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), limit)
    if not torch.isfinite(norm):
        rate, found = optimizer.param_groups[0]["lr"], f"{float(loss.detach()):g}"
        text = f"the loss is {found} at a learning rate of {rate:.3g}, or its gradient is not finite"
        raise TrainingError(text, change)
    optimizer.step()
    return norm.detach()


def smaller_rate(option: str, rate: float) -> str:
    """What to change where the loss is not finite.

    >>> smaller_rate("learn.lr", 2e-3)
    'learn.lr=0.0002'
    """
    return f"{option}={rate / 10:g}"


def choose_device(wanted: str, name: str = "learn.device") -> str:
    """``cpu`` or ``cuda`` for an option; a ConfigError where a GPU was asked for and there is none."""
    if wanted not in ("auto", "cpu", "cuda"):
        raise ConfigError(f"{name}={wanted!r}: expected auto, cpu or cuda")
    available = torch.cuda.is_available()
    if wanted == "cuda" and not available:
        raise ConfigError(f"{name}=cuda: torch finds no GPU here: expected cpu or auto")
    return "cuda" if available and wanted != "cpu" else "cpu"


def cosine_rate(first: float, last: float, progress: float) -> float:
    """From ``first`` down to ``last`` along half a cosine; ``progress`` is 0 to 1."""
    share = (1 + math.cos(math.pi * min(1.0, max(0.0, progress)))) / 2
    return last + (first - last) * share


def in_bf16(precision: Precision, device: torch.device) -> bool:
    """Whether passes are computed in bfloat16; by default where the device is faster with it."""
    if precision is not Precision.AUTO:
        return precision is Precision.BF16
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    # Earlier versions of torch cannot say what the processor can do.
    known = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
    return bool(known.get("avx512_bf16") or known.get("amx_bf16"))


def _optimizer(module: Net, options: LearnSection) -> torch.optim.Optimizer:
    rate, decay, parameters = options.lr, options.weight_decay, module.parameters()
    if options.optimizer is Optimizer.ADAM:
        return torch.optim.Adam(parameters, lr=rate, weight_decay=decay)
    if options.optimizer is Optimizer.ADAMW:
        return torch.optim.AdamW(parameters, lr=rate, weight_decay=decay)
    return torch.optim.SGD(parameters, lr=rate, momentum=0.9, nesterov=True, weight_decay=decay)


def _divergence(before: Tensor, after: Tensor) -> float:
    return float((before.exp() * (before - after)).sum(dim=1).mean())
