"""``research/configs/*.toml``: methods and stages; ``nine-by-nine.toml`` is the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from research.campaign import check_book, check_distinct, check_known, check_name
from wuzi.arena import Entry, TournamentConfig, default_openings
from wuzi.arena.schedule import parse_limit
from wuzi.base.settings import dict_of, read_table, read_toml, tables_of
from wuzi.contract import Limit
from wuzi.core import Rules, parse_rule
from wuzi.errors import ConfigError

_TABLES = ("study", "methods", "stages", "seed_results")


class StageKind(StrEnum):
    """What a stage is for."""

    MAIN = "main"
    """All methods with their own parameters."""
    TIMED = "timed"
    """The same methods with equal time a move."""
    REPEAT = "repeat"
    """The main stage once more, with other seeds and openings."""
    EMPTY = "empty"
    """Games from the empty board, as document 000 played them."""
    SIZES = "sizes"
    """The same methods on several boards."""
    BOARD = "board"
    """Another board."""


@dataclass(frozen=True, slots=True)
class StudyMethod:
    """One method of the comparison."""

    name: str  # its label in records, and on pages where it plays with no net of its own
    spec: str  # what plays it, with its own parameters
    timed: str = ""  # what plays it where time is equal; ``spec`` by default
    budget: str = ""  # of an answer with its own parameters, such as ``time=0.1``; the player's by default
    net: str = ""  # name of the net it needs, empty for none
    train: str = ""  # the command that makes that net
    group: str = "untrained"  # ``untrained``, ``seed``, ``fusion`` or ``ours``
    base: str = ""  # the method it claims to improve on, empty for none
    fitted: bool = False  # its parameters were fitted to games although it names no net
    # of every pair with it at most where it plays with its own parameters, because it is slow; 0 for as many
    # as others
    games: int = 0
    title: str = ""  # title, title_zh: what it is, beside its name, in both languages; may be empty
    title_zh: str = ""

    def entry(self, time_s: float | None) -> Entry:
        """As a player of a tournament, with its own budget or with equal time."""
        if time_s is not None:
            return Entry(self.timed or self.spec, self.name, Limit(time_s=time_s))
        return Entry(self.spec, self.name, parse_limit(self.budget) if self.budget else None)


@dataclass(frozen=True, slots=True)
class _StageTable:
    """A table ``[[stages]]``, one part of the study; a tournament on each of its boards."""

    name: str  # names its folders
    kind: str
    games: int  # of every pair
    most: int = 0  # of pairs that remain contested after ``games``; 0 for no more
    methods: list[str] = field(default_factory=list)  # who plays; all by default
    time: float | None = None  # seconds a move, the same for all; None for each method's own parameters
    sizes: list[int] = field(default_factory=list)
    win_lengths: list[int] = field(default_factory=list)
    # a shipped book, ``auto`` (generated), ``none``, or ``default`` (the board's book)
    openings: str | None = None
    random_first: bool = False  # draw who begins instead of playing each opening with both colours
    seed: int | None = None  # of openings, colours and players
    charts: bool = False  # draw the twelve charts for the page


@dataclass(frozen=True, slots=True)
class StudyStage(_StageTable):
    """A stage with everything settled that its table left open."""

    kind: StageKind
    openings: str = "default"
    seed: int = 1
    tolerance: float = 1.0  # seconds an answer may be late
    # games of every pair with a slow method at most, by method
    caps: Mapping[str, int] = field(default_factory=dict)

    def capped(self, games: int, *pair: str) -> int:
        """So many games, or what a slow method of the pair allows."""
        return min([games, *(self.caps[name] for name in pair if name in self.caps)])

    def between(self, games: int, *pair: str) -> bool:
        """Whether a pair with so many games is being played on: more than the first, not yet all."""
        return self.capped(self.games, *pair) < games < self.capped(self.planned, *pair)

    @property
    def planned(self) -> int:
        """Games that a pair may come to."""
        return max(self.games, self.most)

    @property
    def unit(self) -> int:
        """Games of an opening: with both colours, or one."""
        return 1 if self.random_first else 2

    @property
    def looks(self) -> int:
        """How often a pair may be judged: twice where contested pairs are played on."""
        return 2 if self.most > self.games else 1


@dataclass(frozen=True, slots=True)
class Part:
    """A stage on one board."""

    folder: str  # its folder's name in the study's
    stage: StudyStage
    rules: Rules


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """What a document reports of two methods."""

    evaluation: str  # which of its evaluations
    first: str  # first, second: names of methods
    second: str
    wins: int  # wins, losses, draws: as the first sees them
    losses: int
    draws: int


@dataclass(frozen=True, slots=True)
class StudyConfig:
    """What a study's file says."""

    path: Path
    title: str
    title_zh: str
    rule: str  # of all games
    anchor: tuple[str, float] | None  # a method and its fixed rating; None when no rating is fixed
    methods: Mapping[str, StudyMethod]  # by name, in the order of the file
    stages: tuple[StudyStage, ...]  # in the order in which they are played
    reported: tuple[DocumentResult, ...] = ()  # what the document's own evaluations say

    def parts(self, stage: StudyStage) -> tuple[Part, ...]:
        """The stage's tournaments."""
        boards = list(zip(stage.sizes, stage.win_lengths, strict=True))
        single = len(boards) == 1
        return tuple(
            Part(
                stage.name if single else f"{stage.name}-{size}",
                stage,
                Rules(size, length, parse_rule(self.rule)),
            )
            for size, length in boards
        )

    def chosen(self, names: Sequence[str] = ()) -> list[StudyStage]:
        """The stages of these names in order, all for none; ConfigError for one that is not there."""
        check_known("unknown stage", names, [stage.name for stage in self.stages])
        return [stage for stage in self.stages if not names or stage.name in names]

    def stage(self, kind: StageKind) -> StudyStage | None:
        """The first stage of that kind."""
        return next((stage for stage in self.stages if stage.kind is kind), None)

    def nets(self) -> dict[str, str]:
        """The nets that are needed, each with the command that trains it."""
        return {method.net: method.train for method in self.methods.values() if method.net}


def tournament_of(config: StudyConfig, part: Part, names: tuple[str, ...]) -> TournamentConfig:
    """The tournament of a part with these methods; it plans the games of contested pairs too."""
    stage = part.stage
    openings = default_openings(part.rules) if stage.openings == "default" else stage.openings
    return TournamentConfig(
        entries=tuple(config.methods[name].entry(stage.time) for name in names),
        rules=part.rules,
        games=stage.planned,
        openings=openings,
        transform=openings != "none",
        random_first=stage.random_first,
        seed=stage.seed,
        tolerance_s=stage.tolerance,
    )


@dataclass(frozen=True, slots=True)
class _StudyTable:
    """The table ``[study]``."""

    title: str
    title_zh: str
    size: int = 9
    rule: str = "freestyle"
    anchor: str | None = None
    anchor_rating: float = 0.0
    openings: str = "default"
    seed: int = 1
    tolerance: float = 1.0


def load_study(path: Path) -> StudyConfig:
    """Read a study's settings; a ConfigError for a wrong key, value or method, or an unreadable file."""
    data = read_toml(path, _TABLES)
    common = read_table(_StudyTable, data.get("study", {}), f"{path}, [study]")
    methods = {name: _method(path, name, table) for name, table in dict_of(data, "methods", path).items()}
    stages = tuple(_stage(path, common, methods, table) for table in tables_of(data, "stages", path))
    check_distinct(path, "stage", [stage.name for stage in stages])
    if common.anchor is not None:
        check_known(f"{path}: anchor: unknown method", [common.anchor], list(methods))
    results = []
    for table in tables_of(data, "seed_results", path):
        result = read_table(DocumentResult, table, f"{path}, [[seed_results]]")
        check_known(f"{path}, [[seed_results]]: unknown method", (result.first, result.second), list(methods))
        results.append(result)
    anchor = None if common.anchor is None else (common.anchor, common.anchor_rating)
    return StudyConfig(
        path, common.title, common.title_zh, common.rule, anchor, methods, stages, tuple(results)
    )


def _method(path: Path, name: str, data: Any) -> StudyMethod:
    where = f"{path}, [methods.{name}]"
    table = read_table(StudyMethod, {"name": name, **data} if isinstance(data, dict) else data, where)
    if table.net and not table.train:
        raise ConfigError(f"{where}: net {table.net!r} without train: expected the command that makes it")
    if table.budget:
        parse_limit(table.budget)
    if table.games < 0 or table.games % 2:
        raise ConfigError(
            f"{where}: games is {table.games}: expected an even number, openings are played twice"
        )
    return table


def _stage(path: Path, common: _StudyTable, methods: Mapping[str, StudyMethod], data: Any) -> StudyStage:
    table = read_table(_StageTable, data, f"{path}, [[stages]]")
    where = f"{path}, stage {table.name!r}"
    check_name(where, table.name)
    check_known(f"{where}: kind", [table.kind], list(StageKind))
    names = table.methods or list(methods)
    check_known(f"{where}: unknown method", names, list(methods))
    if len(names) < 2:
        raise ConfigError(f"{where}: {len(names)} methods: expected at least 2")
    if table.time is not None and not 0 < table.time < 86400:
        raise ConfigError(f"{where}: time is {table.time:g}: expected seconds a move, more than 0")
    if table.games < 2:
        raise ConfigError(f"{where}: {table.games} games: expected at least 2")
    openings = table.openings or common.openings
    check_book(where, openings)
    sizes = table.sizes or [common.size]
    lengths = table.win_lengths or [min(5, size) for size in sizes]
    if len(lengths) != len(sizes):
        raise ConfigError(f"{where}: {len(lengths)} win_lengths for {len(sizes)} sizes")
    settled = {
        "kind": StageKind(table.kind),
        "methods": names,
        "sizes": sizes,
        "win_lengths": lengths,
        "openings": openings,
        "seed": common.seed if table.seed is None else table.seed,
        "tolerance": common.tolerance,
        "caps": {} if table.time is not None else {n: methods[n].games for n in names if methods[n].games},
    }
    return StudyStage(**{**asdict(table), **settled})
