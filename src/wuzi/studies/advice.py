"""The five recommendations of seed 000, section 8.3, from data: each has a criterion and what meets it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from wuzi.studies.config import Kind
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
        tied: others that meet it and whose rating cannot be told apart from the choice's.
        considered: methods that meet the criterion.
        timed: the best with equal time (strength only).
        gains: fusion methods against what they build on.
    """

    need: Need
    choice: MethodRow | None
    tied: tuple[str, ...] = ()
    considered: int = 0
    timed: str = ""
    gains: tuple[PairFigures, ...] = ()


def advise(figures: StudyFigures, rows: Sequence[MethodRow]) -> tuple[Advice, ...]:
    """All five, in the order of the seed."""
    main, timed = figures.one(Kind.MAIN), figures.one(Kind.TIMED)
    rated = [row for row in rows if row.rating is not None]
    plain = [row for row in rated if not row.learns]
    scored = [row for row in rated if row.explains is Explains.SCORES]
    light = [row for row in rated if not row.trained and row.move_s is not None and row.move_s <= QUICK_S]
    best_timed = timed.names[0] if timed and timed.names else ""
    return (
        _best(Need.PROTOTYPE, plain, main),
        _best(Need.STRENGTH, rated, main, best_timed),
        _best(Need.REASONS, scored, main),
        _best(Need.LITTLE, light, main),
        _fusion(rated, main),
    )


def _best(need: Need, rows: Sequence[MethodRow], main: PartFigures | None, timed: str = "") -> Advice:
    if not rows or main is None or main.ratings is None:
        return Advice(need, None, timed=timed)
    choice = max(rows, key=lambda row: row.rating.value if row.rating else float("-inf"))
    ratings, name = main.ratings, choice.method.name
    others = [row.method.name for row in rows if row is not choice]
    tied = tuple(other for other in others if not ratings.separable(name, other))
    return Advice(need, choice, tied, len(rows), timed)


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
