"""``ladder.toml``: who plays whom, how many games, at which time; ``configs/ladder.toml`` is the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from research.campaign import check_distinct, check_known, check_name
from wuzi.arena import Entry, TournamentConfig, shipped_openings
from wuzi.base.settings import dict_of, read_table, read_toml, tables_of
from wuzi.contract import Limit
from wuzi.core import Rules, parse_rule
from wuzi.errors import ConfigError
from wuzi.games.referee import Adjudication
from wuzi.players import PlayerSpec, format_spec
from wuzi.players.engines_file import load_engines

_TABLES = ("ladder", "engines", "players", "arms", "targets", "notes", "notes_zh")


@dataclass(frozen=True, slots=True)
class LadderPart:
    """One tournament of an arm."""

    folder: str  # its folder's name in the ladder's
    config: TournamentConfig


@dataclass(frozen=True, slots=True)
class LadderArm:
    """A time control with its games."""

    name: str  # how it is called, in tables and folders
    time_s: float
    # first the focus player against its opponents, then others among themselves
    parts: tuple[LadderPart, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A score that the focus player should reach."""

    against: str
    score: float


@dataclass(frozen=True, slots=True)
class LadderConfig:
    """What a ``ladder.toml`` says."""

    path: Path
    focus: str  # the player whose strength is measured
    anchor: tuple[str, float] | None  # a player and its fixed rating, None when no rating is fixed
    arms: tuple[LadderArm, ...]  # in the order in which they are played
    targets: tuple[Target, ...] = ()  # what should be reached, in the order of the file
    engines: tuple[str, ...] = ()  # labels of the players that are other programs
    notes: Mapping[str, str] = field(default_factory=dict)  # remarks by player
    notes_zh: Mapping[str, str] = field(default_factory=dict)  # the same in Chinese

    def labels(self) -> tuple[str, ...]:
        """Every player of every arm, once."""
        entries = [entry for arm in self.arms for part in arm.parts for entry in part.config.entries]
        return tuple(dict.fromkeys(entry.label for entry in entries))


@dataclass(frozen=True, slots=True)
class _Settings:
    """The table ``[ladder]``: what all arms share."""

    focus: str
    anchor: str | None = None
    anchor_rating: float = 0.0
    size: int = 15
    rule: str = "freestyle"
    openings: str = "auto"
    transform: bool = True
    seed: int = 0
    tolerance: float = 1.0
    draw_after: int | None = None


@dataclass(frozen=True, slots=True)
class _ArmTable:
    """A table ``[[arms]]``."""

    name: str
    time: float
    games: int
    against: list[str]
    others: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _OthersTable:
    """A table ``[[arms.others]]``."""

    players: list[str]
    games: int


@dataclass(frozen=True, slots=True)
class _TargetTable:
    """A table ``[[targets]]``."""

    against: list[str]
    score: float


def load_ladder(path: Path) -> LadderConfig:
    """Read a ladder's settings; a ConfigError for a wrong key, value or player, or an unreadable file."""
    data = read_toml(path, _TABLES)
    common = read_table(_Settings, data.get("ladder", {}), f"{path}, [ladder]")
    specs = _specs(path, data, common.tolerance)
    arms = tuple(_arm(path, common, specs, table) for table in tables_of(data, "arms", path))
    check_distinct(path, "arm", [arm.name for arm in arms])
    config = LadderConfig(
        path=path,
        focus=common.focus,
        anchor=None if common.anchor is None else (common.anchor, common.anchor_rating),
        arms=arms,
        targets=_targets(path, data),
        engines=tuple(load_engines(path, shared=True)),
        **{
            key: {name: str(text) for name, text in dict_of(data, key, path).items()}
            for key in ("notes", "notes_zh")
        },
    )
    _check_names(config)
    return config


def _specs(path: Path, data: Mapping[str, Any], tolerance_s: float) -> dict[str, str]:
    """The spec of every player by its label."""
    specs = {name: str(spec) for name, spec in dict_of(data, "players", path).items()}
    for name in load_engines(path, shared=True):
        if name in specs:
            raise ConfigError(f"{path}: {name!r} is an engine and a player")
        options = {"file": str(path.absolute()), "name": name, "tolerance_s": f"{tolerance_s:g}"}
        specs[name] = format_spec(PlayerSpec("external", options))
    return specs


def _arm(path: Path, common: _Settings, specs: Mapping[str, str], table: Any) -> LadderArm:
    arm = read_table(_ArmTable, table, f"{path}, [[arms]]")
    where = f"{path}, arm {arm.name!r}"
    check_name(where, arm.name)
    if not 0 < arm.time < 86400:
        raise ConfigError(f"{where}: time is {arm.time:g}: expected seconds a move, more than 0")

    def part(folder: str, names: list[str], games: int, form: str) -> LadderPart:
        check_known(f"{where}: unknown player", names, list(specs))
        return LadderPart(
            folder, _tournament(path, common, arm.time, games, form, {n: specs[n] for n in names})
        )

    parts = [part(arm.name, [common.focus, *arm.against], arm.games, "gauntlet")]
    for number, other in enumerate(arm.others, 1):
        group = read_table(_OthersTable, other, f"{where}, [[arms.others]]")
        parts.append(part(f"{arm.name}-others-{number}", group.players, group.games, "round-robin"))
    return LadderArm(arm.name, float(arm.time), tuple(parts))


def _tournament(
    path: Path, common: _Settings, time_s: float, games: int, form: str, specs: Mapping[str, str]
) -> TournamentConfig:
    openings = common.openings
    if openings not in ("auto", "none", *shipped_openings()):
        openings = str((path.parent / openings).absolute())
    return TournamentConfig(
        entries=tuple(Entry(spec, label) for label, spec in specs.items()),
        rules=Rules(common.size, rule=parse_rule(common.rule)),
        games=games,
        format=form,
        openings=openings,
        transform=common.transform,
        seed=common.seed,
        limit=Limit(time_s=float(time_s)),
        adjudication=Adjudication(common.draw_after),
        tolerance_s=common.tolerance,
    )


def _targets(path: Path, data: Mapping[str, Any]) -> tuple[Target, ...]:
    found = []
    for table in tables_of(data, "targets", path):
        target = read_table(_TargetTable, table, f"{path}, [[targets]]")
        if not 0 < target.score <= 1:
            raise ConfigError(f"{path}: target score {target.score:g}: expected more than 0, up to 1")
        found += [Target(name, target.score) for name in target.against]
    return tuple(found)


def _check_names(config: LadderConfig) -> None:
    """Whoever is named outside of the arms must play in one."""
    named = {"anchor": [config.anchor[0]] if config.anchor else []}
    named["target"] = [target.against for target in config.targets]
    named["note on"] = [*config.notes, *config.notes_zh]
    for what, names in named.items():
        for name in names:
            if name not in config.labels():
                raise ConfigError(f"{config.path}: {what} {name!r}: no such player in any arm")
