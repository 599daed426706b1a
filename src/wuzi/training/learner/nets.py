"""Modules of a run: the one it begins with, what it answers, and its weights as arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from wuzi.errors import RecordError
from wuzi.nets.evaluator import Floats
from wuzi.nets.file import load_net
from wuzi.nets.loading import read_net
from wuzi.torch_nets import Net, NetSpec, Outputs, create_net, load_module
from wuzi.torch_nets.files import device_of
from wuzi.training.learner.base import fitting
from wuzi.training.run.checkpoint import Arrays
from wuzi.training.run.config import TrainSettings


def make_net(settings: TrainSettings, begun: Path | None = None) -> tuple[Net, NetSpec]:
    """A fresh net, or the one that ``net.start`` names; a ConfigError if that does not exist or does not fit.

    ``begun`` is the latest net of a run that is resumed: the file that it began with may be gone.
    """
    options, size = settings.net, settings.game.rules.size
    if options.start is None:
        return create_net(options.architecture, size, seed=settings.run.seed)
    net = fitting(read_net(options.start) if begun is None else load_net(begun), options.start, size)
    return load_module(net), NetSpec(net.card.architecture, net.card.options, net.card.size)


def scalar_value(outputs: Outputs) -> Tensor:
    """The value [B] in [-1, 1] for the side to move, also of a net that answers win, draw and loss."""
    return outputs["wdl"][:, 0] - outputs["wdl"][:, 2] if "wdl" in outputs else outputs["value"]


def passed(module: Net, features: Tensor, half: bool) -> Outputs:
    """What a net answers, in float32; computed in bfloat16 if ``half``."""
    with torch.autocast(features.device.type, torch.bfloat16, enabled=half):
        found = module(features)
    return {name: value.float() for name, value in found.items()}


def answers_of(module: Net, planes: Floats, *, half: bool = False) -> Outputs:
    """What a net answers, wherever it is computed, in this machine's memory; in bfloat16 if ``half``."""
    found = passed(module, torch.from_numpy(planes).to(device_of(module)), half)
    return {name: value.cpu() for name, value in found.items()}


def array_of(value: Tensor) -> npt.NDArray[Any]:
    """A copy of a tensor."""
    return value.detach().cpu().numpy().copy()


def tensor_of(value: npt.NDArray[Any]) -> Tensor:
    """A copy of an array."""
    return torch.from_numpy(np.array(value))


def module_arrays(module: nn.Module) -> Arrays:
    """A copy of a module's weights."""
    return {name: array_of(value) for name, value in module.state_dict().items()}


def load_module_arrays(module: nn.Module, arrays: Arrays, what: str) -> None:
    """Put arrays into a module; a RecordError that names ``what`` for other names or shapes."""
    try:
        module.load_state_dict({name: tensor_of(value) for name, value in arrays.items()})
    except RuntimeError as error:
        reason = str(error).splitlines()[-1].strip()
        raise RecordError(f"{what}: weights of another net ({reason})") from None


def optimizer_arrays(optimizer: torch.optim.Optimizer, mark: str = ".") -> Arrays:
    """The running moments by parameter number, ``mark`` and name; without what the configuration says."""
    return {
        f"{number}{mark}{name}": array_of(torch.as_tensor(value))
        for number, slots in optimizer.state_dict()["state"].items()
        for name, value in slots.items()
        if value is not None
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, arrays: Arrays, mark: str = ".") -> None:
    """Put back what :func:`optimizer_arrays` gave."""
    slots: dict[int, dict[str, Tensor]] = {}
    for name, value in arrays.items():
        number, _, key = name.partition(mark)
        slots.setdefault(int(number), {})[key] = tensor_of(value)
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": slots, "param_groups": groups})
