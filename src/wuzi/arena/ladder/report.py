"""``wuzi ladder report``: the games as text and chart; also the marked part of ``docs/strength.md``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from wuzi.arena.campaign import Conduct, settings_of
from wuzi.arena.ladder.config import load_ladder
from wuzi.arena.ladder.run import (
    CONFIG_FILE,
    LadderArmFigures,
    LadderFigures,
    OpponentLine,
    TargetResult,
    ladder_figures,
)
from wuzi.arena.text import NONE, commits_of, days_of, escape, interval, machines_of, percent, table
from wuzi.base.atomic import write_atomic
from wuzi.base.store import read_text
from wuzi.errors import RecordError

BEGIN = "<!-- made by `wuzi ladder report`: do not edit by hand -->"
END = "<!-- end of what `wuzi ladder report` made -->"
_FORFEITED = {"time": "on time", "crash": "by a crash", "illegal": "by an illegal move"}


def render(figures: LadderFigures, chart: str | None = None) -> str:
    """Everything the ladder knows, as Markdown; headings are of the second level."""
    commands = "Commands: `wuzi ladder run ladder.toml --out DIR`, then `wuzi ladder report DIR`."
    parts = [commands, _runs(figures)]
    if chart:
        parts.append(f"![Scores and ratings]({chart})")
    for arm in figures.arms:
        parts += _arm(figures, arm)
    parts += ["## What was reached", _verdicts(figures)]
    if notes := _notes(figures):
        parts += ["## Who they are", notes]
    return "\n\n".join(parts) + "\n"


def write_into(document: Path, text: str) -> None:
    """Put the text between the two marks of a document; everything else stays."""
    head, begin, rest = read_text(document).partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise RecordError(f"{document}: expected a line {BEGIN!r} and after it a line {END!r}")
    write_atomic(document, f"{head}{BEGIN}\n\n{text}\n{END}{tail}".encode())


def _runs(figures: LadderFigures) -> str:
    runs = figures.runs
    played = [name for arm in figures.arms for name in arm.commits] or [run.commit for run in runs]
    config = figures.arms[0].arm.parts[0].config
    return (
        f"wuzi at {commits_of(played)}, {machines_of(runs)}; {days_of(runs, ' to ')}. "
        f"{config.rules.size}x{config.rules.size} "
        f"{config.rules.rule.label}, openings `{Path(config.openings).name}`"
        f"{', turned or mirrored at random' if config.transform else ''}, each played with both colours; "
        f"an answer may be {config.tolerance_s:g} s late before it loses. "
        f"W, D, L and the score are those of {escape(figures.config.focus)}; "
        "intervals are 95 % with the opening as the unit."
    )


def _arm(figures: LadderFigures, arm: LadderArmFigures) -> list[str]:
    focus = figures.config.focus
    parts = [f"## {arm.arm.time_s:g} s a move"]
    header = (
        *("opponent", "games", "W", "D", "L", "score", "95 % interval"),
        *("openings won/level/lost", "distinct"),
        *(f"{what} {focus}/them" for what in ("forfeits", "late", "ms a move", "slowest ms")),
    )
    parts.append(table(header, [_line_cells(line) for line in arm.lines]))
    parts.append(_conduct(focus, arm))
    if len(arm.commits) > 1:
        said = ", ".join(f"{count} at `{name}`" for name, count in arm.commits.items())
        parts.append(f"The games of this table are of several commits: {said}.")
    if arm.ratings is not None:
        anchor = figures.config.anchor
        fixed = f", {escape(anchor[0])} set to {anchor[1]:g}" if anchor and anchor[0] in arm.games else ""
        parts.append(f"Bradley-Terry ratings in Elo points{fixed}:")
        rows = [
            (
                escape(label),
                f"{estimate.value:.0f}",
                NONE if estimate.low == estimate.high else f"{estimate.low:.0f} … {estimate.high:.0f}",
                str(arm.games[label]),
                _lost(arm.forfeits[label]) or "0",
            )
            for label, estimate in zip(arm.ratings.labels, arm.ratings.estimates, strict=True)
        ]
        parts.append(table(("player", "rating", "95 % interval", "games", "forfeited"), rows))
        if arm.ratings.bounded:
            parts.append("Somebody won or lost everything: distances to them are lower bounds.")
        if not arm.ratings.connected:
            parts.append("Some players are not linked by games: their ratings cannot be compared.")
    return parts


def _line_cells(line: OpponentLine) -> tuple[str, ...]:
    games = str(line.games) if line.games == line.planned else f"{line.games} of {line.planned}"
    score = line.score
    return (
        escape(line.opponent),
        *(games, str(line.wins), str(line.draws), str(line.losses)),
        *((NONE, NONE) if score is None else (percent(score.value), interval(score))),
        "/".join(map(str, line.pairs)),
        str(line.distinct),
        f"{sum(line.own.forfeits.values())}/{sum(line.theirs.forfeits.values())}",
        f"{line.own.late}/{line.theirs.late}",
        f"{_ms(line.own.mean_s)}/{_ms(line.theirs.mean_s)}",
        f"{_ms(line.own.slowest_s)}/{_ms(line.theirs.slowest_s)}",
    )


def _conduct(focus: str, arm: LadderArmFigures) -> str:
    """The sentence that a match runner's user asks for first."""
    said = [conduct_sentence(focus, arm.played, arm.conduct, arm.arm.time_s)]
    said += [
        f"{escape(line.opponent)} lost {found}."
        for line in arm.lines
        if (found := _lost(line.theirs.forfeits))
    ]
    return " ".join(said)


def _lost(forfeits: Mapping[str, int]) -> str:
    """How many games were lost by each kind of forfeit; empty for none."""
    return ", ".join(f"{count} {_FORFEITED[reason]}" for reason, count in forfeits.items() if count)


def conduct_sentence(label: str, games: int, conduct: Conduct, time_s: float) -> str:
    """How many games a player forfeited, and how many answers took too long."""
    lost = conduct.forfeits
    slowest = NONE if conduct.slowest_s is None else f"{conduct.slowest_s * 1000:.0f} ms"
    return (
        f"{escape(label)} in {games} games: {lost['time']} lost on time, {lost['crash']} crashes, "
        f"{lost['illegal']} illegal moves; {conduct.late} of {conduct.answers} answers over "
        f"{time_s * 1000:.0f} ms, the slowest {slowest}."
    )


def _verdicts(figures: LadderFigures) -> str:
    said = [
        f"- {arm.arm.time_s:g} s, {escape(verdict.target.against)}: {verdict_text(verdict)}"
        for arm in figures.arms
        for verdict in arm.verdicts
    ]
    return "\n".join(said) or "No targets are set."


def verdict_text(verdict: TargetResult) -> str:
    """Whether a target was reached; if not, by how much it was missed."""
    wanted = f"target {percent(verdict.target.score, 0)}"
    score = verdict.score
    if score is None:
        return f"{wanted}, **not measured**."
    measured = f"{wanted}, measured {percent(score.value)} ({interval(score)})"
    if verdict.verdict != "not decided":
        return f"{measured}: **{verdict.verdict}**."
    return f"{measured}: **not decided**, the interval holds the target."


def _notes(figures: LadderFigures) -> str:
    names: dict[str, str] = {}
    for run in figures.runs:
        names |= run.engines
    rows = [
        (escape(label), escape(names.get(label, NONE)), escape(figures.config.notes.get(label, "")))
        for label in figures.config.labels()
        if label in names or label in figures.config.notes
    ]
    return table(("player", "calls itself", "remark"), rows, names=3) if rows else ""


def _ms(seconds: float | None) -> str:
    return NONE if seconds is None or math.isnan(seconds) else f"{seconds * 1000:.0f}"


REPORT_FILE = "report.md"
CHART_FILE = "ladder.png"
DOCUMENT_CHART = Path("images") / "strength.png"


def write_ladder_report(out: Path, document: Path | None = None) -> tuple[LadderFigures, Path]:
    """Write ``report.md`` and ``ladder.png`` into a ladder's folder; the figures, and the former's path."""
    from wuzi.arena.charts import check_available

    check_available()
    from wuzi.arena.charts.ladder import draw_ladder

    figures = ladder_figures(load_ladder(settings_of(out, CONFIG_FILE, "ladder run")), out)
    markdown, chart = out / REPORT_FILE, out / CHART_FILE
    draw_ladder(figures, chart)
    write_atomic(markdown, ("# Strength\n\n" + render(figures, CHART_FILE)).encode())
    if document is not None:
        write_into(document, render(figures, DOCUMENT_CHART.as_posix()))
        copy = document.parent / DOCUMENT_CHART
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(copy, chart.read_bytes())
    return figures, markdown
