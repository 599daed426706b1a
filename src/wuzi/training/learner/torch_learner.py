"""The learner of PyTorch: a module, its optimiser, and everything that a checkpoint holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional as F

from wuzi.base.machine import processors
from wuzi.core import Rules
from wuzi.errors import ConfigError, RecordError, TrainingError
from wuzi.nets.evaluator import Floats
from wuzi.nets.file import NetFile
from wuzi.torch_nets import Net, NetSpec, net_file
from wuzi.torch_nets.files import outputs_of
from wuzi.torch_nets.registry import ARCHITECTURE_REGISTRY
from wuzi.training.data.replay import TrainingBatch
from wuzi.training.learner.base import BaseLearner, not_finite, smaller_rate
from wuzi.training.learner.losses import Targets, losses_of, own_losses
from wuzi.training.learner.nets import (
    array_of,
    load_module_arrays,
    optimizer_arrays,
    passed,
    restore_optimizer,
    scalar_value,
    tensor_of,
)
from wuzi.training.run.checkpoint import Arrays
from wuzi.training.run.config import LearnSection, Optimizer, Precision

CHANNELS_LAST = torch.channels_last
"""How batches lie in memory: steps of convolutions are a fifth faster on a processor than plane by plane."""


class TorchLearner(BaseLearner):
    """A net in training, which is moved to the device; a ConfigError where that is not there."""

    def __init__(self, module: Net, options: LearnSection, spec: NetSpec | None = None) -> None:
        """Learn; only with a ``spec`` it can say which net it is, and make a file of it."""
        super().__init__(options)
        self.device = torch.device(choose_device(options.device))
        self.module = module.to(self.device)
        self._spec, self._own = spec, own_losses(options.losses)
        self._half = in_bf16(options.precision, self.device)
        self._optimizer = _optimizer(module, options)
        self._average = {n: v.detach().clone() for n, v in module.state_dict().items()} if options.ema else {}
        self._batch: tuple[Tensor, Targets] | None = None
        if self.device.type == "cpu":
            torch.set_num_threads(options.threads or processors())

    @property
    def planes(self) -> str:
        """See :class:`BaseLearner`."""
        return self.module.planes

    @property
    def spec(self) -> NetSpec:
        """Which net it is."""
        assert self._spec is not None
        return self._spec

    @property
    def architecture(self) -> str:
        """See :class:`BaseLearner`."""
        return self.spec.name

    @property
    def is_known_here_only(self) -> bool:  # type: ignore[override]
        """See :class:`BaseLearner`."""
        return ARCHITECTURE_REGISTRY.is_known_here_only(self.spec.name)

    @property
    def on(self) -> str:
        """See :class:`BaseLearner`."""
        return self.device.type

    def outputs(self, size: int) -> frozenset[str]:
        """See :class:`BaseLearner`; a ConfigError where the net cannot be computed."""
        return outputs_of(self.module, size)

    def net(self, rules: Rules, name: str, recipe: Mapping[str, Any]) -> NetFile:
        """See :class:`BaseLearner`."""
        module = self.spec.make()
        module.load_state_dict(dict(self.playing_state()))
        return net_file(module.eval(), self.spec, rules, name, recipe)

    def playing_state(self) -> dict[str, Tensor]:
        """The weights that play: averaged ones, if there are."""
        return self._average or self.module.state_dict()

    # ------------------------------------------------------------------ checkpoints

    def arrays(self) -> Arrays:
        """See :class:`BaseLearner`."""
        found: Arrays = {}
        for prefix, state in (("model", self.module.state_dict()), ("average", self._average)):
            found |= {f"{prefix}/{name}": array_of(value) for name, value in state.items()}
        moments = optimizer_arrays(self._optimizer, "/")
        found |= {f"optimizer/{name}": value for name, value in moments.items()}
        return found | {"torch_random": array_of(torch.get_rng_state())}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]], state: Mapping[str, Any]) -> None:
        """See :class:`BaseLearner`."""
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
        if "torch_random" in arrays:  # the learner of kernels has none
            torch.set_rng_state(tensor_of(arrays["torch_random"]))
        self.multiplier, self.steps = float(state["multiplier"]), int(state["steps"])
        self.waits_for = state.get("waits_for")

    # ------------------------------------------------------------------ inside

    def _take(self, batch: TrainingBatch) -> None:
        names = ("policy", "result", "value", "policy_weight", "value_weight")
        plain = {name: getattr(batch, name) for name in names}
        targets = {
            name: torch.from_numpy(np.ascontiguousarray(value)).to(self.device)
            for name, value in (plain | batch.extra).items()
        }
        features = torch.from_numpy(batch.features).to(self.device, memory_format=CHANNELS_LAST)
        self._batch = features, targets

    def _answers(self) -> tuple[Floats, Floats]:
        assert self._batch is not None
        self.module.eval()
        with torch.no_grad():
            found = passed(self.module, self._batch[0], self._half)
            policy = F.log_softmax(found["policy"], dim=1)
            return policy.cpu().numpy(), scalar_value(found).cpu().numpy()

    def _step(self, rate: float) -> dict[str, float]:
        assert self._batch is not None
        features, targets = self._batch
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
                self._average[name].lerp_(value.detach(), 1 - self._keep)
            else:
                self._average[name].copy_(value)


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
        raise TrainingError(not_finite(float(loss.detach()), optimizer.param_groups[0]["lr"]), change)
    optimizer.step()
    return norm.detach()


def choose_device(wanted: str, name: str = "learn.device") -> str:
    """``cpu`` or ``cuda`` for an option; a ConfigError where a GPU was asked for and there is none."""
    if wanted not in ("auto", "cpu", "cuda"):
        raise ConfigError(f"{name}={wanted!r}: expected auto, cpu or cuda")
    available = torch.cuda.is_available()
    if wanted == "cuda" and not available:
        raise ConfigError(f"{name}=cuda: torch finds no GPU here: expected cpu or auto")
    return "cuda" if available and wanted != "cpu" else "cpu"


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
