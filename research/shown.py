"""The names that pages and charts use: a method that plays with a net has the net's name.

Everything is computed with the names in the records first, because the order of the names has a part in the
intervals of ratings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from research.agreement import Agreement
from research.config import StudyConfig, StudyMethod, StudyStage
from research.figures import PartFigures, StudyFigures
from wuzi.arena import Analysis, GameResult, Ratings

Names = Callable[[str], str]
"""What a method of the records is called."""


def names_shown(methods: Mapping[str, StudyMethod]) -> Names:
    """By its net, as everywhere else, if no other method plays with that net or has that name."""
    users = Counter(method.net for method in methods.values())
    alone = {
        name: one.net
        for name, one in methods.items()
        if one.net and users[one.net] == 1 and one.net not in methods
    }
    return lambda name: alone.get(name, name)


def shown(figures: StudyFigures, names: Names) -> StudyFigures:
    """The figures of a study under these names."""
    return replace(
        figures,
        config=_config(figures.config, names),
        parts=tuple(_part(part, names) for part in figures.parts),
        repeat=_agreement(figures.repeat, names),
        document=_agreement(figures.document, names),
    )


def shown_analysis(analysis: Analysis, names: Names) -> Analysis:
    """What charts are drawn from, under these names."""
    return replace(
        analysis,
        records=_games(analysis.records, names),
        players=tuple(replace(one, label=names(one.label)) for one in analysis.players),
        pairs=tuple(replace(one, leader=names(one.leader), other=names(one.other)) for one in analysis.pairs),
        ratings=_ratings(analysis.ratings, names),
    )


def _config(config: StudyConfig, names: Names) -> StudyConfig:
    methods = [replace(m, name=names(m.name), base=names(m.base)) for m in config.methods.values()]
    return replace(
        config,
        anchor=config.anchor and (names(config.anchor[0]), config.anchor[1]),
        methods={method.name: method for method in methods},
        stages=tuple(_stage(stage, names) for stage in config.stages),
        reported=tuple(replace(r, first=names(r.first), second=names(r.second)) for r in config.reported),
    )


def _stage(stage: StudyStage, names: Names) -> StudyStage:
    caps = {names(name): games for name, games in stage.caps.items()}
    return replace(stage, methods=[names(name) for name in stage.methods], caps=caps)


def _part(part: PartFigures, names: Names) -> PartFigures:
    return replace(
        part,
        part=replace(part.part, stage=_stage(part.part.stage, names)),
        records=_games(part.records, names),
        pairs=tuple(replace(one, first=names(one.first), second=names(one.second)) for one in part.pairs),
        ratings=_ratings(part.ratings, names),
        plays={names(name): play for name, play in part.plays.items()},
        absent=tuple(names(name) for name in part.absent),
    )


def _ratings(ratings: Ratings | None, names: Names) -> Ratings | None:
    return ratings and replace(ratings, labels=tuple(names(label) for label in ratings.labels))


def _agreement(found: Agreement | None, names: Names) -> Agreement | None:
    return found and replace(
        found,
        pairs=tuple(replace(one, first=names(one.first), second=names(one.second)) for one in found.pairs),
    )


def _games(games: Iterable[GameResult], names: Names) -> tuple[GameResult, ...]:
    return tuple(
        replace(game, black=names(game.black), white=names(game.white), first_player=names(game.first_player))
        for game in games
    )
