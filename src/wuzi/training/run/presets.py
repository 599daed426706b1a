"""Named sets of parameters: those of the studies and ours, as TOML files in the package."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from wuzi.errors import ConfigError

HEAD = ("method", "preset", "summary")
"""The keys above the sections."""

_FOLDER = resources.files("wuzi") / "data" / "training"


@dataclass(frozen=True)
class Preset:
    """A named set of parameters for a training method, with a line for people and the values by section."""

    name: str
    method: str
    summary: str
    tables: Mapping[str, Mapping[str, object]]


def list_presets() -> list[Preset]:
    """All presets by name."""
    return [load_preset(name) for name in _names()]


@cache
def load_preset(name: str) -> Preset:
    """The preset of that name; a ConfigError that lists them where there is none."""
    if name not in _names():
        raise ConfigError(f"unknown preset {name!r}: expected one of {', '.join(_names())}")
    data: dict[str, Any] = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    tables = {key: value for key, value in data.items() if key not in HEAD}
    return Preset(name, data["method"], data["summary"], tables)


@cache
def _names() -> tuple[str, ...]:
    found = (entry.name for entry in _FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))
