"""Nets of a run: the one it begins with, what a net answers, and the files that are written of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from wuzi.core import Rules
from wuzi.errors import ConfigError, RecordError, TrainingError
from wuzi.nets.evaluator import Floats
from wuzi.nets.file import NetFile, load_net, save_net
from wuzi.nets.loading import read_net
from wuzi.torch_nets import Net, NetSpec, Outputs, create_net, load_module, net_file
from wuzi.torch_nets.files import device_of
from wuzi.training.run.checkpoint import Arrays
from wuzi.training.run.config import TrainSettings
from wuzi.training.run.directory import BEST, CURRENT, RunDirectory

CALIBRATION = 512
"""Positions on which a net's 8-bit form is measured."""


def make_net(settings: TrainSettings, begun: Path | None = None) -> tuple[Net, NetSpec]:
    """A fresh net, or the one that ``net.start`` names; a ConfigError if that does not exist or does not fit.

    ``begun`` is the latest net of a run that is resumed: the file that it began with may be gone.
    """
    options, size = settings.net, settings.game.rules.size
    if options.start is None:
        return create_net(options.architecture, size, seed=settings.run.seed)
    net = read_net(options.start) if begun is None else load_net(begun)
    spec = NetSpec(net.card.architecture, net.card.options, net.card.size)
    if spec.size not in (None, size):
        raise ConfigError(
            f"net.start={options.start}: its weights fit {spec.size}x{spec.size}, the board is {size}x{size}"
        )
    return load_module(net), spec


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


def net_name(rules: Rules, architecture: str, games: int, rows: int) -> str:
    """A net's name: rules, architecture, games and positions it has learned from."""
    kind = re.sub(r"[^A-Za-z0-9]+", "-", architecture)[:30].strip("-")
    rule = rules.rule.label.replace("_", "-")
    return f"{rule}-{rules.size}x{rules.size}x{rules.win_length}-{kind}-g{games}-r{rows}"


def export_net(
    directory: RunDirectory,
    spec: NetSpec,
    weights: Mapping[str, Tensor],
    rules: Rules,
    name: str,
    recipe: Mapping[str, Any],
    features: Floats | None,
    *,
    measured: bool = True,
) -> NetFile:
    """Write a net into a run's folder, with notes on how it was made; a TrainingError if its answers are not
    finite. If ``measured``, its 8-bit form is, on ``features`` or positions of games from its own policy.
    """
    module = spec.make()
    module.load_state_dict(dict(weights))
    module.eval()
    try:
        net = net_file(module, spec, rules, name, recipe)
        if measured:
            net = net.calibrated(CALIBRATION) if features is None else net.quantized(features)
        return save_net(directory.nets / name, net)
    except RecordError as error:
        raise TrainingError(f"the net {name} cannot be written: {error}") from None


class NumberedNets:
    """Nets of a run named by the iteration they come from: the latest, the best, every ``keep_every``-th."""

    def __init__(self, directory: RunDirectory, rules: Rules, architecture: str, keep_every: int) -> None:
        self._directory, self._keep_every = directory, keep_every
        self._stem = net_name(rules, architecture, 0, 0).partition("-g0")[0]
        self._published: int | None = None

    def write(self, iteration: int, export: Callable[[str], NetFile]) -> dict[str, Any]:
        """Write the net of an iteration under its name and return what a pointer says about it."""
        name = f"{self._stem}-i{iteration:06d}"
        net = save_net(self._directory.nets / name, export(name))
        return {"name": name, "iteration": iteration, "sha256": net.card.weights_sha256}

    def publish(
        self,
        iteration: int,
        export: Callable[[str], NetFile],
        best: int | None,
        export_best: Callable[[str], NetFile],
        judged: tuple[str, str] = ("", ""),
    ) -> None:
        """Write the latest net and the best one (None: its pointer stays), then drop those not kept.

        ``judged`` says by which games the two were.
        """
        if iteration == self._published:
            return
        latest = self.write(iteration, export)
        self._directory.point(CURRENT, **latest, judged=judged[0])
        if best is not None:
            named = latest if best == iteration else self.write(best, export_best)
            self._directory.point(BEST, **named, judged=judged[1])
        numbered = {path.name.partition(".")[0] for path in self._directory.nets.glob(f"{self._stem}-i*")}
        self._directory.prune_nets(
            {name for name in numbered if int(name.rpartition("-i")[2]) % self._keep_every == 0}
        )
        self._published = iteration


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
