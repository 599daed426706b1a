"""The five recommendations of seed 000, section 8.3, from data: each has a criterion and what meets it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from wuzi.studies.config import StageKind
from wuzi.studies.figures import PartFigures, StudyFigures
from wuzi.studies.methods import Explains, MethodRow
from wuzi.studies.pairs import PairFigures, pair_of

QUICK_S = 0.01
"""What counts as little time a move where resources are limited."""


class Need(StrEnum):
    """What somebody looks for."""

    PROTOTYPE = "prototype"
    STRENGTH = "strength"
    REASONS = "reasons"
    LITTLE = "little"
    FUSION = "fusion"


@dataclass(frozen=True, slots=True)
class Advice:
    """A recommendation.

    Attributes:
        need: for whom.
        choice: the method; None if no method meets the criterion, or nothing was measured.
        tied: others that meet it and against which the choice is not decided.
        considered: methods that meet the criterion.
        timed: the best with equal time, and those against which it is not decided (strength only).
        gains: fusion methods against what they build on.
    """

    need: Need
    choice: MethodRow | None
    tied: tuple[str, ...] = ()
    considered: int = 0
    timed: tuple[str, ...] = ()
    gains: tuple[PairFigures, ...] = ()


def advise(figures: StudyFigures, rows: Sequence[MethodRow]) -> tuple[Advice, ...]:
    """All five, in the order of the seed."""
    main, timed = figures.one(StageKind.MAIN), figures.one(StageKind.TIMED)
    rated = [row for row in rows if row.rating is not None]
    plain = [row for row in rated if not row.learns]
    scored = [row for row in rated if row.explains is Explains.SCORES]
    light = [row for row in rated if not row.trained and row.move_s is not None and row.move_s <= QUICK_S]
    return (
        _best(Need.PROTOTYPE, plain, main),
        replace(_best(Need.STRENGTH, rated, main), timed=_leaders(timed, timed.names) if timed else ()),
        _best(Need.REASONS, scored, main),
        _best(Need.LITTLE, light, main),
        _fusion(rated, main),
    )


def _best(need: Need, rows: Sequence[MethodRow], main: PartFigures | None) -> Advice:
    if not rows or main is None or main.ratings is None:
        return Advice(need, None)
    by_name = {row.method.name: row for row in rows}
    name, *tied = _leaders(main, [one for one in main.names if one in by_name])
    return Advice(need, by_name[name], tuple(tied), len(rows))


def _leaders(part: PartFigures, names: Sequence[str]) -> tuple[str, ...]:
    """The first of these names, strongest first, and those against which it is not decided."""
    if not names:
        return ()
    pairs = {name: pair_of(part.pairs, names[0], name) for name in names[1:]}
    return (names[0], *(name for name, pair in pairs.items() if pair is None or not pair.significant))


def _fusion(rows: Sequence[MethodRow], main: PartFigures | None) -> Advice:
    """The strongest of those that surely gain on their base."""
    if main is None:
        return Advice(Need.FUSION, None)
    fusion = [row for row in rows if row.method.group == "fusion" and row.method.base]
    pairs = {row.method.name: pair_of(main.pairs, row.method.name, row.method.base) for row in fusion}
    gains = tuple(pair for pair in pairs.values() if pair is not None)
    sure = [
        row
        for row in fusion
        if (pair := pairs[row.method.name]) and pair.significant and pair.won > pair.lost
    ]
    advice = _best(Need.FUSION, sure, main)
    return Advice(Need.FUSION, advice.choice, advice.tied, len(fusion), gains=gains)
