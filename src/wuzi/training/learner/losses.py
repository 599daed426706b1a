"""What the net is trained to do: the losses of each of its outputs."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from wuzi.core.classes import CellClass
from wuzi.torch_nets import Outputs
from wuzi.training.run.config import LearnSection

Targets = Mapping[str, Tensor]
"""Tensors by name: those of :class:`wuzi.training.data.replay.TrainingBatch`, its extra targets by output."""

_IGNORED = -100
"""The label of cells that have no class: those with a stone."""


def losses_of(found: Outputs, targets: Targets, options: LearnSection) -> dict[str, Tensor]:
    """Each loss by name, unweighted, and their weighted sum as ``loss``."""
    weight = {name: targets[f"{name}_weight"] for name in ("policy", "value")}
    terms = {
        "policy_loss": (
            options.policy_weight,
            cross_entropy(found["policy"], targets["policy"], weight["policy"]),
        ),
        "value_loss": (options.value_weight, _value_loss(found, targets, options.value_target)),
    }
    for name, (option, loss_of, kind) in _AUXILIARY.items():
        if name in found and name in targets and (share := getattr(options, option)):
            terms[f"{name}_loss"] = (share, loss_of(found[name], targets[name], weight[kind]))
    losses = {name: loss for name, (_, loss) in terms.items()}
    losses["loss"] = torch.stack([share * loss for share, loss in terms.values()]).sum()
    return losses


def cross_entropy(logits: Tensor, policy: Tensor, weight: Tensor) -> Tensor:
    """Mean of ``-sum(policy * log softmax(logits))``: the divergence but for the policy's own entropy."""
    return mean(-(policy * F.log_softmax(logits, dim=1)).sum(dim=1), weight)


def mean(values: Tensor, weight: Tensor) -> Tensor:
    """The weighted mean of values [B]."""
    return (values * weight).sum() / weight.sum().clamp_min(1e-6)


def _value_loss(found: Outputs, targets: Targets, share: float) -> Tensor:
    """Squared error of a value, or cross-entropy of win, draw and loss."""
    result, weight = targets["result"], targets["value_weight"]
    if "wdl_logits" not in found:
        wanted = (1 - share) * result + share * targets["value"]
        return mean((found["value"] - wanted) ** 2, weight)
    ended = torch.stack([result > 0, result == 0, result < 0], dim=1).float()
    loss = (1 - share) * cross_entropy(found["wdl_logits"], ended, weight)
    # A search says how much, not whether by a draw: its value trains the difference of win and loss alone.
    # Half the square has the curvature of the cross-entropy of a lottery of the same value at 0.
    win, _, lost = F.softmax(found["wdl_logits"], dim=1).unbind(dim=1)
    return loss + share * mean((win - lost - targets["value"]) ** 2 / 2, weight)


def _policy(logits: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return cross_entropy(logits, target, weight * (target.sum(dim=1) > 0))


def _squares(found: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return mean(((found - target) ** 2).reshape(len(found), -1).mean(dim=1), weight)


def _final_line(logits: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    each = F.cross_entropy(logits, target.clamp_min(0), reduction="none").flatten(1).mean(dim=1)
    return mean(each, weight * (target[:, 0, 0] >= 0))


def _cell_classes(logits: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    classes = len(CellClass)
    labels = target.long()
    known = labels < classes
    labels = labels.masked_fill(~known, _IGNORED)
    batch, _, size, _ = logits.shape
    split = logits.reshape(batch, 2, classes, size, size).transpose(1, 2)
    each = F.cross_entropy(split, labels, reduction="none", ignore_index=_IGNORED).flatten(1).sum(dim=1)
    return mean(each / known.flatten(1).sum(dim=1).clamp_min(1), weight)


_AUXILIARY = {
    "soft_policy": ("soft_policy_weight", _policy, "policy"),
    "reply_policy": ("reply_weight", _policy, "policy"),
    "moves_left": ("moves_weight", _squares, "value"),
    "final_line": ("line_weight", _final_line, "value"),
    "patterns": ("pattern_weight", _squares, "value"),
    "cell_classes": ("pattern_weight", _cell_classes, "value"),
}
"""Outputs beside policy and value: the option that weighs their loss, the loss, and whose weights."""
