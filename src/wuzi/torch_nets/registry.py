"""The nets by name: what they are, how to make one, how many numbers it trains."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch

from wuzi.base import plugins
from wuzi.base.machine import packaged_table
from wuzi.base.schema import build_config
from wuzi.core.rules import MAX_SIZE, MIN_SIZE
from wuzi.errors import ConfigError
from wuzi.nets.fresh import BasicConfig, FlexibleConfig, expand_short
from wuzi.players.spec import parse_spec
from wuzi.torch_nets import documents
from wuzi.torch_nets.blocks import Net
from wuzi.torch_nets.flexible import FlexibleNet
from wuzi.torch_nets.three_factor import ThreeFactorConfig, ThreeFactorNet


@dataclass(frozen=True)
class Architecture:
    """A kind of net.

    Attributes:
        name: its name.
        summary: one line for people.
        source: the document and section it comes from.
        config_type: its options.
        make: the net from a configuration and a board size.
        fits_every_size: whether its weights do not depend on the board.
        claimed: how many parameters the document says it has, or None.
    """

    name: str
    summary: str
    source: str
    config_type: type
    make: Callable[[Any, Any], Net]
    fits_every_size: bool = False
    claimed: int | None = None


_CLASSES: dict[str, tuple[type, Callable[[Any, Any], Net]]] = {
    "basic": (BasicConfig, documents.BasicNet),
    "enhanced": (documents.EnhancedConfig, documents.EnhancedNet),
    "res5x32": (documents.Res5x32Config, documents.Res5x32Net),
    "patterns": (documents.PatternConfig, documents.PatternNet),
    "teacher": (documents.TeacherConfig, documents.TeacherNet),
    "student": (BasicConfig, documents.BasicNet),
    "three-factor": (ThreeFactorConfig, ThreeFactorNet),
    "flexible": (FlexibleConfig, FlexibleNet),
}
_ABOUT = packaged_table("nets/architectures.toml")
_ALL = tuple(
    Architecture(name, config_type=config_type, make=make, **_ABOUT[name])
    for name, (config_type, make) in _CLASSES.items()
)
ARCHITECTURES: Mapping[str, Architecture] = {item.name: item for item in _ALL}


def _why_no_architecture(found: object) -> str | None:
    return None if isinstance(found, Architecture) else f"{found!r} is no wuzi.torch_nets.Architecture"


ARCHITECTURE_REGISTRY = plugins.Registry(
    plugins.NETS, "net", _why_no_architecture, ARCHITECTURES, ", or like 5b48"
)
"""All architectures by name."""


def architecture(name: str) -> Architecture:
    """The architecture of that name; a ConfigError that lists them where there is none."""
    return ARCHITECTURE_REGISTRY.find(name)


def list_architectures() -> tuple[Architecture, ...]:
    """All architectures, those of plug-ins last."""
    return tuple(ARCHITECTURE_REGISTRY.all())


def register_architecture(found: Architecture) -> None:
    """Let this process train and play nets of an architecture by its name; a plug-in does so for all.

    A ConfigError where the name is taken.
    """
    ARCHITECTURE_REGISTRY.register(found.name, found)


@dataclass(frozen=True)
class NetSpec:
    """Everything that says which net it is, short of its weights.

    Attributes:
        name: the architecture.
        options: its configuration as JSON-compatible values, complete.
        size: the board size it is for; None for every size.
    """

    name: str
    options: Mapping[str, Any]
    size: int | None

    def make(self) -> Net:
        """A net of this kind with fresh weights."""
        kind = architecture(self.name)
        config = build_config(kind.config_type, {}, dict(self.options), self.name)
        return kind.make(config, self.size)


def net_spec(text: str, size: int | None) -> NetSpec:
    """Read ``basic``, ``enhanced:blocks=4`` or ``5b48``; the size is dropped where weights fit every board.

    A ConfigError for an unknown net or option, or no possible size for a net that needs one.
    """
    spec = parse_spec(expand_short(text))
    kind = architecture(spec.name)
    config = build_config(kind.config_type, {}, dict(spec.options), spec.name)
    if not kind.fits_every_size and (size is None or not MIN_SIZE <= size <= MAX_SIZE):
        raise ConfigError(f"net {spec.name} for board size {size}: expected {MIN_SIZE} to {MAX_SIZE}")
    options = {item.name: _plain(getattr(config, item.name)) for item in dataclasses.fields(kind.config_type)}
    return NetSpec(spec.name, options, None if kind.fits_every_size else size)


def create_net(text: str, size: int | None = None, *, seed: int | None = None) -> tuple[Net, NetSpec]:
    """A net with fresh weights, and its spec; raises as :func:`net_spec`.

    Without a ``seed`` the weights come from torch's generator as it is.
    """
    spec = net_spec(text, size)
    if seed is None:
        return spec.make(), spec
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return spec.make(), spec


def _plain(value: object) -> object:
    return value.name.lower() if isinstance(value, Enum) else value
