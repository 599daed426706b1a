"""Packages whose names are imported when they are first used."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from typing import Any

_IMPORT = re.compile(r"^from (\S+) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package, from the stub ``__init__.pyi`` beside it.

    The stub, which type checkers read too, is the one list of the package's names: lines such as
    ``from wuzi.core.game import Game as Game`` (the doubled name says that it is public).
    """
    homes: dict[str, str] = {}
    spec: Any = sys.modules[package].__spec__
    for home, several, one in _IMPORT.findall(spec.loader.get_data(f"{spec.origin}i").decode()):
        for names in (several or one).split(","):
            if name := names.strip().partition(" as ")[0]:
                homes[name] = home

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if homes[name] == package:
            found: Any = importlib.import_module(f"{package}.{name}")
        else:
            found = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, found)
        return found

    return get, lambda: sorted(homes), sorted(name for name in homes if homes[name] != package)
