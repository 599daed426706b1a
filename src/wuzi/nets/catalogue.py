"""Nets by name or file, loaded; see :mod:`wuzi.nets.shelf` for where they are."""

from __future__ import annotations

import re
from pathlib import Path

from wuzi.errors import ConfigError
from wuzi.nets.file import NetFile, load_net, net_paths
from wuzi.nets.legacy import read_legacy
from wuzi.nets.shelf import CARD_SUFFIX, WEIGHTS_SUFFIX, NetEntry, list_nets

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def check_name(name: str) -> str:
    """The name itself, if a net may be called so.

    Raises:
        ConfigError: it may not.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(f"net name {name[:90]!r}: expected letters, digits, dots, dashes, at most 80")
    return name


def find_net(text: str, *, allow_path: bool = True) -> NetEntry:
    """The net of that name, or in that file.

    Args:
        text: a name, or a path to a net file (either of the two, or a weight file of the
            AlphaZero_Gomoku family).
        allow_path: whether paths are taken at all; not from a network.

    Raises:
        ConfigError: there is none; the message lists the names.
    """
    by_name = {entry.name: entry for entry in list_nets()}
    if text in by_name:
        return by_name[text]
    if allow_path:
        path = Path(text)
        weights, card = net_paths(path)
        if weights.is_file() and card.is_file():
            return NetEntry(weights.stem, weights, False)
        if path.is_file() and path.suffix not in (WEIGHTS_SUFFIX, CARD_SUFFIX):
            return NetEntry(path.stem, path, False)
        if path.suffix in (WEIGHTS_SUFFIX, CARD_SUFFIX) and (weights.is_file() or card.is_file()):
            missing = card if weights.is_file() else weights
            raise ConfigError(f"net {text!r}: {missing.name} is not beside it")
    known = ", ".join(by_name) or "there are none yet"
    raise ConfigError(f"no net {text[:80]!r}: {'a file, or ' if allow_path else ''}one of: {known}")


def read_net(text: str, *, allow_path: bool = True, check: bool = True) -> NetFile:
    """The net of that name or file, loaded and checked; raises as :func:`find_net` and ``load_net``."""
    entry = find_net(text, allow_path=allow_path)
    if entry.path.suffix == WEIGHTS_SUFFIX:
        return load_net(entry.path, check=check)
    return read_legacy(entry.path)
