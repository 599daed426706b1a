"""Reading nets for commands: by name or file, of every kind of file."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wuzi.base.optional import need
from wuzi.errors import ConfigError

if TYPE_CHECKING:
    from wuzi.core import Rules
    from wuzi.nets.file import NetFile

PYTORCH_SUFFIXES = (".pth", ".pt")


def read_any_net(text: str, rules: Rules | None = None) -> NetFile:
    """The net of that name or file: ours, a weight file of the AlphaZero_Gomoku family, or PyTorch's.

    Args:
        text: a name or path.
        rules: what a file that does not say so itself was trained for.
    """
    from wuzi.nets.legacy import is_pytorch
    from wuzi.nets.loading import read_net
    from wuzi.nets.shelf import find_net

    path = find_net(text).path
    with path.open("rb") as file:
        head = file.read(4)
    if path.suffix in PYTORCH_SUFFIXES or is_pytorch(head):
        net: NetFile = torch_nets().import_pth(path, rules)
        return net
    return read_net(text, rules=rules)


def torch_nets() -> Any:
    """The package :mod:`wuzi.torch_nets`."""
    need("train", "torch")
    return importlib.import_module("wuzi.torch_nets")


def output_path(text: str, suffix: str) -> Path:
    """A file to write, with a suffix where the user gave none."""
    path = Path(text)
    path = path if path.suffix else path.with_suffix(suffix)
    if not path.parent.is_dir():
        raise ConfigError(f"{path}: there is no folder {path.parent}")
    return path
