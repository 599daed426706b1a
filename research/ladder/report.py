"""The games of a ladder as text and chart, and as the marked parts of ``docs/strength*.md``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import reduce
from pathlib import Path

from research.campaign import Conduct, commits_of, days_of, machines_of, settings_of
from research.ladder.config import load_ladder
from research.ladder.run import (
    CONFIG_FILE,
    LadderArmFigures,
    LadderFigures,
    OpponentLine,
    TargetResult,
    ladder_figures,
)
from wuzi.arena import Ratings
from wuzi.arena.text import NONE, escape, interval, percent, table, typeset
from wuzi.base.atomic import write_atomic
from wuzi.base.store import read_text
from wuzi.base.words import LANGUAGES, Catalogue, load_catalogue
from wuzi.errors import RecordError

BEGIN = "<!-- made by `python -m research report`: do not edit by hand -->"
END = "<!-- end of what `python -m research report` made -->"


def render(figures: LadderFigures, chart: str | None = None, language: str = "en") -> str:
    """Everything the ladder knows, as Markdown; headings are of the second level."""
    t = load_catalogue("research", language)
    parts = [t("ladder.commands"), _runs(t, figures)]
    if chart:
        parts.append(f"![{t('ladder.chart')}]({chart})")
    for arm in figures.arms:
        parts += _arm(t, figures, arm)
    parts += [f"## {t('ladder.reached')}", _verdicts(t, figures)]
    if notes := _notes(t, figures):
        parts += [f"## {t('ladder.who')}", notes]
    return "\n\n".join(parts) + "\n"


def write_into(document: Path, text: str) -> None:
    """Put the text between the two marks of a document; everything else stays."""
    head, begin, rest = read_text(document).partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise RecordError(f"{document}: expected a line {BEGIN!r} and after it a line {END!r}")
    write_atomic(document, f"{head}{BEGIN}\n\n{text}\n{END}{tail}".encode())


def _runs(t: Catalogue, figures: LadderFigures) -> str:
    runs = figures.runs
    played = [name for arm in figures.arms for name in arm.commits] or [run.commit for run in runs]
    config = figures.arms[0].arm.parts[0].config
    return t(
        "ladder.runs",
        commits=commits_of(played),
        machines=machines_of(runs),
        days=days_of(runs, t("ladder.to")),
        size=config.rules.size,
        rule=load_catalogue("wuzi.arena", t.language)(f"rule.{config.rules.rule.label}"),
        openings=Path(config.openings).name,
        turned=t("ladder.turned") if config.transform else "",
        tolerance=config.tolerance_s,
        focus=escape(figures.config.focus),
    )


def _arm(t: Catalogue, figures: LadderFigures, arm: LadderArmFigures) -> list[str]:
    focus = figures.config.focus
    parts = [f"## {t('ladder.arm', time=arm.arm.time_s)}"]
    plain = "opponent games wins draws losses score interval openings distinct".split()
    header = [t(f"ladder.{key}") for key in plain]
    header += [
        f"{t(f'ladder.{key}')} {focus}/{t('ladder.them')}" for key in ("forfeits", "late", "ms", "slowest")
    ]
    parts.append(table(tuple(header), [_line_cells(t, line) for line in arm.lines]))
    parts.append(_conduct(t, focus, arm))
    if len(arm.commits) > 1:
        said = t("ladder.comma").join(
            t("ladder.at", count=count, name=name) for name, count in arm.commits.items()
        )
        parts.append(t("ladder.several", said=said))
    if arm.ratings is not None:
        parts += _ratings(t, figures, arm, arm.ratings)
    return parts


def _ratings(t: Catalogue, figures: LadderFigures, arm: LadderArmFigures, ratings: Ratings) -> list[str]:
    anchor = figures.config.anchor
    known = anchor is not None and anchor[0] in arm.games
    fixed = t("ladder.fixed", name=escape(anchor[0]), value=anchor[1]) if anchor and known else ""
    rows = [
        (
            escape(label),
            typeset(f"{estimate.value:.0f}"),
            NONE if estimate.low == estimate.high else typeset(f"{estimate.low:.0f} … {estimate.high:.0f}"),
            str(arm.games[label]),
            _lost(t, arm.forfeits[label]) or "0",
        )
        for label, estimate in zip(ratings.labels, ratings.estimates, strict=True)
    ]
    header = tuple(t(f"ladder.{key}") for key in ("player", "rating", "interval", "games", "forfeited"))
    parts = [t("ladder.ratings", fixed=fixed), table(header, rows)]
    if ratings.is_lower_bound:
        parts.append(t("ladder.bounded"))
    if not ratings.connected:
        parts.append(t("ladder.apart"))
    return parts


def _line_cells(t: Catalogue, line: OpponentLine) -> tuple[str, ...]:
    whole = line.games == line.planned
    score = line.score
    return (
        escape(line.opponent),
        str(line.games) if whole else t("ladder.part", games=line.games, planned=line.planned),
        *(str(line.wins), str(line.draws), str(line.losses)),
        *((NONE, NONE) if score is None else (percent(score.value), interval(score))),
        "/".join(map(str, line.pairs)),
        str(line.distinct),
        f"{sum(line.own.forfeits.values())}/{sum(line.theirs.forfeits.values())}",
        f"{line.own.late}/{line.theirs.late}",
        f"{_ms(line.own.mean_s)}/{_ms(line.theirs.mean_s)}",
        f"{_ms(line.own.slowest_s)}/{_ms(line.theirs.slowest_s)}",
    )


def _conduct(t: Catalogue, focus: str, arm: LadderArmFigures) -> str:
    """The sentence that a match runner's user asks for first."""
    said = [conduct_sentence(focus, arm.played, arm.conduct, arm.arm.time_s, t.language)]
    said += [
        t("ladder.lost", name=escape(line.opponent), found=found)
        for line in arm.lines
        if (found := _lost(t, line.theirs.forfeits))
    ]
    return reduce(lambda first, second: t("ladder.then", first=first, second=second), said)


def _lost(t: Catalogue, forfeits: Mapping[str, int]) -> str:
    """How many games were lost by each kind of forfeit; empty for none."""
    found = [t(f"ladder.lost.{reason}", count=count) for reason, count in forfeits.items() if count]
    return t("ladder.comma").join(found)


def conduct_sentence(label: str, games: int, conduct: Conduct, time_s: float, language: str = "en") -> str:
    """How many games a player forfeited, and how many answers took too long."""
    lost = conduct.forfeits
    return load_catalogue("research", language)(
        "ladder.conduct",
        label=escape(label),
        games=games,
        **{reason: lost[reason] for reason in ("time", "crash", "illegal")},
        late=conduct.late,
        answers=conduct.answers,
        limit=f"{time_s * 1000:.0f}",
        slowest=NONE if conduct.slowest_s is None else f"{conduct.slowest_s * 1000:.0f}",
    )


def _verdicts(t: Catalogue, figures: LadderFigures) -> str:
    said = [
        t(
            "ladder.verdict",
            time=arm.arm.time_s,
            name=escape(verdict.target.against),
            said=verdict_text(verdict, t.language),
        )
        for arm in figures.arms
        for verdict in arm.verdicts
    ]
    return "\n".join(said) or t("ladder.verdict.none")


def verdict_text(verdict: TargetResult, language: str = "en") -> str:
    """Whether a target was reached; if not, by how much it was missed."""
    t, score = load_catalogue("research", language), verdict.score
    wanted = t("ladder.target", share=percent(verdict.target.score, 0))
    if score is None:
        return t("ladder.unmeasured", wanted=wanted)
    measured = t("ladder.measured", wanted=wanted, share=percent(score.value), interval=interval(score))
    return t(f"ladder.verdict.{verdict.verdict.replace(' ', '_')}", measured=measured)


def _notes(t: Catalogue, figures: LadderFigures) -> str:
    names: dict[str, str] = {}
    for run in figures.runs:
        names |= run.engines
    notes = figures.config.notes_zh if t.language == "zh" else figures.config.notes
    rows = [
        (escape(label), escape(names.get(label, NONE)), escape(notes.get(label, "")))
        for label in figures.config.labels()
        if label in names or label in notes
    ]
    header = tuple(t(f"ladder.{key}") for key in ("player", "named", "remark"))
    return table(header, rows, names=3) if rows else ""


def _ms(seconds: float | None) -> str:
    return NONE if seconds is None or math.isnan(seconds) else f"{seconds * 1000:.0f}"


REPORT_FILE = "report.md"
CHART_FILE = "ladder.png"
DOCUMENT_CHART = Path("images") / "strength.png"


def write_ladder_report(out: Path, document: Path | None = None) -> tuple[LadderFigures, Path]:
    """Write ``report.md`` and ``ladder.png`` into a ladder's folder; the figures, and the former's path."""
    from wuzi.arena.charts import check_available

    check_available()
    from research.ladder.chart import draw_ladder

    figures = ladder_figures(load_ladder(settings_of(out, CONFIG_FILE, "ladder run")), out)
    markdown, chart = out / REPORT_FILE, out / CHART_FILE
    draw_ladder(figures, chart)
    write_atomic(markdown, ("# Strength\n\n" + render(figures, CHART_FILE)).encode())
    if document is not None:
        for language in LANGUAGES:
            page = document if language == "en" else document.with_suffix(f".{language}.md")
            if page.exists() or page == document:
                write_into(page, render(figures, DOCUMENT_CHART.as_posix(), language))
        copy = document.parent / DOCUMENT_CHART
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(copy, chart.read_bytes())
    return figures, markdown
