"""Imports that wait: names of a package, optional packages, and what a higher package gives a lower one."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from os import PathLike
from types import ModuleType
from typing import Any, Protocol

from wuzi.errors import MissingExtraError

_IMPORT = re.compile(r"^from (\S+) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package, from the stub ``__init__.pyi`` beside it.

    The stub, which type checkers read too, is the one list of the package's names: lines such as
    ``from wuzi.core.game import Game as Game`` (the doubled name says that it is public). A module of kernels
    that is imported from the package waits as well, see :func:`attach_kernels`.
    """
    kernels = attach_kernels(package)
    homes: dict[str, str] = {}
    spec: Any = sys.modules[package].__spec__
    for home, several, one in _IMPORT.findall(spec.loader.get_data(f"{spec.origin}i").decode()):
        for names in (several or one).split(","):
            if name := names.strip().partition(" as ")[0]:
                homes[name] = home

    def get(name: str) -> Any:
        if name not in homes:
            return kernels(name)
        if homes[name] == package:
            found: Any = importlib.import_module(f"{package}.{name}")
        else:
            found = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, found)
        return found

    return get, lambda: sorted(homes), sorted(name for name in homes if homes[name] != package)


class _Waiting(ModuleType):
    """A module that is imported when something of it is first used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(importlib.import_module(self.__name__), name)
        setattr(self, name, found)
        return found


def attach_kernels(package: str) -> Callable[[str], Any]:
    """``__getattr__`` of a package: ``from PACKAGE import ..._kernels`` imports Numba when a kernel is used.

    Lists of players and of nets, and all that only looks at such modules' neighbours, come without it.
    """

    def get(name: str) -> Any:
        if not name.endswith("kernels"):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = _Waiting(f"{package}.{name}")
        setattr(sys.modules[package], name, found)
        return found

    return get


def need(extra: str, module: str, package: str = "") -> Any:
    """The module of an optional package, imported; ``package`` is its name in messages, if another.

    Raises:
        MissingExtraError: it is not installed; the ``extra`` of wuzi brings it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        raise MissingExtraError(extra, package or module.partition(".")[0]) from None


class GameFiles(Protocol):
    """How games are written, read and drawn: ``wuzi.records.games``, given to ``wuzi.core``."""

    def save(self, game: Any, path: str | PathLike[str]) -> None:
        """Write a game to a file."""

    def load(self, path: str | PathLike[str]) -> Any:
        """The game of a file."""

    def draw(self, item: Any) -> str:
        """The SVG picture of a game or position."""


class TorchNets(Protocol):
    """What computes nets by torch: ``wuzi.torch_nets.files``, given to ``wuzi.nets``."""

    def open_module(self, net: Any, threads: int | None) -> Any:
        """An evaluator of a net file."""


_game_files: list[Callable[[], GameFiles]] = []
_torch_nets: list[str] = []


def give_game_files(find: Callable[[], GameFiles]) -> None:
    """Say where :func:`game_files` comes from; ``find`` is called when it is first needed."""
    _game_files[:] = [find]


def game_files() -> GameFiles:
    """What :func:`give_game_files` gave."""
    return _game_files[0]()


def give_torch_nets(module: str) -> None:
    """Say which module :func:`torch_nets` is; it is imported when it is first needed."""
    _torch_nets[:] = [module]


def torch_nets() -> TorchNets:
    """What :func:`give_torch_nets` named; a MissingExtraError where torch is not installed."""
    need("train", "torch")
    found: TorchNets = importlib.import_module(_torch_nets[0])
    return found
