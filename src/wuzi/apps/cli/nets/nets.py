"""Reading nets for commands: by name or file, of every kind of file."""

from __future__ import annotations

from pathlib import Path

import wuzi
from wuzi.base.imports import need
from wuzi.errors import ConfigError

PYTORCH_SUFFIXES = (".pth", ".pt")


def read_any_net(text: str, rules: wuzi.Rules | None = None) -> wuzi.nets.NetFile:
    """The net of that name or file: ours, a weight file of the AlphaZero_Gomoku family, or PyTorch's.

    ``rules`` are what a file that does not say so itself was trained for.
    """
    from wuzi.nets.legacy import is_pytorch

    path = wuzi.nets.find_net(text).path
    with path.open("rb") as file:
        head = file.read(32)
    # What a file is its content says: a weight file of the family may have PyTorch's suffix, and the reverse.
    is_pickle = head.startswith(b"\x80")
    if is_pytorch(head) or (path.suffix in PYTORCH_SUFFIXES and not is_pickle):
        need("train", "torch")
        return wuzi.torch_nets.import_pth(path, rules)
    return wuzi.nets.read_net(text, rules=rules)


def output_path(text: str, suffix: str) -> Path:
    """A file to write, with a suffix where the user gave none."""
    path = Path(text)
    path = path if path.suffix else path.with_suffix(suffix)
    if not path.parent.is_dir():
        raise ConfigError(f"{path}: there is no folder {path.parent}")
    return path
