"""The figures of a study: what each table, chart and sentence of its report is made from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from research.agreement import Agreement, compare_reported, compare_stages
from research.campaign import CampaignRun, Conduct, conduct_of, load_runs, on_one_machine, settings_of
from research.config import Part, StageKind, StudyConfig, load_study
from research.run import CONFIG_FILE, known_nets, load_part
from wuzi.arena import Estimate, GameResult, PairFigures, Ratings, all_pairs, rate
from wuzi.arena.analysis import share_of
from wuzi.arena.pairs import clustered
from wuzi.arena.rating import bracket
from wuzi.errors import RecordError

Curves = Mapping[str, Sequence[tuple[int, Estimate]]]


@dataclass(frozen=True, slots=True)
class MethodPlay:
    """How a method played in a part."""

    games: int
    black: Estimate  # black, white: shares of the games with that colour that were won, opponents alike
    white: Estimate
    conduct: Conduct  # its time and its forfeits


@dataclass(frozen=True, slots=True)
class PartFigures:
    """A stage on one board."""

    part: Part
    records: tuple[GameResult, ...]
    pairs: tuple[PairFigures, ...]  # of methods, adjusted for each other
    ratings: Ratings | None  # of those who played; None with fewer than two
    plays: dict[str, MethodPlay]  # how each method played
    black: Estimate  # black, white, drawn: shares of the games, every pair weighing alike
    white: Estimate
    drawn: Estimate
    score: Estimate  # Black's, a draw counting half
    hours: float  # seconds of all games on one core, in hours
    absent: tuple[str, ...]  # methods of the stage that did not play
    times: bool = True  # whether one machine played it, so that times compare

    @property
    def names(self) -> tuple[str, ...]:
        """Who played, strongest first."""
        return self.ratings.labels if self.ratings else ()


@dataclass(frozen=True, slots=True)
class StudyFigures:
    """All of it."""

    config: StudyConfig
    runs: tuple[CampaignRun, ...]  # when and where it was played
    nets: dict[str, str]  # that played, by hash
    parts: tuple[PartFigures, ...]  # with games, in the order of the file
    repeat: Agreement | None  # agreement of the main stage with its repeat; None before both were played
    document: Agreement | None  # agreement of the document's own two evaluations

    def of(self, kind: StageKind) -> tuple[PartFigures, ...]:
        """The parts of the stages of that kind."""
        return tuple(part for part in self.parts if part.part.stage.kind is kind)

    def one(self, kind: StageKind) -> PartFigures | None:
        """The first of them."""
        return next(iter(self.of(kind)), None)


def study_figures(out: Path) -> StudyFigures:
    """Read a study's folder and compute its figures."""
    config = load_study(settings_of(out, CONFIG_FILE, "study run"))
    runs = load_runs(out)
    parts = tuple(
        part_figures(config, part, load_part(part, out), runs)
        for stage in config.stages
        for part in config.parts(stage)
    )
    found = tuple(part for part in parts if part.records)
    if not found:
        raise RecordError(f"{out}: no games: nothing to report")
    main = next((p for p in found if p.part.stage.kind is StageKind.MAIN), None)
    again = next((p for p in found if p.part.stage.kind is StageKind.REPEAT), None)
    repeat = None
    if main and again:
        repeat = compare_stages(main.pairs, again.pairs, (main.ratings, again.ratings))
    return StudyFigures(config, runs, known_nets(out), found, repeat, compare_reported(config.reported))


def part_figures(
    config: StudyConfig, part: Part, records: Sequence[GameResult], runs: Sequence[CampaignRun] = ()
) -> PartFigures:
    """The figures of one part from its games."""
    played = {name for game in records for name in (game.black, game.white)}
    names = [name for name in part.stage.methods if name in played]
    anchor = config.anchor if config.anchor and config.anchor[0] in played else None
    # The figures of all games know which of them share an opening, or are copies.
    units = clustered(records) if part.stage.unit == 1 else records
    stage = part.stage
    pairs = tuple(
        replace(pair, between=stage.between(pair.games, pair.first, pair.second))
        for pair in all_pairs(records, names, unit=stage.unit, looks=stage.looks)
    )
    return PartFigures(
        part=part,
        records=tuple(records),
        pairs=pairs,
        ratings=rate(units, anchor=anchor) if len(names) > 1 else None,
        plays={name: play_of(units, name) for name in names},
        black=share_of(units, lambda game: game.winner == "black"),
        white=share_of(units, lambda game: game.winner == "white"),
        drawn=share_of(units, lambda game: game.winner == "draw"),
        score=share_of(units, lambda game: game.score(game.black)),
        hours=math.fsum(game.duration_s or 0.0 for game in records) / 3600,
        absent=tuple(name for name in part.stage.methods if name not in played),
        times=on_one_machine(records, runs),
    )


def play_of(records: Sequence[GameResult], name: str) -> MethodPlay:
    """How a method played."""

    def won(game: GameResult) -> float:
        return float(game.score(name) == 1)

    black, white = ([g for g in records if name == getattr(g, color)] for color in ("black", "white"))
    return MethodPlay(
        len(black) + len(white), share_of(black, won), share_of(white, won), conduct_of(records, name)
    )


def size_curves(parts: Sequence[PartFigures]) -> Curves:
    """Each method's rating on every board, against the mean of the methods that play on all of them."""
    rated = [part for part in parts if part.ratings is not None]
    common = [name for name in (rated[0].names if rated else ()) if all(name in p.names for p in rated)]
    curves: dict[str, list[tuple[int, Estimate]]] = {}
    for part in sorted(rated, key=lambda part: part.part.rules.size):
        ratings = part.ratings
        assert ratings is not None
        for name in ratings.labels:
            estimate = bracket(*ratings.above(name, common or ratings.labels))
            curves.setdefault(name, []).append((part.part.rules.size, estimate))
    return curves
