"""The losses of distillation, and what is measured beside them."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from wuzi.torch_nets.blocks import Outputs
from wuzi.training.learner.nets import scalar_value
from wuzi.training.learner.torch_learner import CHANNELS_LAST
from wuzi.training.methods.distill.config import DistillConfig
from wuzi.training.methods.distill.rows import DistillRows

Parts = dict[str, Tensor]


class Targets:
    """A batch of :class:`wuzi.training.methods.distill.rows.DistillRows` as tensors, under the same names."""

    def __init__(self, rows: DistillRows, device: torch.device | str = "cpu") -> None:
        arrays = (np.asarray(rows.planes), rows.features, rows.policy, rows.wdl, rows.played, rows.results)
        planes, *rest = (torch.from_numpy(np.ascontiguousarray(array)).to(device) for array in arrays)
        self.planes = planes.float().contiguous(memory_format=CHANNELS_LAST)
        self.features, self.policy, self.wdl, self.played, self.results = rest


def teacher_loss(outputs: Outputs, batch: Targets) -> tuple[Tensor, Parts]:
    """Document 000's teacher: squared errors of the six counts."""
    loss = F.mse_loss(outputs["patterns"], batch.features)
    return loss, {"pattern_loss": loss.detach()}


def document_loss(
    outputs: Outputs, batch: Targets, said: Tensor, config: DistillConfig
) -> tuple[Tensor, Parts]:
    """Document 000's student (section 7.3.3): 0.7 policy, 0.2 soft label, 0.1 result.

    Hard labels are the teacher's policy where there is one (a search's visits, say), else the move played;
    the document makes its soft label from the teacher net's features ``said`` [B, 6].
    """
    hard = policy_loss(outputs["policy"], hard_policy(batch))
    value = scalar_value(outputs)
    soft = F.mse_loss(value, torch.tanh(0.1 * said.sum(dim=1)))
    result = F.mse_loss(value, batch.results)
    loss = config.hard_weight * hard + config.soft_weight * soft + config.value_weight * result
    return loss, {"hard_loss": hard.detach(), "soft_loss": soft.detach(), "value_loss": result.detach()}


def principled_loss(outputs: Outputs, batch: Targets, config: DistillConfig) -> tuple[Tensor, Parts]:
    """The teacher's policy and result against the student's, and a smaller share of the game itself.

    ``s T^2 KL(teacher || student) + s CE(teacher's win, draw, loss) + (1 - s) (CE(move) + CE(result))``
    with ``s = teacher_share`` and both policies at temperature T; a net with one number for the value is
    given squared errors of it instead of the cross-entropies.
    """
    labelled = (batch.policy.sum(dim=1) > 0) & ~batch.wdl.isnan().any(dim=1)
    soft = _divergence(outputs["policy"], batch.policy, labelled, config.temperature)
    taught = _value_loss(outputs, batch.wdl.nan_to_num(), labelled)
    hard = policy_loss(outputs["policy"], _one_hot(batch))
    result = _value_loss(outputs, _result_wdl(batch.results), torch.ones_like(labelled))
    share = config.teacher_share
    loss = share * (soft + taught) + (1 - share) * (hard + result)
    parts = {"soft_loss": soft, "taught_value_loss": taught, "hard_loss": hard, "value_loss": result}
    return loss, {name: value.detach() for name, value in parts.items()}


def hard_policy(batch: Targets) -> Tensor:
    """The policy [B, cells] to learn without any softening; zeros where there is none."""
    return torch.where(batch.policy.sum(dim=1, keepdim=True) > 0, batch.policy, _one_hot(batch))


def policy_loss(logits: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy averaged over the rows whose target is not all zeros."""
    rows = target.sum(dim=1)
    cross = -(target * torch.log_softmax(logits, dim=1)).sum(dim=1)
    return cross.sum() / rows.sum().clamp(min=1.0)


def _one_hot(batch: Targets) -> Tensor:
    found = torch.zeros_like(batch.policy)
    rows = torch.nonzero(batch.played >= 0).squeeze(1)
    found[rows, batch.played[rows]] = 1.0
    return found


def _divergence(logits: Tensor, policy: Tensor, rows: Tensor, temperature: float) -> Tensor:
    """T^2 KL(teacher || student) averaged over ``rows``."""
    softened = policy ** (1 / temperature)
    softened = softened / softened.sum(dim=1, keepdim=True).clamp(min=1e-12)
    logs = torch.log_softmax(logits / temperature, dim=1)
    each = (softened * (torch.log(softened.clamp(min=1e-12)) - logs)).sum(dim=1)
    return temperature**2 * (each * rows).sum() / rows.sum().clamp(min=1)


def _value_loss(outputs: Outputs, wdl: Tensor, rows: Tensor) -> Tensor:
    if "wdl_logits" in outputs:
        each = -(wdl * torch.log_softmax(outputs["wdl_logits"], dim=1)).sum(dim=1)
    else:
        each = (scalar_value(outputs) - (wdl[:, 0] - wdl[:, 2])) ** 2
    return (each * rows).sum() / rows.sum().clamp(min=1)


def _result_wdl(results: Tensor) -> Tensor:
    return F.one_hot((1 - results).long(), 3).to(results.dtype)


@torch.no_grad()
def agreement(outputs: Outputs, batch: Targets) -> Parts:
    """How often the first move is the teacher's (or the one played), entropy, squared error of results."""
    target = hard_policy(batch)
    rows = target.sum(dim=1) > 0
    same = (outputs["policy"].argmax(dim=1) == target.argmax(dim=1)) & rows
    logs = torch.log_softmax(outputs["policy"], dim=1)
    return {
        "top1": same.sum() / rows.sum().clamp(min=1),
        "entropy": -(logs.exp() * logs).sum(dim=1).mean(),
        "result_error": F.mse_loss(scalar_value(outputs), batch.results),
    }
