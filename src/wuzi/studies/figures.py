"""The figures of a study: what each table, chart and sentence of its report is made from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wuzi.arena.ladder.run import Run, load_runs
from wuzi.arena.rating import Estimate, Ratings, rate, wilson
from wuzi.arena.results import GameRecord
from wuzi.errors import RecordError
from wuzi.studies.agreement import Agreement, compare_seed, compare_stages
from wuzi.studies.config import Kind, Part, StudyConfig, load_study
from wuzi.studies.pairs import PairFigures, all_pairs
from wuzi.studies.run import CONFIG_FILE, known_nets, load_part


@dataclass(frozen=True, slots=True)
class Conduct:
    """How a method played in a part.

    Attributes:
        games: how many.
        move_s: seconds a move on average; None without moves.
        first, second: win rates with the first turn and with the second.
        late: answers over the limit. forfeits: games lost on time, by a crash or an illegal move.
    """

    games: int
    move_s: float | None
    first: Estimate
    second: Estimate
    late: int
    forfeits: int


@dataclass(frozen=True, slots=True)
class PartFigures:
    """A stage on one board.

    Attributes:
        part: what it is.
        records: its games.
        pairs: of methods, adjusted for each other.
        ratings: of those who played; None with fewer than two.
        conduct: by method.
        black: win rate of Black in all games. drawn: share of draws.
        hours: seconds of all games on one core, in hours.
        absent: methods of the stage that did not play.
    """

    part: Part
    records: tuple[GameRecord, ...]
    pairs: tuple[PairFigures, ...]
    ratings: Ratings | None
    conduct: dict[str, Conduct]
    black: Estimate
    drawn: Estimate
    hours: float
    absent: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Who played, strongest first."""
        return self.ratings.labels if self.ratings else ()


@dataclass(frozen=True, slots=True)
class StudyFigures:
    """All of it.

    Attributes:
        config: the study.
        runs: when and where it was played.
        nets: that played, by hash.
        parts: with games, in the order of the file.
        repeat: agreement of the main stage with its repeat; None before both were played.
        seed: agreement of the seed's own two evaluations.
    """

    config: StudyConfig
    runs: tuple[Run, ...]
    nets: dict[str, str]
    parts: tuple[PartFigures, ...]
    repeat: Agreement | None
    seed: Agreement | None

    def of(self, kind: Kind) -> tuple[PartFigures, ...]:
        """The parts of the stages of that kind."""
        return tuple(part for part in self.parts if part.part.stage.kind is kind)

    def one(self, kind: Kind) -> PartFigures | None:
        """The first of them."""
        return next(iter(self.of(kind)), None)


def study_figures(out: Path) -> StudyFigures:
    """Read a study's folder and compute its figures.

    Raises:
        RecordError: nothing was played there, or a record is broken.
    """
    settings = out / CONFIG_FILE
    if not settings.exists():
        raise RecordError(f"{out}: no {CONFIG_FILE}: expected a folder of `wuzi study run`")
    config = load_study(settings)
    parts = tuple(
        part_figures(config, part, load_part(part, out))
        for stage in config.stages
        for part in config.parts(stage)
    )
    found = tuple(part for part in parts if part.records)
    if not found:
        raise RecordError(f"{out}: no games: nothing to report")
    main = next((p for p in found if p.part.stage.kind is Kind.MAIN), None)
    again = next((p for p in found if p.part.stage.kind is Kind.REPEAT), None)
    repeat = None
    if main and again:
        repeat = compare_stages(main.pairs, again.pairs, (main.ratings, again.ratings))
    return StudyFigures(
        config, tuple(load_runs(out)), known_nets(out), found, repeat, compare_seed(config.seed_results)
    )


def part_figures(config: StudyConfig, part: Part, records: Sequence[GameRecord]) -> PartFigures:
    """The figures of one part from its games."""
    played = {name for game in records for name in (game.black, game.white)}
    names = [name for name in part.stage.methods if name in played]
    anchor = config.anchor if config.anchor and config.anchor[0] in played else None
    colours = Counter(game.winner for game in records)
    return PartFigures(
        part=part,
        records=tuple(records),
        pairs=all_pairs(records, names, unit=part.stage.unit, looks=part.stage.looks),
        ratings=rate(records, anchor=anchor) if len(names) > 1 else None,
        conduct={name: conduct_of(records, name) for name in names},
        black=wilson(colours["black"], len(records)),
        drawn=wilson(colours["draw"], len(records)),
        hours=math.fsum(game.duration_s or 0.0 for game in records) / 3600,
        absent=tuple(name for name in part.stage.methods if name not in played),
    )


def conduct_of(records: Sequence[GameRecord], name: str) -> Conduct:
    """How a method played."""
    games = [game for game in records if name in (game.black, game.white)]
    first = [game for game in games if game.first_player == name]
    second = [game for game in games if game.first_player != name]
    answers = sum(game.answers_of(name) or 0 for game in games)
    seconds = math.fsum(game.time_of(name) or 0.0 for game in games)
    return Conduct(
        games=len(games),
        move_s=seconds / answers if answers else None,
        first=wilson(sum(game.score(name) == 1 for game in first), len(first)),
        second=wilson(sum(game.score(name) == 1 for game in second), len(second)),
        late=sum(game.late_of(name) or 0 for game in games),
        forfeits=sum(game.forfeit_by == name for game in games),
    )
