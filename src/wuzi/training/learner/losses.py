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
"""Tensors by name: policy, result, value, weight, and extra targets by the name of their output."""


_IGNORED = -100
"""The label of cells that have no class: those with a stone."""


def losses_of(found: Outputs, targets: Targets, options: LearnSection) -> dict[str, Tensor]:
    """Each loss by name, unweighted, and their weighted sum as ``loss``."""
    weight = targets["weight"]
    terms = {
        "policy_loss": (options.policy_weight, cross_entropy(found["policy"], targets["policy"], weight)),
        "value_loss": (options.value_weight, _value_loss(found, targets, options.value_target)),
    }
    auxiliary = {
        "soft_policy": options.soft_policy_weight,
        "reply_policy": options.reply_weight,
        "moves_left": options.moves_weight,
        "final_line": options.line_weight,
        "patterns": options.pattern_weight,
        "cell_classes": options.pattern_weight,
    }
    for name, share in auxiliary.items():
        if name in found and name in targets and share:
            terms[f"{name}_loss"] = (share, _AUXILIARY[name](found[name], targets[name], weight))
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
    result, weight = targets["result"], targets["weight"]
    if "wdl_logits" not in found:
        wanted = (1 - share) * result + share * targets["value"]
        return mean((found["value"] - wanted) ** 2, weight)
    ended = torch.stack([result > 0, result == 0, result < 0], dim=1).float()
    value = targets["value"].clamp(-1, 1)
    # The expected result as a lottery of wins and losses around the draws that there were.
    searched = torch.stack([(1 + value) / 2, torch.zeros_like(value), (1 - value) / 2], dim=1)
    return cross_entropy(found["wdl_logits"], (1 - share) * ended + share * searched, weight)


def _policy(logits: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    known = target.sum(dim=1) > 0
    return cross_entropy(logits, target, weight * known)


def _squares(found: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return mean(((found - target) ** 2).flatten(1).mean(dim=1), weight)


def _scalars(found: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return mean((found - target) ** 2, weight)


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
    "soft_policy": _policy,
    "reply_policy": _policy,
    "moves_left": _scalars,
    "final_line": _final_line,
    "patterns": _squares,
    "cell_classes": _cell_classes,
}
