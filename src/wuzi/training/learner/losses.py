"""What the net is trained to do: the losses of each of its outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from wuzi.base import plugins
from wuzi.core.classes import CellClass
from wuzi.errors import ConfigError, TrainingError
from wuzi.torch_nets import Outputs
from wuzi.training.run.config import LearnSection

Targets = Mapping[str, Tensor]
"""Tensors by name: those of :class:`wuzi.training.data.replay.TrainingBatch`, its extra targets by output."""

OwnLoss = Callable[[Outputs, Targets], Tensor]
"""A loss of a user's own: one number [] of what a net answers and of the targets, both by name."""


def _why_no_loss(found: object) -> str | None:
    return None if callable(found) else f"{found!r} cannot be called with outputs and targets"


LOSSES: plugins.Registry[OwnLoss] = plugins.Registry(plugins.LOSSES, "loss", _why_no_loss)
"""All further losses by name; ``learn.losses`` names those of a run with their weights."""

_IGNORED = -100
"""The label of cells that have no class: those with a stone."""


def own_losses(text: str) -> dict[str, tuple[float, OwnLoss]]:
    """The losses of a text such as ``mine=0.1 other=2``, with weights; a ConfigError for unknown names."""
    found = {}
    for part in text.replace(",", " ").split():
        name, _, weight = part.partition("=")
        try:
            share = float(weight or 1)
        except ValueError:
            raise ConfigError(f"learn.losses={text!r}: {part!r}: expected NAME=WEIGHT") from None
        found[name] = share, LOSSES.find(name)
    return found


def losses_of(
    found: Outputs,
    targets: Targets,
    options: LearnSection,
    own: Mapping[str, tuple[float, OwnLoss]] | None = None,
) -> dict[str, Tensor]:
    """Each loss by name, unweighted, and their weighted sum as ``loss``.

    A TrainingError where one of the user's ``own`` reads what is not there, or is not one number.
    """
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
    for name, (share, own_loss) in (own or {}).items():
        terms[f"{name}_loss"] = (share, _computed(name, own_loss, found, targets))
    losses = {name: loss for name, (_, loss) in terms.items()}
    losses["loss"] = torch.stack([share * loss for share, loss in terms.values()]).sum()
    return losses


def _computed(name: str, loss: OwnLoss, found: Outputs, targets: Targets) -> Tensor:
    try:
        value = loss(found, targets)
    except KeyError as error:
        known = ", ".join(dict.fromkeys([*found, *targets]))
        raise TrainingError(f"loss {name}: there is no {error}: expected one of {known}") from error
    if (shape := getattr(value, "shape", None)) != ():
        raise TrainingError(f"loss {name}: shape {shape}: expected one number")
    return value


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


def explained_variance(result: Tensor, value: Tensor) -> float:
    """The share of the results' variance that the values explain; 0 where there is none."""
    spread = float(result.var(unbiased=False))
    return 1 - float((result - value).var(unbiased=False)) / spread if spread else 0.0
