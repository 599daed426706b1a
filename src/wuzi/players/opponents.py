"""The opponents that the faces offer, by ids of their own: never specs or commands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import starmap
from types import MappingProxyType
from typing import Any

from wuzi.base.machine import packaged_table
from wuzi.contract import Limit
from wuzi.errors import ConfigError
from wuzi.nets.shelf import MeasuredRating, NetEntry, list_nets
from wuzi.players.levels import LEVELS, LevelName, level_ratings
from wuzi.players.shipped_proof import SIZE


@dataclass(frozen=True, slots=True)
class EngineLevel:
    """A level of an engine: its id on the wire, names for people, who plays (a seed is added), its budget."""

    id: str
    en: str
    zh: str
    spec: str
    limit: Limit = field(default_factory=Limit)


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """An opponent."""

    id: str  # its name on the wire
    en: str  # en, zh: its name for people
    zh: str
    about_en: str  # about_en, about_zh: one sentence each
    about_zh: str
    levels: tuple[EngineLevel, ...]  # at least one
    default: str = ""  # the id of the level that is chosen at first; the first one where it is empty
    ratings: Mapping[str, MeasuredRating] = field(default_factory=dict)  # measured strengths by level
    net: str | None = None  # the name of its net, if it plays with one

    def level(self, level_id: str | None = None) -> EngineLevel:
        """The level of that id, or the default one; a ConfigError if there is no such level."""
        if level_id is None:
            return self.level(self.default) if self.default else self.levels[0]
        for level in self.levels:
            if level.id == level_id:
                return level
        known = ", ".join(level.id for level in self.levels)
        raise ConfigError(f"engine {self.id} has no level {level_id!r}: expected one of {known}")


def _levels_entry() -> EngineEntry:
    return EngineEntry(
        "levels",
        "wuzi",
        "五子",
        "Eight levels, from novice to the whole engine; the lower ones err as people do.",
        "八个级别，从新手到完整引擎；低级别会像人一样出错。",
        tuple(EngineLevel(str(one.name), one.en, one.zh, one.spec, one.limit) for one in LEVELS.values()),
        default=str(LevelName.CASUAL),
        ratings=level_ratings(),
    )


def _proof_entry() -> EngineEntry:
    return EngineEntry(
        PROOF,
        "The perfect opponent",
        "不败的对手",
        f"Black by a checked proof: on {SIZE}×{SIZE} in freestyle it answers at once and wins, whatever "
        "White plays. As White, and on other boards, the engine plays.",
        f"执黑，按经过检验的证明立即应对：在 {SIZE}×{SIZE} 无禁手上，无论白方怎么下都必胜。"
        "执白或在其他棋盘上由引擎下。",
        (EngineLevel("default", "The only level", "唯一级别", "proof", Limit(time_s=5)),),
    )


def _packaged_entry(name: str, row: dict[str, Any]) -> EngineEntry:
    levels = (level | {"limit": Limit(**level.get("limit", {}))} for level in row.pop("levels"))
    return EngineEntry(name, **row, levels=tuple(EngineLevel(**level) for level in levels))


PROOF = "proof"
"""The opponent that plays by proofs."""
RATED = "rated"
"""The level of a net that plays as it did for its rating."""


def net_levels(az: str, policy: str) -> tuple[EngineLevel, ...]:
    """The levels of a net: a tree search of three lengths by the spec ``az``, and its policy alone."""
    return (
        EngineLevel("normal", "Normal: 400 simulations", "普通：400 次模拟", f"{az},simulations=400"),
        EngineLevel("quick", "Quick: 64 simulations", "快棋：64 次模拟", f"{az},simulations=64"),
        EngineLevel("strong", "Strong: 5 seconds", "较强：每步 5 秒", az, Limit(time_s=5)),
        EngineLevel("policy", "Without any search", "不搜索", policy),
    )


GAMES = re.compile(r"-g(\d+)(?:-|$)")
"""In the name of a net that was trained here: after how many games it was made."""


def net_entry(net: NetEntry) -> EngineEntry:
    """A net at hand as an opponent: with a search of two lengths, and by its policy alone."""
    az, rating = f"az:net={net.name}", net.rating
    board = net.board
    names = packaged_table("nets/names.toml").get(net.name) if net.shipped else None
    if names is None:
        size, length = ("?", "?") if board is None else board[:2]
        games = GAMES.search(net.name)
        names = {
            "en": f"Own net {size}×{size}" + (f", {games[1]} games" if games else ""),
            "zh": f"自训网络 {size}×{size}" + (f"（{games[1]} 局）" if games else ""),
            "about_en": f"Trained here for {size}x{size}, {length} in a row: {net.name}.",
            "about_zh": f"在这里训练，{size}×{size}，{length} 连：{net.name}。",
        }
    return EngineEntry(
        f"net-{net.name}",
        **names,
        levels=(
            *([] if rating is None else [EngineLevel(RATED, "As rated", "评分配置", rating.player)]),
            *net_levels(az, f"policy:net={net.name}"),
        ),
        default="normal",
        ratings={} if rating is None else {RATED: rating},
        net=net.name,
    )


# Nets are looked for once, when a face starts.
ENGINES: Mapping[str, EngineEntry] = MappingProxyType(
    {
        entry.id: entry
        for entry in (
            _levels_entry(),
            _proof_entry(),
            *starmap(_packaged_entry, packaged_table("players/opponents.toml").items()),
            *map(net_entry, list_nets()),
        )
    }
)


def find_engine(engine_id: str | None) -> EngineEntry:
    """The engine of that id; a ConfigError if there is none."""
    if engine_id is None or engine_id not in ENGINES:
        raise ConfigError(f"unknown engine {engine_id!r}: expected one of {', '.join(ENGINES)}")
    return ENGINES[engine_id]
