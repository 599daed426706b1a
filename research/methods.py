"""The table of methods (document 000, section 8.1) and the five recommendations (8.3), each computed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from research.config import StageKind, StudyMethod
from research.figures import PartFigures, StudyFigures
from wuzi.arena import Estimate, PairFigures
from wuzi.arena.pairs import pair_of
from wuzi.arena.rating import bracket
from wuzi.contract import Limit, SearchInfo
from wuzi.core import Game, Rules
from wuzi.errors import WuziError
from wuzi.nets import read_net
from wuzi.players import create_player, format_spec, parse_spec, player_info

WHOLE = 0.9
"""A net that got less of its schedule refutes nothing."""
_TRACE = "50"
_PROBES = (("c3",), ("c3", "c4", "d3", "b3"))
"""A quiet position and one with something to explain."""


class Explains(StrEnum):
    """The most that a player tells about its move, found by asking it."""

    SCORES = "scores"
    """The patterns and scores that its choice is made of."""
    LINES = "lines"
    """What it expects to follow."""
    COUNTS = "counts"
    """Visits or probabilities of candidates."""
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class MethodRow:
    """A method's row; what was not measured is None."""

    method: StudyMethod
    rating: Estimate | None  # with its own parameters
    stars: int  # one to five over the range of ratings
    # what its net's card says about how it was made; None for methods without a net
    training: Mapping[str, Any] | None
    parameters: int | None  # trained or fitted numbers; 0 for none
    move_s: float | None
    # rating in the repeat less rating in the main stage, with the interval of that difference
    shift: Estimate | None
    explains: Explains | None  # what it tells about a move
    learns: bool  # whether it comes from games that were learned from

    @property
    def trained(self) -> bool:
        """Whether somebody who uses it needs a net."""
        return bool(self.method.net)

    @property
    def made(self) -> Mapping[str, Any]:
        """How its net was trained, as the card says; empty where there is none."""
        return self.training.get("training", self.training) if self.training else {}

    @property
    def schedule_share(self) -> float | None:
        """The share of its preset's schedule that was trained; None if the card does not say."""
        share = self.made.get("schedule_share")
        return None if share is None else float(share)


def method_rows(figures: StudyFigures) -> tuple[MethodRow, ...]:
    """The methods of the main stage, strongest first, those without games last."""
    main, again = figures.one(StageKind.MAIN), figures.one(StageKind.REPEAT)
    stage = figures.config.stage(StageKind.MAIN)
    methods = figures.config.methods
    rows = [_row(figures, methods[name], main, again) for name in (stage.methods if stage else methods)]
    return tuple(sorted(rows, key=lambda row: -row.rating.value if row.rating else float("inf")))


def timed_part(figures: StudyFigures) -> PartFigures | None:
    """The part whose games say how long a method thinks: the repeat, if all of the main stage play in it.

    The main stage grows over days, on machines of different speed; the repeat is played once.
    """
    main, again = figures.one(StageKind.MAIN), figures.one(StageKind.REPEAT)
    whole = main is not None and again is not None and main.plays.keys() <= again.plays.keys()
    return again if whole else main


def _row(
    figures: StudyFigures, method: StudyMethod, main: PartFigures | None, again: PartFigures | None
) -> MethodRow:
    rating = main.ratings.of(method.name) if main and main.ratings and method.name in main.names else None
    timed = timed_part(figures)
    play = timed.plays.get(method.name) if timed else None
    card = _card(method, figures.nets)
    rules = main.part.rules if main else figures.parts[0].part.rules
    return MethodRow(
        method=method,
        rating=rating,
        stars=_stars(rating, main),
        training=None if card is None else {**card.recipe, **card.measured},
        parameters=card.parameters if card else _fitted(method, rules),
        move_s=play.conduct.mean_s if play and timed and timed.times else None,
        shift=_shift(method.name, main, again),
        explains=explanation_of(method, rules) if rating is not None and (card or not method.net) else None,
        learns=bool(method.net) or method.fitted,
    )


def partly_trained(figures: StudyFigures) -> dict[str, float]:
    """The methods whose nets got less than 90 % of their schedules, with their shares."""
    cards = {name: _card(method, figures.nets) for name, method in figures.config.methods.items()}
    made = {
        name: {**card.recipe, **card.measured}.get("training", {}) for name, card in cards.items() if card
    }
    shares = {name: one["schedule_share"] for name, one in made.items() if one.get("schedule_share")}
    return {name: float(share) for name, share in shares.items() if share < WHOLE}


def _card(method: StudyMethod, nets: Mapping[str, str]) -> Any:
    """The card of a method's net, if it is the one that played."""
    if not method.net:
        return None
    try:
        card = read_net(method.net, allow_path=False, check=False).card
    except WuziError:
        return None
    played = nets.get(method.net)
    return card if played in (None, card.weights_sha256, card.recipe.get("float32_sha256")) else None


def _stars(rating: Estimate | None, main: PartFigures | None) -> int:
    """One for the lowest rating of the stage, five for the highest, evenly between."""
    if rating is None or main is None or main.ratings is None:
        return 0
    values = [estimate.value for estimate in main.ratings.estimates]
    span = max(values) - min(values)
    return 3 if span == 0 else 1 + round(4 * (rating.value - min(values)) / span)


def _fitted(method: StudyMethod, rules: Rules) -> int | None:
    """Numbers that were fitted: the engine's; nothing for other methods without a net."""
    if method.net:
        return None
    if not method.fitted:
        return 0
    from wuzi.evaluation.codebook import shipped_net

    net = shipped_net(rules.rule, rules.win_length)
    return sum(
        value.size
        for item in dataclasses.fields(net)
        if isinstance(value := getattr(net, item.name), np.ndarray)
    )


def _shift(name: str, main: PartFigures | None, again: PartFigures | None) -> Estimate | None:
    """How a rating moved; both stages rate against the mean of the methods they share."""
    if main is None or again is None or main.ratings is None or again.ratings is None:
        return None
    common = [label for label in main.ratings.labels if label in again.ratings.labels]
    if name not in common or len(common) < 2:
        return None
    (before, old), (after, new) = (ratings.above(name, common) for ratings in (main.ratings, again.ratings))
    samples = min(len(old), len(new))
    return bracket(after - before, new[:samples] - old[:samples])


def explanation_of(method: StudyMethod, rules: Rules) -> Explains:
    """Ask a method for a move and see what comes with it."""
    spec = parse_spec(method.spec)
    if "trace" in player_info(spec.name).options:
        spec = dataclasses.replace(spec, options={**spec.options, "trace": _TRACE})
    found = []
    with create_player(format_spec(spec), allow_command=True) as player:
        for moves in _PROBES:
            game = Game(rules)
            for move in moves if rules.size >= 5 else ():
                game = game.play(move)
            limit = Limit(nodes=20_000)
            found.append(_explains(player.think(game, limit, multipv=3).info))
    return min(found, key=list(Explains).index)


def _explains(info: SearchInfo) -> Explains:
    if {"reasons", "patterns"} & set(info.extra):
        return Explains.SCORES
    if any(len(line.pv) > 1 for line in info.lines):
        return Explains.LINES
    if any(line.visits or line.prior is not None for line in info.lines):
        return Explains.COUNTS
    return Explains.NOTHING


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
    """A recommendation."""

    need: Need
    choice: MethodRow | None  # the method; None if no method meets the criterion, or nothing was measured
    tied: tuple[str, ...] = ()  # others that meet it and against which the choice is not decided
    considered: int = 0  # methods that meet the criterion
    # the best with equal time, and those against which it is not decided (strength only)
    timed: tuple[str, ...] = ()
    gains: tuple[PairFigures, ...] = ()  # fusion methods against what they build on


def advise(figures: StudyFigures, rows: Sequence[MethodRow]) -> tuple[Advice, ...]:
    """All five, in the order of the document."""
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
