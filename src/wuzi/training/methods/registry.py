"""Training methods by name, and what a command line makes of them.

An entry names a method's settings (:mod:`wuzi.base.settings`) and its class by strings, so that none
is imported before it is asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from wuzi.base.settings import Tables, build_settings, merged, parse_assignments, read_toml, to_toml
from wuzi.errors import ConfigError
from wuzi.training.methods.method import TrainingMethod
from wuzi.training.run.context import RunContext
from wuzi.training.run.presets import HEAD, load_preset

DEFAULT_PRESET = "quick"


class BeginMethod(Protocol):
    """Makes a method in the folder of a run."""

    def __call__(self, context: RunContext, settings: Any) -> TrainingMethod:
        """A fresh method; the loop restores it from the last checkpoint."""
        ...


class EstimateRun(Protocol):
    """Measures a little on this machine and says how long a run would take."""

    def __call__(self, settings: Any) -> Sequence[str]:
        """Lines for people."""
        ...


@dataclass(frozen=True)
class MethodEntry:
    """A way to train, by name.

    Attributes:
        name: its name.
        summary: one line for people.
        settings_at: ``module:class`` of its settings.
        begin_at: ``module:class``, a :class:`BeginMethod`.
        estimate_at: ``module:function``, an :class:`EstimateRun`; empty if it has none.
        flags: for each flag of document 004's command line the settings it sets, as ``section.key``.
    """

    name: str
    summary: str
    settings_at: str
    begin_at: str
    estimate_at: str = ""
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def settings_type(self) -> type:
        """The class of its settings."""
        found: type = _load(self.settings_at)
        return found

    def begin(self) -> BeginMethod:
        """What makes it."""
        found: BeginMethod = _load(self.begin_at)
        return found

    def estimate(self) -> EstimateRun | None:
        """Its measurement of this machine, if it has one."""
        found: EstimateRun | None = _load(self.estimate_at) if self.estimate_at else None
        return found


METHODS: dict[str, MethodEntry] = {}
"""All methods; :func:`register` adds to them."""


def register(method: MethodEntry) -> None:
    """Make a method known.

    Raises:
        ConfigError: the name is taken.
    """
    if method.name in METHODS:
        raise ConfigError(f"training method {method.name!r} is registered already")
    METHODS[method.name] = method


register(
    MethodEntry(
        name="selfplay",
        summary="a net with tree search against itself",
        settings_at="wuzi.training.run.config:TrainSettings",
        begin_at="wuzi.training.methods.selfplay.run:SelfPlayRun",
        estimate_at="wuzi.training.methods.selfplay.estimate:estimate",
        flags={
            "size": ("game.size",),
            "win_length": ("game.win_length",),
            "iterations": ("run.iterations",),
            "samples": ("selfplay.games",),
            "simulations": ("selfplay.simulations",),
            "workers": ("selfplay.workers",),
            "eval_interval": ("evaluate.interval", "promote.interval"),
            "win_threshold": ("promote.threshold",),
            "seed": ("run.seed",),
        },
    )
)

register(
    MethodEntry(
        name="ppo",
        summary="a net that learns from its own games without a search",
        settings_at="wuzi.training.methods.ppo.config:PpoSettings",
        begin_at="wuzi.training.methods.ppo.run:PpoRun",
        estimate_at="wuzi.training.methods.trial_run:estimate_ppo",
        flags={
            "size": ("game.size",),
            "win_length": ("game.win_length",),
            "iterations": ("run.iterations",),
            "samples": ("ppo.envs",),
            "workers": ("ppo.workers",),
            "eval_interval": ("ppo.best_every",),
            "win_threshold": ("ppo.best_threshold",),
            "seed": ("run.seed",),
        },
    )
)

register(
    MethodEntry(
        name="distill",
        summary="a net that learns from a teacher",
        settings_at="wuzi.training.methods.distill.config:DistillSettings",
        begin_at="wuzi.training.methods.distill.run:DistillRun",
        estimate_at="wuzi.training.methods.trial_run:estimate_distill",
        flags={
            "size": ("game.size",),
            "win_length": ("game.win_length",),
            "iterations": ("run.iterations",),
            "samples": ("selfplay.games",),
            "simulations": ("selfplay.simulations",),
            "workers": ("selfplay.workers", "data.workers"),
            "eval_interval": ("evaluate.interval",),
            "seed": ("run.seed",),
        },
    )
)


@dataclass(frozen=True)
class Plan:
    """A method with all its parameters.

    Attributes:
        method: the method.
        preset: the preset it began with.
        settings: of the method's settings type.
    """

    method: MethodEntry
    preset: str
    settings: Any

    def toml(self) -> str:
        """A file for ``--config`` that makes the same plan."""
        return to_toml(self.settings, {"method": self.method.name, "preset": self.preset})


def make_plan(
    preset: str | None = None,
    config: Path | None = None,
    assignments: Sequence[str] = (),
    flags: Mapping[str, object] | None = None,
) -> Plan:
    """A plan from a preset, a file, flags, and assignments: the later ones win.

    Args:
        preset: a preset's name; by default the file's, else ``quick``.
        config: a TOML file.
        assignments: texts such as ``learn.batch=256``.
        flags: values by flag of document 004's command line; None is not given.

    Raises:
        ConfigError: unknown names, wrong values, or a flag that the method does not have.
    """
    data = read_toml(config) if config is not None else {}
    start = load_preset(str(preset or data.get("preset") or DEFAULT_PRESET))
    method = method_of(str(data.get("method", start.method)))
    if method.name != start.method:
        raise ConfigError(
            f"preset {start.name} is for method {start.method}, {config} says {method.name}: "
            "name a preset of that method"
        )
    file_tables = {key: value for key, value in data.items() if key not in HEAD}
    where = str(config) if config is not None else f"preset {start.name}"
    base = merged(start.tables, file_tables)
    build_settings(method.settings_type(), base, where)
    chosen = merged(base, _flag_tables(method, base, flags or {}), parse_assignments(assignments))
    return Plan(method, start.name, build_settings(method.settings_type(), chosen, "settings"))


def method_of(name: str) -> MethodEntry:
    """The method of that name.

    Raises:
        ConfigError: there is none; the message lists them.
    """
    if name not in METHODS:
        raise ConfigError(f"unknown training method {name!r}: expected one of {', '.join(METHODS)}")
    return METHODS[name]


def entry_of(settings: object) -> MethodEntry:
    """The method whose settings these are.

    Raises:
        ConfigError: they are of none.
    """
    kind = type(settings)
    for entry in METHODS.values():
        if entry.settings_at == f"{kind.__module__}:{kind.__qualname__}":
            return entry
    raise ConfigError(f"{kind.__name__}: expected the settings of a training method")


def stored_plan(folder: Path) -> Plan:
    """The plan that a run was begun with.

    Raises:
        ConfigError: its config.toml is missing or damaged.
    """
    return make_plan(config=folder / "config.toml")


def _flag_tables(
    method: MethodEntry, base: Tables, flags: Mapping[str, object]
) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for flag, value in flags.items():
        if value is None:
            continue
        if flag not in method.flags:
            raise ConfigError(f"--{flag.replace('_', '-')}: method {method.name} has no such parameter")
        for target in method.flags[flag]:
            section, _, key = target.partition(".")
            # An interval of 0 switches something off: the flag says how often, not whether.
            if key == "interval" and base.get(section, {}).get(key) == 0:
                continue
            found.setdefault(section, {})[key] = value
    return found


def _load(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)
