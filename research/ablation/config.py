"""``research/configs/ablation.toml``: groups of arms, each a recipe that differs from its group's base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from research.campaign import check_book, check_distinct, check_known, check_name
from wuzi.arena import default_openings
from wuzi.arena.schedule import parse_limit
from wuzi.base.settings import read_table, read_toml, tables_of
from wuzi.contract import Limit
from wuzi.core import Rules
from wuzi.errors import ConfigError
from wuzi.players import PlayerSpec, format_spec, parse_spec
from wuzi.training import Plan, make_plan

BASE = "base"
"""The arm of every group that changes nothing."""
CONTROL = "untrained"
"""An arm that tests no claim: what a net scores that learned nothing."""


@dataclass(frozen=True, slots=True)
class AblationArm:
    """A recipe."""

    group: str  # group, name: together its name
    name: str
    preset: str  # what it starts from
    sets: tuple[str, ...]  # assignments of the group; none for an arm with a preset of its own
    changed: tuple[str, ...]  # those of the arm alone
    question: str  # question, question_zh: what it answers
    question_zh: str
    seeds: tuple[int, ...]  # it is trained once with each

    @property
    def key(self) -> str:
        """Such as ``seed-claims/no-norm``."""
        return f"{self.group}/{self.name}"

    def plan(self, seed: int) -> Plan:
        """All parameters of one training."""
        sets = [*self.sets, *self.changed, f"run.seed={seed}"]
        plan = make_plan(self.preset, None, sets)
        # What learns nothing with this seed counts as that: it must not begin again.
        rescues = getattr(plan.settings.run, "rescue", False)
        return make_plan(self.preset, None, [*sets, "run.rescue=false"]) if rescues else plan

    @property
    def rules(self) -> Rules:
        """The board it is trained for."""
        found: Rules = self.plan(self.seeds[0]).settings.game.rules
        return found


@dataclass(frozen=True, slots=True)
class ArmGroup:
    """Arms with a common base."""

    name: str  # names its folder
    title: str
    title_zh: str
    base: AblationArm  # the recipe that changes nothing
    arms: tuple[AblationArm, ...]  # the others, in order of worth
    match: str  # the player that the nets play in, without its net
    budget: Limit  # of an answer; the player's own by default

    @property
    def all(self) -> tuple[AblationArm, ...]:
        """The base and the arms."""
        return (self.base, *self.arms)

    def player(self, net: str) -> str:
        """The match's player with a net."""
        spec = parse_spec(self.match)
        return format_spec(PlayerSpec(spec.name, {**spec.options, "net": net}))


@dataclass(frozen=True, slots=True)
class AblationConfig:
    """What an ablation's file says."""

    path: Path
    title: str  # of its page
    title_zh: str
    minutes: float  # of wall-clock that every training gets
    games: int
    openings: str  # its book
    seed: int  # of the matches
    groups: tuple[ArmGroup, ...]  # in order of worth

    def arms(self) -> tuple[AblationArm, ...]:
        """All arms, bases included."""
        return tuple(arm for group in self.groups for arm in group.all)

    def check_arms(self, names: Sequence[str]) -> None:
        """Make sure that names are those of arms or groups."""
        known = [*(group.name for group in self.groups), *(arm.key for arm in self.arms())]
        check_known("unknown arm", names, known)

    def book(self, rules: Rules) -> str:
        """The openings of a match on this board."""
        return default_openings(rules) if self.openings == "default" else self.openings


@dataclass(frozen=True, slots=True)
class _Settings:
    """The table ``[ablation]``."""

    minutes: float
    games: int
    match: str
    budget: str = ""
    openings: str = "default"
    seed: int = 1
    seeds: list[int] = field(default_factory=lambda: [1])
    title: str = "Ablation"
    title_zh: str = "消融实验"


@dataclass(frozen=True, slots=True)
class _GroupTable:
    """A table ``[[groups]]``."""

    name: str
    title: str
    title_zh: str
    preset: str
    set: list[str] = field(default_factory=list)
    match: str = ""
    budget: str = ""
    arms: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _ArmTable:
    """A table ``[[groups.arms]]``."""

    name: str
    set: list[str]
    question: str
    question_zh: str
    preset: str = ""
    seeds: list[int] = field(default_factory=list)


def load_ablation(path: Path) -> AblationConfig:
    """Read an ablation's settings, every arm of which can be trained; ConfigError says what is wrong."""
    data = read_toml(path, ("ablation", "groups"))
    common = read_table(_Settings, data.get("ablation", {}), f"{path}, [ablation]")
    check_book(str(path), common.openings)
    if not common.minutes > 0:
        raise ConfigError(f"{path}: minutes is {common.minutes:g}: expected more than 0")
    if common.games < 2 or common.games % 2:
        raise ConfigError(f"{path}: {common.games} games: expected an even number")
    groups = tuple(_group(path, common, table) for table in tables_of(data, "groups", path))
    if not groups:
        raise ConfigError(f"{path}: no groups: expected tables [[groups]]")
    check_distinct(path, "arm", [arm.key for group in groups for arm in group.all])
    return AblationConfig(
        path,
        common.title,
        common.title_zh,
        common.minutes,
        common.games,
        common.openings,
        common.seed,
        groups,
    )


def _group(path: Path, common: _Settings, data: Any) -> ArmGroup:
    table = read_table(_GroupTable, data, f"{path}, [[groups]]")
    where = f"{path}, group {table.name!r}"
    arms = []
    for item in table.arms:
        one = read_table(_ArmTable, item, f"{where}, [[groups.arms]]")
        # A group's assignments are for its preset: another preset may not know them.
        sets = () if one.preset else tuple(table.set)
        preset, seeds = one.preset or table.preset, tuple(one.seeds or common.seeds)
        arms.append(
            AblationArm(
                table.name, one.name, preset, sets, tuple(one.set), one.question, one.question_zh, seeds
            )
        )
    # A base meets every arm of each seed.
    seeds = tuple(dict.fromkeys(seed for arm in arms for seed in arm.seeds)) or tuple(common.seeds)
    base = AblationArm(table.name, BASE, table.preset, tuple(table.set), (), "", "", seeds)
    for arm in (base, *arms):
        check_name(f"{where}, arm {arm.name!r}", arm.group, arm.name)
        try:
            arm.plan(1)
        except ConfigError as error:
            raise ConfigError(f"{where}, arm {arm.name!r}: {error}") from None
    budget = table.budget or common.budget
    match = table.match or common.match
    return ArmGroup(
        table.name,
        table.title,
        table.title_zh,
        base,
        tuple(arms),
        match,
        parse_limit(budget) if budget else Limit(),
    )
