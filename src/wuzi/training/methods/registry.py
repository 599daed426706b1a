"""Training methods by name, and what a command line makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, cast

from wuzi.base.schema import build_config
from wuzi.base.settings import (
    Tables,
    build_settings,
    merged,
    parse_assignments,
    read_toml,
    settings_tables,
    to_toml,
)
from wuzi.errors import ConfigError
from wuzi.training.run.changes import changed_tables, changes_between, read_changes
from wuzi.training.run.config import GameSection, SelfPlaySection, opening_room
from wuzi.training.run.context import RunContext, TrainingMethod
from wuzi.training.run.presets import HEAD, load_preset

DEFAULT_PRESET = "quick"
DOCUMENT_004 = "s4", ("samples", "simulations", "eval_interval", "win_threshold")
"""What is meant by any of these flags of document 004's command line without a preset."""


@dataclass(frozen=True)
class MethodEntry:
    """A way to train, by name. It names its code by strings, so that none is imported before it is asked for.

    Attributes:
        name: its name.
        summary: one line for people.
        settings_at: ``module:class`` of its settings (:mod:`wuzi.base.settings`).
        begin_at: ``module:class``; made of a run's context and settings it is a fresh method.
        flags: for each flag of document 004's command line the settings it sets, as ``section.key``.
    """

    name: str
    summary: str
    settings_at: str
    begin_at: str
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def settings_type(self) -> type:
        """The class of its settings."""
        return cast(type, resolve_name(self.settings_at))

    def begin(self) -> Callable[[RunContext, Any], TrainingMethod]:
        """What makes it; the loop restores it from the last checkpoint."""
        return cast(Callable[[RunContext, Any], TrainingMethod], resolve_name(self.begin_at))


METHODS: dict[str, MethodEntry] = {}
"""All methods; :func:`register` adds to them."""


def register(method: MethodEntry) -> None:
    """Make a method known; a ConfigError if the name is taken."""
    if method.name in METHODS:
        raise ConfigError(f"training method {method.name!r} is registered already")
    METHODS[method.name] = method


def _entry(name: str, summary: str, settings_at: str, begin_at: str, **flags: str) -> None:
    games = {key: (f"game.{key}",) for key in ("size", "win_length")}
    run = {key: (f"run.{key}",) for key in ("iterations", "seed")}
    own = {flag: tuple(targets.split()) for flag, targets in flags.items()}
    register(MethodEntry(name, summary, settings_at, begin_at, {**games, **run, **own}))


_entry(
    "selfplay",
    "a net with tree search against itself",
    "wuzi.training.run.config:TrainSettings",
    "wuzi.training.methods.selfplay.run:SelfPlayRun",
    samples="selfplay.games",
    simulations="selfplay.simulations",
    workers="selfplay.workers",
    eval_interval="evaluate.interval promote.interval",
    win_threshold="promote.threshold",
)
_entry(
    "ppo",
    "a net that learns from its own games without a search",
    "wuzi.training.methods.ppo.config:PpoSettings",
    "wuzi.training.methods.ppo.trainer:PpoRun",
    samples="ppo.envs",
    workers="ppo.workers",
    eval_interval="ppo.best_every",
    win_threshold="ppo.best_threshold",
)
_entry(
    "distill",
    "a net that learns from a teacher",
    "wuzi.training.methods.distill.config:DistillSettings",
    "wuzi.training.methods.distill.run:DistillRun",
    samples="selfplay.games",
    simulations="selfplay.simulations",
    workers="selfplay.workers data.workers",
    eval_interval="evaluate.interval",
)


@dataclass(frozen=True)
class Plan:
    """A method, the preset it began with, and all its parameters."""

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
    """A plan from a preset (by default the file's; without one ``s4`` where flags of document 004's command
    line say so, else ``quick``), a TOML file, those flags (None is not given), and assignments such as
    ``learn.batch=256``: the later ones win. A preset's random openings are shortened for a
    small board. A ConfigError for unknown names, wrong values, or a flag that the method does not have.
    """
    data = read_toml(config) if config is not None else {}
    document, telling = DOCUMENT_004
    meant = any((flags or {}).get(name) is not None for name in telling) and config is None
    start = load_preset(str(preset or data.get("preset") or (document if meant else DEFAULT_PRESET)))
    method = method_of(str(data.get("method", start.method)))
    if method.name != start.method:
        clash = f"preset {start.name} is for method {start.method}, {config} says {method.name}"
        raise ConfigError(f"{clash}: name a preset of that method")
    file_tables = {key: value for key, value in data.items() if key not in HEAD}
    where = str(config) if config is not None else f"preset {start.name}"
    base = merged(start.tables, file_tables)
    build_settings(method.settings_type(), base, where)
    assigned = parse_assignments(assignments)
    if merged(base, assigned).get("learn", {}).get("order") == "document":
        planned: Any = build_settings(method.settings_type(), start.tables, where)
        base = merged(start.tables, planned.in_document_order(), file_tables)
    given = merged(_flag_tables(method, base, flags or {}), assigned)
    chosen = merged(base, given)
    said = merged(file_tables, given).get("selfplay", {})
    if chosen.get("selfplay", {}).get("opening_share"):
        chosen = merged(chosen, _fitting(chosen, said))
    return Plan(method, start.name, build_settings(method.settings_type(), chosen, "settings"))


def _fitting(chosen: Tables, said: Mapping[str, object]) -> Tables:
    """A preset's random openings on a board that is too small: as many stones as there is room for."""
    section = build_config(GameSection, {}, chosen.get("game", {}), "settings [game]")
    room, found = opening_room(section.rules), dict[str, object]()
    for key in {"opening_plies_min", "opening_plies_max"} - said.keys():
        usual = chosen["selfplay"].get(key, getattr(SelfPlaySection, key))
        if isinstance(usual, int) and usual > room:
            found[key] = room
    return {"selfplay": found}


def method_of(name: str) -> MethodEntry:
    """The method of that name; a ConfigError that lists them where there is none."""
    if name not in METHODS:
        raise ConfigError(f"unknown training method {name!r}: expected one of {', '.join(METHODS)}")
    return METHODS[name]


def entry_of(settings: object) -> MethodEntry:
    """The method whose settings these are; a ConfigError where they are of none."""
    kind = type(settings)
    for entry in METHODS.values():
        if entry.settings_at == f"{kind.__module__}:{kind.__qualname__}":
            return entry
    raise ConfigError(f"{kind.__name__}: expected the settings of a training method")


def stored_plan(folder: Path) -> Plan:
    """The plan of a run, with what was changed since it was begun.

    A ConfigError where its config.toml is missing or damaged, a RecordError where its changes are.
    """
    begun, changes = make_plan(config=folder / "config.toml"), read_changes(folder)
    return _changed(begun, changed_tables(changes)) if changes else begun


def resumed_plan(folder: Path, assignments: Sequence[str], flags: Mapping[str, object]) -> Plan:
    """The plan of a run with what is to be changed in it, given as for :func:`make_plan`.

    A ConfigError for a parameter that a run keeps, as for :func:`make_plan` and :func:`stored_plan`.
    """
    now = stored_plan(folder)
    given = _flag_tables(now.method, settings_tables(now.settings), flags)
    plan = _changed(now, merged(given, parse_assignments(assignments)))
    changes_between(now.settings, plan.settings)
    return plan


def _changed(plan: Plan, tables: Tables) -> Plan:
    layers = merged(settings_tables(plan.settings), tables)
    return replace(plan, settings=build_settings(plan.method.settings_type(), layers, "settings"))


def _flag_tables(method: MethodEntry, base: Tables, flags: Mapping[str, object]) -> Tables:
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
