"""The tables of a study's page, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from wuzi.arena.markdown import NONE, escape, table
from wuzi.arena.text import percent
from wuzi.base.words import Catalogue
from wuzi.studies.figures import PartFigures, StudyFigures
from wuzi.studies.methods import MethodRow
from wuzi.studies.pairs import PairFigures
from wuzi.studies.text import elo_points, milliseconds, named, p_text, share

STAR, NO_STAR = "★", "☆"


def method_table(t: Catalogue, rows: Sequence[MethodRow]) -> str:
    """Seed 000's table with all eight columns."""
    keys = ("method", "strength", "training", "parameters", "speed", "stability", "explains", "learns")
    header = tuple(t(f"column.{key}") for key in keys)
    return table(header, [_method_cells(t, row) for row in rows])


def _method_cells(t: Catalogue, row: MethodRow) -> tuple[str, ...]:
    strength = t("open")
    if row.rating is not None:
        strength = f"{STAR * row.stars}{NO_STAR * (5 - row.stars)} {elo_points(row.rating)}"
    return (
        escape(named(t, row.method)),
        strength,
        training_text(t, row),
        t("open") if row.parameters is None else f"{row.parameters:,}",
        t("open") if row.move_s is None else milliseconds(row.move_s),
        t("open") if row.shift is None else elo_points(row.shift),
        t("open") if row.explains is None else t(f"explains.{row.explains}"),
        t("yes") if row.learns else t("no"),
    )


def training_text(t: Catalogue, row: MethodRow) -> str:
    """What had to be done before the method could play."""
    if not row.trained:
        return t("training.fitted") if row.learns else t("training.none")
    if row.training is None:
        return t("training.missing", command=row.method.train)
    games, hours = row.made.get("games"), row.made.get("hours")
    if games is None:
        return t("training.unknown")
    if hours is None:
        return t("training.games", games=f"{games:,}")
    said = t("training.hours", hours=f"{hours:.2g}", games=f"{games:,}")
    part = row.schedule_share
    return said if part is None or part >= 1 else said + t("training.share", share=f"{part:.0%}")


def rating_table(t: Catalogue, part: PartFigures) -> str:
    """Who stands where in a part."""
    header = tuple(t(f"table.{key}") for key in ("method", "rating", "games", "move", "black", "white"))
    rows = []
    for name in part.names:
        play = part.plays[name]
        assert part.ratings is not None
        rows.append(
            (
                escape(name),
                elo_points(part.ratings.of(name)),
                str(play.games),
                milliseconds(play.conduct.mean_s),
                share(play.black),
                share(play.white),
            )
        )
    return table(header, rows)


def pair_table(t: Catalogue, pairs: Sequence[PairFigures], *, unit: int = 2) -> str:
    """All pairs of a part, the clearest first; ``unit`` is the games of an opening, 2 or 1."""
    units = "units" if unit == 2 else "units.single"
    keys = ("pair", "games", "wdl", "score", units, "p", "distinct", "verdict")
    header = tuple(t(f"table.{key}") for key in keys)
    ordered = sorted(pairs, key=lambda pair: (pair.adjusted, -(pair.score.value if pair.score else 0)))
    return table(header, [_pair_cells(t, pair) for pair in ordered])


def _pair_cells(t: Catalogue, pair: PairFigures) -> tuple[str, ...]:
    verdict = t("verdict.significant", a=escape(pair.first)) if pair.significant else t("verdict.open")
    return (
        f"{escape(pair.first)} – {escape(pair.second)}",
        str(pair.games),
        f"{pair.wins}-{pair.draws}-{pair.losses}",
        share(pair.score),
        f"{pair.won}-{pair.level}-{pair.lost}",
        p_text(pair.adjusted),
        NONE if pair.distinct is None else str(pair.distinct),
        verdict,
    )


def agreement_table(t: Catalogue, figures: StudyFigures) -> str:
    """The pairs of both comparisons, each as it was and as it was again."""
    rows = []
    for source, found in (("000", figures.seed), ("wuzi", figures.repeat)):
        for pair in found.pairs if found else ():
            rows.append(
                (
                    source,
                    f"{escape(pair.first)} – {escape(pair.second)}",
                    f"{percent(pair.before)} (n = {pair.games[0]})",
                    f"{percent(pair.after)} (n = {pair.games[1]})",
                    p_text(pair.p),
                )
            )
    header = (t("agree.table"), t("table.pair"), "1", "2", t("table.p"))
    return table(header, rows, names=2) if rows else ""
