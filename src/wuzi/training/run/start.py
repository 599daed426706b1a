"""The net that a run begins with."""

from __future__ import annotations

from pathlib import Path

import torch

from wuzi.errors import ConfigError
from wuzi.nets.file import load_net
from wuzi.nets.loading import read_net
from wuzi.nets.planes import plane_set
from wuzi.torch_nets import Net, NetSpec, create_net, load_module
from wuzi.training.run.config import TrainSettings


def make_net(settings: TrainSettings, begun: Path | None = None) -> tuple[Net, NetSpec]:
    """A fresh net, or the one that ``net.start`` names.

    Args:
        settings: of the run.
        begun: the latest net of a run that is gone on with; the file it began with may be gone.

    Raises:
        ConfigError: no such net, or it is for another board.
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


def outputs_of(module: Net, size: int) -> frozenset[str]:
    """The names of what a net answers."""
    module.eval()
    with torch.no_grad():
        return frozenset(module(torch.zeros(1, plane_set(module.planes).channels, size, size)))
