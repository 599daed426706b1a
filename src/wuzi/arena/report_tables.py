"""The tables and the outline of a report, as text cells; both formats print the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import wuzi
from wuzi.arena.analysis import Analysis, PairSummary, PlayerSummary
from wuzi.arena.text import elo_text, findings, percent, points, warning_sentence
from wuzi.base.words import Catalogue

METHODS = ("method.win_rate", "method.pairs", "method.elo", "method.separable")


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table of text.

    Attributes:
        title: over the table.
        header: column titles.
        rows: cells, as many as the header has.
        names: the column that holds names (the others are figures).
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 0


@dataclass(frozen=True, slots=True)
class Outline:
    """Everything a report says, in order.

    Attributes:
        title, subtitle, made_by: the head.
        findings: sentences. warnings: sentences; empty when there are none.
        tables: in order.
        methods: sentences.
    """

    title: str
    subtitle: str
    made_by: str
    findings: tuple[str, ...]
    warnings: tuple[str, ...]
    tables: tuple[Table, ...]
    methods: tuple[str, ...]


def outline(t: Catalogue, analysis: Analysis, csv_path: Path) -> Outline:
    """The text of a report."""
    return Outline(
        title=t("report.title", stem=csv_path.stem),
        subtitle=t(
            "report.subtitle",
            games=analysis.games,
            players=len(analysis.players),
            pairs=len(analysis.pairs),
            setting=_setting(t, analysis),
        ),
        made_by=t("report.made_by", version=wuzi.__version__, source=csv_path.name),
        findings=tuple(findings(t, analysis)),
        warnings=tuple(warning_sentence(t, warned) for warned in analysis.warnings),
        tables=(_ranking(t, analysis.players), _pairs(t, analysis.pairs), _first(t, analysis.players)),
        methods=tuple(t(key) for key in METHODS),
    )


def _setting(t: Catalogue, analysis: Analysis) -> str:
    """The rules of the games, if they are all the same and the file tells."""
    settings = {(game.rule, game.size, game.win_length) for game in analysis.records}
    if len(settings) != 1:
        return ""
    rule, size, win_length = settings.pop()
    if not rule or size is None or win_length is None:
        return ""
    name = t(f"rule.{rule}") if f"rule.{rule}" in t.texts else rule
    return t("report.setting", rule=name, size=size, win_length=win_length)


def _header(t: Catalogue, *keys: str) -> tuple[str, ...]:
    return tuple(t(f"table.{key}") for key in keys)


def _ranking(t: Catalogue, players: Sequence[PlayerSummary]) -> Table:
    header = _header(
        t,
        *("rank", "player", "rating", "interval", "games", "wins", "draws", "losses"),
        *("win_rate", "interval", "time", "plies", "forfeits"),
    )
    rows = []
    for rank, player in enumerate(players, 1):
        rating = player.rating
        rows.append(
            (
                str(rank),
                player.label,
                points(rating.value) if rating else "–",
                f"{points(rating.low)} … {points(rating.high)}" if rating else "–",
                str(player.games),
                str(player.wins),
                str(player.draws),
                str(player.losses),
                percent(player.win_rate.value),
                f"{percent(player.win_rate.low)} … {percent(player.win_rate.high)}",
                _number(player.time_s),
                _number(player.plies),
                str(sum(player.forfeits.values())),
            )
        )
    return Table(t("section.ranking"), header, tuple(rows), names=1)


def _pairs(t: Catalogue, pairs: Sequence[PairSummary]) -> Table:
    header = _header(
        t,
        *("pair", "games", "wins", "draws", "losses", "score", "interval", "elo", "los"),
        *("distinct", "verdict"),
    )
    rows = []
    for pair in pairs:
        verdict = t("verdict.separable", a=pair.leader) if pair.separable else t("verdict.not_separable")
        rows.append(
            (
                t("vs", a=pair.leader, b=pair.other),
                str(pair.games),
                str(pair.wins),
                str(pair.draws),
                str(pair.losses),
                percent(pair.score.value),
                f"{percent(pair.score.low)} … {percent(pair.score.high)}",
                elo_text(t, pair.elo),
                percent(pair.los),
                "–" if pair.distinct is None else str(pair.distinct),
                verdict,
            )
        )
    return Table(t("section.pairs"), header, tuple(rows))


def _first(t: Catalogue, players: Sequence[PlayerSummary]) -> Table:
    header = _header(t, "player", "first", "interval", "games", "second", "interval", "games")
    rows = tuple(
        (
            player.label,
            percent(player.first.value),
            f"{percent(player.first.low)} … {percent(player.first.high)}",
            str(player.first_games),
            percent(player.second.value),
            f"{percent(player.second.low)} … {percent(player.second.high)}",
            str(player.second_games),
        )
        for player in players
    )
    return Table(t("section.first"), header, rows)


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2g}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"
