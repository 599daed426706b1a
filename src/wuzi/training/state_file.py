"""A trainer's state as plain arrays and JSON, and as one file that is never half written."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save
from torch import nn

from wuzi.errors import RecordError
from wuzi.records.atomic import write_atomic

Arrays = dict[str, npt.NDArray[Any]]
_META = "wuzi"


@dataclass
class State:
    """Everything that training needs to go on as if it had not stopped.

    Attributes:
        arrays: by name.
        meta: JSON-compatible values.
    """

    arrays: Arrays = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)

    def put(self, prefix: str, arrays: Mapping[str, Any]) -> None:
        """Enter arrays or tensors under ``prefix.name``."""
        for name, value in arrays.items():
            plain = value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else value
            self.arrays[f"{prefix}.{name}"] = np.array(plain)

    def part(self, prefix: str) -> Arrays:
        """The arrays that :meth:`put` entered under a prefix."""
        head = f"{prefix}."
        return {name[len(head) :]: value for name, value in self.arrays.items() if name.startswith(head)}


def save_state(path: str | os.PathLike[str], state: State) -> None:
    """Write a state to one file, atomically."""
    arrays = {name: np.asarray(value, order="C") for name, value in state.arrays.items()}
    write_atomic(path, save(arrays, {_META: json.dumps(state.meta)}))


def load_state(path: str | os.PathLike[str]) -> State:
    """Read what :func:`save_state` wrote.

    Raises:
        RecordError: not such a file.
        OSError: it cannot be read.
    """
    source = Path(path)
    try:
        with safe_open(source, "np") as file:
            meta = json.loads((file.metadata() or {})[_META])
            return State({name: file.get_tensor(name) for name in file.keys()}, meta)
    except (SafetensorError, KeyError, ValueError) as error:
        raise RecordError(f"{source}: not the state of a training ({error})") from None


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
