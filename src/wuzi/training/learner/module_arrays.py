"""Weights and optimisers of PyTorch as plain arrays, and back."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from wuzi.errors import RecordError
from wuzi.training.run.checkpoint import Arrays


def module_arrays(module: nn.Module) -> Arrays:
    """A copy of a module's weights."""
    return {name: value.detach().cpu().numpy().copy() for name, value in module.state_dict().items()}


def load_module_arrays(module: nn.Module, arrays: Arrays, what: str) -> None:
    """Put arrays into a module.

    Raises:
        RecordError: other names or shapes; the message names ``what``.
    """
    try:
        module.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in arrays.items()})
    except RuntimeError as error:
        reason = str(error).splitlines()[-1].strip()
        raise RecordError(f"{what}: weights of another net ({reason})") from None


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> Arrays:
    """Adam's running moments by parameter number; what its configuration says is not in them."""
    found: Arrays = {}
    for number, slots in optimizer.state_dict()["state"].items():
        for name, value in slots.items():
            found[f"{number}.{name}"] = np.array(value.detach().cpu().numpy())
    return found


def restore_optimizer(optimizer: torch.optim.Optimizer, arrays: Arrays) -> None:
    """Put back what :func:`optimizer_arrays` gave."""
    slots: dict[int, dict[str, torch.Tensor]] = {}
    for name, value in arrays.items():
        number, _, key = name.partition(".")
        slots.setdefault(int(number), {})[key] = torch.from_numpy(np.array(value))
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": slots, "param_groups": groups})
