"""One iteration's learning: the clipped loss and the passes through the rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from wuzi.torch_nets.blocks import Net, Outputs
from wuzi.torch_nets.files import device_of
from wuzi.training.learner.base import smaller_rate
from wuzi.training.learner.nets import passed, scalar_value
from wuzi.training.learner.torch_learner import CHANNELS_LAST, gradient_step, in_bf16
from wuzi.training.methods.ppo.config import OldPolicy, PpoConfig
from wuzi.training.methods.ppo.rollout import MoveRows

_CHUNK = 2048
_LARGEST = 20.0
"""Of the logarithm of a ratio; far beyond what PPO counts."""


@dataclass
class UpdateLosses:
    """Means over the gradient steps of one iteration, gathered step by step."""

    sums: dict[str, float] = field(default_factory=dict)
    steps: int = 0
    # The largest |ratio - 1| of a step: at first 0 but for rounding where the net that learns has played.
    first_ratio_error: float = 0.0
    last_ratio_error: float = 0.0
    kl_last: float = 0.0  # the divergence from the old policy when the last mini-batch was looked at
    stopped: bool = False  # whether the divergence ended an update early

    def add(self, parts: dict[str, Tensor]) -> None:
        """Enter a gradient step."""
        self.last_ratio_error = float(parts.pop("ratio_error"))
        self.first_ratio_error = self.first_ratio_error if self.steps else self.last_ratio_error
        self.steps += 1
        for name, value in parts.items():
            self.sums[name] = self.sums.get(name, 0.0) + float(value)

    def means(self) -> dict[str, float]:
        """By name, for a row of metrics."""
        return {
            **{name: total / max(1, self.steps) for name, total in self.sums.items()},
            **{"ratio_error_first": self.first_ratio_error, "ratio_error_last": self.last_ratio_error},
            **{"gradient_steps": self.steps, "stopped_by_kl": float(self.stopped), "kl_last": self.kl_last},
        }


@dataclass
class PpoBatch:
    """Rows as tensors; see :class:`wuzi.training.methods.ppo.rollout.MoveRows`."""

    planes: Tensor
    masks: Tensor
    actions: Tensor
    log_probs: Tensor
    returns: Tensor
    advantages: Tensor
    next_values: Tensor

    def features(self) -> Tensor:
        """What the net is asked, float32."""
        return self.planes.float().contiguous(memory_format=CHANNELS_LAST)

    def take(self, rows: Tensor) -> PpoBatch:
        """Some rows."""
        return PpoBatch(**{name: value[rows] for name, value in vars(self).items()})


def to_batch(rows: MoveRows, device: torch.device | str = "cpu") -> PpoBatch:
    """Rows as tensors, the advantages normalised over all of them."""
    advantages = rows.advantages - rows.advantages.mean()
    advantages = advantages / (advantages.std() + 1e-8)
    arrays = {**vars(rows), "advantages": advantages}
    del arrays["values"]
    tensors = {name: torch.from_numpy(np.ascontiguousarray(value)) for name, value in arrays.items()}
    return PpoBatch(**{name: value.to(device) for name, value in tensors.items()})


def log_policy(logits: Tensor, masks: Tensor) -> Tensor:
    """Log-probabilities [B, cells] over legal cells; those of the others are about -1e9, never taken."""
    return torch.log_softmax(logits.masked_fill(masks == 0, -1e9), dim=1)


def ppo_loss(
    outputs: Outputs, batch: PpoBatch, config: PpoConfig, entropy_coef: float
) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss of a mini-batch (Schulman et al. 2017, equations 7 and 9), and its parts by name."""
    logs = log_policy(outputs["policy"], batch.masks)
    log_ratio = logs.gather(1, batch.actions[:, None]).squeeze(1) - batch.log_probs
    ratio = log_ratio.clamp(max=_LARGEST).exp()  # an infinite one would make the gradient nan
    bounded = ratio.clamp(1 - config.clip, 1 + config.clip)
    policy_loss = -torch.minimum(ratio * batch.advantages, bounded * batch.advantages).mean()
    value_loss = F.mse_loss(scalar_value(outputs), batch.returns)
    entropy = -(logs.exp() * logs).sum(dim=1).mean()
    loss = policy_loss + config.value_coef * value_loss - entropy_coef * entropy
    parts = {"policy_loss": policy_loss, "value_loss": value_loss, "entropy": entropy}
    if "next_value" in outputs and config.next_value_coef > 0:
        said = outputs["next_value"].flatten(1).gather(1, batch.actions[:, None]).squeeze(1)
        known = ~batch.next_values.isnan()
        squares = ((said - batch.next_values.nan_to_num())[known] ** 2).sum()
        parts["next_value_loss"] = squares / max(1, int(known.sum()))
        loss = loss + config.next_value_coef * parts["next_value_loss"]
    with torch.no_grad():
        parts["kl"] = (ratio - 1 - log_ratio).mean()
        parts["clip_fraction"] = ((ratio - 1).abs() > config.clip).float().mean()
        parts["ratio_error"] = (ratio - 1).abs().max()
    return loss, {name: value.detach() for name, value in parts.items()}


@torch.no_grad()
def current_log_probs(net: Net, batch: PpoBatch, half: bool) -> Tensor:
    """What the net as it is now gives the actions of a batch."""
    found = []
    for part in torch.split(torch.arange(len(batch.actions), device=batch.actions.device), _CHUNK):
        rows = batch.take(part)
        logs = log_policy(passed(net, rows.features(), half)["policy"], rows.masks)
        found.append(logs.gather(1, rows.actions[:, None]).squeeze(1))
    return torch.cat(found)


class PpoUpdate:
    """One iteration's learning, a gradient step at a time; it can be written down between any two.

    Batch norms stand still (the net stays in evaluation mode).
    """

    def __init__(
        self,
        net: Net,
        optimizer: torch.optim.Optimizer,
        rows: MoveRows,
        config: PpoConfig,
        rng: np.random.Generator,
        entropy_coef: float,
    ) -> None:
        self.rows, self.losses = rows, UpdateLosses()
        self._net, self._optimizer, self._config, self._rng = net, optimizer, config, rng
        self._entropy_coef, self._device = entropy_coef, device_of(net)
        self._half = in_bf16(config.precision, self._device)
        self._number = self._epoch = self._start = 0
        self._chosen: npt.NDArray[np.int64] | None = None
        self._order: npt.NDArray[np.int64] | None = None
        self._batch: PpoBatch | None = None
        net.eval()
        for module in net.modules():
            if isinstance(module, nn.RNNBase) and not module.dropout:
                # cuDNN gives the gradient of a recurrent layer in training mode only; without dropout the
                # answers are the same in both modes.
                module.train()

    @property
    def is_done(self) -> bool:
        """Whether no gradient step is left."""
        return self._number == self._config.num_updates or not len(self.rows)

    def step(self) -> None:
        """Do the next gradient step, or end an update where the divergence says so.

        A TrainingError for a loss or gradient that is not finite; the weights are those before that step.
        """
        batch, config = self._batch or self._open(), self._config
        count = len(batch.actions)
        if self._order is None:
            self._order = self._rng.permutation(count)
        stop = self._start + (config.mini_batch_size or count)
        part = batch.take(torch.from_numpy(self._order[self._start : stop]).to(self._device))
        answers = passed(self._net, part.features(), self._half)
        loss, parts = ppo_loss(answers, part, config, self._entropy_coef)
        self.losses.kl_last = float(parts["kl"])
        if config.kl_stop > 0 and self.losses.kl_last > config.kl_stop:
            self.losses.stopped = True
            self._close()
            return
        change = smaller_rate("ppo.learning_rate", config.learning_rate)
        parts["gradient_norm"] = gradient_step(self._net, self._optimizer, loss, config.grad_norm, change)
        self.losses.add(parts)
        self._start = stop
        if stop >= count:
            self._order, self._start, self._epoch = None, 0, self._epoch + 1
            if self._epoch >= config.num_epochs:
                self._close()

    def _open(self) -> PpoBatch:
        """The batch of the next update."""
        size = self._config.batch_size
        if size and size < len(self.rows):
            self._chosen = self._rng.choice(len(self.rows), size, replace=False)
        self._batch = self._make_batch()
        if self._config.old_policy is OldPolicy.CURRENT:
            self._batch.log_probs = current_log_probs(self._net, self._batch, self._half)
        return self._batch

    def _make_batch(self) -> PpoBatch:
        chosen = self.rows if self._chosen is None else self.rows.take(self._chosen)
        return to_batch(chosen, self._device)

    def _close(self) -> None:
        self._chosen = self._order = self._batch = None
        self._epoch = self._start = 0
        self._number += 1

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Where it stands, without its rows: arrays, and what JSON can hold."""
        log_probs = None if self._batch is None else self._batch.log_probs.cpu().numpy()
        kept = {"log_probs": log_probs, "chosen": self._chosen, "order": self._order}
        meta = {"number": self._number, "epoch": self._epoch, "start": self._start}
        arrays = {name: value for name, value in kept.items() if value is not None}
        return arrays, {**meta, "losses": asdict(self.losses)}

    def restore(self, arrays: dict[str, npt.NDArray[Any]], meta: dict[str, Any]) -> None:
        """Go on where :meth:`state` was taken, with the same rows."""
        self._number, self._epoch, self._start = meta["number"], meta["epoch"], meta["start"]
        self._chosen, self._order = arrays.get("chosen"), arrays.get("order")
        self.losses = UpdateLosses(**meta["losses"])
        if "log_probs" in arrays:
            self._batch = self._make_batch()
            self._batch.log_probs = torch.from_numpy(arrays["log_probs"]).to(self._device)


@torch.no_grad()
def refresh_norms(net: nn.Module, planes: Tensor, momentum: float) -> None:
    """Move the running statistics of all batch norms towards those of some positions float32 [B, C, N, N].

    ``momentum`` is the share of the new statistics; 1 forgets the old ones, 0 does nothing. The net is in
    evaluation mode afterwards: the same position gives the same answer in games and in learning.
    """
    net.eval()
    norms = [module for module in net.modules() if isinstance(module, nn.BatchNorm2d)]
    if not norms or momentum <= 0:
        return
    usual = [norm.momentum for norm in norms]
    for norm in norms:
        norm.momentum = momentum
        norm.train()
    net(planes.to(device_of(net)))
    for norm, before in zip(norms, usual, strict=True):
        norm.momentum = before
        norm.eval()
